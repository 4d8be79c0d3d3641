"""Binding a cash ticket to a phone, and being paid by the code that is sent to it, over the API (X9)."""

from typing import Any

from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.persons import PersonBody, person_shown
from accounts.permissions import AreCashiers, terminal_of
from payouts.api.holders import CheckBody, for_holder, guarded
from payouts.api.tickets import TAG, PaymentDocument, payment_document
from payouts.services.cash import pay_by_phone
from payouts.services.notice_phones import end_notices
from payouts.services.phone_binding import ask_for_code, begin_binding, confirm_binding
from totalizator.core.api.bodies import Body, Text, idempotency_key, read_body
from totalizator.core.api.described import described
from totalizator.core.errors import Refusal
from totalizator.core.throttle import network_subject

_WRONG = (Refusal.WRONG_CODE, Refusal.PHONE_CODE_NEEDED)


class BindingBody(Body):
    """A ticket as printed, and the phone that it is to be bound to."""

    ticket = Text(max_length=60)
    check_code = Text(max_length=40)
    phone = Text(max_length=30)


class ConfirmationBody(BindingBody):
    """The same, with the code that came."""

    code = Text(max_length=10)
    tell_of_winning = serializers.BooleanField(
        required=False,
        default=False,
        help_text="I agree that my number is kept, encrypted, to be told of a winning; it is deleted after that.",
    )


class AskBody(Body):
    """A ticket's number, and the phone that it is bound to."""

    ticket = Text(max_length=60)
    phone = Text(max_length=30)


class PhonePaymentBody(Body):
    """The phone, the code that was sent to it, and who showed a document, which large sums need."""

    phone = Text(max_length=30)
    phone_code = Text(max_length=10)
    person = PersonBody(required=False)


class Sent(serializers.Serializer[None]):
    """That a code is on its way, if the numbers are right."""

    asked = serializers.BooleanField()


class Bound(serializers.Serializer[None]):
    """That the ticket is bound."""

    ticket = serializers.CharField()
    bound = serializers.BooleanField()


class Ended(serializers.Serializer[None]):
    """That no number is kept any more."""

    ended = serializers.BooleanField()


class PhoneBindings(APIView):
    """`POST tickets/phones`."""

    permission_classes = (AllowAny,)

    @described(
        "phone_bind",
        "Send a code to a phone that my cash ticket is to be bound to",
        tag=TAG,
        answers={202: Sent},
        body=BindingBody,
        refused=(Refusal.WRONG_CODE, Refusal.WRONG_STATE),
        about="Five codes an hour for each ticket and each phone.",
    )
    def post(self, request: Request) -> Response:
        """Send it."""
        told = read_body(request, BindingBody)
        guarded(request, told["ticket"], lambda: begin_binding(**told))
        return Response({"asked": True}, status=202)


class PhoneConfirmations(APIView):
    """`POST tickets/phones/confirmations`."""

    permission_classes = (AllowAny,)

    @described(
        "phone_bind_confirm",
        "Bind my cash ticket, for good, to the phone that got the code",
        tag=TAG,
        answers={200: Bound},
        body=ConfirmationBody,
        refused=(*_WRONG, Refusal.WRONG_STATE),
        about="From then on it is paid only with a code sent to that phone, with the ticket or without.",
    )
    def post(self, request: Request) -> Response:
        """Bind it."""
        told = read_body(request, ConfirmationBody)
        binding = guarded(request, told["ticket"], lambda: confirm_binding(**told))
        return Response({"ticket": binding.ticket, "bound": True})


class PhoneNotices(APIView):
    """`POST tickets/phones/notices-end`."""

    permission_classes = (AllowAny,)

    @described(
        "phone_notices_end",
        "Delete the number that is kept to tell me of a winning; the ticket stays bound",
        tag=TAG,
        answers={200: Ended},
        body=CheckBody,
        refused=(Refusal.WRONG_CODE,),
    )
    def post(self, request: Request) -> Response:
        """Delete it."""

        def end(ticket: str, check_code: str) -> Response:
            end_notices(ticket=ticket, check_code=check_code)
            return Response({"ended": True})

        return for_holder(request, end)


class PhoneCodes(APIView):
    """`POST tickets/phones/codes`."""

    permission_classes = (AllowAny,)

    @described(
        "phone_code",
        "Send a code by which a bound ticket is paid",
        tag=TAG,
        answers={202: Sent},
        body=AskBody,
        refused=(Refusal.WRONG_STATE,),
        about="One answer whether or not there is such a ticket and it is bound to this phone.",
    )
    def post(self, request: Request) -> Response:
        """Send it."""
        ask_for_code(**read_body(request, AskBody), network=network_subject(request._request))
        return Response({"asked": True}, status=202)


class PhonePayments(APIView):
    """`POST tickets/{ticket}/phone-payments`."""

    permission_classes = (AreCashiers,)

    @described(
        "phone_pay",
        "Pay a bound ticket that was lost in cash at my till, once",
        tag=TAG,
        answers={201: PaymentDocument},
        body=PhonePaymentBody,
        keyed=True,
        refused=(
            Refusal.NOT_FOUND,
            Refusal.PHONE_CODE_NEEDED,
            Refusal.NOTHING_TO_PAY,
            Refusal.NOT_PAYABLE_YET,
            Refusal.TERM_EXPIRED,
            Refusal.ALREADY_PAID,
            Refusal.TICKET_HELD,
            Refusal.INSUFFICIENT_FUNDS,
            Refusal.NO_OPEN_SHIFT,
            Refusal.NO_AGREEMENT,
            Refusal.UNDER_AGE,
            Refusal.IDENTITY_NEEDED,
            Refusal.CENTRAL_DESK_ONLY,
            Refusal.APPROVAL_NEEDED,
        ),
    )
    def post(self, request: Request, ticket: str) -> Response:
        """Pay it."""
        key, told = idempotency_key(request), read_body(request, PhonePaymentBody)

        def pay() -> Any:
            return pay_by_phone(
                ticket=ticket,
                phone=told["phone"],
                phone_code=told["phone_code"],
                cashier=person_asking(request),
                idempotency_key=key,
                person=person_shown(told.get("person")),
                terminal=terminal_of(request),
            )

        return Response(payment_document(guarded(request, ticket, pay)), status=201)
