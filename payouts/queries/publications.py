"""Who is published as a winner, and who may be: who won most in Sportloto, a large sum in Totolot (¶14, ¶44)."""

from datetime import datetime

from django.db.models import Exists, Max, OuterRef, QuerySet, Sum

from payouts.models import ConsentWithdrawal, Payable, PayableKind, PayableState, Publication, PublicationConsent
from pools.models import Bet, Pool
from totalizator.core.legal import legal_numbers


def published_winners(pool: Pool | None = None) -> QuerySet[Publication]:
    """Return what is shown of winners, of all pools or one, the oldest first: what was withdrawn is not."""
    withdrawn = ConsentWithdrawal.objects.filter(consent=OuterRef("pk"))
    shown = Publication.objects.filter(~Exists(withdrawn)).select_related("consent__pool")
    return (shown if pool is None else shown.filter(consent__pool=pool)).order_by("published_at", "pk")


def consents() -> QuerySet[PublicationConsent]:
    """Return every consent with what became of it."""
    return PublicationConsent.objects.select_related("pool", "publication", "withdrawal", "given_by")


def won_on(bet: Bet) -> int:
    """Return what a bet has won in all, in kopecks."""
    return int(_winnings(bet.pool).filter(ticket=bet.ticket).aggregate(total=Sum("amount"))["total"] or 0)


def may_be_published(bet: Bet, at: datetime) -> bool:
    """Tell whether the law lets this winner be published: the greatest of a Sportloto pool, a large one of Totolot."""
    won = won_on(bet)
    if not bet.pool.game.startswith("sportloto"):
        return won >= int(legal_numbers(at)["large_winning_from"])
    of_tickets = _winnings(bet.pool).values("ticket").annotate(won=Sum("amount"))
    greatest = of_tickets.aggregate(most=Max("won"))["most"]
    return won > 0 and won == greatest


def _winnings(pool: Pool) -> QuerySet[Payable]:
    return Payable.objects.filter(pool=pool).exclude(kind=PayableKind.REFUND).exclude(state=PayableState.REVOKED)
