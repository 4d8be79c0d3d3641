"""Finding the pool that an address names. Drafts are the organizer's own until they are announced."""

from django.http import Http404, HttpRequest

from accounts.models import Role
from accounts.permissions import role_of
from pools.models import Pool, PoolState


def pool_or_404(request: HttpRequest, code: str, *beside: str) -> Pool:
    """Return the pool, with what stands beside it read in the same question; a draft only to the organizer."""
    pool = Pool.objects.select_related(*beside or [None]).filter(code=code).first()
    if pool is None or (pool.state == PoolState.DRAFT and role_of(request) != Role.ORGANIZER):
        raise Http404
    return pool
