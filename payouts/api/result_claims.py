"""Claims against published results, over the API: staff enter them with their document and answer them (¶33)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Download, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import found
from accounts.api.staff.uploads import FileBody, content_of
from accounts.models import User
from payouts.api.disputes import STAFF, AnswerBody
from payouts.models import ResultClaim, ResultClaimState
from payouts.services.result_claims import answer_result_claim, file_result_claim, read_claim_document
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal


class ResultClaimBody(FileBody):
    """A claim against a published result, with the official document as its file."""

    claimant = serializers.CharField(max_length=500, help_text="Who claims, and where to answer.")
    story = serializers.CharField(max_length=4_000)
    issuer = serializers.CharField(max_length=200, help_text="Who has issued the document.")


class ResultClaimDocument(serializers.Serializer[None]):
    """A claim against a result, without what was told in it."""

    number = serializers.IntegerField()
    pool = serializers.CharField()
    issuer = serializers.CharField()
    digest = serializers.CharField(help_text="Of the official document.")
    filed_at = Moment()
    state = serializers.ChoiceField(ResultClaimState.choices)


def _claims(query: Told) -> QuerySet[ResultClaim]:  # noqa: ARG001
    return ResultClaim.objects.select_related("pool")


def _claim(claim: ResultClaim) -> dict[str, Any]:
    return {
        "number": claim.pk,
        "pool": claim.pool.code,
        "issuer": claim.issuer,
        "digest": claim.digest,
        "filed_at": instant(claim.filed_at),
        "state": claim.state,
    }


def _file(staff: User, told: Told, code: str) -> Written:
    words = {name: told[name] for name in ("claimant", "story", "issuer")}
    return _claim(file_result_claim(code=code, **words, content=content_of(told["file"]), filed_by=staff))


def _answer_claim(staff: User, told: Told, number: int) -> Written:
    claim = found(_claims({}), pk=number)
    answer_result_claim(claim=claim, **told, answered_by=staff)
    return _claim(claim)


def _document(staff: User, told: Told, number: int) -> GivenFile:  # noqa: ARG001
    claim = found(_claims({}), pk=number)
    return GivenFile(f"claim-{number}", read_claim_document(claim, actor=staff.actor), claim.content_type)


_STAFF: dict[str, Any] = {"tag": STAFF}
DECLARED = (
    Listing(
        path="result-claims",
        name="staff_result_claims",
        summary="Claims against published results, the newest first (¶33)",
        rows_name="claims",
        row=ResultClaimDocument,
        rows=_claims,
        write=_claim,
        **_STAFF,
    ),
    Act(
        path="pools/<label:code>/result-claims",
        name="staff_result_claim",
        summary="Enter a claim against a published result, with its official document (¶33)",
        body=ResultClaimBody,
        answer=ResultClaimDocument,
        do=_file,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.TERM_EXPIRED),
        is_upload=True,
        **_STAFF,
    ),
    Act(
        path="result-claims/<int:number>/answer",
        name="staff_result_claim_answer",
        summary="Answer a claim against a result that another person entered",
        body=AnswerBody,
        answer=ResultClaimDocument,
        do=_answer_claim,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.SAME_PERSON),
        status=200,
        **_STAFF,
    ),
    Download(
        path="result-claims/<int:number>/document",
        name="staff_result_claim_document",
        summary="The official document of a claim, as it was filed",
        media_types=("application/pdf", "image/jpeg", "image/png"),
        read=_document,
        refused=(Refusal.NOT_FOUND, Refusal.EVIDENCE_CHANGED),
        **_STAFF,
    ),
)
