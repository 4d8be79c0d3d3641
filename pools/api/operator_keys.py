"""The operator's keys over the API, and what each former one said of the next (X6)."""

import json

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from pools.api.public_log import TAG
from pools.models import OperatorKey, OperatorKeyNotice
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, PublicFile, instant
from totalizator.core.api.reading import PublicRead


class OperatorKeyDocument(serializers.Serializer[None]):
    """One key, since when it signs, and the notice of it by the key before."""

    key = serializers.CharField()
    public = serializers.CharField(help_text="32 bytes in base64.")
    first_used_at = Moment()
    notice = PublicFile(allow_null=True, help_text="What `verify-key-notice` reads; null: the key before said nothing.")


class OperatorKeyList(serializers.Serializer[None]):
    """All of them, the first one first; each signed from its first use to that of the next."""

    keys = OperatorKeyDocument(many=True)


class OperatorKeys(PublicRead):
    """`GET log/operator-keys`."""

    @described(
        "operator_keys",
        "Every key that the operator has signed with",
        tag=TAG,
        answers={200: OperatorKeyList},
        public=True,
        cached=True,
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """List them."""
        notices = dict(OperatorKeyNotice.objects.values_list("key_id", "document_text"))
        keys = [
            {
                "key": key.key_id,
                "public": key.public,
                "first_used_at": instant(key.first_used_at),
                "notice": json.loads(notices[key.key_id]) if key.key_id in notices else None,
            }
            for key in OperatorKey.objects.order_by("first_used_at", "key_id")
        ]
        return Response({"keys": keys})
