"""A shift from count to count, its Z-report, and expected cash = float + in − out on random traces (C2)."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import translation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdfium2 import PdfDocument

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Role, Route, Shift, Till, ZReport
from accounts.services.handovers import announce_handover, receive_handover
from accounts.services.points import give_float
from accounts.services.shifts import close_shift, open_shift
from accounts.services.z_reports import figures_of, z_report_pdf
from payouts.models import Payment
from payouts.tasks import book_due_payables
from pools.models import Bet, Pool
from tests.desks import begin_shift, cash_in, end_shift, keeper
from tests.making import bet_in_cash, make_pool, make_till, make_user
from tests.paying import broken, go_to, pay, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import settle
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


def test_a_shift_from_float_to_count() -> None:
    """The worked numbers of docs/points.md."""
    till = make_till(10_000)
    assert till.cashier is not None
    pool = make_pool("sportloto-variant")
    slip, *_others = sell_slips(pool, till, ("1", 100), ("1", 100), ("X", 100))
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))
    assert pay(slip, till).net == 105 - 5
    announce_handover(route=Route.POINT_TO_DESK, amount=5_000, given_by=till.cashier, till=till)
    closed = end_shift(till, counted=5_190, reason="Given as change.")
    assert (closed.opening_float, closed.expected, closed.counted) == (10_000, 5_200, 5_190)
    figures = figures_of(closed.z_report)
    assert {key: figures[key] for key in ("float", "in", "out", "expected", "counted", "elsewhere")} == {
        "float": 10_000,
        "in": 300,
        "out": 5_100,
        "expected": 5_200,
        "counted": 5_190,
        "elsewhere": 0,
    }
    assert [(line["kind"], line["side"], line["count"], line["amount"]) for line in figures["lines"]] == [
        ("stake", "in", 3, 300),
        ("cash_sent", "out", 1, 5_000),
        ("winning_paid", "out", 1, 100),
    ]
    assert balance(till.ledger_account) == 5_190
    assert balance(ledger_account(AccountKind.CASH_SHORTAGE, str(till))) == 10
    assert begin_shift(till).opening_float == 5_190
    assert broken() == []


def test_an_excess_is_kept_apart_until_it_is_explained() -> None:
    till = make_till(100)
    assert end_shift(till, counted=130, reason="Found under the drawer.").counted == 130
    assert balance(till.ledger_account) == 130
    assert balance(ledger_account(AccountKind.CASH_EXCESS, str(till))) == 30


@pytest.mark.parametrize(("counted", "field"), [(99, "reason"), (101, "reason"), (-1, "counted")])
def test_a_difference_without_a_reason_closes_nothing(counted: int, field: str) -> None:
    till = make_till(100)
    refusal = refused(lambda: end_shift(till, counted=counted, reason=" "))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)
    assert Shift.objects.get().closed_at is None
    assert (balance(till.ledger_account), ZReport.objects.count()) == (100, 0)


def test_a_shift_opens_with_what_is_counted() -> None:
    till = make_till(100, shift=False)
    assert till.cashier is not None
    cashier = till.cashier
    refusal = refused(lambda: open_shift(till=till, cashier=cashier, counted=90))
    assert (refusal.code, refusal.details) == (Refusal.BAD_VALUE, {"expected": 100, "counted": 90})
    shift = open_shift(till=till, cashier=cashier, counted=90, reason="Ten rubles were torn.")
    assert shift.opening_float == balance(till.ledger_account) == 90
    assert figures_of(end_shift(till).z_report)["lines"] == []


def test_one_shift_a_till_and_only_by_its_cashier() -> None:
    till, other = make_till(), make_till(shift=False)
    assert till.cashier is not None
    assert other.cashier is not None
    assert refused(lambda: begin_shift(till)).code == Refusal.WRONG_STATE
    stranger = till.cashier
    assert refused(lambda: open_shift(till=other, cashier=stranger, counted=0)).code == Refusal.NOT_ALLOWED
    shift = Shift.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Shift.objects.create(
            till=till, number=2, cashier=stranger, opened_at=shift.opened_at, opening_debits=0, opening_credits=0
        )
    someone = make_user(Role.CASHIER)
    assert refused(lambda: close_shift(shift=shift, counted=0, closed_by=someone)).code == Refusal.NOT_ALLOWED
    closed = close_shift(shift=shift, counted=0, closed_by=keeper())
    assert refused(lambda: close_shift(shift=closed, counted=0, closed_by=keeper())).code == Refusal.WRONG_STATE


def test_without_a_shift_nothing_is_sold_and_nothing_paid() -> None:
    pool, till = make_pool("sportloto-variant"), make_till(1_000)
    (slip,) = sell_slips(pool, till, ("1", 100))
    end_shift(till)
    assert refused(lambda: bet_in_cash(pool, till, "1", 100)).code == Refusal.NO_OPEN_SHIFT
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))
    assert refused(lambda: pay(slip, till)).code == Refusal.NO_OPEN_SHIFT
    assert (Bet.objects.count(), Payment.objects.count(), balance(till.ledger_account)) == (1, 0, 1_100)
    begin_shift(till)
    assert pay(slip, till).net == 66


def test_a_replayed_sale_is_answered_though_its_shift_is_closed() -> None:
    pool, till = make_pool(), make_till()
    first = bet_in_cash(pool, till, "1;1;1", 100, key="K")
    end_shift(till)
    again = bet_in_cash(pool, till, "1;1;1", 100, key="K")
    assert (again.bet.ticket, again.replayed) == (first.bet.ticket, True)


def test_the_report_is_drawn_alike_each_time_and_says_everything() -> None:
    till = make_till(10_000)
    bet_in_cash(make_pool(), till, "1;1;1", 100)
    report = end_shift(till, counted=10_050, reason="Щукин: «сдача» ў").z_report
    with translation.override("ru"):
        document = z_report_pdf(report)
        assert z_report_pdf(ZReport.objects.get()) == document
    text = PdfDocument(document)[0].get_textpage().get_text_range()
    for words in ("Z", "100,00", "1,00", "101,00", "100,50", "0,50", "Щукин: «сдача» ў", str(till)):
        assert words in text, words


def test_a_report_is_never_changed() -> None:
    report = end_shift(make_till()).z_report
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_zreport SET text = '{}' WHERE shift_id = %s", [report.pk])


def test_what_somebody_posts_without_holding_the_till_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters tell the truth even when a line is missing: `elsewhere` says so."""
    till = make_till(100)
    shift = Shift.objects.get(till=till)
    earlier = shift.opened_at.replace(year=shift.opened_at.year - 1)
    with monkeypatch.context() as patched:
        patched.setattr("totalizator.core.clock.now", lambda: earlier)
        give_float(till=till, amount=50, document="late", by=keeper())
    figures = figures_of(end_shift(till).z_report)
    assert (figures["in"], figures["elsewhere"], figures["expected"]) == (50, 50, 150)


