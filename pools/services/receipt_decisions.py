"""Deciding about money that found no place: one person proposes, another approves (¶9.13, ¶17.1-17.3, R2).

Money without requisites, with unreadable ones, or for a Sportloto bet paid late can go to Sportloto's jackpot; any
money can go back to its payer, to a game account, or to the bet it was meant for while there is time.
"""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import ledger_account
from accounts.models import GameAccount, Outcome, Receipt, User, WhyOpen
from accounts.queries.jackpots import heir_of
from accounts.services.bank_addresses import spelled_iban
from accounts.services.payment_orders import Payee
from accounts.services.post import spelled_address
from accounts.services.receipts import credit_game_account, held_receipt, move_out, note_placed, return_to_payer
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from accounts.services.transfer_references import read_reference
from pools.locks import lock_bet_order, lock_jackpot
from pools.models import BetOrder, ReceiptDecision, ReceiptProposal, jackpot_owner
from pools.queries.receipts import standing_proposal
from pools.services.bet_orders import reference_of
from pools.services.receipt_matching import pay_order
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.problem import TITLES
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

_SPORTLOTO = "sportloto"
_JACKPOT_KINDS = {
    WhyOpen.NO_REFERENCE: TransferKind.JACKPOT_REQUISITES,
    WhyOpen.UNREADABLE: TransferKind.JACKPOT_UNREADABLE,
    WhyOpen.LATE: TransferKind.JACKPOT_LATE_PAYMENT,
}


@dataclass(frozen=True, slots=True)
class Target:
    """Where the money shall go: each outcome needs its own, the jackpot and what was booked before none.

    For a return, what is empty is as the bank told it.
    """

    account: GameAccount | None = None
    order: BetOrder | None = None
    payee_name: str = ""
    payee_account: str = ""
    payee_address: str = ""


def propose_decision(
    *, line_id: int, outcome: Outcome, target: Target, reason: str, document: str, proposed_by: User
) -> ReceiptProposal:
    """Propose what becomes of the money of a line that waits; a later proposal takes the place of an earlier one.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE for money that does not wait for a decision, or must not go
        there; BAD_VALUE without a reason, a document, or what the outcome needs.
    """
    refuse_all_but_staff(proposed_by)
    reason, document = written(reason, field="reason", most=1_000), written(document, field="document")
    with one_transaction():
        receipt = held_receipt(line_id)
        _refuse_unwaiting(receipt)
        payee = _payee(receipt, target) if outcome == Outcome.RETURNED else None
        _refuse_unfit(receipt, outcome, target)
        at = clock.now()
        proposal = ReceiptProposal.objects.create(
            receipt=receipt,
            outcome=outcome,
            amount=receipt.open_amount,
            account=target.account if outcome == Outcome.GAME_ACCOUNT else None,
            order=target.order if outcome == Outcome.BET else None,
            payee_name=payee.name if payee is not None else "",
            payee_account=payee.account if payee is not None else "",
            payee_address=payee.address if payee is not None else "",
            reason=reason,
            document=document,
            proposed_by=proposed_by,
            proposed_at=at,
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_receipt_decision",
            subject=f"receipt:{receipt.pk}",
            reason=reason,
            after={"outcome": str(outcome), "amount": receipt.open_amount, "document": document},
        )
    return proposal


