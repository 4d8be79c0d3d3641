"""Batches of prepaid cards: proposed, approved by another person, handed out once (D1)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found, name_of
from accounts.models import BatchState, CardBatch, User
from accounts.models.cards import MOST_CARDS
from accounts.services.card_batches import (
    CardExport,
    approve_card_batch,
    export_card_batch,
    print_card_batch,
    propose_card_batch,
)
from totalizator.core.api.bodies import Amount, Body, Day, Text
from totalizator.core.api.documents import Byn, Moment, instant, instant_or_none
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: prepaid cards"


class BatchBody(Body):
    """What is to be printed."""

    series = Text(max_length=20, help_text="1 to 6 Latin letters or digits.")
    quantity = serializers.IntegerField(min_value=1, max_value=MOST_CARDS)
    face_value = Amount()
    valid_until = Day(help_text="The last day on which a card of it pays.")


class PassphraseBody(Body):
    """Under which the printer opens the file."""

    passphrase = Text(max_length=200, trim_whitespace=False)


class BatchDocument(serializers.Serializer[None]):
    """A batch."""

    number = serializers.IntegerField()
    series = serializers.CharField()
    quantity = serializers.IntegerField()
    face_value = Byn()
    valid_until = serializers.DateField()
    state = serializers.ChoiceField(BatchState.choices)
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    approved_by = serializers.CharField(allow_null=True)
    exported_at = Moment(allow_null=True)
    export_digest = serializers.CharField(allow_blank=True)


def _batches() -> QuerySet[CardBatch]:
    return CardBatch.objects.select_related("proposed_by", "approved_by")


def _propose(staff: User, told: Told) -> Written:
    return _written(propose_card_batch(**told, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    approve_card_batch(batch=found(_batches(), pk=number), approved_by=staff)
    return _written(found(_batches(), pk=number))


def _export(staff: User, told: Told, number: int) -> GivenFile:
    batch = found(_batches(), pk=number)
    return _given(export_card_batch(batch=batch, passphrase=told["passphrase"], exported_by=staff), _SEALED)


def _print(staff: User, told: Told, number: int) -> GivenFile:  # noqa: ARG001
    return _given(print_card_batch(batch=found(_batches(), pk=number), exported_by=staff), _SHEETS)


def _given(export: CardExport, media_type: str) -> GivenFile:
    return GivenFile(export.file_name, export.content, media_type)


def _written(batch: CardBatch) -> Written:
    return {
        "number": batch.pk,
        "series": batch.series,
        "quantity": batch.quantity,
        "face_value": plain_byn(batch.face_value),
        "valid_until": batch.valid_until.isoformat(),
        "state": batch.state,
        "proposed_by": batch.proposed_by.username,
        "proposed_at": instant(batch.proposed_at),
        "approved_by": name_of(batch.approved_by),
        "exported_at": instant_or_none(batch.exported_at),
        "export_digest": batch.export_digest,
    }


_SEALED, _SHEETS = "application/octet-stream", "application/pdf"
_OF_ONE: dict[str, Any] = {"tag": TAG, "refused": (Refusal.NOT_FOUND, Refusal.WRONG_STATE), "status": 200}
DECLARED = (
    Listing(
        path="card-batches",
        name="staff_card_batches",
        summary="Batches of cards, the latest first",
        tag=TAG,
        rows_name="batches",
        row=BatchDocument,
        rows=lambda _query: _batches(),
        write=_written,
    ),
    Act(
        path="card-batches",
        name="staff_card_batch_propose",
        summary="Propose to print cards",
        tag=TAG,
        body=BatchBody,
        answer=BatchDocument,
        do=_propose,
    ),
    Act(
        path="card-batches/<int:number>/approval",
        name="staff_card_batch_approve",
        summary="Approve a batch, by another person",
        tag=TAG,
        body=NothingBody,
        answer=BatchDocument,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.SAME_PERSON),
        status=200,
    ),
    Act(
        path="card-batches/<int:number>/export",
        name="staff_card_batch_export",
        summary="Make the cards and hand them out for the printer, sealed under a passphrase: once",
        body=PassphraseBody,
        answer=_SEALED,
        do=_export,
        about="If the file is lost, so are its cards: block them, and propose another batch.",
        **_OF_ONE,
    ),
    Act(
        path="card-batches/<int:number>/sheets",
        name="staff_card_batch_sheets",
        summary="Make the cards and hand them out as sheets to print in the house, instead of the file: once",
        body=NothingBody,
        answer=_SHEETS,
        do=_print,
        about="500 cards at most.",
        **_OF_ONE,
    ),
)
