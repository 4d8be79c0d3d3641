"""What a correction of a settlement changed, for anyone (H5)."""

import json

from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from pools.api.pools import PUBLIC_FILE, TAG, announced
from pools.models import Correction, Pool
from pools.queries.corrections import changed_csv, in_force
from totalizator.core.api.described import described
from totalizator.core.api.reading import PublicRead
from totalizator.core.errors import Refusal


class PoolCorrection(PublicRead):
    """`GET pools/{code}/correction`."""

    @described(
        "correction",
        "How the settlement of a pool was corrected: versions, digests, sums before and after",
        tag=TAG,
        answers={200: PUBLIC_FILE},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about="Exactly correction.json of the corrected bundle. 404 for a pool that was not corrected.",
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show it."""
        correction = corrected(announced(code))
        self.changed_at = correction.official_at
        return Response(json.loads(correction.correction_text))


class PoolChanges(PublicRead):
    """`GET pools/{code}/changed.csv`."""

    @described(
        "changed",
        "Every ticket whose winning or returned stake a correction changed, in kopecks",
        tag=TAG,
        answers={(200, "text/csv"): {"type": "string"}},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about="Exactly changed.csv of the corrected bundle.",
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:  # noqa: ARG002
        """Send the file."""
        pool = announced(code)
        correction = corrected(pool)
        self.changed_at = correction.official_at
        self.etag = str(json.loads(correction.correction_text)["changed"]).removeprefix("sha256:")[:32]
        response = StreamingHttpResponse(changed_csv(pool), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{pool.code}-changed.csv"'
        return response


def corrected(pool: Pool) -> Correction:
    """Return the official correction of a pool; :raises Http404: when there is none."""
    computed = in_force(pool)
    if not isinstance(computed, Correction):
        raise Http404
    return computed
