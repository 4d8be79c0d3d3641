"""Finding the place of money that came by transfer, by its reference: a game account, or a bet that it pays (¶9.8).

What finds none waits for two people (`receipt_decisions.py`). Each receipt is a transaction of its own, safe to repeat.
"""

from accounts.locks import lock_receipt
from accounts.models import BankLine, GameAccount, Outcome, Receipt, WhyOpen
from accounts.services.post import is_from_post
from accounts.services.receipts import credit_game_account, leave_open, note_placed
from accounts.services.transfer_references import ReferenceKind, TransferReference, read_reference
from pools.locks import lock_bet_order
from pools.models import BetOrder, BetOrderState, PoolState
from pools.queries.receipts import new_receipts
from pools.services.betting import place_bet
from pools.services.sources import from_transfer
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.transactions import one_transaction

# Nothing is decided by these: the same receipt is looked at again.
_LATER = (Refusal.BUSY, Refusal.NOT_OPEN_YET)


def match_receipts(*, actor: str = "task:match_receipts") -> int:
    """Look at every receipt that is new; return how many found their place."""
    return sum(match_receipt(line_id, actor=actor) for line_id in list(new_receipts()))


def match_receipt(line_id: int, *, actor: str = "task:match_receipts") -> bool:
    """Find the place of one new receipt; tell whether it has one now.

    A payment for a pool that is not open yet, or that somebody holds too long, is left as it is, for the next time.
    """
    try:
        with one_transaction():
            receipt = lock_receipt(line_id)
            if receipt is None or receipt.why != WhyOpen.NEW:
                return False
            return _match(receipt, actor)
    except DomainError as refusal:
        if refusal.code not in _LATER:
            raise
        return False


def _match(receipt: Receipt, actor: str) -> bool:
    line = receipt.line
    read = read_reference(f"{line.words.purpose}\n{line.end_to_end_id}")
    if read.reference is None and line.part_of_id is None and is_from_post(line):
        leave_open(receipt, WhyOpen.AWAITS_REGISTER, actor=actor)
        return False
    if read.reference is None:
        why = WhyOpen.UNREADABLE if read.looks_like_one else WhyOpen.NO_REFERENCE
        leave_open(receipt, why, actor=actor)
        return False
    if read.reference.kind == ReferenceKind.GAME_ACCOUNT:
        return _pay_in(receipt, read.reference, actor)
    order = lock_bet_order(read.reference.number)
    if order is None:
        leave_open(receipt, WhyOpen.NOBODYS, actor=actor, reference=str(read.reference))
        return False
    return pay_order(receipt, order, reference=str(read.reference), actor=actor)


def _pay_in(receipt: Receipt, reference: TransferReference, actor: str) -> bool:
    account = GameAccount.objects.select_related("ledger_account", "player").filter(pk=reference.number).first()
    if account is None:
        leave_open(receipt, WhyOpen.NOBODYS, actor=actor, reference=str(reference))
        return False
    try:
        credit_game_account(receipt, account, actor=actor, reference=str(reference))
    except DomainError as refusal:
        return _refused(receipt, WhyOpen.REFUSED, refusal, str(reference), actor)
    return True


def pay_order(receipt: Receipt, order: BetOrder, *, reference: str, actor: str, recognised: bool = False) -> bool:
    """Make a locked order a bet with the money of a locked receipt, or say why it is none (¶9.11-9.14).

    It has to be there in full, from the order's payer, to whom it may have to go back (¶41), and before the pool closes
    by the database's clock. What is paid too much waits on. `recognised`: two people know that the payer is the same.

    :raises DomainError: BUSY, NOT_OPEN_YET: try again.
    """
    if order.state != BetOrderState.OPEN:
        leave_open(receipt, WhyOpen.PAID_BEFORE, actor=actor, reference=reference)
        return False
    if not recognised and not paid_by_its_payer(receipt.line, order):
        leave_open(receipt, WhyOpen.OTHER_PAYER, actor=actor, reference=reference)
        return False
    if receipt.open_amount < order.stake:
        leave_open(receipt, WhyOpen.PART_PAID, actor=actor, reference=reference)
        return False
    try:
        placed = place_bet(
            pool_code=order.pool.code,
            selections=order.selections,
            stake=order.stake,
            source=from_transfer(order),
            idempotency_key=f"receipt:{receipt.pk}",
        )
    except DomainError as refusal:
        return _refused(receipt, _why_no_bet(order, refusal), refusal, reference, actor)
    BetOrder.objects.filter(pk=order.pk).update(
        state=BetOrderState.REGISTERED, ticket=placed.bet.ticket, paid_by=receipt.line
    )
    subject = f"bet:{placed.bet.ticket}"
    note_placed(receipt, Outcome.BET, amount=order.stake, subject=subject, actor=actor, reference=reference)
    return True


def paid_by_its_payer(line: BankLine, order: BetOrder) -> bool:
    """Tell whether a line was paid from the order's account, or by post by who is named in the order.

    What the bank does not tell is not taken on trust.
    """
    words = line.words
    if order.payer_account:
        return bool("".join(words.party_account.upper().split()) == order.payer_account)
    return line.part_of_id is not None and _spelled(words.party_name) == _spelled(order.payer_name)


def _spelled(name: str) -> str:
    return " ".join(name.casefold().replace("ё", "е").split())


def _why_no_bet(order: BetOrder, refusal: DomainError) -> WhyOpen:
    """A pool that was cancelled is nobody's late payment."""
    order.pool.refresh_from_db(fields=["state"])
    late = refusal.code == Refusal.POOL_CLOSED and order.pool.state != PoolState.CANCELLED
    return WhyOpen.LATE if late else WhyOpen.REFUSED


def _refused(receipt: Receipt, why: WhyOpen, refusal: DomainError, reference: str, actor: str) -> bool:
    if refusal.code in _LATER:
        raise refusal
    leave_open(receipt, why, actor=actor, reference=reference, refusal=refusal.code.value)
    return False
