"""Large and split-up operations: who shows no document is refused, what looks split raises a case (Q1, Q2)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import pypdfium2
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import (
    CASE_MOVES,
    AmlCase,
    CaseKind,
    CaseState,
    IdentifiedOperation,
    Person,
    PrepaidCard,
    Till,
    User,
)
from accounts.models.aml import move_case
from accounts.queries.operations import Operation, episodes
from accounts.services.card_sale import sell_card
from accounts.services.cases import close_case, operations_of, raise_case, report_case, review_case
from accounts.services.retention import Kept, allow_purge
from accounts.services.suspicion_forms import print_suspicion_form
from accounts.services.topups import top_up_by_card, top_up_in_cash
from payouts.services.booking import book_payables
from pools.models import Bet, Pool
from pools.services.betting import place_bet
from pools.services.sources import from_card
from pools.services.suspicions import look_for_suspicions
from pools.tasks import look_for_suspicions as look_task
from tests.carding import Bought, at_point, bought
from tests.making import (
    account_of,
    bet_from_account,
    bet_in_cash,
    make_organizers,
    make_player,
    make_pool,
    make_till,
    make_user,
    somebody,
)
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import settle
from tests.topping_up import pay_in
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db
THRESHOLD = 100_000
T0 = datetime(2026, 11, 30, tzinfo=UTC)


def free_pool() -> Pool:
    """A pool in which every stake from 0.01 on is taken."""
    return make_pool("totolot-variant", terms={"price": {"min": 1, "max": 100_000_000}})


# -- Identification (Q1) --------------------------------------------------------------------------------------


def test_q1_a_stake_in_cash_from_the_threshold_on_needs_a_document() -> None:
    pool, till = free_pool(), make_till()
    assert bet_in_cash(pool, till, "1", THRESHOLD - 1).bet.person is None
    refusal = refused(partial(bet_in_cash, pool, till, "1", THRESHOLD))
    assert (refusal.code, refusal.field, refusal.details) == (
        Refusal.IDENTITY_NEEDED,
        "person",
        {"threshold": THRESHOLD},
    )
    shown = somebody()
    assert bet_in_cash(pool, till, "1", THRESHOLD, person=shown).bet.person == shown


def test_q1_a_person_without_a_number_is_not_identified() -> None:
    pool, till, player = free_pool(), make_till(), make_player(may_bet=False)
    nameless = Person.objects.get(player=player)
    refusal = refused(partial(bet_in_cash, pool, till, "1", THRESHOLD, person=nameless))
    assert refusal.code in (Refusal.IDENTITY_NEEDED, Refusal.NOT_VERIFIED)


def test_q1_a_stake_from_an_account_needs_none_at_a_desk() -> None:
    pool, player = free_pool(), make_player(THRESHOLD)
    assert bet_from_account(pool, player, "1", THRESHOLD).bet.stake == THRESHOLD


def test_q1_the_threshold_is_dated() -> None:
    pool, till = free_pool(), make_till()
    LegalNumber.objects.filter(name="aml_identify_from").update(value="500")
    forget_legal_numbers()
    assert refused(partial(bet_in_cash, pool, till, "1", 500)).code == Refusal.IDENTITY_NEEDED


def test_q1_a_payout_in_cash_from_the_threshold_on_needs_a_document_which_is_kept_as_a_token() -> None:
    LegalNumber.objects.filter(name="winning_tax_rate").update(value="0")
    till, pool = make_till(THRESHOLD), make_pool("sportloto-variant", terms={"price": {"line": 99_999}, "fund": "1"})
    winner, _loser = sell_slips(pool, till, ("1", 99_999), ("X", 99_999))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    assert refused(partial(pay, winner, till)).code == Refusal.IDENTITY_NEEDED
    shown = somebody()
    assert pay(winner, till, person=shown).handed_over == 199_998
    kept = IdentifiedOperation.objects.get()
    assert (kept.operation, kept.person, kept.noted_by) == (f"payout:{winner.bet.ticket}", shown, till.cashier)
    with pytest.raises(DatabaseError), transaction.atomic():
        IdentifiedOperation.objects.all().delete()


def test_q1_a_top_up_in_cash_from_the_threshold_on_needs_a_verified_owner() -> None:
    till, unknown, known = make_till(), make_player(may_bet=False), make_player()
    assert till.cashier is not None
    act = partial(top_up_in_cash, amount=THRESHOLD, cashier=till.cashier, idempotency_key="k")
    assert refused(partial(act, account=account_of(unknown))).code in (Refusal.IDENTITY_NEEDED, Refusal.REGISTER_STALE)
    assert act(account=account_of(known)).amount == THRESHOLD


def test_q1_a_card_of_a_large_value_needs_a_document() -> None:
    till = make_till()
    (card,) = at_point(till, 1, THRESHOLD)
    assert till.cashier is not None
    act = partial(sell_card, series=card.series, number=card.number, cashier=till.cashier, idempotency_key="k")
    assert refused(act).code == Refusal.IDENTITY_NEEDED
    shown = somebody()
    act(person=shown)
    kept = IdentifiedOperation.objects.get()
    assert (kept.operation, kept.person) == (f"card-sold:{card.number}", shown)


# -- Structuring (Q2) -----------------------------------------------------------------------------------------


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


# -- Cards that change hands ----------------------------------------------------------------------------------


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


# -- Cases ----------------------------------------------------------------------------------------------------


def a_case(subject: str = "point:P1", people: dict[str, str] | None = None) -> AmlCase:
    operations = [Operation(f"stake:T-{n}", clock.now() + timedelta(minutes=n), 99_000) for n in range(5)]
    rule = {"threshold": THRESHOLD, "count": 5, "window_minutes": 60}
    return raise_case(
        kind=CaseKind.CASH_SPLIT, subject=subject, operations=operations, rule=rule, actor="test", people=people
    )


def test_q1_a_case_is_reviewed_by_one_and_reported_by_another_with_a_numbered_form() -> None:
    (one, other), player = make_organizers(), make_player()
    person = Person.objects.get(player=player)
    case = review_case(case=a_case(people={"user": person.subject}), opinion="Split up", reviewed_by=one)
    assert refused(partial(report_case, case=case, decision="Yes", decided_by=one)).code == Refusal.SAME_PERSON
    report = report_case(case=case, decision="Report it", decided_by=other)
    with translation.override("en"):
        content = print_suspicion_form(case=AmlCase.objects.get(), asked_by=one)
        assert content == print_suspicion_form(case=AmlCase.objects.get(), asked_by=one)
    text = "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(content))
    wanted = [
        f"Report No. 1/{clock.today().year}",
        "point:P1",
        "BYN 4,950.00",
        "stake:T-0",
        f"Name {player.pk}",
        f"TEST{player.pk:06}",
        "1990-05-31",
        "Split up",
        "Report it",
        one.username,
        other.username,
    ]
    assert [words for words in wanted if words not in text] == []
    assert f"Name {player.pk}" not in report.text
    assert JournalRecord.objects.filter(act="print_report").count() == 2


def test_a_case_without_anything_suspicious_is_closed_and_has_no_form() -> None:
    one, other = make_organizers()
    case = review_case(case=a_case(), opinion="A wedding", reviewed_by=one)
    close_case(case=case, decision="Agreed", decided_by=other)
    assert AmlCase.objects.get().state == CaseState.CLOSED
    assert refused(lambda: print_suspicion_form(case=case, asked_by=one)).code == Refusal.NOT_FOUND


def test_only_staff_see_and_decide_cases() -> None:
    from accounts.models import Role

    case = a_case()
    for somebody_else in (make_player(), make_user(Role.CASHIER), make_user(Role.COMMISSION)):
        for act in (
            partial(review_case, case=case, opinion="x", reviewed_by=somebody_else),
            partial(report_case, case=case, decision="x", decided_by=somebody_else),
            partial(print_suspicion_form, case=case, asked_by=somebody_else),
        ):
            assert refused(act).code == Refusal.NOT_ALLOWED


@pytest.mark.parametrize("came_from", CaseState)
@pytest.mark.parametrize("to", CaseState)
def test_a_case_moves_as_the_table_says_and_no_other_way(came_from: CaseState, to: CaseState) -> None:
    one, other = make_organizers()
    case = a_case()
    if came_from != CaseState.OPEN:
        review_case(case=case, opinion="x", reviewed_by=one)
    if came_from in (CaseState.REPORTED, CaseState.CLOSED):
        {CaseState.REPORTED: report_case, CaseState.CLOSED: close_case}[came_from](
            case=case, decision="y", decided_by=other
        )
    people = {"reviewed_by": one} if to == CaseState.REVIEWED else {"decided_by": other}
    if to in CASE_MOVES[came_from]:
        move_case(case, to, **people)
        assert AmlCase.objects.get().state == to
    else:
        assert refused(partial(move_case, case, to, **people)).code == Refusal.WRONG_STATE


def test_the_evidence_of_a_reviewed_case_cannot_be_changed_even_in_the_database() -> None:
    one, _other = make_organizers()
    case = review_case(case=a_case(), opinion="x", reviewed_by=one)
    for change in (
        lambda: AmlCase.objects.filter(pk=case.pk).update(evidence={}),
        lambda: AmlCase.objects.filter(pk=case.pk).update(subject="point:P2"),
        lambda: AmlCase.objects.filter(pk=case.pk).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


# -- Stretches of operations, against a plain reading of the definition ----------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=25),
    st.integers(1, 8),
    st.integers(1, 5),
    st.integers(0, 20),
)
def test_episodes_hold_exactly_what_is_in_some_full_window(
    made: list[tuple[int, int]], minutes: int, count: int, least: int
) -> None:
    operations = [Operation(str(n), T0 + timedelta(minutes=m), a) for n, (m, a) in enumerate(sorted(made))]
    window = timedelta(minutes=minutes)

    def full(start: int) -> Sequence[Operation]:
        inside = [op for op in operations[start:] if op.at - operations[start].at <= window]
        return inside if len(inside) >= count and sum(op.amount for op in inside) >= least else []

    expected = {op.reference for start in range(len(operations)) for op in full(start)}
    found = list(episodes(operations, window=window, count=count, least_sum=least))
    references = [op.reference for episode in found for op in episode]
    assert sorted(references) == sorted(expected)


# -- Retention ------------------------------------------------------------------------------------------------


def test_q1_a_purge_of_what_is_too_young_is_refused_on_the_record_and_nothing_goes() -> None:
    staff, _other = make_organizers()
    go_to(datetime(2030, 2, 28, 12, tzinfo=UTC))
    records = JournalRecord.objects.count()
    from totalizator.core.errors import DomainError

    with pytest.raises(DomainError) as caught:
        allow_purge(kept=Kept.AML, before=datetime(2025, 3, 1, tzinfo=UTC).date(), asked_by=staff)
    assert (caught.value.code, str(caught.value.details["kept_from"])) == (Refusal.KEPT_BY_LAW, "2025-02-28")
    stays = allow_purge(kept=Kept.AML, before=datetime(2025, 2, 28, tzinfo=UTC).date(), asked_by=staff)
    assert str(stays) == "2025-02-28"
    asked = JournalRecord.objects.filter(subject="retention:aml").order_by("pk").values_list("act", "actor")
    assert list(asked) == [("refuse_purge", staff.actor), ("allow_purge", staff.actor)]
    assert JournalRecord.objects.count() == records + 2
    with pytest.raises(CommandError):
        call_command("check_purge", "ledger", "2029-01-01", by=staff.username)


@pytest.mark.parametrize("kept", Kept)
def test_every_kind_of_record_has_a_term(kept: Kept) -> None:
    staff, _other = make_organizers()
    stays = allow_purge(kept=kept, before=datetime(2001, 1, 1, tzinfo=UTC).date(), asked_by=staff)
    assert clock.today() - stays >= timedelta(days=5 * 365)


def _retime(key: str, at: datetime) -> None:
    """Put a transfer at an exact instant, as only the owner of the database can."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE accounts_transfer DISABLE TRIGGER USER")
        cursor.execute("UPDATE accounts_transfer SET occurred_at = %s WHERE key = %s", [at, key])
        cursor.execute("ALTER TABLE accounts_transfer ENABLE TRIGGER USER")
