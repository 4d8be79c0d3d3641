"""Finding pools by what their code or name has in it, their state and their game."""

from django.db.models import JSONField, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast

from pools.models import Game, Pool, PoolState

MOST_LETTERS = 100


def pools_found(q: str = "", state: str = "", game: str = "") -> QuerySet[Pool]:
    """Return the pools, those that close last first; what is asked for and is none of a list asks for nothing."""
    pools = Pool.objects.select_related("prepared_by").order_by("-closes_at", "code")
    if state in PoolState.values:
        pools = pools.filter(state=state)
    if game in Game.values:
        pools = pools.filter(game=game)
    if q:
        names = Cast(KeyTransform("name", KeyTransform("pool", Cast("terms_text", JSONField()))), TextField())
        letters = q[:MOST_LETTERS].replace("\x00", "")
        pools = pools.alias(names=names).filter(Q(code__icontains=letters) | Q(names__icontains=letters))
    return pools
