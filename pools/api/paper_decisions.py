"""What becomes of an entered paper form: a bet by a second person, or none, its money given back or to the jackpot."""

from collections.abc import Callable

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import once, person_asking
from accounts.api.desk import DESK_MAY_NOT_SELL
from accounts.permissions import AreDeskPeople, AreStaff
from pools.api.betting import BET_REFUSED
from pools.api.documents import PlacedBetDocument, placed_document
from pools.api.paper_forms import FormDocument, form_document, forms_entered
from pools.api.paper_registers import MOST_NUMBER, TAG
from pools.models import FormState
from pools.services.paper_forms import ApprovedForm, approve_form, note_form_returned, reject_form
from pools.services.paper_jackpot import approve_form_to_jackpot, propose_form_to_jackpot
from totalizator.core.api.bodies import Body, Text, idempotency_key, read_body
from totalizator.core.api.described import described
from totalizator.core.errors import DomainError, Refusal


class ReasonBody(Body):
    """Why."""

    reason = Text(max_length=200)


class ReceiptBody(Body):
    """The receipt against which money was handed back."""

    document = Text(max_length=200)


class ApprovedFormDocument(serializers.Serializer[None]):
    """A form and its bet; null when the pool had closed meanwhile: then its money is to be returned."""

    form = FormDocument()
    bet = PlacedBetDocument(allow_null=True)


class FormApprovals(APIView):
    """`POST paper/forms/{number}/approval`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "paper_form_approve",
        "Make an entered form a bet, having compared it with the paper; not by who entered it",
        tag=TAG,
        answers={200: ApprovedFormDocument},
        keyed=True,
        refused=(
            *BET_REFUSED,
            Refusal.NOT_FOUND,
            Refusal.SAME_PERSON,
            Refusal.WRONG_STATE,
        ),
        about="Its stake comes into the till at which it was entered.",
    )
    def post(self, request: Request, number: int) -> Response:
        """Approve it once."""
        idempotency_key(request)
        person, approved = person_asking(request), list[ApprovedForm]()

        def act() -> None:
            approved.append(approve_form(number=_known(number), approved_by=person))

        once(request, act, "approve_form", number)
        form = forms_entered().get(number=number)
        if not approved and form.state == FormState.REGISTERED:  # the same request again gets the same bet
            act()
        placed = approved[0].placed if approved else None
        return Response({"form": form_document(form), "bet": placed_document(placed) if placed is not None else None})


class FormRejections(APIView):
    """`POST paper/forms/{number}/rejection`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "paper_form_reject",
        "Refuse an entered form that is not as on the paper; not by who entered it",
        tag=TAG,
        answers={200: FormDocument},
        body=ReasonBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
    )
    def post(self, request: Request, number: int) -> Response:
        """Refuse it once."""
        idempotency_key(request)
        reason, person = read_body(request, ReasonBody)["reason"], person_asking(request)

        def act() -> None:
            reject_form(number=number, reason=reason, rejected_by=person)

        return _moved(request, number, act, "reject", reason)


class FormReturns(APIView):
    """`POST paper/forms/{number}/return`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "paper_form_return",
        "Note that the money of a refused form was handed back",
        tag=TAG,
        answers={200: FormDocument},
        body=ReceiptBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request, number: int) -> Response:
        """Note it once."""
        idempotency_key(request)
        document, person = read_body(request, ReceiptBody)["document"], person_asking(request)

        def act() -> None:
            note_form_returned(number=number, document=document, returned_by=person)

        return _moved(request, number, act, "return", document)


class FormJackpotProposals(APIView):
    """`POST paper/forms/{number}/jackpot`."""

    permission_classes = (AreStaff,)

    @described(
        "paper_form_jackpot_propose",
        "Propose that the money of a faulty Sportloto form goes to the jackpot (¶17.1, ¶17.2)",
        tag=TAG,
        answers={200: FormDocument},
        body=ReasonBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request, number: int) -> Response:
        """Propose it once."""
        idempotency_key(request)
        reason, staff = read_body(request, ReasonBody)["reason"], person_asking(request)

        def act() -> None:
            propose_form_to_jackpot(number=number, reason=reason, proposed_by=staff)

        return _moved(request, number, act, "propose_jackpot", reason)


class FormJackpotApprovals(APIView):
    """`POST paper/forms/{number}/jackpot/approval`."""

    permission_classes = (AreStaff,)

    @described(
        "paper_form_jackpot_approve",
        "Book the money of a faulty form into its till and from there into the jackpot; not by who proposed it",
        tag=TAG,
        answers={200: FormDocument},
        keyed=True,
        refused=(*DESK_MAY_NOT_SELL, Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
    )
    def post(self, request: Request, number: int) -> Response:
        """Book it once."""
        idempotency_key(request)
        staff = person_asking(request)

        def act() -> None:
            approve_form_to_jackpot(number=number, approved_by=staff)

        return _moved(request, number, act, "approve_jackpot")


def _moved(request: Request, number: int, act: Callable[[], object], *parts: object) -> Response:
    once(request, act, "move_form", _known(number), *parts)
    return Response(form_document(forms_entered().get(number=number)))


def _known(number: int) -> int:
    """Return the number of a form that may be; :raises DomainError: NOT_FOUND for one that cannot."""
    if number > MOST_NUMBER:
        raise DomainError(Refusal.NOT_FOUND, _("This form was not entered."), field="number")
    return number
