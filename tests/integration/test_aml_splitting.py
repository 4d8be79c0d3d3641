"""Operations that look split up, and cards that change hands, raise a case and block nothing (Q2)."""

from datetime import datetime, timedelta

import pytest

from accounts.models import (
    AmlCase,
    CaseKind,
    CaseState,
    Person,
    PrepaidCard,
    Till,
    User,
)
from accounts.services.card_sale import sell_card
from accounts.services.cases import operations_of, review_case
from accounts.services.topups import top_up_by_card, top_up_in_cash
from pools.models import Bet, Pool
from pools.services.betting import place_bet
from pools.services.sources import from_card
from pools.services.suspicions import look_for_suspicions
from pools.tasks import look_for_suspicions as look_task
from tests.carding import Bought, at_point, bought
from tests.making import (
    account_of,
    bet_in_cash,
    make_organizers,
    make_player,
    make_pool,
    make_till,
    somebody,
)
from tests.paying import go_to
from tests.topping_up import pay_in
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
THRESHOLD = 100_000


def free_pool() -> Pool:
    """A pool in which every stake from 0.01 on is taken."""
    return make_pool("totolot-variant", terms={"price": {"min": 1, "max": 100_000_000}})


def sell_just_below(pool: Pool, till: Till, count: int, *, every: timedelta = timedelta(minutes=5)) -> list[str]:
    tickets = []
    for _ in range(count):
        tickets.append(bet_in_cash(pool, till, "1", 99_000).bet.ticket)
        clock.move_clock(every)
    return tickets


def test_q2_ten_tickets_of_990_in_an_hour_are_one_alert_with_its_evidence() -> None:
    pool, till = free_pool(), make_till()
    tickets = sell_just_below(pool, till, 10)
    bet_in_cash(pool, till, "1", 500)
    assert look_for_suspicions() == 1
    case = AmlCase.objects.get()
    assert (case.kind, case.subject, case.state) == (CaseKind.CASH_SPLIT, f"point:{till.point.code}", CaseState.OPEN)
    assert [told["reference"] for told in case.evidence["operations"]] == [f"stake:{ticket}" for ticket in tickets]
    assert (case.evidence["sum"], case.evidence["rule"]["threshold"]) == (990_000, THRESHOLD)
    assert JournalRecord.objects.filter(act="raise_case").count() == 1
    assert bet_in_cash(pool, till, "1", 99_000).bet.stake == 99_000  # a case never blocks


def test_q2_looking_again_raises_nothing_new_and_later_tickets_join_the_open_case() -> None:
    pool, till = free_pool(), make_till()
    sell_just_below(pool, till, 6)
    assert (look_for_suspicions(), look_for_suspicions()) == (1, 0)
    sell_just_below(pool, till, 4)
    assert look_for_suspicions() == 0
    look_task()
    assert [len(operations_of(case)) for case in AmlCase.objects.all()] == [10]


def test_q2_what_comes_after_a_review_is_another_case() -> None:
    pool, till, (one, _other) = free_pool(), make_till(), make_organizers()
    sell_just_below(pool, till, 6)
    look_for_suspicions()
    review_case(case=AmlCase.objects.get(), opinion="A club of friends", reviewed_by=one)
    sell_just_below(pool, till, 4)
    assert look_for_suspicions() == 0  # four are not many
    sell_just_below(pool, till, 2)
    assert look_for_suspicions() == 1
    assert sorted(len(operations_of(case)) for case in AmlCase.objects.all()) == [6, 6]


@pytest.mark.parametrize(
    ("count", "every", "stake", "raised"),
    [
        (4, 5, 99_000, 0),  # too few
        (5, 5, 99_000, 1),
        (5, 15, 99_000, 1),  # within the hour exactly
        (5, 16, 99_000, 0),  # slower
        (5, 5, 80_000, 1),  # from four fifths of the threshold on
        (5, 5, 79_999, 0),
    ],
)
def test_q2_what_is_split_is_dated_numbers(count: int, every: int, stake: int, raised: int) -> None:
    pool, till = free_pool(), make_till()
    at = clock.now() + timedelta(minutes=1)
    operations = [(at + timedelta(minutes=every * place), stake) for place in range(count)]
    for instant, amount in operations:
        go_to(instant)
        bet = bet_in_cash(pool, till, "1", amount).bet
        # to the very instant: the clock went on meanwhile
        _retime(f"stake:{bet.ticket}", instant)
    clock.move_clock(timedelta(minutes=1))
    assert look_for_suspicions() == raised


