"""Our accounts at the bank, and money credited by a document of the bank (¶35.5-35.6)."""

from rest_framework import serializers

from accounts.api.callers import account_named
from accounts.api.deposits import NOT_CREDITED, Credited, credited
from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.models import OwnBankAccount, TopUp, TopUpWay, User
from accounts.services.bank_statements import enter_own_account
from accounts.services.topups import credit_transfer
from totalizator.core.api.bodies import Amount, Body, Instant, Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal

TAG = "Staff: the bank"
BY_TRANSFER = [(way.value, way.label) for way in (TopUpWay.BANK_TRANSFER, TopUpWay.POSTAL_TRANSFER)]


class OwnAccountBody(Body):
    """An account of ours."""

    iban = Text(max_length=40)
    bank = Text(max_length=20, help_text="BIC.")
    holder = Text(max_length=140, help_text="As the bank writes it.")


class OwnAccountDocument(serializers.Serializer[None]):
    """An account of ours; its statements can be read."""

    iban = serializers.CharField()
    bank = serializers.CharField()
    holder = serializers.CharField()
    entered_at = Moment()


class TransferBody(Body):
    """What a transfer brought, and the document that says so."""

    username = Text(max_length=150)
    amount = Amount()
    way = serializers.ChoiceField(BY_TRANSFER)
    reference = Text(max_length=60, help_text="The document's: the same one credits nothing more.")
    received_at = Instant()


def _enter(staff: User, told: Told) -> Written:
    return _written(enter_own_account(**told, by=staff))


def _credit(staff: User, told: Told) -> Written:
    return credited(_credited(staff, told))


def _credited(staff: User, told: Told) -> TopUp:
    return credit_transfer(
        account=account_named(told["username"]),
        amount=told["amount"],
        reference=told["reference"],
        method=TopUpWay(told["way"]),
        received_at=told["received_at"],
        by=staff,
    )


def _shown(staff: User, told: Told) -> Written:  # noqa: ARG001
    return credited(TopUp.objects.get(way=told["way"], reference=told["reference"]))


def _written(account: OwnBankAccount) -> Written:
    return {
        "iban": account.iban,
        "bank": account.bank,
        "holder": account.holder,
        "entered_at": instant(account.entered_at),
    }


DECLARED = (
    Listing(
        path="bank-accounts",
        name="staff_bank_accounts",
        summary="Our accounts at the bank",
        tag=TAG,
        rows_name="accounts",
        row=OwnAccountDocument,
        rows=lambda _query: OwnBankAccount.objects.all(),
        write=_written,
        ordering=("pk",),
    ),
    Act(
        path="bank-accounts",
        name="staff_bank_account_enter",
        summary="Enter an account of ours; entered again, the first is told",
        tag=TAG,
        body=OwnAccountBody,
        answer=OwnAccountDocument,
        do=_enter,
    ),
    Act(
        path="transfers",
        name="staff_transfer_credit",
        summary="Credit a transfer to a player's account, by a document of the bank or the post",
        tag=TAG,
        body=TransferBody,
        answer=Credited,
        do=_credit,
        shown=_shown,
        refused=(Refusal.NOT_FOUND, *NOT_CREDITED),
        about="What comes in a statement finds its place by itself.",
    ),
)
