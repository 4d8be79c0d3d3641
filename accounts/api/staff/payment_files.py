"""Files of payment orders for the bank: made once, handed out again byte by byte (¶41-42)."""

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import once, person_asking
from accounts.api.staff.acts import Download, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import found
from accounts.models import OwnBankAccount, PaymentFile, User
from accounts.permissions import AreStaff
from accounts.services.payment_files import export_again, export_payment_orders
from totalizator.core.api.bodies import Body, Text, idempotency_key, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: payment orders"


class ExportBody(Body):
    """From which of our accounts it is paid."""

    iban = Text(max_length=34)


class PaymentFileDocument(serializers.Serializer[None]):
    """A file for the bank, without what stands in it."""

    message_id = serializers.CharField(help_text="By which the bank knows it, and executes it once.")
    iban = serializers.CharField()
    orders = serializers.IntegerField()
    total = Byn()
    digest = serializers.CharField()
    made_by = serializers.CharField()
    made_at = Moment()


class PaymentExports(APIView):
    """`POST staff/payment-exports`."""

    permission_classes = (AreStaff,)

    @described(
        "staff_payment_orders_export",
        "Put the payment orders that wait into a file for the bank; it is at `staff/payment-files/{message_id}`",
        tag=TAG,
        answers={201: PaymentFileDocument},
        body=ExportBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.NOTHING_TO_PAY, Refusal.SAME_PERSON),
        about="An order whose payee I wrote down by hand waits for another person.",
    )
    def post(self, request: Request) -> Response:
        """Make it once."""
        idempotency_key(request)
        wish, staff = read_body(request, ExportBody), person_asking(request)
        account = found(OwnBankAccount.objects.all(), iban=wish["iban"], field="iban")
        made_before = PaymentFile.objects.count()

        def act() -> None:
            file = export_payment_orders(account=account, made_by=staff).file
            if PaymentFile.objects.filter(pk__lt=file.pk).count() != made_before:
                raise DomainError(Refusal.BUSY, _("The system is busy; please try again."))

        first = once(request, act, "export_payment_orders", account.iban, answer=made_before)
        file = PaymentFile.objects.select_related("account", "made_by").order_by("pk")[int(first)]
        return Response(_written(file), status=201)


def _again(staff: User, told: Told, message_id: str) -> GivenFile:  # noqa: ARG001
    given = export_again(message_id=message_id, asked_by=staff)
    return GivenFile(given.name, given.content)


def _written(file: PaymentFile) -> Written:
    return {
        "message_id": file.message_id,
        "iban": file.account.iban,
        "orders": file.orders,
        "total": plain_byn(file.total),
        "digest": file.digest,
        "made_by": file.made_by.username,
        "made_at": instant(file.made_at),
    }


DECLARED = (
    Listing(
        path="payment-files",
        name="staff_payment_files",
        summary="Files of payment orders, the latest first",
        tag=TAG,
        rows_name="files",
        row=PaymentFileDocument,
        rows=lambda _query: PaymentFile.objects.select_related("account", "made_by").defer("content"),
        write=_written,
    ),
    Download(
        path="payment-files/<label:message_id>",
        name="staff_payment_file",
        summary="A file once more, byte by byte: the bank executes it once; who asks is journalled",
        tag=TAG,
        media_types=("application/xml",),
        read=_again,
    ),
)