def test_q2_points_are_told_apart() -> None:
    pool, tills = free_pool(), [make_till(), make_till()]
    for till in tills * 4:
        bet_in_cash(pool, till, "1", 99_000)
    assert look_for_suspicions() == 0


def test_q2_cards_sold_and_top_ups_in_cash_count_as_cash_too() -> None:
    till, pool = make_till(), free_pool()
    assert till.cashier is not None
    bought(till, 2, 90_000)
    for number in range(2):
        top_up_in_cash(
            account=account_of(make_player()), amount=90_000, cashier=till.cashier, idempotency_key=str(number)
        )
    bet_in_cash(pool, till, "1", 90_000)
    assert look_for_suspicions() == 1
    kinds = [told["reference"].partition(":")[0] for told in AmlCase.objects.get().evidence["operations"]]
    assert kinds == ["card-sold", "card-sold", "deposit", "deposit", "stake"]


def test_q2_deposits_onto_one_account_that_reach_the_threshold_together_raise_one_case() -> None:
    split, plain = make_player(), make_player()
    for _ in range(5):
        pay_in(split, 20_000)
        pay_in(plain, 19_999)
    assert look_for_suspicions() == 1
    case = AmlCase.objects.get()
    assert (case.kind, case.subject) == (CaseKind.DEPOSITS_SPLIT, f"game_account:{account_of(split).pk}")
    assert case.evidence["sum"] == THRESHOLD


def test_q2_many_cards_onto_one_account_are_deposits_too() -> None:
    till, player = make_till(), make_player()
    for place, card in enumerate(bought(till, 5, 20_000)):
        top_up_by_card(
            player=player, series=card.series, number=card.number, code=card.code, idempotency_key=str(place)
        )
    assert look_for_suspicions() == 1
    assert AmlCase.objects.get().kind == CaseKind.DEPOSITS_SPLIT


def sold_to(till: Till, buyer: Person | None) -> Bought:
    (card,) = at_point(till, 1, 1_000)
    assert till.cashier is not None
    sell_card(series=card.series, number=card.number, cashier=till.cashier, idempotency_key=card.number, person=buyer)
    return card


def use(pool: Pool, card: Bought, player: User, key: str = "k") -> Bet:
    source = from_card(series=card.series, number=card.number, code=card.code, asked_by=player)
    return place_bet(pool_code=pool.code, selections="1", stake=100, source=source, idempotency_key=key).bet


def test_q2_a_card_bought_by_one_and_used_by_another_is_flagged_once() -> None:
    pool, till, buyer, player = free_pool(), make_till(), somebody(), make_player()
    card = sold_to(till, buyer)
    bet = use(pool, card, player)
    assert (look_for_suspicions(), look_for_suspicions()) == (1, 0)
    case = AmlCase.objects.get()
    assert (case.kind, case.subject) == (CaseKind.CARD_CHANGED_HANDS, f"card:{card.number}")
    user = Person.objects.get(player=player)
    assert case.evidence["people"] == {"buyer": buyer.subject, "user": user.subject}
    assert [operation.reference for operation in operations_of(case)] == [f"stake:{bet.ticket}"]
    use(pool, card, player, "another")
    assert (look_for_suspicions(), len(operations_of(AmlCase.objects.get()))) == (0, 2)


def test_q2_a_card_onto_anothers_account_is_flagged() -> None:
    till, player = make_till(), make_player()
    card = sold_to(till, somebody())
    top_up_by_card(player=player, series=card.series, number=card.number, code=card.code, idempotency_key="k")
    assert look_for_suspicions() == 1


def test_q2_the_same_person_or_an_unknown_one_is_not() -> None:
    pool, till, player = free_pool(), make_till(), make_player()
    use(pool, sold_to(till, Person.objects.get(player=player)), player)
    use(pool, sold_to(till, None), player)
    card = sold_to(till, somebody())
    place_bet(
        pool_code=pool.code,
        selections="1",
        stake=100,
        source=from_card(series=card.series, number=card.number, code=card.code),
        idempotency_key="k",
    )
    assert PrepaidCard.objects.filter(sold_at__isnull=False).count() == 3
    assert look_for_suspicions() == 0


def _retime(key: str, at: datetime) -> None:
    """Put a transfer at an exact instant, as only the owner of the database can."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE accounts_transfer DISABLE TRIGGER USER")
        cursor.execute("UPDATE accounts_transfer SET occurred_at = %s WHERE key = %s", [at, key])
        cursor.execute("ALTER TABLE accounts_transfer ENABLE TRIGGER USER")
