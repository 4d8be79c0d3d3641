"""The jobs of this app. Each finds its work by state; safe to run twice, at once, and to be killed anywhere."""

from celery import shared_task
from django.conf import settings

from accounts.services.fiscal import print_waiting, tills_with_unprinted
from accounts.services.point_documents import warn_of_expiries
from accounts.services.signed_requests import forget_old_nonces
from totalizator.core.one_worker import one_worker

# Pools are numbered from 1, so no pool's work has this number.
_WARNING = -1


@shared_task
def print_fiscal_documents() -> None:
    """Print what waits for the fiscal registers; a register that cannot print does not stop the others."""
    if settings.FISCAL_REGISTER:
        for till in tills_with_unprinted():
            print_waiting(till=till)


@shared_task
def warn_of_expiring_documents() -> None:
    """Warn once of each document, certificate, contract or agreement that ends soon or is missing (¶7, ¶9.4)."""
    with one_worker(_WARNING) as alone:
        if alone:
            warn_of_expiries()


@shared_task
def forget_nonces() -> None:
    """Delete the nonces of requests that are too old to be accepted anyway."""
    forget_old_nonces()
