"""What is told of a correction: reports, events, evidence, notices, the pages of the pool and of the ticket (H5)."""

import json
from datetime import date, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.core import mail
from django.utils import translation

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.models import Role
from payouts import tasks
from payouts.models import NoticeKind, Payable, WinnerNotice
from payouts.queries.reports.pools import POOLS
from payouts.queries.reports.significant import significant_events
from payouts.services.booking import book_payables
from payouts.services.cash import pay_in_cash
from payouts.services.correcting import apply_correction
from payouts.services.crediting import credit_accounts
from payouts.services.evidence_pack import evidence_pack
from payouts.services.paying import stakes_of
from payouts.services.phone_binding import ask_for_code
from pools.models import Correction, Pool
from tests.correcting import make_right, new_term
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller
from tests.making import bet_from_account, make_player, make_pool, make_till, make_user
from tests.noticing import MORNING, PHONE, bind, fake_gateway, last_code
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.reporting import moved, owed_at, report, today
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.models import PendingEvent
from totalizator.engine.deadlines import end_of_legal_day, legal_day, start_of_legal_day

pytestmark = pytest.mark.django_db


def corrected(right: str = "1", wrong: str = "1+X") -> tuple[Pool, Any, Any, Any]:
    """A pool of four, one paid in cash, one bet by a player; corrected in favour of who bet on 1."""
    till, pool, player = make_till(10_000), make_pool("sportloto-variant"), make_player(100)
    slips = sell_slips(pool, till, ("1", 100), ("X", 100), ("X", 100))
    bet_from_account(pool, player, "1", 100)
    settle(pool, wrong)
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    for slip in slips[:2]:
        if Payable.objects.filter(ticket=slip.bet.ticket).exists():
            pay(slip, till)
    make_right(pool, right)
    apply_correction(code=pool.code)
    return pool, slips, till, player


def test_the_reports_of_pools_say_what_the_ledger_says() -> None:
    pool, slips, till, _player = corrected()
    first = legal_day(pool.opens_at)
    assert_reported(pool, first)
    go_to(Correction.objects.get(pool=pool).payable_from)
    credit_accounts(code=pool.code)
    pay(slips[0], till, "rest")
    assert_reported(pool, first)


def assert_reported(pool: Pool, first: date) -> None:
    """The report of pools up to today has what moved in the pool's book; a correction moves what is due up and down."""
    columns = [column.name for column in POOLS.columns]
    row = dict(zip(columns, report("pools", first, today(), pool=pool.code).rows[0], strict=True))
    since, until = start_of_legal_day(first), end_of_legal_day(today())
    book = pool.pk
    won = moved(since, until, TransferKind.WINNINGS, book=book)
    won += moved(since, until, TransferKind.CORRECTION_ADDED, book=book)
    won -= moved(since, until, TransferKind.CORRECTION_TAKEN, book=book)
    assert (row["winnings"], won) == (350, 350)
    assert row["paid"] == moved(since, until, TransferKind.WINNING_PAID, book=book)
    assert row["unpaid"] == owed_at(until, AccountKind.WINNINGS_DUE, book=book)


def test_each_changed_ticket_is_an_alteration_with_its_reason_and_the_event_is_significant() -> None:
    with translation.override("en"):
        pool, slips, _till, _player = corrected()
        since, until = clock.now() - timedelta(minutes=5), clock.now() + timedelta(minutes=5)
        rows = report("alterations", today(), today()).rows
        by_ticket = {str(row[2]): (str(row[1]), row[3], row[4]) for row in rows}
        reason = "Home and away were mixed up."
        corrected_one = "Winning or returned stake changed by a correcting protocol"
        assert by_ticket[slips[0].bet.ticket] == (corrected_one, 70, reason)
        assert by_ticket[slips[1].bet.ticket] == ("Overpaid, as a correcting protocol shows", 70, reason)
        assert by_ticket[slips[2].bet.ticket] == (corrected_one, -70, reason)
        assert len(by_ticket) == 4
        kinds = {event.kind for event in significant_events(since - timedelta(days=2), until)}
        assert {"correct_result", "correct_settlement", "apply_correction"} <= kinds
        assert pool.code


