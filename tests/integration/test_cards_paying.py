"""Paying a bet by card: one question, one answer; the rest stays on the card (¶35.2, D3, C61)."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from accounts.models import CardState, PrepaidCard, Role
from accounts.services import card_presenting
from accounts.services.card_blocking import block_cards
from accounts.services.card_numbers import card_number, code_matches
from accounts.services.card_replacing import approve_replacement, propose_replacement
from pools.models import Bet, Channel
from pools.services.betting import place_bet
from pools.services.sources import from_card
from tests.carding import Bought, approved_batch, at_point, bet_by_card, bought, printed, range_of, sell
from tests.making import make_organizers, make_player, make_pool, make_till, make_user
from tests.paying import go_to
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import FailedTry, JournalRecord

pytestmark = pytest.mark.django_db


def answer(act: Callable[[], object]) -> tuple[Refusal, str, str | None, dict[str, object], int]:
    """Everything that who asked can see of a refusal."""
    with pytest.raises(DomainError) as caught:
        act()
    refusal = caught.value
    return refusal.code, str(refusal.message), refusal.field, refusal.details, refusal.http_status


def test_d3_a_card_pays_several_bets_until_it_is_empty() -> None:
    pool, till = make_pool(), make_till()
    (card,) = bought(till, face_value=250)
    first = bet_by_card(pool, card, "1;1;1", 100)
    assert (first.bet.channel, first.bet.paid_from, first.bet.till) == (Channel.CARD, card.card.ledger_account, None)
    assert card.money == 150
    spelled = Bought("ав", card.number[:4] + " " + card.number[4:], card.code.lower().replace("-", " "))
    bet_by_card(pool, spelled, "1;1;2", 100, asked_by=till.cashier)
    assert card.money == 50
    refusal = refused(lambda: bet_by_card(pool, card, "1;1;X", 100))
    assert (refusal.code, refusal.details["needed"], refusal.details["available"]) == (
        Refusal.INSUFFICIENT_FUNDS,
        100,
        50,
    )
    assert list(Bet.objects.order_by("registered_at").values_list("till", "sold_by")) == [
        (None, None),
        (till.pk, till.cashier_id),
    ]


def test_c61_every_card_that_does_not_pay_gets_one_and_the_same_answer() -> None:
    till, (staff, other) = make_till(), make_organizers()
    (old,) = bought(till, days=91)
    go_to(old.card.expires_at)
    pool = make_pool()
    unsold, spare = at_point(till, 2)
    good, spent, blocked, replaced = bought(till, 4, 100)
    printed_only = printed(approved_batch())[0]
    bet_by_card(pool, spent, "1;1;1", 100)
    block_cards(cards=range_of([blocked]), reason="Stolen.", blocked_by=staff)
    proposal = propose_replacement(damaged=replaced.number, replacement=spare.number, proof="Torn.", proposed_by=staff)
    approve_replacement(proposal=proposal, approved_by=other)
    assert bet_by_card(pool, good, "1;1;1", 100).bet.stake == 100  # so it is the cards that are refused
    wrong = "2222-2222-2222"
    acts = {
        "unknown": Bought("AB", card_number(99_999), wrong),
        "wrong code": Bought(good.series, good.number, wrong),
        "wrong series": Bought("XY", good.number, good.code),
        "mistyped": Bought(good.series, good.number[:-1], good.code),
        "empty": Bought("", "", ""),
        "endless": Bought("A" * 500, "1" * 500, "2" * 500),
        "printed": printed_only,
        "not sold": unsold,
        "spent": spent,
        "blocked": blocked,
        "replaced": replaced,
        "expired": old,
    }
    answers = {name: answer(lambda card=card: bet_by_card(pool, card, "1;1;1", 100)) for name, card in acts.items()}  # type: ignore[misc]
    assert set(answers) == set(acts)
    assert {str(seen) for seen in answers.values()} == {str(answers["unknown"])}
    assert answers["unknown"][0] is Refusal.CARD_REFUSED
    assert answers["unknown"][-1] == 400
    assert Bet.objects.count() == 2


def test_c61_the_hash_is_computed_whatever_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer is quicker than another for want of a card."""
    pool, till = make_pool(), make_till()
    good, blocked = bought(till, 2)
    computed: list[str] = []

    def counted(card: PrepaidCard | None, number: str, code: str) -> bool:
        computed.append(number)
        return code_matches(card, number, code)

    monkeypatch.setattr(card_presenting, "code_matches", counted)
    block_cards(cards=range_of([blocked]), reason="Stolen.", blocked_by=make_organizers()[0])
    tries = [Bought("AB", card_number(99_999), "X"), Bought(good.series, good.number, "X"), blocked]
    for card in tries:
        answer(lambda card=card: bet_by_card(pool, card, "1;1;1", 100))  # type: ignore[misc]
    assert computed == [card.number for card in tries]


