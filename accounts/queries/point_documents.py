"""Which documents of a point count, which are missing, and what ends soon (¶7, ¶9.4)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from accounts.models import (
    STATIONARY,
    Agent,
    BettingPoint,
    DocumentKind,
    EquipmentCertificate,
    PointDocument,
    PointKind,
    TakingsAgreement,
)


@dataclass(frozen=True, slots=True)
class Expiry:
    """What ends, and its last day; None when it is not there at all."""

    subject: str
    what: str
    last_day: date | None


def documents_on(point: BettingPoint, day: date) -> Mapping[DocumentKind, PointDocument]:
    """Return the version of each document that counts on that day: the newest filed of those that have begun."""
    begun = PointDocument.objects.filter(point=point, valid_from__lte=day).order_by("kind", "-pk").distinct("kind")
    return {DocumentKind(document.kind): document for document in begun}


def missing_documents(point: BettingPoint, day: date) -> list[DocumentKind]:
    """Return the documents of ¶9.4 that a point lacks or that are out of date on that day; none at an event site."""
    if point.kind not in STATIONARY:
        return []
    filed = documents_on(point, day)
    return [kind for kind in DocumentKind if kind not in filed or not _lasts(filed[kind].valid_until, day)]


def expiring(day: date, *, within: int) -> list[Expiry]:
    """Return what of points that are on ends in the `within` days from `day`, has ended, or is missing.

    Documents of ¶9.4, examination certificates, agents' contracts and the bank's agreements.
    """
    until = day + timedelta(days=within)
    return [
        *_of_points(until),
        *_of_equipment(until),
        *_of_agents(until),
        *_of_agreements(until),
    ]


def papers_wanting(points: QuerySet[BettingPoint], until: date) -> Mapping[int, list[tuple[DocumentKind, date | None]]]:
    """Return which documents of ¶9.4 the stationary of `points` lack or will not have on the day `until`.

    By the point's key, in the order of ¶9.4, each with the last day of the version that would count then: None where
    none is filed. A point that has all is left out.
    """
    stationary = list(points.filter(kind__in=STATIONARY).order_by("code").values_list("pk", flat=True))
    begun = PointDocument.objects.filter(point__in=stationary, valid_from__lte=until)
    newest: QuerySet[PointDocument, Any] = begun.order_by("point_id", "kind", "-pk").distinct("point_id", "kind")
    then = {(point, kind): last for point, kind, last in newest.values_list("point_id", "kind", "valid_until")}
    wanting: dict[int, list[tuple[DocumentKind, date | None]]] = {}
    for point in stationary:
        for kind in DocumentKind:
            last_day = then.get((point, kind))
            if (point, kind) not in then or not _lasts(last_day, until):
                wanting.setdefault(point, []).append((kind, last_day))
    return wanting


def _lasts(last_day: date | None, day: date) -> bool:
    return last_day is None or last_day >= day


def _of_points(until: date) -> Iterator[Expiry]:
    points = BettingPoint.objects.filter(enabled=True)
    wanting = papers_wanting(points, until)
    codes = dict(points.filter(pk__in=wanting).values_list("pk", "code")) if wanting else {}
    for point, papers in wanting.items():
        for kind, last_day in papers:
            yield Expiry(f"point:{codes[point]}", f"document:{kind}", last_day)


def _of_equipment(until: date) -> Iterator[Expiry]:
    begun = EquipmentCertificate.objects.filter(valid_from__lte=until)
    used = begun.filter(Q(till__enabled=True) | Q(terminal__enabled=True))
    newest: QuerySet[EquipmentCertificate, Any] = used.order_by("till_id", "terminal_id", "-pk")
    for certificate in newest.distinct("till_id", "terminal_id"):
        if certificate.valid_until < until:
            terminal = certificate.terminal_id
            subject = f"till:{certificate.till_id}" if terminal is None else f"terminal:{terminal}"
            yield Expiry(subject, f"certificate:{certificate.number}", certificate.valid_until)


def _of_agents(until: date) -> Iterator[Expiry]:
    agents = Agent.objects.filter(valid_until__lt=until, points__enabled=True, points__kind=PointKind.AGENT)
    for agent in agents.distinct().order_by("pk"):
        yield Expiry(f"agent:{agent.pk}", f"contract:{agent.contract_number}", agent.valid_until)


def _of_agreements(until: date) -> Iterator[Expiry]:
    begun = TakingsAgreement.objects.filter(valid_from__lte=until).select_related("point")
    for agreement in begun.order_by("point_id", "-pk").distinct("point_id"):
        if agreement.valid_until < until:
            subject = f"point:{agreement.point.code}" if agreement.point is not None else "organizer"
            yield Expiry(subject, f"agreement:{agreement.number}", agreement.valid_until)