def approve_decision(*, proposal: ReceiptProposal, approved_by: User) -> ReceiptDecision:
    """Carry out a proposal; approved again by the same person it answers as the first time.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when the money or the proposal changed meanwhile; and
        what the account or the pool refuses, with nothing done.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    with one_transaction():
        receipt = held_receipt(proposal.receipt_id)
        standing = ReceiptDecision.objects.filter(proposal=proposal).first()
        if standing is not None and standing.approved_by_id == approved_by.pk:
            return standing
        if standing_proposal(receipt) != proposal or proposal.amount != receipt.open_amount:
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        _refuse_unwaiting(receipt)
        at = clock.now()
        _carry_out(receipt, proposal, at, approved_by.actor)
        decision = ReceiptDecision.objects.create(
            proposal=proposal, proposed_by_id=proposal.proposed_by_id, approved_by=approved_by, decided_at=at
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_receipt_decision",
            subject=f"receipt:{receipt.pk}",
            reason=proposal.reason,
            after={"outcome": proposal.outcome, "amount": proposal.amount, "document": proposal.document},
        )
    return decision


def _carry_out(receipt: Receipt, proposal: ReceiptProposal, at: datetime, actor: str) -> None:
    match Outcome(proposal.outcome):
        case Outcome.GAME_ACCOUNT:
            assert proposal.account is not None
            credit_game_account(receipt, proposal.account, actor=actor)
        case Outcome.BET:
            _register(receipt, proposal, actor)
        case Outcome.RETURNED:
            payee = Payee(proposal.payee_name, proposal.payee_account, address=proposal.payee_address)
            with override(settings.LANGUAGE_CODE):  # the bank is told in the house's language, whoever approves
                purpose = str(_("Return of a payment of %(day)s") % {"day": receipt.line.booked_on.isoformat()})
            return_to_payer(receipt, payee, purpose=purpose, at=at, actor=actor)
        case Outcome.JACKPOT:
            lock_jackpot(_SPORTLOTO)
            game, amount = heir_of(_SPORTLOTO), receipt.open_amount
            jackpot = ledger_account(AccountKind.JACKPOT, game)
            move_out(receipt, jackpot, _JACKPOT_KINDS[WhyOpen(receipt.why)], at=at)
            note_placed(receipt, Outcome.JACKPOT, amount=amount, subject=f"jackpot:{game}", actor=actor)
        case Outcome.BOOKED_BEFORE:
            amount = receipt.open_amount
            move_out(receipt, ledger_account(AccountKind.BANK), TransferKind.RECEIPT_BOOKED, at=at)
            note_placed(receipt, Outcome.BOOKED_BEFORE, amount=amount, subject=proposal.document[:120], actor=actor)


def _register(receipt: Receipt, proposal: ReceiptProposal, actor: str) -> None:
    assert proposal.order_id is not None
    order = lock_bet_order(proposal.order_id)
    assert order is not None
    if not pay_order(receipt, order, reference=str(reference_of(order)), actor=actor, recognised=True):
        why = TITLES[Refusal(receipt.refusal)] if receipt.refusal else WhyOpen(receipt.why).label
        raise DomainError(Refusal.WRONG_STATE, str(why), why=receipt.why)


def _refuse_unwaiting(receipt: Receipt) -> None:
    if receipt.why in (WhyOpen.NEW, WhyOpen.PLACED):
        raise DomainError(
            Refusal.WRONG_STATE, _("This money does not wait for a decision."), field="receipt", why=receipt.why
        )


def _refuse_unfit(receipt: Receipt, outcome: Outcome, target: Target) -> None:
    if outcome == Outcome.GAME_ACCOUNT and target.account is None:
        raise DomainError(Refusal.BAD_VALUE, _("Name the game account."), field="account")
    if outcome == Outcome.BET and target.order is None:
        raise DomainError(Refusal.BAD_VALUE, _("Name the bet that it pays."), field="order")
    if outcome == Outcome.REGISTER:
        raise DomainError(Refusal.BAD_VALUE, _("The post's register is imported, not decided upon."), field="outcome")
    if outcome == Outcome.JACKPOT:
        _refuse_jackpot(receipt)


def _refuse_jackpot(receipt: Receipt) -> None:
    """Refuse what ¶17.1-17.3 do not name: it goes back to the payer."""
    if receipt.why not in _JACKPOT_KINDS:
        raise DomainError(Refusal.WRONG_STATE, _("This money goes back to its payer, not to the jackpot (¶17)."))
    if receipt.why != WhyOpen.LATE:
        return
    read = read_reference(receipt.reference).reference
    order = BetOrder.objects.select_related("pool").get(pk=read.number) if read is not None else None
    if order is None or jackpot_owner(order.pool.game) != _SPORTLOTO:
        raise DomainError(Refusal.WRONG_STATE, _("Only payments for Sportloto go to the jackpot (¶17.3)."))
    line, closing = receipt.line, order.pool.closes_at
    if line.booked_on < legal_day(closing) or line.statement.imported_at < closing:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("The bank had it in time: it goes back to its payer."),
            booked_on=receipt.line.booked_on,
        )


def _payee(receipt: Receipt, target: Target) -> Payee:
    """Return who is paid back: by default who paid, by the way it came (¶41)."""
    words = receipt.line.words
    name = written(target.payee_name or words.party_name, field="payee_name", most=140)
    address = target.payee_address or words.party_address
    if address and not target.payee_account:
        return Payee(name, address=spelled_address(address, field="payee_address"))
    return Payee(name, spelled_iban(target.payee_account or words.party_account, field="payee_account"))
