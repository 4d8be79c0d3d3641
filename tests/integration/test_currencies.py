"""Rates from a file, and what a payment system takes in another currency (¶35.4)."""

from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Currency, CurrencyRate
from accounts.services.currencies import convert, import_rates
from tests.refusals import refused
from tests.topping_up import make_rate
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.engine.deadlines import start_of_legal_day

pytestmark = pytest.mark.django_db

HEADER = "date;currency;units;rate\n"


def read(*lines: str, accept_jumps: bool = False) -> tuple[int, dict[int, str]]:
    """Import lines; return how many are new, and the field at fault of each faulty line."""
    text = HEADER + "\n".join(lines)
    done = import_rates(text=text, source="NBRB", actor="test", accept_jumps=accept_jumps)
    return done.new, {fault.number: fault.fault.field or "" for fault in done.faults}


def noon(day: date) -> datetime:
    return start_of_legal_day(day) + timedelta(hours=12)


def test_a_file_of_rates_is_read_and_read_again() -> None:
    lines = ("2026-06-01;USD;1;3.2150", "2026-06-01;RUB;100;3.5912", "2026-06-01;EUR;1;3,4801")
    assert read(*lines) == (3, {})
    assert read(*lines) == (0, {})
    rate = CurrencyRate.objects.get(currency="RUB")
    assert (str(rate), rate.source, rate.valid_on) == ("100 RUB = 3.5912 BYN", "NBRB", date(2026, 6, 1))


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("2026-06-01;USD;1", "file"),
        ("2026-06-31;USD;1;3.2", "date"),
        ("01.06.2026;USD;1;3.2", "date"),
        ("2026-06-01;BYN;1;1", "currency"),
        ("2026-06-01;GBP;1;4.1", "currency"),
        ("2026-06-01;USD;0;3.2", "units"),
        ("2026-06-01;USD;-1;3.2", "units"),
        ("2026-06-01;USD;1;0", "rate"),
        ("2026-06-01;USD;1;-3.2", "rate"),
        ("2026-06-01;USD;1;3.2e1", "rate"),
        ("2026-06-01;USD;1;٣", "rate"),
        ("2026-06-01;USD;1;1/3", "rate"),
    ],
)
def test_a_faulty_line_is_named_and_does_not_keep_the_others_out(line: str, field: str) -> None:
    assert read("2026-06-01;EUR;1;3.5", line, "2026-06-01;RUB;100;3.6") == (2, {3: field})


def test_what_stands_is_not_replaced() -> None:
    read("2026-06-01;USD;1;3.2150")
    assert read("2026-06-01;USD;1;3.2151") == (0, {2: "rate"})
    assert read("2026-06-01;USD;1;3.215") == (0, {})
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        CurrencyRate.objects.update(rate="9")


def test_a_slip_of_the_pen_is_not_taken_unless_somebody_has_looked() -> None:
    read("2026-06-01;USD;1;3.0000")
    assert read("2026-06-02;USD;1;32.15") == (0, {2: "rate"})
    assert read("2026-06-02;USD;1;3.6001") == (0, {2: "rate"})
    assert read("2026-06-02;USD;1;3.6000") == (1, {})
    assert read("2026-06-03;USD;1;6", accept_jumps=True) == (1, {})


def test_another_header_reads_nothing() -> None:
    act = refused(lambda: import_rates(text="USD;3.2\n", source="x", actor="test"))
    assert (act.code, act.field) == (Refusal.BAD_VALUE, "file")


def test_the_command_names_the_lines_that_were_not_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rates.csv"
    file.write_text(HEADER + "2026-06-01;USD;1;3.2\n2026-06-01;GBP;1;4\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        call_command("import_currency_rates", str(file), "--source", "NBRB")
    said = capsys.readouterr().out
    assert ended.value.code == 1
    assert said.startswith("1 new rates.\nLine 3: ")


@pytest.mark.parametrize(
    ("currency", "units", "rate", "amount", "kopecks"),
    [
        (Currency.USD, 1, "3.2150", 1000, 3215),
        (Currency.USD, 1, "3.2159", 1001, 3219),  # 3219.1159
        (Currency.EUR, 1, "3.4801", 1, 3),  # 3.4801
        (Currency.RUB, 100, "3.5912", 100_000, 3591),  # 3591.2
        (Currency.RUB, 100, "3.5912", 27, 0),  # 0.969624
    ],
)
def test_conversion_is_rounded_down_to_the_kopeck(
    currency: Currency, units: int, rate: str, amount: int, kopecks: int
) -> None:
    recorded = make_rate(currency, rate, units)
    converted = convert(amount=amount, currency=currency, at=clock.now())
    assert (converted.kopecks, converted.rate) == (kopecks, recorded)


def test_byn_needs_no_rate() -> None:
    converted = convert(amount=777, currency=Currency.BYN, at=clock.now())
    assert (converted.kopecks, converted.rate) == (777, None)


@pytest.mark.parametrize(
    ("valid_on", "asked_on", "fresh"),
    [
        (date(2026, 6, 5), date(2026, 6, 5), True),  # a Friday
        (date(2026, 6, 5), date(2026, 6, 7), True),  # over the weekend no rate is set
        (date(2026, 6, 5), date(2026, 6, 8), True),  # one working day
        (date(2026, 6, 5), date(2026, 6, 9), False),
        (date(2026, 6, 5), date(2026, 6, 4), False),  # it does not hold yet
        (date(2026, 7, 2), date(2026, 7, 3), True),  # 3 July is a holiday
        (date(2026, 7, 2), date(2026, 7, 6), True),
        (date(2026, 7, 2), date(2026, 7, 7), False),
    ],
)
def test_a_rate_holds_for_one_working_day_after_its_own(valid_on: date, asked_on: date, fresh: bool) -> None:
    read(f"{valid_on};USD;1;3.2")
    if fresh:
        assert convert(amount=100, currency=Currency.USD, at=noon(asked_on)).kopecks == 320
    else:
        act = refused(lambda: convert(amount=100, currency=Currency.USD, at=noon(asked_on)))
        assert (act.code, act.http_status) == (Refusal.RATE_STALE, 503)


@given(
    amount=st.integers(1, 10**12),
    rate=st.integers(1, 10**12),
    units=st.sampled_from([1, 10, 100, 1000]),
)
def test_nobody_gets_more_than_the_rate_and_nobody_loses_a_kopeck(amount: int, rate: int, units: int) -> None:
    written = f"{rate // 10**8}.{rate % 10**8:08}"
    known = CurrencyRate(currency="USD", units=units, rate=written)
    kopecks = amount * known.per_unit // 1
    assert kopecks * units * 10**8 <= amount * rate < (kopecks + 1) * units * 10**8
