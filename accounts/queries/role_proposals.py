"""Which proposed roles another person can still approve (R1)."""

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import RoleProposal


def standing_roles() -> QuerySet[RoleProposal]:
    """Return of each person the latest proposal, neither approved nor taken back."""
    later = RoleProposal.objects.filter(person=OuterRef("person"), pk__gt=OuterRef("pk"))
    return RoleProposal.objects.filter(~Exists(later), decision__isnull=True, withdrawn__isnull=True)
