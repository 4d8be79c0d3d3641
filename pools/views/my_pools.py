"""The pools that a member of the commission decides."""

from django.http import Http404

from accounts.permissions import PersonRequest
from pools.models import Pool


def my_pool(request: PersonRequest, code: str) -> Pool:
    """Return a pool of which the person is a commission member; any other is not there for them."""
    pool = Pool.objects.filter(code=code, members__member=request.user).first()
    if pool is None:
        raise Http404
    return pool
