"""The jobs of this app. Each finds its work by state; safe to run twice, at once, and to be killed anywhere."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from celery import shared_task
from django.conf import settings

from accounts.models import DepositReturn, Withdrawal
from accounts.queries.withdrawals import (
    returns_to_ask_about,
    returns_to_send,
    withdrawals_to_ask_about,
    withdrawals_to_send,
)
from accounts.services import exclusion
from accounts.services.card_expiry import expire_cards
from accounts.services.deposit_returns import ask_about_return, send_return
from accounts.services.fiscal import print_waiting, tills_with_unprinted
from accounts.services.point_documents import warn_of_expiries
from accounts.services.providers.known import provider_names
from accounts.services.reconciliation import reconcile_yesterday
from accounts.services.sending import ask_about, send_withdrawal
from accounts.services.signed_requests import forget_old_nonces
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.one_worker import one_worker

logger = logging.getLogger(__name__)
Payment = TypeVar("Payment", Withdrawal, DepositReturn)


@shared_task
def print_fiscal_documents() -> None:
    """Print what waits for the fiscal registers; a register that cannot print does not stop the others."""
    if settings.FISCAL_REGISTER:
        for till in tills_with_unprinted():
            try:
                print_waiting(till=till)
            except Exception:  # a driver's own fault; the next till must not wait for its repair
                logger.exception("Till %s: its documents are not printed", till)


@shared_task
def warn_of_expiring_documents() -> None:
    """Warn once of each document, certificate, contract or agreement that ends soon or is missing (¶7, ¶9.4)."""
    with one_worker("warn_of_expiring_documents") as alone:
        if alone:
            warn_of_expiries()


@shared_task
def warn_of_late_forwards() -> None:
    """Warn once of each self-exclusion that the keeper of the register was not told of in time (P2)."""
    with one_worker("warn_of_late_forwards") as alone:
        if alone:
            exclusion.warn_of_late_forwards()


@shared_task
def expire_due_cards() -> None:
    """Expire the cards whose validity is over, and move what is left on them (D5)."""
    expire_cards()


@shared_task
def forget_nonces() -> None:
    """Delete the nonces of requests that are too old to be accepted anyway."""
    forget_old_nonces()


@shared_task
def send_approved_withdrawals() -> None:
    """Send what is approved and goes by a payment system, also deposits given back: each once, come what may (F2)."""
    with one_worker("send_approved_withdrawals") as alone:
        if alone:
            _for_each(withdrawals_to_send(provider_names()), lambda withdrawal: send_withdrawal(withdrawal=withdrawal))
            _for_each(returns_to_send(provider_names()), lambda back: send_return(back=back))


@shared_task
def ask_about_withdrawals() -> None:
    """Ask payment systems how what was sent a while ago stands; nothing is ever sent again."""
    with one_worker("ask_about_withdrawals") as alone:
        if alone:
            waiting = withdrawals_to_ask_about(provider_names(), clock.now())
            _for_each(waiting, lambda withdrawal: ask_about(withdrawal=withdrawal))
            returns = returns_to_ask_about(provider_names(), clock.now())
            _for_each(returns, lambda back: ask_about_return(back=back))


@shared_task
def reconcile_providers() -> None:
    """Compare each payment system's file of yesterday with our rows, once it is there (F1)."""
    with one_worker("reconcile_providers") as alone:
        if alone:
            for name in provider_names():
                try:
                    reconcile_yesterday(provider=name, actor="task:reconcile_providers")
                except Exception:  # the next payment system must not wait for this one's repair
                    logger.exception("%s: yesterday's file was not compared", name)


def _for_each(payments: Sequence[Payment], do: Callable[[Payment], object]) -> None:
    """Do it to each; one that cannot be done does not stop the others."""
    for payment in payments:
        try:
            do(payment)
        except DomainError as refusal:  # somebody else moved it meanwhile
            logger.warning("%s: %s", payment.reference, refusal)
        except Exception:  # the next one must not wait for this one's repair
            logger.exception("%s: this could not be done", payment.reference)
