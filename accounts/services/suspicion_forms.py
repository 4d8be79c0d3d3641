"""Drawing the report of a case: what was kept when it was reported, and who the persons are (Q1)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.documents.suspicion import ReportedPerson, SuspicionFacts, render_suspicion
from accounts.models import AmlCase, CaseKind, IdentifiedOperation, Identity, NumberedDocument, NumberedKind, User
from accounts.models import Person as KnownPerson
from accounts.services.document_numbers import facts_of
from accounts.services.staff import refuse_all_but_staff
from accounts.services.statements import software_version
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.localtime import local_text
from totalizator.core.money import format_byn
from totalizator.engine.deadlines import legal_day


def print_suspicion_form(*, case: AmlCase, asked_by: User) -> bytes:
    """Return the report of a reported case as a PDF, in the language that is active; who asks is journalled.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND for a case that was not reported.
    """
    refuse_all_but_staff(asked_by)
    report = NumberedDocument.objects.filter(kind=NumberedKind.SUSPICION, subject=case.journal_subject).first()
    if report is None or case.reviewed_by is None or case.decided_by is None:
        raise DomainError(Refusal.NOT_FOUND, _("This case was not reported."), field="case")
    write_journal(at=clock.now(), actor=asked_by.actor, act="print_report", subject=case.journal_subject)
    evidence = facts_of(report)["evidence"]
    return render_suspicion(
        SuspicionFacts(
            operator=settings.OPERATOR_NAME,
            number=str(report),
            day=f"{legal_day(report.issued_at):%d.%m.%Y}",
            sign=str(CaseKind(case.kind).label),
            subject=case.subject,
            raised=local_text(case.raised_at),
            rule=rule_told(evidence["rule"]),
            operations=[
                (local_text(datetime.fromisoformat(told["at"]), with_seconds=True), told["reference"], told["amount"])
                for told in evidence["operations"]
            ],
            people=_people(case, evidence),
            opinion=case.opinion,
            reviewed_by=_name(case.reviewed_by),
            decision=case.decision,
            decided_by=_name(case.decided_by),
            digest=report.digest,
            made=_("Made %(time)s, Minsk time") % {"time": local_text(report.issued_at)},
            version=software_version(),
        )
    )


def rule_told(rule: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Say what the operations of a case were held to, as terms with values."""
    if not rule:
        return []
    told = {"count": rule["count"], "minutes": rule["window_minutes"], "threshold": format_byn(rule["threshold"])}
    words = _("at least %(count)s in %(minutes)s minutes, each below %(threshold)s") % told
    return [(_("Held to"), words)]


def _people(case: AmlCase, evidence: Mapping[str, Any]) -> Sequence[ReportedPerson]:
    """Return who took part: as the evidence says, the account's owner, and who showed a document for an operation."""
    words = {"buyer": _("bought the card"), "user": _("used the card")}
    parts = {token: words[part] for part, token in evidence["people"].items()}
    kind, _colon, number = case.subject.partition(":")
    if kind == "game_account":
        owner = KnownPerson.objects.filter(player__game_account=int(number)).first()
        if owner is not None:
            parts.setdefault(owner.subject, _("account holder"))
    keys = [told["reference"] for told in evidence["operations"]]
    shown = IdentifiedOperation.objects.filter(operation__in=keys).select_related("person")
    for operation in shown.order_by("pk"):
        parts.setdefault(operation.person.subject, _("showed a document"))
    return [_reported(part, token) for token, part in parts.items()]


def _reported(part: str, token: str) -> ReportedPerson:
    identity = Identity.objects.filter(person_id=int(token.partition(":")[2])).first()
    if identity is None:
        return ReportedPerson(part, token, "", "", "", "")
    return ReportedPerson(
        part, token, identity.full_name, identity.birth_date, identity.identity_number, identity.document
    )


def _name(person: User) -> str:
    return person.get_full_name() or person.username
