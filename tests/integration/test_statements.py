"""A player's statement: the closing balance is the ledger's, and the table re-imports to the same totals (E4)."""

import csv
from datetime import date, timedelta
from io import StringIO

import pypdfium2
import pytest
from django.utils import translation

from accounts.documents.statement import StatementFacts, StatementRow, render_statement, statement_csv
from accounts.ledger.balances import balance
from accounts.models import Currency, GameAccount, User
from accounts.queries.statements import account_period
from accounts.services.statements import shown_from, statement_facts
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from tests.functional.browsing import visitor
from tests.making import account_of, bet_from_account, make_player, make_pool
from tests.paying import go_to, money_of, payable_from
from tests.settling import sell, settle
from tests.topping_up import pay_in
from totalizator.core import clock
from totalizator.core.money import parse_byn
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db


def lived() -> User:
    """A player who paid in 10.00, bet 1.00 and lost, bet 1.00 and won 7.00 less tax of 0.35, and paid in 5.00."""
    player = make_player()
    pay_in(player, 1_000, "line-1")
    pool = make_pool("sportloto-variant")
    bet_from_account(pool, player, "1", 100)
    bet_from_account(pool, player, "X", 100)
    sell(pool, *[("X", 100)] * 8)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    pay_in(player, 500, "line-2")
    return player


def today() -> date:
    return legal_day(clock.now())


def whole(account: GameAccount) -> StatementFacts:
    return statement_facts(account, today() - timedelta(days=60), today())


def signed(text: str) -> int:
    return -parse_byn(text[1:]) if text.startswith("-") else parse_byn(text)


def imported(content: bytes) -> list[list[str]]:
    """Read the table as a spreadsheet does."""
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(StringIO(content.decode("utf-8-sig"), newline=""), delimiter=";"))


def text_of(content: bytes) -> str:
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(content))


def test_e4_the_closing_balance_is_the_ledgers_and_every_line_has_its_cause() -> None:
    player = lived()
    account = account_of(player)
    with translation.override("en"):
        statement = whole(account)
    assert statement.opening == 0
    assert statement.closing == balance(account.ledger_account) == money_of(player) == 1_000 - 200 + 665 + 500
    assert [(row.what, row.change, row.tax, row.balance) for row in statement.rows] == [
        ("Deposit", 1_000, 0, 1_000),
        ("Stake", -100, 0, 900),
        ("Stake", -100, 0, 800),
        ("Winning paid", 665, 35, 1_465),
        ("Deposit", 500, 0, 1_965),
    ]
    causes = [row.cause for row in statement.rows]
    assert (causes[0], causes[4]) == ("bank transfer", "bank transfer")
    assert causes[1].startswith("ticket T-")
    assert causes[3] == causes[1]
    assert (statement.tax, dict(statement.totals)) == (35, {"Deposit": 1_500, "Stake": -200, "Winning paid": 665})


def test_periods_join_without_a_gap_and_each_opens_where_the_last_one_closed() -> None:
    account = account_of(lived())
    first, last = today() - timedelta(days=10), today()
    opening, lines = 0, 0
    day = first
    while day <= last:
        statement = statement_facts(account, day, day)
        assert statement.opening == opening
        opening, lines, day = statement.closing, lines + len(statement.rows), day + timedelta(days=1)
    assert (opening, lines) == (balance(account.ledger_account), 5)


def test_an_instant_at_midnight_in_minsk_belongs_to_the_day_that_begins() -> None:
    account = account_of(lived())
    at = account_period(account.ledger_account, clock.now() - timedelta(days=60), clock.now()).lines[0].occurred_at
    inside = account_period(account.ledger_account, at, at + timedelta(microseconds=1))
    assert (inside.opening, [line.change for line in inside.lines], inside.closing) == (0, [1_000], 1_000)
    before = account_period(account.ledger_account, at - timedelta(days=1), at)
    assert (before.opening, list(before.lines), before.closing) == (0, [], 0)


def test_e4_the_table_reimports_to_the_same_totals() -> None:
    account = account_of(lived())
    rows = imported(statement_csv(whole(account)))
    assert {len(row) for row in rows} == {6}
    opening, *lines, closing = rows[1:]
    changes = [signed(row[3]) for row in lines]
    assert signed(opening[5]) + sum(changes) == signed(closing[5]) == balance(account.ledger_account)
    assert [signed(row[5]) for row in lines] == [1_000, 900, 800, 1_465, 1_965]
    assert sum(signed(row[4]) for row in lines) == 35


