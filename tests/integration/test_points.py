"""Points: their papers and equipment, their cash limits, their cashiers, and their end (¶7, ¶9.2-9.7, C1, C3)."""

from datetime import date, timedelta
from functools import partial

import pytest

from accounts.ledger.balances import balance
from accounts.models import DocumentKind, PointDocument, PointKind, Role, Route, Shift, Till
from accounts.queries.point_documents import Expiry, documents_on, expiring, missing_documents
from accounts.services.bank_terms import record_cash_limit, record_takings_agreement
from accounts.services.handovers import announce_handover
from accounts.services.point_documents import read_document
from accounts.services.points import assign_cashier, close_till, register_point
from accounts.services.switching import switch_point, switch_till
from accounts.tasks import warn_of_expiring_documents
from payouts.models import Payment
from payouts.tasks import book_due_payables
from pools.models import Pool
from tests.desks import (
    FIRST,
    LAST,
    SCAN,
    begin_shift,
    certify,
    end_shift,
    file_paper,
    keeper,
    make_agent,
    make_point,
    make_terminal,
)
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till, make_user
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.refusals import refused
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.filed_files import MOST_BYTES
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def refused_sale(till: Till, pool: Pool | None = None) -> Refusal:
    """The code by which a sale at the till is refused."""
    on_sale = pool or make_pool()
    return refused(lambda: bet_in_cash(on_sale, till, "1;1;1", 100)).code


@pytest.mark.parametrize("lacking", list(DocumentKind))
def test_no_shift_opens_with_a_document_missing(lacking: DocumentKind) -> None:
    till = make_till(shift=False)
    point = make_point("BARE", papers=False)
    for kind in DocumentKind:
        if kind != lacking:
            file_paper(point, kind)
    Till.objects.filter(pk=till.pk).update(point=point)
    till.refresh_from_db()
    refusal = refused(lambda: begin_shift(till))
    assert (refusal.code, refusal.details) == (Refusal.DOCUMENTS_MISSING, {"missing": [lacking]})
    assert not Shift.objects.exists()
    file_paper(point, lacking)
    assert begin_shift(till).number == 1


def test_the_newest_version_that_has_begun_counts() -> None:
    point, today = make_point("DOCS", papers=False), clock.today()
    file_paper(point, DocumentKind.LICENCE, valid_until=today)
    assert DocumentKind.LICENCE not in missing_documents(point, today)
    assert DocumentKind.LICENCE in missing_documents(point, today + timedelta(days=1))
    renewed = file_paper(point, DocumentKind.LICENCE, valid_from=today + timedelta(days=1), valid_until=None)
    assert DocumentKind.LICENCE not in missing_documents(point, today)
    assert documents_on(point, today + timedelta(days=1))[DocumentKind.LICENCE] == renewed
    file_paper(point, DocumentKind.LICENCE, valid_until=today - timedelta(days=1))  # it was taken away
    assert DocumentKind.LICENCE in missing_documents(point, today)
    assert PointDocument.objects.filter(point=point).count() == 3


def test_an_event_site_needs_no_papers_of_a_stationary_point() -> None:
    till = make_till(kind=PointKind.EVENT_SITE)
    assert not PointDocument.objects.exists()
    bet_in_cash(make_pool(), till, "1;1;1", 100)
    assert balance(till.ledger_account) == 100


@pytest.mark.parametrize("content", [b"", b"MZ a program", b"%PDF-" + bytes(MOST_BYTES)])
def test_only_a_scan_of_a_bearable_size_is_filed(content: bytes) -> None:
    point = make_point("SCAN", papers=False)
    refusal = refused(lambda: file_paper(point, DocumentKind.LICENCE, content=content))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "file")
    assert not PointDocument.objects.exists()


def test_a_scan_is_kept_as_it_was_filed() -> None:
    document = file_paper(make_point("SCAN", papers=False), DocumentKind.PREMISES)
    assert read_document(document) == SCAN
    assert (document.content_type, document.size) == ("application/pdf", len(SCAN))
    with document.file.storage.open(str(document.file.name), "wb") as scan:
        scan.write(b"%PDF- another")
    with pytest.raises(ValueError, match="was changed"):
        read_document(document)


