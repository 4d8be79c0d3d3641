"""What every act of the API reads from a request: the idempotency key, amounts as text."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import parse_byn


def idempotency_key(request: Request) -> str:
    """Return the header `Idempotency-Key`.

    :raises DomainError: BAD_VALUE when there is none: without it a repeated request would be a second act (C36).
    """
    key = request.headers.get("Idempotency-Key", "").strip()
    if not key:
        raise DomainError(
            Refusal.BAD_VALUE, _("Send the header Idempotency-Key, new for each act."), field="Idempotency-Key"
        )
    return key


class Amount(serializers.Field[int, Any, str, Any]):
    """An amount in BYN as text, `"12.50"`; a JSON number is refused, since most readers make a float of it (C44)."""

    def to_internal_value(self, data: Any) -> int:
        """Return kopecks."""
        if not isinstance(data, str):
            raise serializers.ValidationError(_('Send the amount as text with a point, such as "12.50".'))
        try:
            return parse_byn(data)
        except DomainError as refusal:
            raise serializers.ValidationError(str(refusal.message)) from refusal