@pytest.mark.parametrize("by", ["card", "till", "account", "network", "terminal"])
def test_c61_the_eleventh_failure_in_a_minute_is_refused_by_each_subject(by: str) -> None:
    pool, till, player = make_pool(), make_till(), make_player()
    cards = bought(till, 12)
    asked_by = {"till": till.cashier, "account": player}.get(by)
    subjects = {"network": ["network:192.0.2.7"], "terminal": ["terminal:5"]}.get(by, [])
    codes = []
    for number in range(12):
        card = cards[0] if by == "card" else cards[number]
        wrong = Bought(card.series, card.number, "2222-2222-2222")
        seen = answer(lambda wrong=wrong: bet_by_card(pool, wrong, "1;1;1", 100, asked_by=asked_by, subjects=subjects))  # type: ignore[misc]
        codes.append((seen[0], seen[-1]))
    assert codes == [(Refusal.CARD_REFUSED, 400)] * 10 + [(Refusal.THROTTLED, 429)] * 2
    good = cards[0] if by == "card" else cards[11]
    right = partial(bet_by_card, pool, good, "1;1;1", 100, asked_by=asked_by, subjects=subjects)
    assert refused(right).code is Refusal.THROTTLED  # the right code has to wait too
    clock.move_clock(timedelta(minutes=1))
    assert right().bet.stake == 100
    assert JournalRecord.objects.filter(act="refuse_card").count() == 10


def test_c61_a_failed_try_is_counted_and_journalled_and_changes_nothing_else() -> None:
    pool, till = make_pool(), make_till()
    (card,) = bought(till)
    wrong = Bought(card.series, card.number, "2222-2222-2222")
    answer(lambda: bet_by_card(pool, wrong, "1;1;1", 100, asked_by=till.cashier, subjects=["network:192.0.2.7"]))
    subjects = [f"card:AB:{card.number}", "network:192.0.2.7", f"till:{till.pk}"]
    assert sorted(FailedTry.objects.values_list("subject", flat=True)) == sorted(subjects)
    record = JournalRecord.objects.get(act="refuse_card")
    assert till.cashier is not None
    assert (record.actor, record.subject) == (till.cashier.actor, subjects[0])
    assert "2222" not in str(record.after)
    assert (card.money, Bet.objects.count()) == (1_000, 0)


def test_a_repeated_request_gets_its_ticket_even_when_it_emptied_the_card() -> None:
    pool, till = make_pool(), make_till()
    (card,) = bought(till, face_value=100)
    first = bet_by_card(pool, card, "1;1;1", 100, "key")
    again = bet_by_card(pool, card, "1;1;1", 100, "key", asked_by=till.cashier)
    assert (again.replayed, again.bet.ticket, again.check_code) == (True, first.bet.ticket, first.check_code)
    assert card.money == 0


def test_c37_keys_belong_to_the_card() -> None:
    pool, till = make_pool(), make_till()
    one, other = bought(till, 2)
    tickets = {bet_by_card(pool, card, "1;1;1", 100, "key").bet.ticket for card in (one, other)}
    assert len(tickets) == 2
    reused = refused(lambda: bet_by_card(pool, one, "1;1;2", 100, "key"))
    assert reused.code is Refusal.KEY_REUSED


def test_a_card_blocked_between_the_question_and_the_bet_does_not_pay() -> None:
    pool, till, (staff, _other) = make_pool(), make_till(), make_organizers()
    (card,) = bought(till)
    source = from_card(series=card.series, number=card.number, code=card.code)
    block_cards(cards=range_of([card]), reason="Stolen.", blocked_by=staff)
    refusal = refused(
        lambda: place_bet(pool_code=pool.code, selections="1;1;1", stake=100, source=source, idempotency_key="k")
    )
    assert refusal.code is Refusal.CARD_REFUSED
    assert card.card.state == CardState.BLOCKED


@pytest.mark.parametrize("role", [Role.ORGANIZER, Role.COMMISSION, Role.CASHIER])
def test_e6_staff_pay_no_bets_by_card_but_cashiers_at_their_tills(role: Role) -> None:
    pool, (card,) = make_pool(), bought(make_till())
    person = make_user(role)
    assert refused(lambda: bet_by_card(pool, card, "1;1;1", 100, asked_by=person)).code is Refusal.NOT_ALLOWED


def test_a_refused_pool_leaves_the_card_alone() -> None:
    pool, (card,) = make_pool(is_open=False), bought(make_till())
    assert refused(lambda: bet_by_card(pool, card, "1;1;1", 100)).code is Refusal.NOT_OPEN_YET
    assert card.money == 1_000


def test_a_card_is_sold_once_for_cash_at_its_point_only() -> None:
    till, elsewhere = make_till(), make_till()
    card, late = at_point(till, 2, 1_250)
    assert refused(lambda: sell(elsewhere, card)).code is Refusal.NOT_FOUND
    first = sell(till, card, "key")
    assert (first.state, first.sold_at_till_id, card.money) == (CardState.ACTIVE, till.pk, 1_250)
    assert sell(till, card, "key").number == card.number  # the same request
    assert refused(lambda: sell(till, card, "another key")).code is Refusal.WRONG_STATE
    assert refused(lambda: sell(till, late, "key")).code is Refusal.KEY_REUSED
    clock.move_clock(timedelta(days=320))
    refusal = refused(lambda: sell(till, late))
    assert refusal.code is Refusal.WRONG_STATE
    assert "90" in str(refusal.message)