def test_what_ends_in_thirty_days_is_warned_of_once() -> None:
    today = clock.today()
    soon, later = today + timedelta(days=29), today + timedelta(days=31)
    agent = make_agent(valid_until=soon)
    till = make_till(kind=PointKind.AGENT, agent=agent)
    file_paper(till.point, DocumentKind.LICENCE, valid_until=soon)
    file_paper(till.point, DocumentKind.PREMISES, valid_until=later)
    certify(till, valid_until=soon)
    point = f"point:{till.point.code}"
    expected = [
        Expiry(point, "document:licence", soon),
        Expiry(f"till:{till.pk}", "certificate:C-1", soon),
        Expiry(f"agent:{agent.pk}", f"contract:{agent.contract_number}", soon),
    ]
    assert expiring(today, within=30) == expected
    for _day in range(2):
        warn_of_expiring_documents()
    warnings = JournalRecord.objects.filter(act="warn_of_expiry").order_by("pk")
    assert [(each.subject, each.after) for each in warnings] == [
        (expiry.subject, {"what": expiry.what, "last_day": soon.isoformat()}) for expiry in expected
    ]


def test_equipment_without_a_certificate_in_date_takes_no_bets_and_still_pays() -> None:
    pool, till = make_pool("sportloto-variant"), make_till(1_000)
    (slip,) = sell_slips(pool, till, ("1", 100))
    certify(till, valid_until=clock.today() - timedelta(days=1))
    assert refused_sale(till) == Refusal.NOT_CERTIFIED
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))
    assert pay(slip, till).net == 70 - 4
    certify(till)
    bet_in_cash(make_pool(), till, "1;1;1", 100)


def test_c1_a_point_and_a_till_are_switched_off_and_on_at_once() -> None:
    pool, till = make_pool(), make_till()
    switch_point(point=till.point, on=False, reason="Robbed.", by=keeper())
    assert refused_sale(till, pool) == Refusal.SWITCHED_OFF
    switch_point(point=till.point, on=True, reason="Mended.", by=keeper())
    switch_till(till=till, on=False, reason="Broken.", by=keeper())
    assert refused_sale(till, pool) == Refusal.SWITCHED_OFF
    switch_till(till=till, on=True, reason="Mended.", by=keeper())
    bet_in_cash(pool, till, "1;1;1", 100)
    refusal = refused(lambda: switch_till(till=till, on=False, reason="Mine.", by=till.cashier))  # type: ignore[arg-type]
    assert refusal.code == Refusal.NOT_ALLOWED
    till.refresh_from_db()
    assert till.enabled


def test_over_the_banks_limit_a_point_sells_no_more_until_cash_is_handed_over() -> None:
    pool, till = make_pool(), make_till(300)
    today = clock.today()
    record_cash_limit(point=till.point, amount=500, valid_from=today, document="Letter 1", by=keeper())
    bet_in_cash(pool, till, "1;1;1", 100)
    bet_in_cash(pool, till, "1;1;1", 100)
    refusal = refused(lambda: bet_in_cash(pool, till, "1;1;1", 100))
    assert (refusal.code, refusal.details) == (Refusal.CASH_LIMIT, {"limit": 500, "cash": 500, "amount": 100})
    bet_from_account(pool, make_player(1_000), "1;1;1", 100)  # no cash comes to the point
    assert till.cashier is not None
    announce_handover(route=Route.POINT_TO_DESK, amount=400, given_by=till.cashier, till=till)
    bet_in_cash(pool, till, "1;1;1", 100)
    record_cash_limit(point=till.point, amount=200, valid_from=today, document="Letter 2", by=keeper())
    assert refused_sale(till, pool) == Refusal.CASH_LIMIT
    record_cash_limit(point=till.point, amount=None, valid_from=today, document="Letter 3", by=keeper())
    bet_in_cash(pool, till, "1;1;1", 100)


