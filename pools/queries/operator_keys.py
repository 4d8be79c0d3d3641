"""The operator's public keys, all that there ever were (X1, X6)."""

import base64

from pools.models import OperatorKey
from totalizator.core import signing


def operator_keys() -> dict[str, str]:
    """Return every key of the operator's by its id, in base64: those it signed with, and the one it signs with now."""
    keys = dict(OperatorKey.objects.order_by("first_used_at", "key_id").values_list("key_id", "public"))
    return {**keys, signing.operator_key_id(): base64.b64encode(signing.operator_public_key()).decode()}
