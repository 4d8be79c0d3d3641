"""Paper forms, entered as they are written, or as faulty or spoiled (¶9.10, C8)."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import once, person_asking, till_asking
from accounts.api.persons import PersonBody, person_shown
from accounts.models import Role, User
from accounts.permissions import AreCashiers, AreDeskPeople
from pools.api.betting import BAD_COUPON, CouponBody
from pools.api.paper_registers import MOST_NUMBER, TAG
from pools.models import FormState, PaperForm, WhyRefused
from pools.services.paper_forms import enter_faulty_form, enter_form, record_spoiled_form
from totalizator.core.api.bodies import Amount, Body, Instant, Text, idempotency_key, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

FAULTS = (WhyRefused.MISSING, WhyRefused.UNREADABLE)


class NumberBody(Body):
    """A form, by the number printed on it."""

    number = serializers.IntegerField(min_value=1, max_value=MOST_NUMBER)


class FormBody(NumberBody, CouponBody):
    """A form as it is written."""

    pool = Text(max_length=80)
    stake = Amount()
    person = PersonBody(required=False)
    written_at = Instant(help_text="As on the paper. What counts is when it is entered.")


class FaultyFormBody(NumberBody):
    """A form that is no bet, and the money taken for it."""

    why = serializers.ChoiceField([(why.value, why.label) for why in FAULTS])
    stake = Amount()
    written_at = Instant(required=False)
    note = Text(max_length=200)


class SpoiledFormBody(NumberBody):
    """A form that no money was taken for."""

    note = Text(max_length=200)


class FormQuery(PageQuery):
    """Which forms: `entered` wait for a second person, `to_return` for being given back."""

    state = serializers.ChoiceField(FormState.choices, required=False)


class FormDocument(serializers.Serializer[None]):
    """A form; what it has not is null."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(FormState.choices)
    why = serializers.ChoiceField(WhyRefused.choices, allow_null=True, help_text="Of a form that is no bet.")
    pool = serializers.CharField(allow_null=True)
    selections = serializers.CharField(allow_blank=True)
    stake = serializers.CharField(allow_null=True)
    written_at = Moment(allow_null=True)
    till = serializers.CharField()
    entered_by = serializers.CharField()
    entered_at = Moment()
    note = serializers.CharField(allow_blank=True)
    ticket = serializers.CharField(allow_null=True)


class FormPage(serializers.Serializer[None]):
    """A page of forms, the lowest number first."""

    forms = FormDocument(many=True)
    next = serializers.URLField(allow_null=True)


class PaperForms(APIView):
    """`paper/forms`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "paper_forms",
        "Paper forms of my point, or for staff of all, that were entered",
        tag=TAG,
        answers={200: FormPage},
        query=FormQuery,
    )
    def get(self, request: Request) -> Response:
        """Show a page of them."""
        query = read_query(request, FormQuery)
        forms = forms_entered()
        if person_asking(request).role != Role.ORGANIZER:
            forms = forms.filter(till__point=till_asking(request).point)
        if "state" in query:
            forms = forms.filter(state=query["state"])
        return page_of(request, forms, "forms", _written, query=query, ordering=("number",))

    @described(
        "paper_form_enter",
        "Enter a paper form as it is written; for the point's cashier",
        tag=TAG,
        answers={201: FormDocument},
        body=FormBody,
        keyed=True,
        refused=(
            *BAD_COUPON,
            Refusal.NOT_FOUND,
            Refusal.WRONG_STATE,
            Refusal.NOT_OPEN_YET,
            Refusal.UNDER_AGE,
            Refusal.IDENTITY_NEEDED,
        ),
        about="One that comes after the pool's closing is kept as refused: `to_return`.",
    )
    def post(self, request: Request) -> Response:
        """Enter it once."""
        idempotency_key(request)
        told, cashier = read_body(request, FormBody), person_asking(request)
        told["pool_code"], told["person"] = told.pop("pool"), person_shown(told.get("person"))
        return _entered(request, enter_form, told, cashier)


class FaultyForms(APIView):
    """`POST paper/forms/faulty`."""

    permission_classes = (AreCashiers,)

    @described(
        "paper_form_faulty",
        "Enter a paper form without readable requisites: no bet, its money is to be returned",
        tag=TAG,
        answers={201: FormDocument},
        body=FaultyFormBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request) -> Response:
        """Enter it once."""
        idempotency_key(request)
        told, cashier = read_body(request, FaultyFormBody), person_asking(request)
        told |= {"why": WhyRefused(told["why"]), "written_at": told.get("written_at")}
        return _entered(request, enter_faulty_form, told, cashier)


class SpoiledForms(APIView):
    """`POST paper/forms/spoiled`."""

    permission_classes = (AreCashiers,)

    @described(
        "paper_form_spoiled",
        "Record a spoiled paper form, so that its number is no gap",
        tag=TAG,
        answers={201: FormDocument},
        body=SpoiledFormBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request) -> Response:
        """Record it once."""
        idempotency_key(request)
        return _entered(request, record_spoiled_form, read_body(request, SpoiledFormBody), person_asking(request))


def _entered(request: Request, enter: Callable[..., PaperForm], told: dict[str, Any], cashier: User) -> Response:
    parts = [str(told[name]) for name in sorted(told)]
    once(request, lambda: enter(**told, cashier=cashier), enter.__name__, *parts)
    return Response(form_document(forms_entered().get(number=told["number"])), status=201)


def forms_entered() -> QuerySet[PaperForm]:
    """Return forms with all that a document shows."""
    return PaperForm.objects.select_related("till__point", "pool", "entered_by")


def _written(forms: list[PaperForm]) -> list[dict[str, Any]]:
    return [form_document(form) for form in forms]


def form_document(form: PaperForm) -> dict[str, Any]:
    """Write a form."""
    return {
        "number": form.number,
        "state": form.state,
        "why": form.why or None,
        "pool": form.pool.code if form.pool is not None else None,
        "selections": form.selections,
        "stake": plain_byn(form.stake) if form.stake is not None else None,
        "written_at": instant_or_none(form.written_at),
        "till": str(form.till),
        "entered_by": form.entered_by.username,
        "entered_at": instant(form.entered_at),
        "note": form.note,
        "ticket": form.ticket,
    }
