"""The staff's part of publishing winners: consents on paper, two people, withdrawals (¶14, ¶44)."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.api.staff.acts import Act, Download, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, StaffReasonBody, found
from accounts.api.staff.uploads import File, FileBody, content_of
from accounts.models import User
from payouts.models import ConsentWay, PublicationConsent, PublicationProposal
from payouts.queries.publications import consents
from payouts.services.publishing_winners import (
    Agreed,
    approve_publication,
    consent_on_paper,
    propose_publication,
    withdraw_consent,
)
from totalizator.core.api.documents import Byn, Moment, instant, instant_or_none
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import content_as_filed
from totalizator.core.money import plain_byn

TAG = "Staff: claims"


class PaperConsentBody(FileBody):
    """A scan of the signed paper (`file`), the ticket, and what may be published: what is left out may not."""

    ticket = serializers.CharField(max_length=60)
    name = serializers.CharField(max_length=200, required=False)
    words = serializers.CharField(max_length=500, required=False, help_text="What else may be told of the winner.")
    amount = serializers.BooleanField(required=False, default=False, help_text="Whether the sum may be shown.")
    photo = File(max_length=200, required=False, help_text="JPEG or PNG.")


class ConsentDocument(serializers.Serializer[None]):
    """What a winner has agreed to, and what became of it."""

    number = serializers.IntegerField()
    pool = serializers.CharField()
    way = serializers.ChoiceField(ConsentWay.choices)
    name = serializers.CharField(allow_blank=True)
    words = serializers.CharField(allow_blank=True)
    amount = Byn(allow_null=True)
    photo = serializers.CharField(allow_blank=True, help_text="`sha256:` + hex; empty: none.")
    paper = serializers.CharField(allow_blank=True, help_text="`sha256:` + hex, of the scan.")
    given_by = serializers.CharField()
    given_at = Moment()
    published_at = Moment(allow_null=True)
    withdrawn_at = Moment(allow_null=True)


class PublicationProposed(serializers.Serializer[None]):
    """What waits for another person."""

    number = serializers.IntegerField()
    proposed_at = Moment()


def consent_document(consent: PublicationConsent) -> Written:
    """Write a consent, read by `consents`."""
    publication, withdrawal = getattr(consent, "publication", None), getattr(consent, "withdrawal", None)
    return {
        "number": consent.pk,
        "pool": consent.pool.code,
        "way": consent.way,
        "name": consent.name,
        "words": consent.words,
        "amount": plain_byn(consent.amount) if consent.amount is not None else None,
        "photo": consent.photo_digest,
        "paper": consent.paper_digest,
        "given_by": consent.given_by.username,
        "given_at": instant(consent.given_at),
        "published_at": instant_or_none(publication.published_at) if publication is not None else None,
        "withdrawn_at": instant_or_none(withdrawal.withdrawn_at) if withdrawal is not None else None,
    }


def _all(query: Told) -> QuerySet[PublicationConsent]:  # noqa: ARG001
    return consents()


def _numbered(number: int) -> PublicationConsent:
    return found(consents(), pk=number)


def _take(staff: User, told: Told) -> Written:
    agreed = Agreed(
        name=told.get("name", ""),
        words=told.get("words", ""),
        amount=told["amount"],
        photo=content_of(told["photo"]) if "photo" in told else b"",
    )
    consent = consent_on_paper(ticket=told["ticket"], agreed=agreed, paper=content_of(told["file"]), taken_by=staff)
    return consent_document(_numbered(consent.pk))


def _withdraw(staff: User, told: Told, number: int) -> Written:
    withdraw_consent(consent=_numbered(number), reason=told["reason"], withdrawn_by=staff)
    return consent_document(_numbered(number))


def _propose(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    proposal = propose_publication(consent=_numbered(number), proposed_by=staff)
    return {"number": proposal.pk, "proposed_at": instant(proposal.proposed_at)}


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    proposal = found(PublicationProposal.objects.select_related("consent"), pk=number)
    approve_publication(proposal=proposal, approved_by=staff)
    return consent_document(_numbered(proposal.consent_id))


def _paper(staff: User, told: Told, number: int) -> GivenFile:  # noqa: ARG001
    consent = _numbered(number)
    content = content_as_filed(consent.paper, consent.paper_digest) if consent.paper_digest else None
    if content is None:
        raise DomainError(Refusal.NOT_FOUND, _("No paper is filed, or not as it was."))
    return GivenFile(f"consent-{number}.{str(consent.paper).rpartition('.')[2]}", content)


_PUBLISHING: dict[str, Any] = {"tag": TAG}
DECLARED = (
    Listing(
        path="publication-consents",
        name="staff_publication_consents",
        summary="What winners have agreed to have published, the newest first",
        rows_name="consents",
        row=ConsentDocument,
        rows=_all,
        write=consent_document,
        **_PUBLISHING,
    ),
    Act(
        path="publication-consents",
        name="staff_publication_consent",
        summary="File the paper by which a winner agrees to be published",
        body=PaperConsentBody,
        answer=ConsentDocument,
        do=_take,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        is_upload=True,
        **_PUBLISHING,
    ),
    Act(
        path="publication-consents/<int:number>/withdrawal",
        name="staff_publication_withdraw",
        summary="End a consent by the winner's paper: nothing is shown any more",
        body=StaffReasonBody,
        answer=ConsentDocument,
        do=_withdraw,
        refused=(Refusal.NOT_FOUND,),
        status=200,
        **_PUBLISHING,
    ),
    Act(
        path="publication-consents/<int:number>/proposals",
        name="staff_publication_propose",
        summary="Propose to publish a winner",
        body=NothingBody,
        answer=PublicationProposed,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        **_PUBLISHING,
    ),
    Act(
        path="publication-proposals/<int:number>/approval",
        name="staff_publication_approve",
        summary="Publish a winner whom another person proposed",
        body=NothingBody,
        answer=ConsentDocument,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
        **_PUBLISHING,
    ),
    Download(
        path="publication-consents/<int:number>/paper",
        name="staff_publication_paper",
        summary="The signed paper of a consent",
        media_types=("application/octet-stream",),
        read=_paper,
        **_PUBLISHING,
    ),
)
