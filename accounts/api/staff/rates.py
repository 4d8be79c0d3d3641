"""Rates of the day, read from a file (¶35.4)."""

from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.uploads import FileBody, table_of
from accounts.models import Currency, CurrencyRate, User
from accounts.services.currencies import import_rates
from totalizator.core.api.bodies import Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.problem import told as words_of

TAG = "Staff: the bank"


class RatesBody(FileBody):
    """A file of `date;currency;units;rate`."""

    origin = Text(max_length=100, help_text="Whose rates they are.")
    accept_jumps = serializers.BooleanField(
        required=False, help_text="Somebody has looked at the rates that changed much."
    )


class RateDocument(serializers.Serializer[None]):
    """So many BYN for so many units, from a legal day on."""

    currency = serializers.ChoiceField(Currency.choices)
    valid_on = serializers.DateField()
    units = serializers.IntegerField()
    rate = serializers.CharField()
    origin = serializers.CharField()
    imported_at = Moment()


class FaultyLine(serializers.Serializer[None]):
    """A line that was not taken, and why."""

    line = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()


class ReadRatesDocument(serializers.Serializer[None]):
    """How many rates are new, and the lines that were not taken."""

    new = serializers.IntegerField()
    faults = FaultyLine(many=True)


def _read(staff: User, told: Told) -> Written:
    jumps = bool(told.get("accept_jumps", False))
    with table_of(told["file"]) as text:
        read = import_rates(text=text, source=told["origin"], actor=staff.actor, accept_jumps=jumps)
    faults = [
        {"line": faulty.number, "code": faulty.fault.code.value, "detail": words_of(faulty.fault)}
        for faulty in read.faults
    ]
    return {"new": read.new, "faults": faults}


def _written(rate: CurrencyRate) -> Written:
    return {
        "currency": rate.currency,
        "valid_on": rate.valid_on.isoformat(),
        "units": rate.units,
        "rate": rate.rate,
        "origin": rate.source,
        "imported_at": instant(rate.imported_at),
    }


DECLARED = (
    Listing(
        path="currency-rates",
        name="staff_rates",
        summary="Rates, the latest day first",
        tag=TAG,
        rows_name="rates",
        row=RateDocument,
        rows=lambda _query: CurrencyRate.objects.all(),
        write=_written,
        ordering=("-valid_on", "-pk"),
    ),
    Act(
        path="currency-rates",
        name="staff_rates_read",
        summary="Read a file of rates; a faulty line does not keep the others out",
        tag=TAG,
        body=RatesBody,
        answer=ReadRatesDocument,
        do=_read,
        is_upload=True,
    ),
)
