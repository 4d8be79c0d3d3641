"""Two entries that differ, side by side: shown to the two members who made them, and only after both have (H1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from pools.models import Pool, ResultEntry
from pools.services.commission import only_member
from pools.services.result_entries import Difference, differences
from totalizator.core.errors import DomainError, Refusal


@dataclass(frozen=True, slots=True)
class EntriesSideBySide:
    """The two entries of an attempt, in the order they were made, and where they differ."""

    attempt: int
    entries: Sequence[ResultEntry]
    differences: Sequence[Difference]


def entries_side_by_side(pool: Pool, member: User) -> EntriesSideBySide:
    """Return the newest attempt that the member entered in, once both entries of it are there.

    :raises DomainError: NOT_ALLOWED for who is not of the pool's commission; NOT_FOUND before the member and another
        one have entered: nobody sees an entry before making their own.
    """
    only_member(pool, member)
    own = ResultEntry.objects.filter(pool=pool, member=member).order_by("-attempt").values_list("attempt", flat=True)
    for attempt in own:
        entries = list(pool.result_entries.select_related("member").filter(attempt=attempt).order_by("entered_at"))
        if len(entries) == 2:
            one, other = entries
            return EntriesSideBySide(attempt, entries, differences(pool.terms, one.result_text, other.result_text))
    raise DomainError(
        Refusal.NOT_FOUND, _("Entries are shown to the two who made them, once both are there."), field="pool"
    )