def test_the_evidence_of_a_bet_has_the_correction_beside_the_settlement() -> None:
    pool, slips, _till, _player = corrected()
    packed = ZipFile(BytesIO(evidence_pack(bet=slips[0].bet, asked_by=make_user(Role.ORGANIZER))))
    correction = Correction.objects.get(pool=pool)
    assert packed.read("corrected/correction.json").decode() == correction.correction_text
    assert packed.read("corrected/manifest.json").decode() == correction.manifest_text
    done = json.loads(packed.read("corrected/this_ticket.json"))
    assert done == {
        "ticket": slips[0].bet.ticket,
        "corrected": [{"kind": "winning", "before": 70, "after": 140, "outcome": "made_good", "moved": 70}],
    }
    assert json.loads(packed.read("statement.json"))["winnings"] == 280


def test_k6_players_whose_tickets_are_changed_are_told_once_by_day() -> None:
    pool, _slips, _till, player = corrected()
    go_to(new_term(pool)[0] + timedelta(hours=1))
    tasks.tell_winners()
    assert not WinnerNotice.objects.filter(kind=NoticeKind.CORRECTED).exists()
    go_to(new_term(pool)[0] + MORNING)
    for _time in range(2):
        tasks.tell_winners()
    notice = WinnerNotice.objects.get(kind=NoticeKind.CORRECTED)
    assert (notice.player, notice.pool, notice.amount) == (player, pool, 140)
    tasks.send_notice_letters()
    assert any(pool.code in str(letter.body) and "1,40" in str(letter.body) for letter in mail.outbox)
    assert "was corrected" in text_of(visitor(player).get("/my/notices/"))


def test_the_pages_show_the_correction_and_the_jackpots_event_names_the_pool() -> None:
    pool, _slips, _till, player = corrected()
    page = text_of(visitor().get(f"/pools/{pool.code}/money/"))
    assert "Winnings, corrected" in page
    assert "It adds up to the kopeck" in page
    ticket = Payable.objects.get(pool=pool, pay_to__isnull=False).ticket
    mine = text_of(visitor(player).get(f"/my/bets/{ticket}/"))
    assert "was corrected after it was settled" in mine
    assert "1.40" in mine
    lost, *_rest = corrected(right="2", wrong="1")
    told = PendingEvent.objects.filter(kind="jackpot.moved", payload__cause="jackpot_corrected").get()
    assert (told.payload["pool"], told.payload["amount"]) == (lost.code, 280)
    answer = Caller().get(f"pools/{lost.code}/certificate").json()
    figures = {figure["name"]: (figure["ledger"], figure["stated"]) for figure in answer["figures"]}
    assert figures["corrected_jackpot"] == ("2.80", "2.80")


def test_what_is_free_of_tax_in_a_stake_is_free_once() -> None:
    pool, slips, _till, _player = corrected()
    made_good = Payable.objects.get(pool=pool, kind="correction")
    amended = Payable.objects.get(pool=pool, pay_to__isnull=False)
    stakes = stakes_of(pool, [made_good, amended])
    assert stakes == {slips[0].bet.ticket: 100 - 70, amended.ticket: 100}


def test_a_ticket_that_is_bound_to_a_phone_is_paid_the_rest_with_a_new_code(settings: Any) -> None:

    with fake_gateway(settings):
        till, pool = make_till(10_000), make_pool("sportloto-variant")
        slip, _other = sell_slips(pool, till, ("1", 100), ("X", 100))
        bind(slip, tell=False)
        settle(pool, "1+X")
        book_payables(code=pool.code)
        go_to(payable_from(pool))
        assert till.cashier is not None
        for right, gross in (("", 70), ("1", 70)):
            if right:
                make_right(pool, right)
                apply_correction(code=pool.code)
                go_to(Correction.objects.get(pool=pool).payable_from)
            ask_for_code(ticket=slip.bet.ticket, phone=PHONE)
            payment = pay_in_cash(
                ticket=slip.bet.ticket,
                check_code=slip.check_code,
                cashier=till.cashier,
                idempotency_key=f"k{right}",
                phone_code=last_code(),
            )
            assert payment.gross == gross
        receipt = visitor(till.cashier).post(f"/till/receipts/{slip.bet.ticket}/")
        assert (receipt.status_code, receipt["Content-Type"]) == (200, "application/pdf")
