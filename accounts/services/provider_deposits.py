"""Deposits by a payment system: begun by the player, on the account once the payment system has the money (F1, F4)."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    Currency,
    DepositState,
    GameAccount,
    HeldDeposit,
    Mismatch,
    ProviderDeposit,
    TopUpWay,
    UnmatchedItem,
    User,
)
from accounts.models.providers import DEPOSIT_MOVES
from accounts.services.currencies import convert
from accounts.services.disagreements import Disagreement, number_in, told
from accounts.services.held_deposits import credit_held, hold_deposit, reported_instrument
from accounts.services.limits import refuse_deposit_over_limits
from accounts.services.providers.interface import DepositOrder, NotAnswered, Outcome, Standing
from accounts.services.providers.known import find_provider
from accounts.services.staff import refuse_all_but_staff
from accounts.services.topups import Paid, credit
from accounts.services.unmatched import close_unmatched
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

# What may be possible a little later: the rate of the day is missing, the database is busy.
COME_AGAIN = frozenset({Refusal.BUSY, Refusal.RATE_STALE, Refusal.REGISTER_STALE})
_ENDS = {Outcome.DONE: DepositState.SETTLED, Outcome.FAILED: DepositState.FAILED}


@dataclass(frozen=True, slots=True)
class BegunDeposit:
    """A deposit, where the player pays it, and its `worth` in kopecks by today's rate; the rate of its day counts."""

    deposit: ProviderDeposit
    pay_at: str
    worth: int


def begin_deposit(
    *, account: GameAccount, provider: str, amount: int, currency: Currency, return_to: str
) -> BegunDeposit:
    """Begin a deposit of `amount` minor units of the currency. Nothing is on the account yet (F4).

    :raises DomainError: NOT_FOUND; BAD_VALUE; RATE_STALE; what bars or limits the player (P1, P2); PROVIDER_AWAY.
    """
    deposit, worth = _opened(account, provider, amount, currency, key=None)
    return BegunDeposit(deposit, payment_page(deposit, return_to=return_to), worth)


def open_deposit(
    *, account: GameAccount, provider: str, amount: int, currency: Currency, idempotency_key: str
) -> ProviderDeposit:
    """Write down a deposit, once for each key; where it is paid, `payment_page` asks the payment system.

    :raises DomainError: as `begin_deposit`, but the payment system is not called; KEY_REUSED.
    """
    return _opened(account, provider, amount, currency, key=idempotency_key)[0]


def payment_page(deposit: ProviderDeposit, *, return_to: str) -> str:
    """Return the address at which a deposit is paid; asked again, a payment system says the same of one reference.

    :raises DomainError: PROVIDER_AWAY; WRONG_STATE for what is not to be paid any more.
    """
    if deposit.state != DepositState.PENDING:
        raise DomainError(Refusal.WRONG_STATE, _("This top-up is not to be paid any more."))
    currency = Currency(deposit.currency)
    try:
        pay_at = find_provider(deposit.provider).start_deposit(
            DepositOrder(deposit.reference, deposit.amount, currency, return_to)
        )
    except NotAnswered as fault:
        raise DomainError(Refusal.PROVIDER_AWAY, _("The payment system does not answer.")) from fault
    if urlsplit(pay_at).scheme not in ("https", "http"):  # it becomes a link on our page
        raise DomainError(Refusal.PROVIDER_AWAY, _("The payment system has refused to begin."))
    return pay_at


def _opened(
    account: GameAccount, provider: str, amount: int, currency: Currency, *, key: str | None
) -> tuple[ProviderDeposit, int]:
    """Write down a deposit, or find the one that the key has already; with its worth by today's rate."""
    if currency not in find_provider(provider).currencies:
        raise DomainError(Refusal.BAD_VALUE, _("This payment system does not take this currency."), field="currency")
    with one_transaction():
        at, number = clock.now(), _next_number()
        worth = convert(amount=amount, currency=currency, at=at).kopecks
        if worth <= 0:
            raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
        if key is not None:
            fingerprint = fingerprint_of("open_deposit", account.pk, provider, amount, currency)
            first = recall_or_reserve(
                scope=account.player.actor, key=key, fingerprint=fingerprint, answer=str(number), created_at=at
            )
            if first is not None:
                return ProviderDeposit.objects.get(pk=int(first)), worth
        refuse_deposit_over_limits(player=account.player, amount=worth, at=at)
        deposit = ProviderDeposit.objects.create(
            pk=number, account=account, provider=provider, currency=currency, amount=amount, begun_at=at
        )
        write_journal(
            at=at,
            actor=account.player.actor,
            act="begin_deposit",
            subject=f"payment:{deposit.reference}",
            after={"provider": provider, "amount": amount, "currency": str(currency)},
        )
    return deposit, worth


def _next_number() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('accounts_providerdeposit', 'id'))")
        (number,) = cursor.fetchone()
    return int(number)


