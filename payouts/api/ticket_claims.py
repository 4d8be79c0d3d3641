"""Lost tickets and large winnings at a desk, over the API: claiming, preparing, paying what was granted (K1, K4)."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.persons import PersonBody
from accounts.permissions import AreCashiers, AreDeskPeople, terminal_of
from accounts.services.persons import person_at_desk
from payouts.api.holders import guarded
from payouts.api.tickets import TAG, PaymentDocument, payment_document
from payouts.models import ClaimState, LargePayment, Mishap, PhoneBinding, TicketClaim
from payouts.services.large_payments import prepare_large_ticket
from payouts.services.recipients import ShownDocument
from payouts.services.ticket_claims import open_claim, pay_claim, prepare_large_claim
from totalizator.core.api.bodies import Body, Text, idempotency_key, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import plain_byn

_NOT_OWED = (Refusal.NOTHING_TO_PAY, Refusal.NOT_PAYABLE_YET, Refusal.TERM_EXPIRED, Refusal.ALREADY_PAID)


class ShownBody(PersonBody):
    """What the document says of who is to be paid; it is kept encrypted, since the law wants it."""

    full_name = Text(max_length=200)
    document = Text(max_length=200, help_text="Kind, series and number, issued by whom and when.")


class ClaimBody(Body):
    """Which ticket, what became of it, and who claims it; `check_code` where the claimant knows it."""

    ticket = Text(max_length=60)
    check_code = Text(max_length=40, required=False, default="")
    mishap = serializers.ChoiceField(Mishap.choices)
    story = Text(max_length=2_000, help_text="Where and when it was bought, what was bet.")
    shown = ShownBody()


class LargeTicketBody(Body):
    """The check code of the ticket, and who is to be paid."""

    check_code = Text(max_length=40)
    shown = ShownBody()


class LargeClaimBody(Body):
    """Who is to be paid."""

    shown = ShownBody()


class ClaimPaymentBody(Body):
    """Who shows the document of the claimant."""

    person = PersonBody()


class ClaimDocument(serializers.Serializer[None]):
    """A claim, without what was told of the claimant."""

    number = serializers.IntegerField()
    ticket = serializers.CharField()
    mishap = serializers.ChoiceField(Mishap.choices)
    code_shown = serializers.BooleanField()
    bound_to_phone = serializers.BooleanField(help_text="Its holder could be asked for a code (X9).")
    state = serializers.ChoiceField(ClaimState.choices)
    opened_at = Moment()
    moved_at = Moment()


class LargePaymentDocument(serializers.Serializer[None]):
    """A large payment that waits for another person, or was approved."""

    number = serializers.IntegerField()
    ticket = serializers.CharField()
    amount = Byn(help_text="Before tax.")
    point = serializers.CharField()
    prepared_by = serializers.CharField()
    prepared_at = Moment()
    approved = serializers.BooleanField()


class TicketClaims(APIView):
    """`POST tickets/claims`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "ticket_claim",
        "Hold a ticket that was lost or cannot be read, for who shows a document",
        tag=TAG,
        answers={201: ClaimDocument},
        body=ClaimBody,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_CODE, Refusal.UNDER_AGE, *_NOT_OWED),
        about="No money moves by it. The same person again gets the first claim; another person makes both disputed.",
    )
    def post(self, request: Request) -> Response:
        """Open the claim."""
        told = read_body(request, ClaimBody)

        def hold() -> TicketClaim:
            return open_claim(
                ticket=told["ticket"],
                check_code=told["check_code"],
                mishap=Mishap(told["mishap"]),
                story=told["story"],
                shown=ShownDocument(**told["shown"]),
                opened_by=person_asking(request),
            )

        claim = guarded(request, told["ticket"], hold)
        return Response(claim_document(claim), status=201)