@pytest.mark.parametrize("text", ["=1+1", "+375291234567", "-2", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1"])
def test_no_cell_of_the_table_runs_as_a_formula(text: str) -> None:
    facts = made_up([StatementRow("30.11.2026 12:00:00", text, text, -100, 0, 900)])
    (row,) = imported(statement_csv(facts))[2:-1]
    assert (row[1], row[2], row[3]) == (f"'{text}", f"'{text}", "-1,00")


def test_cells_with_separators_and_quotes_come_back_whole() -> None:
    facts = made_up([StatementRow("x", 'a;"b"', "в\nдве строки", 100, 0, 900)])
    (row,) = imported(statement_csv(facts))[2:-1]
    assert row[1:3] == ['a;"b"', "в\nдве строки"]


def test_the_same_statement_is_the_same_bytes_in_every_language() -> None:
    account = account_of(lived())
    for language in ("ru", "be", "en"):
        with translation.override(language):
            facts = whole(account)
            assert render_statement(facts) == render_statement(facts)
            assert statement_csv(facts) == statement_csv(facts)


def test_n5_every_page_says_what_it_is_of_when_it_was_made_and_which_page() -> None:
    rows = [StatementRow(f"{n}", "Stake", f"ticket T-{n}", -100, 0, 100_000 - 100 * n) for n in range(120)]
    with translation.override("en"):
        pages = [
            page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(render_statement(made_up(rows)))
        ]
    assert len(pages) == 3
    for number, page in enumerate(pages, start=1):
        assert f"page {number} of 3" in page
        assert "Made at noon" in page
        assert "Totalizator 1" in page
        assert "Statement of game account 7" in page
        assert "from 01.11.2026 to 30.11.2026" in page
        assert "Cause" in page
    assert [sum(f"ticket T-{n}\r\n" in page or f"ticket T-{n} " in page for page in pages) for n in range(120)] == [
        1
    ] * 120


def test_n5_a_period_without_activity_says_so() -> None:
    with translation.override("en"):
        assert "No activity in this period." in text_of(render_statement(made_up([])))


def test_what_a_foreign_payment_was_worth_is_said() -> None:
    from accounts.ledger.kinds import AccountKind
    from accounts.ledger.posting import ledger_account
    from accounts.models import TopUpWay
    from accounts.services.topups import Paid, credit
    from tests.topping_up import make_rate
    from totalizator.core.transactions import one_transaction

    player, rate = make_player(), make_rate(Currency.USD, "3.2150")
    with one_transaction(), translation.override("en"):
        credit(
            account=account_of(player),
            paid_from=ledger_account(AccountKind.AT_PROVIDER, "p"),
            paid=Paid(3_215, Currency.USD, 1_000, rate),
            way=TopUpWay.PROVIDER,
            reference="r",
            received_at=clock.now(),
            actor="test",
        )
        (row,) = whole(account_of(player)).rows
    assert row.cause == "payment system: 10.00 USD at the rate of 3.2150"


@pytest.mark.parametrize(
    ("day", "first"),
    [
        (date(2026, 11, 30), date(2026, 5, 30)),
        (date(2026, 8, 31), date(2026, 2, 28)),
        (date(2026, 6, 30), date(2025, 12, 30)),
        (date(2026, 1, 1), date(2025, 7, 1)),
    ],
)
def test_p35_3_six_months_are_shown_at_once(day: date, first: date) -> None:
    assert shown_from(day) == first


def test_p35_3_what_is_older_is_kept_and_shown_when_asked_for() -> None:
    player = lived()
    old = today()
    clock.move_clock(timedelta(days=400))
    client = visitor(player)
    page = client.get("/my/statement/").content.decode()
    assert "bank transfer" not in page
    archive = {"first": str(old - timedelta(days=30)), "last": str(old)}
    assert client.get("/my/statement/", archive).content.decode().count("bank transfer") == 2
    assert len(imported(client.get("/my/statement/table/", archive).content)) == 5 + 3
    assert client.get("/my/statement/pdf/", archive).content.startswith(b"%PDF")


def test_a_period_that_ends_before_it_begins_is_refused() -> None:
    client = visitor(make_player())
    turned = {"first": "2026-11-30", "last": "2026-11-29"}
    assert client.get("/my/statement/", turned).status_code == 400
    assert client.get("/my/statement/table/", turned).status_code == 400
    assert client.get("/my/statement/", {"first": "yesterday", "last": "0001-01-01"}).status_code == 200


def made_up(rows: list[StatementRow]) -> StatementFacts:
    return StatementFacts(
        operator="Тотализатор",
        account="7",
        holder="Янка Купала",
        first="01.11.2026",
        last="30.11.2026",
        opening=1_000,
        rows=rows,
        totals=[("Stake", sum(row.change for row in rows))] if rows else [],
        closing=1_000 + sum(row.change for row in rows),
        tax=0,
        made="Made at noon",
        version="Totalizator 1",
    )
