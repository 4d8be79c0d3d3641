"""Lines of the bank that another format may have told already: two people decide (¶35.5)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import BankLine, BankLineProposal, User
from accounts.services.bank_doubts import approve_doubt, doubtful_lines, propose_doubt
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Byn
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: the bank"


class DoubtBody(Body):
    """Whether it is the same payment, and what the bank says about it."""

    same = serializers.BooleanField()
    document = Text(max_length=200)


class ToldLine(serializers.Serializer[None]):
    """A credit, as a file of the bank tells it."""

    number = serializers.IntegerField()
    account = serializers.CharField()
    form = serializers.CharField(help_text="`camt.053`, `mt940`, `csv`.")
    booked_on = serializers.DateField()
    amount = Byn()
    bank_reference = serializers.CharField(allow_blank=True)
    payer_name = serializers.CharField(allow_blank=True)
    payer_account = serializers.CharField(allow_blank=True)
    purpose = serializers.CharField(allow_blank=True)


class DoubtfulLine(serializers.Serializer[None]):
    """A line that is not in the books, the one that it may be, and what somebody asks another to approve."""

    line = ToldLine()
    resembles = ToldLine(allow_null=True)
    proposal = serializers.IntegerField(allow_null=True)
    same = serializers.BooleanField(allow_null=True)
    document = serializers.CharField(allow_blank=True)
    decided = serializers.BooleanField()


def _rows(_query: Told) -> QuerySet[BankLine]:
    sides = ("account", "statement", "words", "resembles__account", "resembles__statement", "resembles__words")
    return doubtful_lines().select_related(*sides)


def _written(line: BankLine) -> Written:
    latest = line.proposals.order_by("-pk").first()
    return {
        "line": _told(line),
        "resembles": _told(line.resembles) if line.resembles is not None else None,
        "proposal": latest.pk if latest is not None else None,
        "same": latest.same if latest is not None else None,
        "document": latest.document if latest is not None else "",
        "decided": latest is not None and hasattr(latest, "decision"),
    }


def _told(line: BankLine) -> Written:
    return {
        "number": line.pk,
        "account": line.account.iban,
        "form": line.statement.form,
        "booked_on": line.booked_on.isoformat(),
        "amount": plain_byn(line.amount),
        "bank_reference": line.bank_reference,
        "payer_name": line.words.party_name,
        "payer_account": line.words.party_account,
        "purpose": line.words.purpose,
    }


def _propose(staff: User, told: Told, number: int) -> Written:
    line = found(BankLine.objects.filter(resembles__isnull=False), pk=number)
    propose_doubt(line=line, **told, proposed_by=staff)
    return _written(found(BankLine.objects.all(), pk=number))


def _approve(staff: User, told: Told, number: int) -> None:  # noqa: ARG001
    approve_doubt(proposal=found(BankLineProposal.objects.all(), pk=number), approved_by=staff)


def _shown(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _written(found(BankLineProposal.objects.all(), pk=number).line)


DECLARED = (
    Listing(
        path="bank-doubts",
        name="staff_bank_doubts",
        summary="Credits of the bank that another format may have told already, from the oldest",
        tag=TAG,
        rows_name="lines",
        row=DoubtfulLine,
        rows=_rows,
        write=_written,
        ordering=("pk",),
    ),
    Act(
        path="bank-doubts/<int:number>/proposals",
        name="staff_bank_doubt_propose",
        summary="Propose that such a credit is the same payment, or another",
        tag=TAG,
        body=DoubtBody,
        answer=DoubtfulLine,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    ),
    Act(
        path="bank-doubt-proposals/<int:number>/approval",
        name="staff_bank_doubt_approve",
        summary="Carry out the latest such proposal, by another person",
        tag=TAG,
        body=NothingBody,
        answer=DoubtfulLine,
        do=_approve,
        shown=_shown,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.SAME_PERSON),
        status=200,
        about="The same payment stays out of the books; another is booked, and finds its place as every other.",
    ),
)
