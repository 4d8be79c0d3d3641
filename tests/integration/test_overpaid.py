"""What a correction shows to be overpaid: two people reclaim it or waive it, once; else it stays paid (I10)."""

from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import User
from payouts.models import CorrectedPayable, OverpaidDecision, OverpaidProposal, OverpaidState
from payouts.queries.corrections import overpaid_cases, state_of_case
from payouts.services.bet_cancelling import approve_bet_cancellation
from payouts.services.booking import book_payables
from payouts.services.correcting import apply_correction
from payouts.services.overpaid import approve_overpaid, propose_overpaid
from pools.services.betting import PlacedBet
from tests.correcting import make_right, organizers_money
from tests.disputing import proposed
from tests.making import make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from, sell_slips
from tests.refusals import every_row, refused
from tests.settling import settle
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def overpaid(right: str = "X", wrong: str = "1") -> tuple[CorrectedPayable, PlacedBet]:
    """A case: a winning of 1.40 (tax 0.07) was paid in cash, and nothing, or 0.70, is right."""
    till, pool = make_till(1_000), make_pool("sportloto-variant")
    slip, _other = sell_slips(pool, till, ("1", 100), ("X", 100))
    settle(pool, wrong)
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    pay(slip, till)
    make_right(pool, right)
    apply_correction(code=pool.code)
    return overpaid_cases().get(pool=pool), slip


def test_what_is_reclaimed_is_what_was_handed_over_too_much() -> None:
    one, other = make_organizers()
    for right, overpaid_by, reclaimed in (("X", 140, 133), ("1+X", 70, 67)):
        case, slip = overpaid(right)
        assert (case.overpaid, state_of_case(case)) == (overpaid_by, OverpaidState.OPEN)
        before = organizers_money()
        proposal = asked(case, True, one)
        assert state_of_case(case) == OverpaidState.PROPOSED
        assert approve_overpaid(proposal=proposal, approved_by=other).reclaimed == reclaimed
        assert state_of_case(case) == OverpaidState.RECLAIMED
        assert balance(ledger_account(AccountKind.RECEIVABLE, slip.bet.ticket)) == reclaimed
        assert organizers_money() - before == reclaimed
    record = JournalRecord.objects.filter(act="approve_overpaid").latest("pk")
    assert (record.subject, record.reason) == (f"bet:{slip.bet.ticket}", "The slip of the pen")
    assert (record.after["overpaid"], record.after["reclaimed"]) == (70, 67)
    assert broken() == []


def test_what_is_waived_moves_nothing() -> None:
    one, other = make_organizers()
    case, slip = overpaid()
    before = organizers_money()
    assert approve_overpaid(proposal=asked(case, False, one), approved_by=other).reclaimed == 0
    assert (state_of_case(case), organizers_money()) == (OverpaidState.WAIVED, before)
    assert balance(ledger_account(AccountKind.RECEIVABLE, slip.bet.ticket)) == 0
    assert broken() == []


def test_one_person_alone_decides_nothing_and_each_refusal_changes_nothing() -> None:
    one, other = make_organizers()
    case, slip = overpaid()
    for wrong in ({"reason": " "}, {"document": ""}):
        words = {"reason": "A slip", "document": "Act 1", **wrong}
        act = partial(propose_overpaid, ticket=case.ticket, kind="winning", reclaim=True, proposed_by=one, **words)
        refusal = refused(act)
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, next(iter(wrong)))
    for ticket, kind in (("T-NONE", "winning"), (case.ticket, "refund")):
        act = partial(propose_overpaid, ticket=ticket, kind=kind, reclaim=True, reason="A", document="B")
        assert refused(partial(act, proposed_by=one)).code == Refusal.NOT_FOUND
    assert refused(partial(asked, case, True, make_player())).code == Refusal.NOT_ALLOWED
    first, second = asked(case, True, one), asked(case, False, one)
    act = partial(approve_overpaid, proposal=second)
    assert refused(partial(act, approved_by=one)).code == Refusal.SAME_PERSON
    assert refused(partial(act, approved_by=make_player())).code == Refusal.NOT_ALLOWED
    assert refused(partial(act, proposal=first, approved_by=other)).code == Refusal.WRONG_STATE
    act(approved_by=other)
    assert refused(partial(act, approved_by=other)).code == Refusal.WRONG_STATE
    assert refused(partial(asked, case, True, one)).code == Refusal.WRONG_STATE
    for table in ("payouts_overpaidproposal", "payouts_overpaiddecision"):
        before = every_row()
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")
        assert every_row() == before
    assert slip.bet.ticket == case.ticket


def test_a_bet_that_is_cancelled_since_gives_back_the_rest_and_leaves_no_case_to_decide() -> None:
    one, other = make_organizers()
    case, slip = overpaid("1+X")
    approve_overpaid(proposal=asked(case, True, one), approved_by=other)
    done = approve_bet_cancellation(proposal=proposed(slip.bet.ticket), approved_by=other)
    assert (done.winning, done.taken) == ("paid", 66)
    assert balance(ledger_account(AccountKind.RECEIVABLE, slip.bet.ticket)) == 133
    undecided, its_slip = overpaid()
    proposal = asked(undecided, True, one)
    done = approve_bet_cancellation(proposal=proposed(its_slip.bet.ticket), approved_by=other)
    assert (done.winning, done.taken) == ("paid", 133)
    assert refused(partial(approve_overpaid, proposal=proposal, approved_by=other)).code == Refusal.WRONG_STATE
    assert not OverpaidDecision.objects.filter(pool=undecided.pool).exists()
    assert broken() == []


def asked(case: CorrectedPayable, reclaim: bool, by: User) -> OverpaidProposal:
    """One person's proposal about a case."""
    return propose_overpaid(
        ticket=case.ticket,
        kind=case.kind,
        reclaim=reclaim,
        reason="The slip of the pen",
        document="Act 1",
        proposed_by=by,
    )
