"""The metrics, as Prometheus reads them."""

from collections.abc import Iterator

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from payouts.queries.vital_signs import business
from totalizator.core.watching.metrics import counted_here
from totalizator.core.watching.vital_signs import broker, gauge, plumbing
from totalizator.core.watching.watchers import may_watch


class _Readings(Collector):
    def collect(self) -> Iterator[Metric]:
        up = 1
        try:
            yield from [*plumbing(), *business()]
        except DatabaseError:
            up = 0
        yield gauge("database_up", "Whether the database answers", up)
        yield from broker()


@require_safe
def metrics(request: HttpRequest) -> HttpResponseBase:
    """Show what this machine counted and how the system stands, to the monitoring alone"""
    if not may_watch(request):
        return HttpResponseNotFound()
    readings = CollectorRegistry(auto_describe=False)
    readings.register(_Readings())
    text = generate_latest(counted_here()) + generate_latest(readings)
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_0_0_4, headers={"Cache-Control": "no-store"})
