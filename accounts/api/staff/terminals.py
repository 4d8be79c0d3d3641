"""Terminals: registered with a key, certified, switched off and on (¶7, C1)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import SwitchBody, Switched, found, till_at
from accounts.models import KeyKind, Terminal, User
from accounts.services.switching import switch_terminal
from accounts.services.terminals import NewKey, register_terminal, renew_key
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Staff: equipment"


class TerminalBody(Body):
    """A terminal; with a public key it signs by Ed25519, else by HMAC."""

    serial = Text(max_length=60)
    public_key = Text(required=False, max_length=64, help_text="Ed25519: 64 hex digits.")


class KeyBody(Body):
    """The public key, where it signs by Ed25519."""

    public_key = Text(required=False, max_length=64, help_text="Ed25519: 64 hex digits.")


class StaffTerminal(serializers.Serializer[None]):
    """A terminal."""

    number = serializers.IntegerField()
    serial = serializers.CharField()
    till = serializers.CharField(help_text="`P1/2`.")
    key_id = serializers.CharField()
    key_kind = serializers.ChoiceField(KeyKind.choices)
    on = serializers.BooleanField()
    closed_at = Moment(allow_null=True)
    seen_at = Moment(allow_null=True, help_text="The last time of an unbroken link.")


class NewTerminalKey(StaffTerminal):
    """A terminal with a new key; an HMAC's secret is shown this once, to be put into the device."""

    secret = serializers.CharField(allow_null=True, help_text="64 hex digits.")


def _terminals() -> QuerySet[Terminal]:
    return Terminal.objects.select_related("till__point")


def _register(staff: User, told: Told, code: str, number: int) -> Written:
    return _key(register_terminal(till=till_at(code, number), **told, by=staff))


def _renew(staff: User, told: Told, number: int) -> Written:
    return _key(renew_key(terminal=found(_terminals(), pk=number), **told, by=staff))


def _switch(staff: User, told: Told, number: int) -> Written:
    terminal = found(_terminals(), pk=number)
    switch_terminal(terminal=terminal, on=told["on"], reason=told["reason"], by=staff)
    return {"on": terminal.enabled}


def _key(made: NewKey) -> Written:
    return _written(found(_terminals(), pk=made.terminal.pk)) | {"secret": made.secret}


def _written(terminal: Terminal) -> Written:
    return {
        "number": terminal.pk,
        "serial": terminal.serial,
        "till": str(terminal.till),
        "key_id": terminal.key_id,
        "key_kind": terminal.key_kind,
        "on": terminal.enabled,
        "closed_at": instant_or_none(terminal.closed_at),
        "seen_at": instant_or_none(terminal.seen_at),
    }


DECLARED = (
    Listing(
        path="terminals",
        name="staff_terminals",
        summary="Terminals",
        tag=TAG,
        rows_name="terminals",
        row=StaffTerminal,
        rows=lambda _query: _terminals(),
        write=_written,
        ordering=("pk",),
    ),
    Act(
        path="points/<label:code>/tills/<int:number>/terminals",
        name="staff_terminal_register",
        summary="Register a terminal at a till; it sells once it is certified and has synchronised",
        tag=TAG,
        body=TerminalBody,
        answer=NewTerminalKey,
        do=_register,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    ),
    Act(
        path="terminals/<int:number>/key",
        name="staff_terminal_key",
        summary="Give a terminal another key: the one before signs nothing any more",
        tag=TAG,
        body=KeyBody,
        answer=NewTerminalKey,
        do=_renew,
        refused=(Refusal.NOT_FOUND,),
    ),
    Act(
        path="terminals/<int:number>/switch",
        name="staff_terminal_switch",
        summary="Switch a terminal off or on: its next request finds it so",
        tag=TAG,
        body=SwitchBody,
        answer=Switched,
        do=_switch,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        status=200,
    ),
)
