"""Large operations in cash: a document is shown first, and kept as a token that names nobody (Q1)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import GameAccount, IdentifiedOperation, Person, User
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_numbers
from totalizator.core.money import format_byn


def refuse_unidentified(*, amount: int, person: Person | None, at: datetime) -> None:
    """Refuse `amount` kopecks in cash, in or out, from the threshold of the day on, unless a document was shown.

    `person` is who showed it: `person_at_desk`, or the verified owner of a game account.

    :raises DomainError: IDENTITY_NEEDED, with the threshold.
    """
    threshold = int(legal_numbers(at)["aml_identify_from"])
    if amount >= threshold and (person is None or person.number_digest is None):
        message = _("From %(threshold)s in cash on, a document must be shown.")
        raise DomainError(
            Refusal.IDENTITY_NEEDED, message % {"threshold": format_byn(threshold)}, field="person", threshold=threshold
        )


def note_identified(*, operation: str, person: Person, noted_by: User, at: datetime) -> None:
    """Note who showed a document for an operation, in the transaction that does it; a bet keeps its person itself."""
    IdentifiedOperation.objects.create(operation=operation, person=person, noted_by=noted_by, noted_at=at)


def identified_owner(account: GameAccount) -> Person | None:
    """Return the owner of a game account, if staff have seen the document; else None."""
    return Person.objects.filter(player=account.player_id, verification__isnull=False).first()
