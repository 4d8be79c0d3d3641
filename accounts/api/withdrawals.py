"""Money back from one's own account (F2, ¶41-42). A browser asks for it, after the second factor; no token can."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import account_asking, person_asking
from accounts.models import InstrumentKind, Withdrawal, WithdrawalState
from accounts.permissions import ArePlayers
from accounts.services.instruments import instrument_wished, ways_out
from accounts.services.withdrawals import cancel_withdrawal, request_withdrawal
from accounts.views.step_up import requires_step_up
from totalizator.core.api.bodies import Amount, Body, Text, idempotency_key, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import do_once, fingerprint_of
from totalizator.core.money import plain_byn

TAG = "Money of players"


class WithdrawalBody(Body):
    """How much, and to which of one's own instruments."""

    amount = Amount()
    instrument = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="The verified bank account unless told."
    )
    postal_address = Text(
        required=False, max_length=200, help_text="Instead: where the post brings the money, for a document (¶42)."
    )


class CancelBody(Body):
    """Why it is taken back."""

    reason = Text(max_length=200)


class Instrument(serializers.Serializer[None]):
    """Where money may go."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(InstrumentKind.choices)
    shown_as = serializers.CharField(help_text="As the player knows it: `•••• 4242`.")


class Instruments(serializers.Serializer[None]):
    """All of them."""

    instruments = Instrument(many=True)


class WithdrawalDocument(serializers.Serializer[None]):
    """A withdrawal."""

    id = serializers.IntegerField()
    amount = Byn()
    state = serializers.ChoiceField(WithdrawalState.choices)
    instrument = serializers.CharField(help_text="As the player knows it: `•••• 4242`.")
    requested_at = Moment()
    moved_at = Moment(help_text="When its state last changed.")
    reason = serializers.CharField(allow_blank=True, help_text="Why it failed or was cancelled.")


class Withdrawals(serializers.Serializer[None]):
    """A page of them, the newest first."""

    withdrawals = WithdrawalDocument(many=True)
    next = serializers.URLField(allow_null=True)


class MyInstruments(APIView):
    """`GET me/instruments`."""

    permission_classes = (ArePlayers,)

    @described("instruments", "Where my money may go", tag=TAG, answers={200: Instruments})
    def get(self, request: Request) -> Response:
        """List what the player's money came from, and the verified bank account."""
        found = ways_out(account_asking(request)).instruments
        listed = [{"id": each.pk, "kind": each.kind, "shown_as": each.label} for each in found]
        return Response({"instruments": listed})


class MyWithdrawals(APIView):
    """`me/withdrawals`."""

    permission_classes = (ArePlayers,)

    @described("withdrawals", "My withdrawals", tag=TAG, answers={200: Withdrawals}, query=PageQuery)
    def get(self, request: Request) -> Response:
        """Show a page of them."""
        query = read_query(request, PageQuery)
        mine = Withdrawal.objects.filter(account=account_asking(request)).select_related("instrument")
        return page_of(request, mine, "withdrawals", _written, query=query, ordering=("-requested_at", "-pk"))

    @described(
        "withdraw",
        "Ask for money from my account",
        tag=TAG,
        answers={201: WithdrawalDocument},
        body=WithdrawalBody,
        keyed=True,
        refused=(
            Refusal.STEP_UP_NEEDED,
            Refusal.ACCOUNT_BLOCKED,
            Refusal.ON_HOLD,
            Refusal.OTHER_WAY,
            Refusal.NOT_VERIFIED,
            Refusal.NO_AGREEMENT,
            Refusal.NOT_FOUND,
            Refusal.INSUFFICIENT_FUNDS,
        ),
        about="The money leaves the account at once, so that it cannot be bet meanwhile.",
    )
    def post(self, request: Request) -> Response:
        """Take the money out of the account, once."""
        key, wish = idempotency_key(request), read_body(request, WithdrawalBody)
        account = account_asking(request)
        withdrawal = request_withdrawal(
            account=account,
            amount=wish["amount"],
            instrument=instrument_wished(account, wish.get("instrument"), wish.get("postal_address")),
            stepped_up=request.auth is None and not requires_step_up(request._request),
            idempotency_key=key,
        )
        return Response(_document(withdrawal), status=201)


class Cancellation(APIView):
    """`POST me/withdrawals/{number}/cancellation`."""

    permission_classes = (ArePlayers,)

    @described(
        "withdrawal_cancel",
        "Put the money of a withdrawal that is not approved yet back on my account",
        tag=TAG,
        answers={200: WithdrawalDocument},
        body=CancelBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request, number: int) -> Response:
        """Cancel it, once."""
        key, wish = idempotency_key(request), read_body(request, CancelBody)
        player = person_asking(request)
        mine = Withdrawal.objects.select_related("account__player", "account__ledger_account", "instrument")
        withdrawal = mine.filter(pk=number, account=account_asking(request)).first()
        if withdrawal is None:
            raise DomainError(Refusal.NOT_FOUND, _("There is no such withdrawal."))
        do_once(
            scope=player.actor,
            key=key,
            fingerprint=fingerprint_of("cancel_withdrawal", number, wish["reason"]),
            answer=str(number),
            act=lambda: cancel_withdrawal(withdrawal=withdrawal, reason=wish["reason"], actor=player),
        )
        withdrawal.refresh_from_db()
        return Response(_document(withdrawal))


def _written(withdrawals: list[Withdrawal]) -> list[dict[str, Any]]:
    return [_document(withdrawal) for withdrawal in withdrawals]


def _document(withdrawal: Withdrawal) -> dict[str, Any]:
    return {
        "id": withdrawal.pk,
        "amount": plain_byn(withdrawal.amount),
        "state": withdrawal.state,
        "instrument": withdrawal.instrument.label,
        "requested_at": instant(withdrawal.requested_at),
        "moved_at": instant(withdrawal.moved_at),
        "reason": withdrawal.reason,
    }
