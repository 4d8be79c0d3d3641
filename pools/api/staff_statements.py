"""The bank's statements, as staff bring them."""

from rest_framework import serializers

from accounts.api.staff.acts import Act, Told, Written
from accounts.api.staff.uploads import FileBody, content_of
from accounts.models import User
from accounts.services.bank_statements import import_bank_file
from pools.services.receipt_matching import match_receipts

TAG = "Staff: the bank"


class StatementDocument(serializers.Serializer[None]):
    """What a file of the bank brought; a file that was read before brings nothing new."""

    statements = serializers.IntegerField()
    new = serializers.IntegerField()
    known = serializers.IntegerField()
    maybe = serializers.IntegerField(help_text="How many wait for two people: another format may have told them.")
    placed = serializers.IntegerField(help_text="How many lines found their place at once.")


def _import(staff: User, told: Told) -> Written:
    imported = import_bank_file(content=content_of(told["file"]), actor=staff.actor)
    placed = match_receipts(actor=staff.actor)
    return {
        "statements": len(imported.statements),
        "new": imported.new,
        "known": imported.known,
        "maybe": imported.maybe,
        "placed": placed,
    }


DECLARED = (
    Act(
        path="bank-statements",
        name="staff_statement_import",
        summary="Read a file of the bank (camt.053, MT940 or a table), and find the place of what came",
        tag=TAG,
        body=FileBody,
        answer=StatementDocument,
        do=_import,
        is_upload=True,
        about="The same file again changes nothing.",
    ),
)