acts = st.lists(
    st.tuples(st.sampled_from(["sell", "float", "hand over", "receive", "count"]), st.integers(1, 900)), max_size=12
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1_000), acts)
def test_expected_cash_is_float_plus_in_minus_out_on_any_trace(opening: int, trace: list[tuple[str, int]]) -> None:
    with transaction.atomic():
        till, pool = make_till(opening), make_pool("totolot-variant")
        floats, came, went = opening, 0, 0
        for number, (act, amount) in enumerate(trace):
            moved_in, moved_out = play(act, amount, number, till, pool)
            came, went = came + moved_in, went + moved_out
            if act == "count":
                shift = end_shift(till, counted=amount, reason="Counted.")
                figures = figures_of(shift.z_report)
                assert (figures["in"], figures["out"], figures["elsewhere"]) == (came, went, 0)
                assert shift.expected == floats + came - went
                begin_shift(till)
                floats, came, went = amount, 0, 0
            assert cash_in(till) == floats + came - went == entries_balance(till.ledger_account)
        shift = end_shift(till)
        assert shift.expected == shift.counted == floats + came - went
        assert broken() == []
        transaction.set_rollback(True)


def play(act: str, amount: int, number: int, till: Till, pool: Pool) -> tuple[int, int]:
    """Do one act of a trace; return what came into the till and what went out."""
    assert till.cashier is not None
    if act == "sell":
        bet_in_cash(pool, till, "1", amount + 100)
        return amount + 100, 0
    if act == "float":
        give_float(till=till, amount=amount, document=f"F-{till.pk}-{number}", by=keeper())
        return amount, 0
    if act == "hand over":
        given = min(amount, cash_in(till))
        if given:
            handover = announce_handover(route=Route.POINT_TO_DESK, amount=given, given_by=till.cashier, till=till)
            receive_handover(handover=handover, counted=given, received_by=keeper())
        return 0, given
    if act == "receive" and balance(ledger_account(AccountKind.CASH_DESK)) >= amount:
        handover = announce_handover(route=Route.DESK_TO_POINT, amount=amount, given_by=keeper(), till=till)
        receive_handover(handover=handover, counted=amount - 1, received_by=till.cashier, reason="One short.")
        return amount - 1, 0
    return 0, 0