def test_a_limit_counts_from_its_first_day_on() -> None:
    pool, till = make_pool(lasts=timedelta(days=3)), make_till(1_000)
    tomorrow = clock.today() + timedelta(days=1)
    record_cash_limit(point=till.point, amount=500, valid_from=tomorrow, document="Letter", by=keeper())
    bet_in_cash(pool, till, "1;1;1", 100)
    clock.move_clock(timedelta(days=1))
    assert refused_sale(till, pool) == Refusal.CASH_LIMIT


def test_takings_are_paid_out_only_by_an_agreement_with_the_bank() -> None:
    pool, till = make_pool("sportloto-variant"), make_till(1_000)
    (slip,) = sell_slips(pool, till, ("1", 100))
    settle(pool, "1")
    book_due_payables()
    go_to(payable_from(pool))

    def agree(until: date) -> None:
        record_takings_agreement(
            number="B-2", bank="The bank", valid_from=FIRST, valid_until=until, by=keeper(), point=till.point
        )

    record_takings_agreement(
        number="B-0", bank="The bank", valid_from=FIRST, valid_until=clock.today() - timedelta(days=1), by=keeper()
    )
    assert refused(lambda: pay(slip, till)).code == Refusal.NO_AGREEMENT
    agree(clock.today() - timedelta(days=1))
    assert refused(lambda: pay(slip, till)).code == Refusal.NO_AGREEMENT
    assert not Payment.objects.exists()
    agree(LAST)
    assert pay(slip, till).net == 66


def test_c3_a_till_is_closed_for_good_only_without_cash_and_without_a_shift() -> None:
    till = make_till(100)
    terminal = make_terminal(till).terminal
    cashier = till.cashier
    assert cashier is not None
    assert refused(lambda: close_till(till=till, closed_by=keeper())).code == Refusal.WRONG_STATE
    announce_handover(route=Route.POINT_TO_DESK, amount=99, given_by=cashier, till=till)
    end_shift(till)
    refusal = refused(lambda: close_till(till=till, closed_by=keeper()))
    assert (refusal.code, refusal.details) == (Refusal.WRONG_STATE, {"cash": 1})
    till.refresh_from_db()
    assert till.closed_at is None
    begin_shift(till)
    announce_handover(route=Route.POINT_TO_DESK, amount=1, given_by=cashier, till=till)
    end_shift(till)
    closed = close_till(till=till, closed_by=keeper())
    terminal.refresh_from_db()
    assert (closed.enabled, closed.cashier, terminal.enabled) == (False, None, False)
    assert closed.closed_at == terminal.closed_at is not None
    acts = JournalRecord.objects.filter(act__in=("announce_handover", "close_shift", "close_till")).order_by("pk")
    assert [record.act for record in acts][-3:] == ["announce_handover", "close_shift", "close_till"]
    refusal = refused(lambda: switch_till(till=till, on=True, reason="Again.", by=keeper()))
    assert refusal.code == Refusal.WRONG_STATE


def test_a_till_changes_its_cashier_between_two_shifts() -> None:
    till, other, staff = make_till(100), make_till(), keeper()
    successor = make_user(Role.CASHIER)
    assign = partial(assign_cashier, till=till, by=staff)
    assert refused(partial(assign, cashier=successor)).code == Refusal.WRONG_STATE
    end_shift(till)
    assert refused(partial(assign, cashier=other.cashier)).field == "cashier"
    assert refused(partial(assign, cashier=staff)).code == Refusal.NOT_ALLOWED
    assert assign(cashier=successor).cashier == successor
    assert begin_shift(till).cashier == successor
    bet_in_cash(make_pool(), till, "1;1;1", 100)


def test_who_is_not_of_the_staff_registers_nothing() -> None:
    cashier = make_till().cashier
    assert cashier is not None
    player = make_user(Role.CASHIER)
    refusal = refused(lambda: register_point(code="X", name="X", kind=PointKind.OWN, by=player))
    assert refusal.code == Refusal.NOT_ALLOWED
