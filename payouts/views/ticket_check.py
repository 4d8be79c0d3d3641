"""Checking a ticket by number and check code, without logging in (C7, D-13)."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from payouts.views.ticket_lookup import look_up


def check(request: HttpRequest) -> HttpResponseBase:
    """Say what a ticket won. An unknown number and a wrong code get one and the same answer."""
    form, status, code = look_up(request)
    context = {"form": form, "status": status, "pool": status.bet.pool if status else None}
    return render(request, "payouts/check.html", context, status=code)