def take_deposit(*, provider: str, reference: str, standing: Standing, actor: str) -> None:
    """Bring a deposit to where the payment system says it stands, in the caller's transaction; once for all.

    :raises Disagreement: for a reference or an amount that is not ours, and for a credited deposit that failed.
    :raises DomainError: what `credit` and `convert` refuse.
    """
    deposit = _held(provider, reference)
    theirs = told(standing.outcome, standing.amount, standing.currency)
    if deposit is None:
        raise Disagreement(Mismatch.UNKNOWN_HERE, "", theirs)
    held = HeldDeposit.objects.filter(deposit=deposit).first()
    taken = (deposit.amount, deposit.currency) if held is None else (held.taken, held.currency)
    ours = told(deposit.state, *taken)
    if taken != (standing.amount, standing.currency):
        raise Disagreement(Mismatch.AMOUNT, ours, theirs)
    to = _ENDS.get(standing.outcome)
    if to is None or to == deposit.state or (to == DepositState.SETTLED and held is not None):
        return  # older news, or the same again
    if to not in DEPOSIT_MOVES[DepositState(deposit.state)]:
        raise Disagreement(Mismatch.STATE, ours, theirs)
    if to == DepositState.SETTLED:
        _credit(deposit, standing, actor)
    else:
        deposit.state = to
        deposit.save(update_fields=["state"])


def credit_found(*, item: UnmatchedItem, decision: str, decided_by: User) -> None:
    """Credit a deposit of the queue whose money the payment system, asked again, says it has; and close the item.

    :raises DomainError: NOT_ALLOWED; PROVIDER_AWAY; WRONG_STATE when it does not say so; what `credit` refuses.
    """
    refuse_all_but_staff(decided_by)
    standing = _had(item)
    with one_transaction():
        try:
            take_deposit(provider=item.provider, reference=item.reference, standing=standing, actor=decided_by.actor)
        except Disagreement as fault:
            raise DomainError(Refusal.WRONG_STATE, _("The payment system and we do not know the same.")) from fault
        deposit = _held(item.provider, item.reference)
        if deposit is not None and deposit.state == DepositState.HELD:
            credit_held(deposit.held, decided_by.actor)
        close_unmatched(item=item, decision=decision, closed_by=decided_by)


def hold_found(*, item: UnmatchedItem, held_by: User) -> HeldDeposit:
    """Book as held what the payment system, asked again, says it has taken and may not be credited; the item stays.

    :raises DomainError: NOT_ALLOWED; PROVIDER_AWAY; RATE_STALE, REGISTER_STALE; WRONG_STATE when it does not say so, or
        the money can be credited, or was.
    """
    refuse_all_but_staff(held_by)
    standing = _had(item)
    with one_transaction():
        why = _why_not_credited(item, standing, held_by.actor)
        held = hold_taken(item.provider, item.reference, standing, why, held_by.actor) if why else None
        if held is None:
            raise DomainError(Refusal.WRONG_STATE, _("There is nothing to hold: credit it, or close the item."))
    return held


def _why_not_credited(item: UnmatchedItem, standing: Standing, actor: str) -> str:
    """Return why a deposit that was taken is not credited; empty where it can be, or was, which is then not kept."""
    deposit = _held(item.provider, item.reference)
    if deposit is not None and deposit.state == DepositState.HELD:
        return deposit.held.why
    try:
        with transaction.atomic():
            take_deposit(provider=item.provider, reference=item.reference, standing=standing, actor=actor)
            transaction.set_rollback(True)
    except Disagreement as found:
        return str(found.mismatch) if found.mismatch == Mismatch.AMOUNT else ""
    except DomainError as refusal:
        if refusal.code in COME_AGAIN:
            raise
        return str(refusal.code)
    return ""


def hold_taken(provider: str, reference: str, standing: Standing, why: str, actor: str) -> HeldDeposit | None:
    """Book what was taken for a deposit and may not be credited, in the caller's transaction; None: nothing was.

    :raises DomainError: RATE_STALE.
    """
    deposit = _held(provider, reference)
    if deposit is None:
        return None
    return hold_deposit(deposit=deposit, standing=standing, why=why, actor=actor)


def _had(item: UnmatchedItem) -> Standing:
    """Ask the payment system again; :raises DomainError: PROVIDER_AWAY; WRONG_STATE when it does not have the money."""
    try:
        standing = find_provider(item.provider).status_of(item.reference)
    except NotAnswered as fault:
        raise DomainError(Refusal.PROVIDER_AWAY, _("The payment system does not answer.")) from fault
    if standing is None or standing.outcome != Outcome.DONE:
        raise DomainError(Refusal.WRONG_STATE, _("The payment system does not have this money."))
    return standing


def _held(provider: str, reference: str) -> ProviderDeposit | None:
    """Lock the deposit that we call so, and return it as it is now."""
    number = number_in(reference, "D")
    return ProviderDeposit.objects.select_for_update(no_key=True).filter(provider=provider, pk=number).first()


def _credit(deposit: ProviderDeposit, standing: Standing, actor: str) -> None:
    at = clock.now()
    currency = Currency(deposit.currency)
    converted = convert(amount=deposit.amount, currency=currency, at=at)
    account = GameAccount.objects.select_related("player", "ledger_account").get(pk=deposit.account_id)
    instrument = reported_instrument(deposit, standing, at)
    deposit.top_up = credit(
        account=account,
        paid_from=ledger_account(AccountKind.AT_PROVIDER, deposit.provider),
        paid=Paid(converted.kopecks, currency, deposit.amount, converted.rate, instrument),
        way=TopUpWay.PROVIDER,
        reference=deposit.reference,
        received_at=at,
        actor=actor,
    )
    deposit.state, deposit.settled_at = DepositState.SETTLED, at
    deposit.save(update_fields=["state", "settled_at", "top_up"])
