"""Players' registrations: recorded from paper, ended, paid out to an account named on paper (E1, E5)."""

from datetime import datetime

from rest_framework import serializers

from accounts.api.callers import account_named
from accounts.api.identities import IdentityBody, RecordedIdentity
from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.models import AccountState, Ending, User, Verification
from accounts.services.ending import end_registration, give_bank_account
from accounts.services.identity import record_identity
from accounts.services.persons import person_of
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Staff: players"


class PaperIdentityBody(IdentityBody):
    """What a player's document says, by the player's application on paper."""

    username = Text(max_length=150)


class EndingBody(Body):
    """Whose registration ends, and why."""

    username = Text(max_length=150)
    reason = Text(max_length=2000)


class PaperAccountBody(Body):
    """The bank account that a player named on paper, and the paper."""

    username = Text(max_length=150)
    bank_account = Text(max_length=40)
    document = Text(max_length=200)


class EndingDocument(serializers.Serializer[None]):
    """A registration that ends or has ended."""

    username = serializers.CharField()
    state = serializers.ChoiceField(AccountState.choices)
    begun_at = Moment()
    due_at = Moment(help_text="The latest day on which the money has to be at the bank.")
    waits_for = serializers.CharField(allow_blank=True, help_text="The refusal that keeps the money here.")
    ended_at = Moment(allow_null=True)


def ending_document(ending: Ending) -> Written:
    """Write a registration that ends."""
    return {
        "username": ending.account.player.username,
        "state": ending.account.state,
        "begun_at": instant(ending.begun_at),
        "due_at": instant(ending.due_at),
        "waits_for": ending.waits_for,
        "ended_at": instant_or_none(ending.ended_at),
    }


def _record(staff: User, told: Told) -> Written:
    player = account_named(told["username"]).player
    recorded_at: datetime = record_identity(player=player, **_without_name(told), actor=staff.actor).recorded_at
    verified = Verification.objects.filter(person=person_of(player)).exists()
    return {"recorded_at": instant(recorded_at), "verified": verified}


def _end(staff: User, told: Told) -> Written:
    account = account_named(told["username"])
    ending = end_registration(account=account, asked_by=staff, reason=told["reason"])
    account.refresh_from_db(fields=["state"])
    return ending_document(ending)


def _give_account(staff: User, told: Told) -> Written:
    account = account_named(told["username"])
    give_bank_account(account=account, **_without_name(told), given_by=staff)
    return ending_document(Ending.objects.select_related("account__player").get(account=account))


def _without_name(told: Told) -> Written:
    return {name: value for name, value in told.items() if name != "username"}


_UNFIT = (Refusal.NOT_FOUND, Refusal.WRONG_STATE)
DECLARED = (
    Listing(
        path="endings",
        name="staff_endings",
        summary="Registrations that end or have ended, the latest first",
        tag=TAG,
        rows_name="endings",
        row=EndingDocument,
        rows=lambda _query: Ending.objects.select_related("account__player"),
        write=ending_document,
        ordering=("-begun_at", "-pk"),
    ),
    Act(
        path="identities",
        name="staff_identity_record",
        summary="Record what a player's document says, as the player's application on paper has it",
        tag=TAG,
        body=PaperIdentityBody,
        answer=RecordedIdentity,
        do=_record,
        refused=(*_UNFIT, Refusal.UNDER_AGE, Refusal.PERSON_KNOWN, Refusal.MAY_NOT_PLAY),
        about="It can be corrected until somebody has compared it with the document.",
    ),
    Act(
        path="endings",
        name="staff_registration_end",
        summary="End a player's registration: no bet is taken once this is answered",
        tag=TAG,
        body=EndingBody,
        answer=EndingDocument,
        do=_end,
        refused=_UNFIT,
    ),
    Act(
        path="endings/bank-accounts",
        name="staff_bank_account_give",
        summary="Note the bank account that a player whose registration ends has named on paper",
        tag=TAG,
        body=PaperAccountBody,
        answer=EndingDocument,
        do=_give_account,
        refused=_UNFIT,
        about="Another person gives the payment order to the bank.",
    ),
)
