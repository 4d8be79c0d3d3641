"""The photo of a winner who has agreed to be published (¶14, ¶44)."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from payouts.queries.publications import published_winners
from payouts.services.publishing_winners import photo_of
from pools.views.reading import pool_or_404
from totalizator.core.filed_files import kind_of_scan


def winner_photo(request: HttpRequest, code: str, number: int) -> HttpResponseBase:
    """Send the photo, as long as the winner agrees; nobody is to keep it."""
    shown = published_winners(pool_or_404(request, code)).filter(pk=min(number, 2**63 - 1)).first()
    content = photo_of(shown.consent) if shown is not None else None
    kind = kind_of_scan(content) if content is not None else None
    if content is None or kind is None:
        raise Http404
    answer = HttpResponse(content, content_type=kind[0])
    answer["Cache-Control"] = "no-store"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
