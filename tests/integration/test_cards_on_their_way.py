"""Cards on their way: stock, lost ranges, damaged cards; the states of a batch add up at every step (D2, D4)."""

from functools import partial

import pytest

from accounts.models import CardState, Role
from accounts.queries.cards import StockLine, cards_by_state, stock_of
from accounts.services.card_blocking import block_cards, unblock_cards
from accounts.services.card_ranges import CardRange
from accounts.services.card_replacing import approve_replacement, propose_replacement
from accounts.services.card_stock import receive_cards, ship_cards
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from tests.carding import approved_batch, at_point, bet_by_card, bought, printed, range_of, sell
from tests.making import make_organizers, make_pool, make_till, make_user
from tests.paying import broken, go_to, payable_from
from tests.refusals import refused
from tests.settling import settle
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def test_d2_the_states_add_up_to_what_was_printed_at_every_step() -> None:
    till, (staff, other), batch = make_till(), make_organizers(), approved_batch(6)
    assert cards_by_state(batch) == {}
    cards = printed(batch)
    assert cards_by_state(batch) == {"printed": 6}
    ship_cards(cards=range_of(cards[:5]), point=till.point, document="Waybill 1", shipped_by=staff)
    assert cards_by_state(batch) == {"printed": 1, "shipped": 5}
    assert till.cashier is not None
    receive_cards(cards=range_of(cards[:4]), cashier=till.cashier)
    assert stock_of(till.point) == [StockLine("AB", 1_000, 4)]
    sell(till, cards[0])
    sell(till, cards[1])
    bet_by_card(make_pool("sportloto-variant", terms={"price": {"line": 1_000}}), cards[1], "1", 1_000)
    block_cards(cards=range_of(cards), reason="The van was robbed.", blocked_by=staff)
    assert cards_by_state(batch) == {"blocked": 6}
    unblock_cards(cards=range_of(cards[:5]), reason="Found.", unblocked_by=other)
    assert cards_by_state(batch) == {"active": 1, "spent": 1, "at_point": 2, "shipped": 1, "blocked": 1}
    assert stock_of(till.point) == [StockLine("AB", 1_000, 2)]


def test_d4_a_blocked_range_pays_nothing_at_once_and_another_person_unblocks_it() -> None:
    pool, till, (staff, other) = make_pool(), make_till(), make_organizers()
    cards, unsold = bought(till, 3), at_point(till)[0]
    block = range_of([*cards, unsold])
    assert block_cards(cards=block, reason="Stolen.", blocked_by=staff) == 4
    assert block_cards(cards=block, reason="Again.", blocked_by=staff) == 0
    for card in cards:
        with pytest.raises(DomainError) as caught:
            bet_by_card(pool, card, "1;1;1", 100)
        assert caught.value.code is Refusal.CARD_REFUSED
    assert refused(lambda: sell(till, unsold)).code is Refusal.WRONG_STATE
    same = refused(lambda: unblock_cards(cards=block, reason="Found.", unblocked_by=staff))
    assert same.code is Refusal.SAME_PERSON
    assert unblock_cards(cards=block, reason="Found.", unblocked_by=other) == 4
    assert bet_by_card(pool, cards[0], "1;1;1", 100).bet.stake == 100
    assert sell(till, unsold).state == CardState.ACTIVE
    acts = JournalRecord.objects.filter(subject=block.subject).order_by("pk").values_list("act", "reason")
    assert list(acts) == [("block_cards", "Stolen."), ("block_cards", "Again."), ("unblock_cards", "Found.")]


def test_d4_a_range_that_cannot_be_is_refused() -> None:
    till, (staff, _other) = make_till(), make_organizers()
    first, last = printed(approved_batch(2))
    for typed, field in (
        (lambda: CardRange.typed("AB", last.number, first.number), "last"),
        (lambda: CardRange.typed("AB", "123", last.number), "first"),
    ):
        refusal = refused(typed)
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)
    nobody = CardRange.typed("XY", first.number, last.number)
    ship = partial(ship_cards, point=till.point, document="W", shipped_by=staff)
    assert refused(lambda: ship(cards=nobody)).code is Refusal.NOT_FOUND
    assert refused(lambda: block_cards(cards=nobody, reason="x", blocked_by=staff)).code is Refusal.NOT_FOUND
    assert refused(lambda: block_cards(cards=range_of([first]), reason=" ", blocked_by=staff)).field == "reason"
    assert till.cashier is not None
    ship(cards=range_of([first]))
    half = refused(lambda: receive_cards(cards=range_of([first, last]), cashier=till.cashier))  # type: ignore[arg-type]
    assert (half.code, half.details["number"]) == (Refusal.WRONG_STATE, last.number)
    elsewhere = make_till().cashier
    assert elsewhere is not None
    assert refused(lambda: receive_cards(cards=range_of([first]), cashier=elsewhere)).code is Refusal.WRONG_STATE
    player = make_user(Role.PLAYER)
    assert refused(lambda: receive_cards(cards=range_of([first]), cashier=player)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: block_cards(cards=range_of([first]), reason="x", blocked_by=player)).http_status == 403


