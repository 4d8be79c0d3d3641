"""Every filed file is digested again: what was changed in the store is named, and never given out (H4, X5, ¶33)."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db.models import FileField
from django.db.models.fields.files import FieldFile

from accounts.models import PointDocument
from payouts.models import ResultClaim
from payouts.queries.reports.significant import significant_events
from payouts.services.filed_checks import FILED, check_filed_files
from payouts.services.result_claims import file_result_claim
from payouts.tasks import check_filed_files_nightly
from pools.models import Evidence
from tests.functional.calling import Caller
from tests.making import make_organizers, make_pool
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
PDF = b"%PDF-1.7 the federation's decision"


def claimed() -> tuple[Any, ResultClaim, Evidence]:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    settle(pool, "1")
    one, _other = make_organizers()
    claim = file_result_claim(
        code=pool.code, claimant="A club", story="It was X", issuer="The federation", content=PDF, filed_by=one
    )
    return one, claim, pool.evidence.get()


def store(file: FieldFile, content: bytes | None) -> None:
    """Put something else where a file lies, or take it away."""
    storage, name = file.storage, str(file)
    storage.delete(name)
    if content is not None:
        assert storage.save(name, ContentFile(content)) == name


def events() -> list[tuple[str, str]]:
    now = clock.now()
    kinds = ("filed_file_changed", "check_filed_files")
    found = significant_events(now - timedelta(hours=1), now + timedelta(hours=1))
    return [(event.kind, event.subject) for event in found if event.kind in kinds]


def records(act: str) -> list[Any]:
    return list(JournalRecord.objects.filter(act=act).order_by("id"))


def test_a13_a_changed_or_lost_document_of_a_claim_is_refused_and_journalled_once() -> None:
    staff, claim, _evidence = claimed()
    caller = Caller(staff)
    path = f"staff/result-claims/{claim.pk}/document"
    assert caller.get(path).status_code == 200
    store(claim.file, PDF + b" altered")
    for _again in range(2):
        answer = caller.get(path)
        assert (answer.status_code, answer.json()["code"]) == (409, "evidence_changed")
        assert answer.json()["number"] == claim.pk
    store(claim.file, None)
    assert caller.get(path).status_code == 409
    subject = f"result_claim:{claim.pk}"
    assert [(row.actor, row.subject, row.reason, row.after) for row in records("filed_file_changed")] == [
        (staff.actor, subject, "changed", {"digest": claim.digest}),
        (staff.actor, subject, "gone", {"digest": claim.digest}),
    ]
    assert events() == [("filed_file_changed", subject)] * 2


def test_a13_the_nightly_check_names_what_is_not_what_was_filed() -> None:
    _staff, claim, evidence = claimed()
    filed = PointDocument.objects.count() + 2
    check_filed_files_nightly()
    assert [row.after for row in records("check_filed_files")] == [{"files": filed, "broken": []}]
    assert events() == []
    store(claim.file, b"%PDF-1.7 another")
    store(evidence.file, None)
    found = [f"pools.evidence.file {evidence.pk}: gone", f"payouts.resultclaim.file {claim.pk}: changed"]
    assert check_filed_files(actor="test") == found
    assert records("check_filed_files")[-1].after == {"files": filed, "broken": found}
    assert events() == [("check_filed_files", "filed_files")]


def test_a13_the_command_ends_with_1_when_a_file_was_changed() -> None:
    _staff, claim, _evidence = claimed()
    said = StringIO()
    call_command("check_filed_files", stdout=said)
    assert said.getvalue() == "OK\n"
    store(claim.file, b"%PDF-1.7 another")
    said = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("check_filed_files", stdout=said)
    assert (ended.value.code, said.getvalue()) == (1, f"BROKEN: payouts.resultclaim.file {claim.pk}: changed\n")


def test_a13_no_filed_file_is_left_out() -> None:
    fields = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, FileField)
    }
    assert {(model, file) for model, file, _digest in FILED} == fields
