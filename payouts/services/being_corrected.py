"""While a result is being corrected nothing of its pool is paid: nobody knows yet what is owed (H5)."""

from django.utils.translation import gettext_lazy as _

from payouts.queries.corrections import is_being_corrected
from totalizator.core.errors import DomainError, Refusal


def refuse_being_corrected(pool_id: int) -> None:
    """Refuse while a correcting protocol is drawn up, and neither given up nor applied to what is owed.

    :raises DomainError: BEING_CORRECTED.
    """
    if is_being_corrected(pool_id):
        message = _("A correcting protocol of this pool is being signed: nothing is paid until it is.")
        raise DomainError(Refusal.BEING_CORRECTED, message)