def test_d4_a_damaged_card_is_replaced_by_two_people_and_what_it_wins_is_the_new_ones() -> None:
    pool, till, (one, other) = make_pool("sportloto-variant"), make_till(), make_organizers()
    (old,), (new, spare) = bought(till, 1, 1_000), at_point(till, 2, 500)
    bet_by_card(pool, old, "1", 100)
    proposal = propose_replacement(damaged=old.number, replacement=new.number, proof="Receipt 12.", proposed_by=one)
    assert old.card.state == CardState.ACTIVE
    same = refused(lambda: approve_replacement(proposal=proposal, approved_by=one))
    assert same.code is Refusal.SAME_PERSON
    account = old.card.ledger_account
    approve_replacement(proposal=proposal, approved_by=other)
    assert (old.card.state, new.card.state) == (CardState.REPLACED, CardState.ACTIVE)
    assert (new.card.ledger_account, new.money) == (account, 900)
    with pytest.raises(DomainError) as caught:
        bet_by_card(pool, old, "1", 100)
    assert caught.value.code is Refusal.CARD_REFUSED
    bet_by_card(pool, new, "X", 100)
    assert refused(lambda: approve_replacement(proposal=proposal, approved_by=other)).code is Refusal.WRONG_STATE
    assert refused(lambda: sell(till, new)).code is Refusal.WRONG_STATE
    again = refused(
        lambda: propose_replacement(damaged=old.number, replacement=spare.number, proof="x", proposed_by=one)
    )
    assert again.code is Refusal.WRONG_STATE
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    assert new.money == 800 + 140 - 7
    linked = JournalRecord.objects.filter(act="approve_replacement").order_by("pk")
    assert [(record.subject, record.reason) for record in linked] == [
        (old.card.subject, "Receipt 12."),
        (new.card.subject, "Receipt 12."),
    ]
    told = [record.after or {} for record in linked]
    assert (told[0]["replaced_by"], told[1]["replaces"], told[0]["balance"]) == (new.number, old.number, 900)
    assert broken() == []


def test_d4_a_stolen_card_is_blocked_first_and_replaced_then() -> None:
    till, (one, other) = make_till(), make_organizers()
    (old,), (new,) = bought(till), at_point(till)
    block_cards(cards=range_of([old]), reason="Stolen.", blocked_by=one)
    proposal = propose_replacement(damaged=old.number, replacement=new.number, proof="Police 7.", proposed_by=one)
    approve_replacement(proposal=proposal, approved_by=other)
    assert (old.card.state, old.card.blocked_from, new.money) == (CardState.REPLACED, "", 1_000)
    unblock_cards(cards=range_of([old]), reason="x", unblocked_by=other)
    assert old.card.state == CardState.REPLACED


def test_d4_what_was_never_sold_is_not_replaced() -> None:
    till, (one, _other) = make_till(), make_organizers()
    unsold, new = at_point(till, 2)
    propose = partial(propose_replacement, replacement=new.number, proposed_by=one)
    assert refused(lambda: propose(damaged=unsold.number, proof="x")).code is Refusal.WRONG_STATE
    block_cards(cards=range_of([unsold]), reason="Lost.", blocked_by=one)
    assert refused(lambda: propose(damaged=unsold.number, proof="x")).code is Refusal.WRONG_STATE
    (sold,) = bought(till)
    assert refused(lambda: propose(damaged=sold.number, proof=" ")).field == "proof"
    assert refused(lambda: propose(damaged="000000999991", proof="x")).code is Refusal.BAD_VALUE


def test_a_blocked_card_is_neither_shipped_nor_received_nor_sold() -> None:
    """Only another person's unblocking lets a blocked card go on, though its state may be the next one."""
    till, (staff, other) = make_till(), make_organizers()
    assert till.cashier is not None
    (card,) = printed(approved_batch())
    alone, cashier = range_of([card]), till.cashier
    ship = partial(ship_cards, cards=alone, point=till.point, document="Waybill 1", shipped_by=staff)
    acts = (ship, partial(receive_cards, cards=alone, cashier=cashier), partial(sell, till, card))
    for act in acts:
        block_cards(cards=alone, reason="Lost.", blocked_by=staff)
        assert refused(act).http_status in (404, 409)
        assert card.card.state == CardState.BLOCKED
        unblock_cards(cards=alone, reason="Found.", unblocked_by=other)
        act()
    assert card.card.state == CardState.ACTIVE
