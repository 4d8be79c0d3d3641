"""Who wants letters beside the notices of the own page (K6)."""

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from accounts.models import User
from payouts.models import NoticeChoice


def wants_letters(player: User) -> bool:
    """Tell what the player chose last; who chose nothing is sent letters."""
    latest = NoticeChoice.objects.filter(player=player).order_by("-pk").values_list("letters", flat=True).first()
    return latest is not False


def who_wants_no_letters() -> QuerySet[User]:
    """Return the players whose latest choice is against letters."""
    latest = NoticeChoice.objects.filter(player=OuterRef("pk")).order_by("-pk").values("letters")[:1]
    chose = Exists(NoticeChoice.objects.filter(player=OuterRef("pk"), letters=False))
    return User.objects.filter(chose).annotate(letters=Subquery(latest)).filter(letters=False)
