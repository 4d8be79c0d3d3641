"""Everything that people and their systems send to the site: read, or refused in its own way, and soon (¶41, B7)."""

import io
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from rest_framework.exceptions import APIException
from rest_framework.serializers import ValidationError

from accounts.models import RegisterImport
from accounts.services.bank_files.postal_register import read_postal_register
from accounts.services.bank_files.reading import decoded, read_bank_file
from accounts.services.card_numbers import normal_letters, read_number
from accounts.services.currencies import import_rates
from accounts.services.identity_numbers import spelled_number
from accounts.services.reconciliation import reconcile_provider
from accounts.services.restricted_register import import_register
from accounts.services.transfer_references import read_reference
from payouts.services.desk_field import read_field
from payouts.services.phone_codes import spelled_phone
from pools.forms.coupon import grid, read_back
from pools.models import FeedFormat
from pools.services.coupon_files import check_file
from pools.services.event_files import read_events, sample_file
from pools.services.result_feeds import _read
from pools.services.tickets import normal_code, read_barcode
from pools.services.typed_coupons import read_typed
from tests.fakes.provider import FakeProvider, settings_of
from tests.functional.calling import Caller
from tests.fuzz.mutants import fuzz
from tests.making import keep_register_fresh, make_player, make_pool
from tests.topping_up import make_rate
from totalizator.core import clock
from totalizator.core.api.bodies import Amount, Day, Instant
from totalizator.core.api.strict_json import JsonParser
from totalizator.core.errors import DomainError
from totalizator.core.keyboard import latin_keys
from totalizator.core.money import parse_byn

BANK = Path(__file__).parents[1] / "integration" / "fixtures" / "bank"
REGISTER = (
    "реестр;номер перевода;отправитель;адрес отправителя;сумма;сообщение\n"
    "R-1;1;Янка Купала;Минск, 1;12,50;ACC 1\nR-1;2;Якуб Колас;Минск, 2;1,00;ACC 2\n"
).encode()
Read = Callable[[bytes], object]


def text(read: Callable[[str], object]) -> Read:
    """A reader of text as one of bytes: as a browser or a scanner would have sent them."""
    return lambda content: read(content.decode("utf-8", "replace"))


READERS: Sequence[tuple[str, Read, Sequence[bytes]]] = (
    ("camt.053", read_bank_file, ((BANK / "statement.camt053.xml").read_bytes(),)),
    ("MT940", read_bank_file, ((BANK / "statement.mt940").read_bytes(),)),
    ("CSV of the bank", read_bank_file, ((BANK / "statement-utf8.csv").read_bytes(),)),
    ("register of the post", lambda content: read_postal_register(decoded(content)), (REGISTER,)),
    ("events", read_events, (sample_file(),)),
    (
        "body of the API",
        lambda content: JsonParser().parse(io.BytesIO(content)),
        (b'{"stake":"1.00","selections":"1"}',),
    ),
    ("amount of the API", text(lambda said: Amount().run_validation(said)), (b"12.50",)),
    ("instant of the API", text(lambda said: Instant().run_validation(said)), (b"2026-12-05T15:00:00+03:00",)),
    ("day of the API", text(lambda said: Day().run_validation(said)), (b"2026-12-05",)),
    ("amount typed", text(parse_byn), (b"12,50",)),
    ("reference of a transfer", text(read_reference), (b"ACC 123456", "игра BET-12 34 5".encode())),
    ("number of a card", text(read_number), ()),
    ("code of a card", text(normal_letters), (b"AB12-CD34",)),
    ("barcode of a ticket", text(read_barcode), (b"1234567890123456789",)),
    ("check code", text(normal_code), (b"7K3M9-QX2RA-7K3M9",)),
    ("identity number", text(spelled_number), (b"3310590A001PB5",)),
    ("telephone", text(spelled_phone), (b"+375 29 123-45-67",)),
    ("keyboard", text(latin_keys), ("ЧЫФ1Х2".encode(),)),
)


@pytest.mark.parametrize(("name", "read", "seeds"), READERS, ids=[name for name, _read, _seeds in READERS])
def test_what_is_sent(name: str, read: Read, seeds: Sequence[bytes]) -> None:
    if name == "number of a card":
        from accounts.models.cards import NUMBER_DIGITS
        from accounts.services.card_numbers import check_digit

        body = "1" * (NUMBER_DIGITS - 1)
        seeds = [(body + check_digit(body)).encode()]
    fuzz(read, seeds, DomainError, APIException, ValidationError)


