"""Slips of top-ups and withdrawals: the first print is the slip itself, each later one a copy (¶35, ¶41)."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.staff.naming import found
from accounts.models import Role, TopUp, TopUpWay, Withdrawal
from accounts.permissions import ArePlayersOrDeskPeople, ArePlayersOrStaff
from accounts.services.account_slips import print_top_up_slip, print_withdrawal_slip
from totalizator.core.api.bodies import Body, Text, read_query
from totalizator.core.api.described import described
from totalizator.core.errors import Refusal

TAG = "Money of players"
PDF = {(200, "application/pdf"): {"type": "string", "format": "binary"}}


class TopUpQuery(Body):
    """Which top-up, as its answer named it."""

    way = serializers.ChoiceField(TopUpWay.choices)
    reference = Text(max_length=60)


class TopUpSlips(APIView):
    """`GET top-ups/slip`."""

    permission_classes = (ArePlayersOrDeskPeople,)

    @described(
        "top_up_slip",
        "The receipt of a top-up: of my account, or for a cashier of my till",
        tag=TAG,
        answers=PDF,
        query=TopUpQuery,
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request) -> HttpResponse:
        """Send it as a PDF."""
        which, person = read_query(request, TopUpQuery), person_asking(request)
        seen = TopUp.objects.select_related("till__point", "rate")
        if person.role == Role.PLAYER:
            seen = seen.filter(account__player=person)
        if person.role == Role.CASHIER:
            seen = seen.filter(till__cashier=person)
        content = print_top_up_slip(top_up=found(seen, **which), asked_by=person)
        return HttpResponse(content, content_type="application/pdf")


class WithdrawalSlips(APIView):
    """`GET withdrawals/{number}/slip`."""

    permission_classes = (ArePlayersOrStaff,)

    @described(
        "withdrawal_slip",
        "The confirmation of a withdrawal that I asked for",
        tag=TAG,
        answers=PDF,
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, number: int) -> HttpResponse:
        """Send it as a PDF."""
        person = person_asking(request)
        seen = Withdrawal.objects.select_related("instrument")
        if person.role == Role.PLAYER:
            seen = seen.filter(account__player=person)
        content = print_withdrawal_slip(withdrawal=found(seen, pk=number), asked_by=person)
        return HttpResponse(content, content_type="application/pdf")
