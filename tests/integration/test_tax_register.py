"""Who was withheld how much: the register ties to the ledger, the certificate is the person's (K5)."""

from datetime import timedelta
from functools import partial

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Role
from accounts.services.persons import person_of
from payouts.documents.tax_certificate import render_tax_certificate, tax_certificate_csv
from payouts.queries.tax_register import TaxLine, tax_register
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.recipients import note_recipient
from payouts.services.tax_certificates import draw_up_certificate, draw_up_register, register_csv
from tests.claiming import person, shown
from tests.functional.calling import Caller, told
from tests.integration.test_documents import text_of
from tests.making import bet_from_account, make_player, make_pool, make_till, make_user
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


def test_k5_the_register_is_what_the_ledger_says_person_by_person() -> None:
    till, player, pool = make_till(10_000), make_player(1_000), make_pool("sportloto-variant")
    for _bet in range(2):
        bet_from_account(pool, player, "1", 100)
    known, unknown = sell_slips(pool, till, ("1", 100), ("1", 100))
    sell_slips(pool, till, *[("X", 100)] * 16)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    pay(known, till, person=person())
    pay(unknown, till)
    today, owner = clock.today(), person_of(player)
    register = tax_register(today, today)
    # 20 stakes make a fund of 14.00: each of four wins 3.50, less 0.18 of tax.
    assert sorted(register.lines, key=lambda line: line.person_id or 10**9) == sorted(
        [
            TaxLine(owner.pk, 2, 700, 36, 664),
            TaxLine(person().pk, 1, 350, 18, 332),
            TaxLine(None, 1, 350, 18, 332),
        ],
        key=lambda line: line.person_id or 10**9,
    )
    assert register.withheld == register.ledger == balance(ledger_account(AccountKind.TAX_DUE)) == 72
    tomorrow = today + timedelta(days=1)
    assert (tax_register(tomorrow, tomorrow).lines, tax_register(tomorrow, tomorrow).ledger) == ([], 0)
    staff = make_user(Role.ORGANIZER)
    assert refused(partial(draw_up_register, first=tomorrow, last=today, asked_by=staff)).code == Refusal.BAD_VALUE
    assert refused(partial(draw_up_register, first=today, last=today, asked_by=player)).code == Refusal.NOT_ALLOWED
    table = register_csv(draw_up_register(first=today, last=today, asked_by=staff)).decode()
    assert f"Name {player.pk}" in table
    assert table.count("0,72") == 2


def test_a_certificate_is_the_persons_own_or_the_staffs_and_is_in_cyrillic() -> None:
    till, player, pool = make_till(10_000), make_player(), make_pool("sportloto-variant")
    slip, _other = sell_slips(pool, till, ("1", 100), ("X", 100))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    note_recipient(shown(), at=clock.now(), actor="test")
    pay(slip, till, person=person())
    year, staff = clock.today().year, make_user(Role.ORGANIZER)
    ask = partial(draw_up_certificate, person=person(), year=year)
    assert refused(partial(ask, asked_by=player)).code == Refusal.NOT_ALLOWED
    for other in (year - 1, 10**12):
        again = partial(draw_up_certificate, person=person(), year=other, asked_by=staff)
        assert refused(again).code == Refusal.NOT_FOUND
    assert refused(partial(draw_up_certificate, person=person_of(player), year=year, asked_by=player)).code == (
        Refusal.NOT_FOUND
    )
    certificate = ask(asked_by=staff)
    assert (certificate.full_name, certificate.gross, certificate.tax) == ("Янка Купала", 140, 7)
    words = text_of(render_tax_certificate(certificate))
    assert "Янка Купала" in words
    assert "CLAIM00001" in words
    table = tax_certificate_csv(certificate).decode()
    assert "1,40;0,07;1,33" in table


def test_over_the_api() -> None:
    player, pool = make_player(1_000), make_pool("sportloto-variant")
    bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    year, mine, staff = clock.today().year, Caller(player), Caller(make_user(Role.ORGANIZER))
    assert told(mine.get("me/tax-certificates/2001")) == (404, "not_found")
    paper = mine.get(f"me/tax-certificates/{year}")
    assert (paper.status_code, paper["Content-Type"], paper.content[:5]) == (200, "application/pdf", b"%PDF-")
    path = f"staff/persons/{person_of(player).pk}/tax-certificates/{year}?as_table=true"
    assert "0,70;0,04;0,66" in staff.get(path).content.decode()
    assert told(mine.get(path)) == (403, "not_allowed")
    today = clock.today().isoformat()
    assert "0,04" in staff.get(f"staff/tax-register?first={today}&last={today}").content.decode()
