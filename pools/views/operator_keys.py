"""The organizer's page of the keys that the operator has signed with, and what each said of the next (X6)."""

from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.permissions import PersonRequest, organizer_only
from pools.models import OperatorKey, OperatorKeyNotice
from totalizator.core.signing import operator_key_id


@organizer_only
def operator_keys(request: PersonRequest) -> HttpResponseBase:
    """List them, the latest first, with the way to change the key."""
    notices = {notice.key_id: notice for notice in OperatorKeyNotice.objects.all()}
    keys = OperatorKey.objects.order_by("-first_used_at", "key_id")
    context = {"keys": [(key, notices.get(key.key_id)) for key in keys], "now": operator_key_id()}
    return render(request, "organizer/operator_keys.html", context)