class ClaimPayments(APIView):
    """`POST tickets/claims/{number}/payments`."""

    permission_classes = (AreCashiers,)

    @described(
        "ticket_claim_pay",
        "Pay a granted claim in cash at my till, once",
        tag=TAG,
        answers={201: PaymentDocument},
        body=ClaimPaymentBody,
        keyed=True,
        refused=(
            Refusal.NOT_FOUND,
            Refusal.WRONG_STATE,
            *_NOT_OWED,
            Refusal.INSUFFICIENT_FUNDS,
            Refusal.NO_OPEN_SHIFT,
            Refusal.NO_AGREEMENT,
            Refusal.SWITCHED_OFF,
            Refusal.UNDER_AGE,
            Refusal.IDENTITY_NEEDED,
            Refusal.CENTRAL_DESK_ONLY,
            Refusal.APPROVAL_NEEDED,
        ),
    )
    def post(self, request: Request, number: int) -> Response:
        """Pay it."""
        key, told = idempotency_key(request), read_body(request, ClaimPaymentBody)
        person = person_at_desk(**told["person"])
        payment = pay_claim(
            claim=claim_numbered(number),
            cashier=person_asking(request),
            idempotency_key=key,
            person=person,
            terminal=terminal_of(request),
        )
        return Response(payment_document(payment), status=201)


class LargeTicketPayments(APIView):
    """`POST tickets/{ticket}/large-payments`."""

    permission_classes = (AreCashiers,)

    @described(
        "large_payment_prepare",
        "Prepare the payment of a large winning at my central desk, for another person to approve",
        tag=TAG,
        answers={201: LargePaymentDocument},
        body=LargeTicketBody,
        refused=(
            Refusal.NOT_FOUND,
            Refusal.WRONG_CODE,
            Refusal.WRONG_STATE,
            *_NOT_OWED,
            Refusal.TICKET_HELD,
            Refusal.CENTRAL_DESK_ONLY,
            Refusal.UNDER_AGE,
        ),
        about="No money moves by it. Once it is approved, `tickets/{ticket}/payments` pays it.",
    )
    def post(self, request: Request, ticket: str) -> Response:
        """Prepare it."""
        told = read_body(request, LargeTicketBody)

        def prepare() -> LargePayment:
            return prepare_large_ticket(
                ticket=ticket,
                check_code=told["check_code"],
                shown=ShownDocument(**told["shown"]),
                cashier=person_asking(request),
            )

        prepared = guarded(request, ticket, prepare)
        return Response(large_document(prepared), status=201)


class LargeClaimPayments(APIView):
    """`POST tickets/claims/{number}/large-payments`."""

    permission_classes = (AreCashiers,)

    @described(
        "large_claim_prepare",
        "Prepare the payment of a large winning whose ticket was lost, for another person to approve",
        tag=TAG,
        answers={201: LargePaymentDocument},
        body=LargeClaimBody,
        refused=(
            Refusal.NOT_FOUND,
            Refusal.WRONG_STATE,
            *_NOT_OWED,
            Refusal.CENTRAL_DESK_ONLY,
            Refusal.UNDER_AGE,
        ),
    )
    def post(self, request: Request, number: int) -> Response:
        """Prepare it."""
        told = read_body(request, LargeClaimBody)
        prepared = prepare_large_claim(
            claim=claim_numbered(number), shown=ShownDocument(**told["shown"]), cashier=person_asking(request)
        )
        return Response(large_document(prepared), status=201)


def claim_numbered(number: int) -> TicketClaim:
    """Return a claim; :raises DomainError: NOT_FOUND."""
    claim = TicketClaim.objects.filter(pk=number).first() if number < 2**63 else None
    if claim is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no claim with this number."))
    return claim


def claim_document(claim: TicketClaim) -> dict[str, Any]:
    """Write a claim."""
    return {
        "number": claim.pk,
        "ticket": claim.ticket,
        "mishap": claim.mishap,
        "code_shown": claim.code_shown,
        "bound_to_phone": PhoneBinding.objects.filter(pool_id=claim.pool_id, ticket=claim.ticket).exists(),
        "state": claim.state,
        "opened_at": instant(claim.opened_at),
        "moved_at": instant(claim.moved_at),
    }


def large_document(prepared: LargePayment) -> dict[str, Any]:
    """Write a large payment."""
    return {
        "number": prepared.pk,
        "ticket": prepared.ticket,
        "amount": plain_byn(prepared.amount),
        "point": prepared.point.code,
        "prepared_by": prepared.prepared_by.username,
        "prepared_at": instant(prepared.prepared_at),
        "approved": hasattr(prepared, "approval"),
    }
