"""Sending withdrawals by a payment system, exactly once (F2).

A withdrawal is *unknown* from the moment, committed, before the call until its answer is committed. Whoever dies in
between leaves it unknown; only what is approved is ever sent; what is unknown is asked about, never sent again.
"""

import logging
from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from accounts.models import Currency, Mismatch, Withdrawal, WithdrawalState
from accounts.services.disagreements import Disagreement, number_in, step_or_queue, told
from accounts.services.providers.interface import NotAnswered, Outcome, PayoutOrder, Standing
from accounts.services.providers.known import find_provider
from accounts.services.withdrawal_ends import confirm, give_back, move_on
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.transactions import one_transaction

logger = logging.getLogger(__name__)

# After so long the payment system begins no payout any more (`expires_at`): one it has not heard of will never be.
SEND_WITHIN = timedelta(minutes=10)


def send_withdrawal(*, withdrawal: Withdrawal, actor: str = "task:send_withdrawals") -> WithdrawalState:
    """Send an approved withdrawal, and return where it stands then. Call it outside any transaction.

    :raises DomainError: WRONG_STATE for what is not approved, or goes by a payment order; nothing was sent.
    """
    if not withdrawal.instrument.provider:
        raise DomainError(Refusal.WRONG_STATE, _("This goes to the bank as a payment order."))
    system = find_provider(withdrawal.instrument.provider)
    with one_transaction():
        at = clock.now()
        move_on(withdrawal, WithdrawalState.UNKNOWN, actor=actor, act="begin_sending", at=at)
    order = PayoutOrder(
        withdrawal.reference, withdrawal.amount, Currency.BYN, withdrawal.instrument.token, at + SEND_WITHIN
    )
    try:
        standing = system.send_payout(order)
    except NotAnswered as fault:
        logger.warning("%s is unknown: %s", withdrawal.reference, fault)
    else:
        _apply(withdrawal, standing, actor)
    return WithdrawalState(withdrawal.state)


def ask_about(*, withdrawal: Withdrawal, actor: str = "task:ask_about_withdrawals") -> WithdrawalState:
    """Ask how an unknown withdrawal, or one under way, stands; what was never heard of, and never will be, has failed.

    :raises DomainError: WRONG_STATE for any other.
    """
    if withdrawal.state not in (WithdrawalState.UNKNOWN, WithdrawalState.SENT):
        raise DomainError(Refusal.WRONG_STATE, _("Nothing is to be asked about this withdrawal."))
    asked_at = clock.now()
    try:
        standing = find_provider(withdrawal.instrument.provider).status_of(withdrawal.reference)
    except NotAnswered as fault:
        logger.warning("%s: %s", withdrawal.reference, fault)
        return WithdrawalState(withdrawal.state)
    if standing is not None:
        _apply(withdrawal, standing, actor)
    elif withdrawal.state == WithdrawalState.UNKNOWN and asked_at > withdrawal.moved_at + 2 * SEND_WITHIN:
        with one_transaction():
            give_back(
                withdrawal,
                WithdrawalState.FAILED,
                reason="the payment system never heard of it",
                actor=actor,
                act="fail_withdrawal",
            )
    return WithdrawalState(withdrawal.state)


def take_payout(*, provider: str, reference: str, standing: Standing, actor: str) -> None:
    """Bring a withdrawal to where the payment system says it stands, in the caller's transaction.

    :raises Disagreement: for one that is not ours, or is not what was sent, and for what contradicts an end.
    """
    found = Withdrawal.objects.select_for_update(no_key=True, of=("self",))
    found = found.select_related("account__ledger_account", "instrument")
    withdrawal = found.filter(pk=number_in(reference, "W"), instrument__provider=provider).first()
    theirs = told(standing.outcome, standing.amount, standing.currency)
    if withdrawal is None:
        raise Disagreement(Mismatch.UNKNOWN_HERE, "", theirs)
    _compare_and_step(withdrawal, standing, actor)


def _apply(withdrawal: Withdrawal, standing: Standing, actor: str) -> None:
    """Note the answer to a call. A message may have come first: then the row has moved on, and stays.

    What does not agree moves nothing and goes into the queue, as if a message had told it.
    """
    with one_transaction():
        withdrawal.refresh_from_db(from_queryset=Withdrawal.objects.select_for_update(no_key=True))
        step_or_queue(
            lambda: _compare_and_step(withdrawal, standing, actor),
            provider=withdrawal.instrument.provider,
            reference=withdrawal.reference,
            standing=standing,
            at=clock.now(),
        )


def _compare_and_step(withdrawal: Withdrawal, standing: Standing, actor: str) -> None:
    """Move a locked withdrawal to where it is said to stand, if it is the one that was sent.

    :raises Disagreement: for another amount, currency or instrument, and for what contradicts an end.
    """
    ours = told(withdrawal.state, withdrawal.amount, Currency.BYN)
    theirs = told(standing.outcome, standing.amount, standing.currency)
    if (standing.amount, standing.currency) != (withdrawal.amount, Currency.BYN):
        raise Disagreement(Mismatch.AMOUNT, ours, theirs)
    paid_to = standing.instrument
    if paid_to is not None and paid_to.token != withdrawal.instrument.token:
        raise Disagreement(
            Mismatch.INSTRUMENT, f"{ours} {withdrawal.instrument.label}"[:80], f"{theirs} {paid_to.label}"[:80]
        )
    if not _step(withdrawal, standing, actor):
        raise Disagreement(Mismatch.STATE, ours, theirs)


def _step(withdrawal: Withdrawal, standing: Standing, actor: str) -> bool:
    """Move a locked withdrawal; return False when what is said contradicts where it stands."""
    state, outcome = WithdrawalState(withdrawal.state), standing.outcome
    ended = {WithdrawalState.CONFIRMED: Outcome.DONE, WithdrawalState.FAILED: Outcome.FAILED}.get(state)
    if ended is not None:
        return outcome in (ended, Outcome.UNDER_WAY)  # the same again, or older news
    if state not in (WithdrawalState.UNKNOWN, WithdrawalState.SENT):
        return False
    if outcome == Outcome.DONE:
        confirm(withdrawal, actor=actor, provider_reference=standing.provider_reference)
    elif outcome == Outcome.FAILED:
        reason = standing.reason or "refused by the payment system"
        give_back(withdrawal, WithdrawalState.FAILED, reason=reason, actor=actor, act="fail_withdrawal")
    elif state == WithdrawalState.UNKNOWN:
        move_on(
            withdrawal,
            WithdrawalState.SENT,
            actor=actor,
            act="send_withdrawal",
            provider_reference=standing.provider_reference,
        )
    return True