@pytest.mark.django_db
def test_what_is_sent_about_a_pool() -> None:
    pool = make_pool(conditions=3)
    json_feed = (
        f'{{"pool":"{pool.code}","conditions":{{"1":["X"]}},"first_started_at":"2026-12-05T12:00:00Z"}}'.encode()
    )
    table = f"pool;condition;outcomes\n{pool.code};1;X\n{pool.code};2;void\n".encode()
    condition = pool.terms.conditions[0].code
    json_feed = json_feed.replace(b'"1":', f'"{condition}":'.encode())
    table = table.replace(b";1;X", f";{condition};X".encode()).replace(
        b";2;", f";{pool.terms.conditions[1].code};".encode()
    )
    marked = {row.name: "1" for row in grid(pool.terms)} | {"stake": "1.00"}
    readers: tuple[tuple[Read, Sequence[bytes]], ...] = (
        (lambda content: _read(pool, FeedFormat.JSON, content), [json_feed]),
        (lambda content: _read(pool, FeedFormat.CSV, content), [table]),
        (text(lambda said: read_typed(pool.terms, said)), [b"1X2", b"1(X2)2", b"1;X+2;2"]),
        (text(lambda said: check_file(pool_code=pool.code, text=said, stake=100)), [b"1X2\n1(X2)2\n"]),
        (text(lambda said: read_field(said, on_sale=[pool], chosen=pool)), [b"1X2", b"1X2*1.00", pool.code.encode()]),
        (text(lambda said: read_back(pool, QueryDict(said))), [urlencode(marked).encode()]),
    )
    for read, seeds in readers:
        fuzz(read, seeds, DomainError)


@pytest.mark.django_db
def test_tables_that_are_imported(settings: Any) -> None:
    """A pool of the database is not harmed: what cannot be read leaves it as it was, and the connection usable."""
    settings.PAYMENT_PROVIDERS = settings_of(FakeProvider(url="https://fake.example"))
    keep_register_fresh()
    make_rate()
    as_of = clock.now()

    def register(said: str) -> object:
        return import_register(text=said, as_of=as_of, actor="test")

    def rates(said: str) -> object:
        return import_rates(text=said, source="test", actor="test")

    def payments(said: str) -> object:
        return reconcile_provider(provider="fake", day=clock.today() - timedelta(days=1), text=said, actor="test")

    fuzz(text(register), [b"identity_number;until\n3310590A001PB5;2027-12-31\n"], DomainError)
    fuzz(text(rates), [f"date;currency;units;rate\n{clock.today()};USD;1;3.2150\n".encode()], DomainError)
    fuzz(text(payments), [b"reference;kind;outcome;amount;currency\nD-1;deposit;done;1000;BYN\n"], DomainError)
    assert RegisterImport.objects.exists()


@pytest.mark.django_db
def test_bodies_and_headers_of_requests(settings: Any) -> None:
    """No byte of a body, a query or a header makes a fault of ours: whatever comes is answered, below 500."""
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000/min")
    pool, caller = make_pool(), Caller(make_player(1_000))
    nobody = Caller()

    def send(content: bytes) -> None:
        for who, path in ((caller, f"pools/{pool.code}/bets"), (nobody, f"pools/{pool.code}/card-bets")):
            answer = who._send("POST", path, content, {"Idempotency-Key": "k"})
            assert answer.status_code < 500, content
        said = content.decode("latin-1")
        line = "".join(sign for sign in said if sign.isprintable())[:2_000]
        for header in ("Authorization", "Totalizator-Key", "Idempotency-Key", "Accept-Language", "X-Forwarded-For"):
            assert nobody.client.get("/api/v1/me", headers={header: line}).status_code < 500, (header, line)
        assert nobody.client.get("/check/", {"ticket": said, "code": said}).status_code < 500
        assert nobody.client.post("/payments/webhooks/fake/", content, content_type=line[:80] or "x").status_code < 500

    fuzz(send, [b'{"selections":"1;X;2","stake":"1.00"}', b"Bearer tot_x", b"ru-BY,ru;q=0.9"], share=4)
