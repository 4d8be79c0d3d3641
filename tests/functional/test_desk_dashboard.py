"""The organizer's dashboard: each thing that waits appears, leads to its page, and goes when it is dealt with."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Any

import pytest
from django.db import connection

from accounts.models import CaseKind, DocumentKind, Mismatch, Role, UnmatchedItem, User
from accounts.queries.operations import Operation
from accounts.services.bank_terms import record_cash_limit
from accounts.services.cases import close_case, raise_case, review_case
from accounts.services.payment_files import export_payment_orders
from accounts.services.unmatched import close_unmatched, note_unmatched
from accounts.services.withdrawals import approve_withdrawal
from payouts.queries.disputes import answer_due, answers_due
from payouts.queries.refund_terms import limitation_end, refund_deadline
from payouts.queries.today import money_of_day
from payouts.queries.waiting.of_refunds import late_refunds
from payouts.queries.waiting.of_the_system import unseen_events
from payouts.services.disputes import answer, consider, dispute_by_letter
from payouts.services.jackpot import add_to_jackpot
from payouts.services.result_claims import answer_result_claim, file_result_claim
from payouts.services.significant_events import acknowledge_event
from payouts.tasks import book_due_payables
from payouts.views.waiting_sources import SOURCES
from pools.models import Channel, Correction, Pool, PoolState, Settlement
from pools.services import confirming
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.correcting_settlement import correct_settlement
from pools.services.failures import report_failure
from pools.services.settling import settle_pool
from pools.services.telling_bets import number_what_happened
from tests.approving import APPROVALS
from tests.banking import own_account
from tests.cancelled_pools import cancel
from tests.carding import bought
from tests.claiming import won
from tests.correcting import enter_correction, sign_correction
from tests.desks import LAST, file_paper
from tests.fakes.provider import FakeProvider, running, settings_of
from tests.functional.browsing import text_of, visitor
from tests.making import bet_in_cash, make_organizers, make_player, make_pool, make_till, make_user
from tests.paying import go_to
from tests.reporting import random_days, report, today
from tests.resulting import close_by_clock, seal
from tests.settling import sell, settle
from tests.topping_up import ask_back, named_bank
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind

pytestmark = pytest.mark.django_db
MOST_QUERIES = 25
RIGHT = confirming.computed_files
OF_APPROVALS = {
    "accounts.services.bank_doubts.approve_doubt": "bank-doubts",
    "accounts.services.dated_numbers.approve_number": "numbers",
    "accounts.services.deposit_returns.approve_return by document": "held-deposits",
    "accounts.services.release_changes.approve_change": "releases",
    "accounts.services.roles.approve_role": "roles",
    "accounts.services.withdrawals.approve_withdrawal": "withdrawals",
    "payouts.services.bet_cancelling.approve_bet_cancellation": "bet-cancellations",
    "payouts.services.bet_cancelling.approve_bet_cancellation after settlement": "bet-cancellations",
    "payouts.services.large_payments.approve_large_payment": "large-payments",
    "payouts.services.overpaid.approve_overpaid": "overpaid",
    "payouts.services.refund_lapses.approve_refund_lapse": "refunds",
    "payouts.services.ticket_claims.approve_decision": "ticket-claims",
    "pools.services.receipt_decisions.approve_decision": "transfers",
}
"""Sources that empty when another person approves."""


@pytest.fixture
def provider(settings: Any) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)
        yield fake


def told(answer: Any) -> dict[str, int]:
    """How many of what the page says wait, by the title in English."""
    return {str(item.title): item.waiting.count for item in answer.context["waiting"]}


def waiting() -> dict[str, int]:
    """The same, by the source's name; each that the page tells of has its lines at its own address."""
    staff = User.objects.filter(username="watcher").first() or make_user(Role.ORGANIZER, "watcher")
    counts = told(visitor(staff).get("/desk/"))
    names = {str(source.title): source.name for source in SOURCES}
    found = {names[title]: count for title, count in counts.items()}
    for name, count in found.items():
        assert len(visitor(staff).get(f"/desk/waiting/{name}/").context["lines"]) == count, name
    return found


def appears_and_goes(name: str, deal_with: Callable[[], object], count: int = 1) -> None:
    assert waiting().get(name) == count
    deal_with()
    assert name not in waiting()


@pytest.mark.parametrize("approval", OF_APPROVALS)
def test_what_waits_for_another_person_goes_when_it_is_approved(approval: str, provider: FakeProvider) -> None:
    assert OF_APPROVALS[approval] not in waiting()
    made = APPROVALS[approval](provider)
    appears_and_goes(OF_APPROVALS[approval], lambda: made.approve(make_user(Role.ORGANIZER)))


def test_each_source_is_tried() -> None:
    here = {"settlements", "corrections", "failed-jobs", "events", "outbox", "disputes", "result-claims"}
    here |= {"payment-orders", "payments", "aml", "documents", "cash", "jackpots"}
    assert {source.name for source in SOURCES} == here | set(OF_APPROVALS.values())
    assert len({str(source.title) for source in SOURCES}) == len(SOURCES)


def test_p45_a_dispute_waits_until_it_is_answered_with_the_days_that_are_left() -> None:
    (one, other), (_pool, slip) = make_organizers(), won(make_till(1_000))
    dispute = dispute_by_letter(ticket=slip.bet.ticket, story="I had X.", opened_by=one)
    untimely = dispute_by_letter(ticket=sell(make_pool(), ("1;1;1", 100))[0], story="Why?", opened_by=one)
    due = answer_due(dispute)
    assert due is not None
    assert answers_due() == {dispute.pk: due, untimely.pk: None}
    page = visitor(one).get("/desk/")
    (item,) = [item for item in page.context["waiting"] if item.address == "/desk/disputes/"]
    assert (item.waiting.count, item.waiting.oldest, item.waiting.due) == (2, dispute.opened_at, due)
    assert (item.is_late, "overdue" in text_of(page)) == (False, False)
    go_to(due)
    assert "overdue" in text_of(visitor(one).get("/desk/"))
    for case in (dispute, untimely):
        consider(dispute=case, words="The tape", considered_by=one)
        assert waiting()["disputes"] == (2 if case == dispute else 1)
        answer(dispute=case, upheld=False, words="No", answered_by=other)
    assert "disputes" not in waiting()


def test_p33_a_claim_against_a_result() -> None:
    (one, other), pool = make_organizers(), make_pool("sportloto-variant")
    sell(pool, ("1", 100))
    settle(pool, "1")
    told = {"claimant": "A club", "story": "It was X", "issuer": "The federation", "content": b"%PDF-1.7 a decision"}
    claim = file_result_claim(code=pool.code, **told, filed_by=one)  # type: ignore[arg-type]
    appears_and_goes(
        "result-claims", lambda: answer_result_claim(claim=claim, upheld=False, words="It stands", answered_by=other)
    )


def test_a_payment_order_waits_for_its_file() -> None:
    player, staff = make_player(500_000), make_user(Role.ORGANIZER)
    withdrawal = ask_back(player, 400_000, named_bank(player))
    assert "payment-orders" not in waiting()
    approve_withdrawal(withdrawal=withdrawal, approved_by=staff)
    account = own_account()
    appears_and_goes("payment-orders", lambda: export_payment_orders(account=account, made_by=staff))


def test_f1_a_payment_that_does_not_agree() -> None:
    note_unmatched(provider="fake", reference="X-1", mismatch=Mismatch.STATE, ours="a", theirs="b", at=clock.now())
    item = UnmatchedItem.objects.get()
    appears_and_goes(
        "payments", lambda: close_unmatched(item=item, decision="Letter 9", closed_by=make_user(Role.ORGANIZER))
    )


def test_q1_a_case_of_suspicion_waits_for_both_people() -> None:
    one, other = make_organizers()
    operations = [Operation("stake:T-1", clock.now(), 99_000)]
    case = raise_case(kind=CaseKind.CASH_SPLIT, subject="point:P1", operations=operations, rule={}, actor="test")
    assert waiting()["aml"] == 1
    review_case(case=case, opinion="A wedding", reviewed_by=one)
    appears_and_goes("aml", lambda: close_case(case=case, decision="So it is", decided_by=other))


def test_c28_a_failed_job_and_n4_an_event_wait_until_somebody_has_seen_to_them() -> None:
    staff = make_user(Role.ORGANIZER)
    others = waiting()["events"]  # that log-ins of staff were made
    report_failure(act="book_payables", subject="pool:T-1", fault=ValueError("no"), actor="task:book_payables")
    write_journal(at=clock.now(), actor="test", act="pause_sales", subject="incident:1")
    write_journal(at=clock.now(), actor="test", act="open_pool", subject="pool:T-1")  # of no significance
    found = waiting()
    assert (found["failed-jobs"], found["events"]) == (1, others + 1)
    for act, name, after in (("book_payables_failed", "failed-jobs", None), ("pause_sales", "events", others)):
        key = f"journal:{JournalRecord.objects.get(act=act).pk}"
        acknowledge_event(key=key, words="Put right", acknowledged_by=staff)
        assert waiting().get(name) == after


def test_u1_events_that_do_not_go_out() -> None:
    at = clock.now()
    tell(EventKind.SALES_PAUSED, "incident:1", {}, at=at)
    assert "outbox" not in waiting()
    clock.move_clock(timedelta(minutes=11))
    appears_and_goes("outbox", number_what_happened)


def one_kopeck_more(pool: Pool, computed: Settlement | Correction) -> Iterator[tuple[str, list[bytes]]]:
    """What the database computed, had it computed a winning of 141 in place of 140."""
    for name, parts in RIGHT(pool, computed):
        content = b"".join(parts)
        yield name, [content.replace(b",140\n", b",141\n") if name == "winnings.csv" else content]


def differing(act: Callable[[], object]) -> None:
    """Do what compares two computations while one of them is wrong."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confirming, "computed_files", one_kopeck_more)
        with pytest.raises(DomainError) as caught:
            act()
    assert caught.value.code == Refusal.SETTLEMENT_DIFFERS


def test_i9_a_settlement_whose_computations_differ() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    close_by_clock(pool)
    seal(pool, "1")
    act = partial(settle_pool, code=pool.code, actor="test")
    differing(act)
    appears_and_goes("settlements", act)


def test_h5_a_correction_whose_computations_differ() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    enter_correction(pool, "2")
    sign_correction(pool)
    act = partial(correct_settlement, code=pool.code, actor="test")
    differing(act)
    appears_and_goes("corrections", act)


def test_p9_4_a_paper_that_ends_or_is_missing() -> None:
    till = make_till()
    soon = clock.today() + timedelta(days=10)
    assert "documents" not in waiting()
    file_paper(till.point, DocumentKind.LICENCE, valid_until=soon)
    page = visitor(make_user(Role.ORGANIZER)).get("/desk/waiting/documents/")
    assert f"point:{till.point.code}, document:licence" in text_of(page)
    appears_and_goes("documents", lambda: file_paper(till.point, DocumentKind.LICENCE, valid_until=LAST))


def test_p9_6_cash_near_its_limit() -> None:
    till, staff = make_till(7_999), make_user(Role.ORGANIZER)
    limit = partial(record_cash_limit, point=till.point, valid_from=clock.today(), document="L-1", by=staff)
    limit(amount=10_000)
    assert "cash" not in waiting()
    limit(amount=9_998)
    page = visitor(staff).get("/desk/waiting/cash/")
    assert f"{till.point.code}: BYN 79.99 of BYN 99.98" in text_of(page)
    appears_and_goes("cash", lambda: limit(amount=None))


def test_p16_a_jackpot_is_to_be_drawn_from_october_to_the_end_of_the_year() -> None:
    year = clock.today().year + 1
    add_to_jackpot(game="totolot", amount=5_000, document="Order 1", actor=make_user(Role.ORGANIZER))
    for day, count in ((date(year, 9, 30), None), (date(year, 10, 1), 1), (date(year, 12, 31), 1)):
        clock.move_clock(timedelta(days=(day - clock.today()).days))
        assert waiting().get("jackpots") == count, day
    clock.move_clock(timedelta(days=1))
    assert "jackpots" not in waiting()


def test_l1_returned_stakes_are_overdue_as_the_terms_say() -> None:
    (one, other), pool = make_organizers(), make_pool("sportloto-variant")
    bet_in_cash(pool, make_till(), "1", 100)
    propose_cancellation(code=pool.code, reason="Rain", document="17", proposed_by=one)
    cancelled_at = approve_cancellation(code=pool.code, approved_by=other).cancelled_at
    book_due_payables()
    overdue, decidable = refund_deadline(cancelled_at), limitation_end(cancelled_at)
    instants = ((overdue - timedelta(seconds=1), []), (overdue, [False]), (decidable, [True]))
    for now, expected in (*instants, (decidable - timedelta(seconds=1), [False])):
        lines = late_refunds(now)
        assert [("decision of two" in line.about) for line in lines] == expected, now
        assert all(line.due == overdue for line in lines)


def test_n1_todays_money_is_what_the_report_of_sales_says() -> None:
    till = make_till(1_000_000)
    players = [make_player(100_000) for _ in range(2)]
    (card,) = bought(till)
    first = today()
    random_days(Random(7), [till], players, card, pools=2)
    seen: set[str] = set()
    day = first
    while day <= today():
        sales = report("sales", day, day)
        by_channel: dict[str, list[int]] = {}
        for row in sales.rows:
            figures = dict(zip([column.name for column in sales.kind.columns], row, strict=True))
            sums = by_channel.setdefault(str(figures["channel"]), [0, 0, 0, 0])
            for place, name in enumerate(("bets", "sales", "paid", "returned")):
                sums[place] += int(figures[name])
        expected = {channel: sums for channel, sums in by_channel.items() if any(sums)}
        ours = {str(row.channel.label): [row.bets, row.sold, row.paid, row.returned] for row in money_of_day(day)}
        assert ours == expected, day
        seen |= ours.keys()
        day += timedelta(days=1)
    assert len(seen) > 1


def test_the_page_shows_the_days_money_and_leads_to_the_pools_of_each_state() -> None:
    pool, till = make_pool(), make_till()
    bet_in_cash(pool, till, "1;X;2", 100)
    bet_in_cash(pool, till, "1;X;1", 100)
    number_what_happened()
    staff = make_user(Role.ORGANIZER)
    for event in unseen_events(clock.now() + timedelta(seconds=1)):
        acknowledge_event(key=event.key, words="So it is", acknowledged_by=staff)
    page = visitor(staff).get("/desk/")
    text = text_of(page)
    assert "BYN 2.00 sold, 2 bets BYN 0.00 winnings paid BYN 0.00 stakes returned" in text
    assert f"{Channel.CASH.label} 2 BYN 2.00 BYN 0.00 BYN 0.00" in text
    pool.refresh_from_db()
    assert f'<strong>1</strong><a href="/desk/pools/?state={pool.state}">' in page.content.decode()
    assert pool.state in (PoolState.OPEN, PoolState.ANNOUNCED)
    assert "Nothing waits for you." in text


def test_the_page_asks_few_questions_and_none_that_reads_all_of_a_large_table(
    provider: FakeProvider, django_assert_max_num_queries: Any
) -> None:
    for approval in ("payouts.services.ticket_claims.approve_decision", "accounts.services.roles.approve_role"):
        APPROVALS[approval](provider)
    add_to_jackpot(game="totolot", amount=5_000, document="Order 1", actor=make_user(Role.ORGANIZER))
    clock.move_clock(timedelta(days=(date(clock.today().year + 1, 11, 1) - clock.today()).days))
    staff = visitor(make_user(Role.ORGANIZER))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert staff.get("/desk/").status_code == 200  # what a process keeps for ten seconds is read
    with django_assert_max_num_queries(MOST_QUERIES) as asked:
        assert staff.get("/desk/").status_code == 200
    large = ("pools_bet", "payouts_payable", "payouts_payment", "core_journalrecord", "accounts_withdrawal")
    large += ("accounts_paymentorder", "accounts_receipt", "accounts_bankline", "core_outboxevent", "payouts_dispute")
    read_whole = set()
    for query in asked.captured_queries:
        if query["sql"].startswith(("SELECT", "(SELECT", "\nSELECT", "\nWITH")):
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN " + query["sql"])
                plan = "\n".join(line for (line,) in cursor.fetchall())
            read_whole |= {table for table in large if f"Seq Scan on {table} " in plan}
    assert read_whole == set()


def test_what_is_no_source_is_not_there_and_nobody_else_gets_in() -> None:
    assert visitor(make_user(Role.ORGANIZER)).get("/desk/waiting/chess/").status_code == 404
    for role in (Role.CASHIER, Role.COMMISSION, Role.PLAYER, Role.REGULATOR):
        assert visitor(make_user(role)).get("/desk/").status_code == 403
        assert visitor(make_user(role)).get("/desk/waiting/aml/").status_code == 403


@pytest.mark.parametrize("language", ["ru", "be", "en"])
def test_every_source_is_listed_in_each_language(language: str) -> None:
    cancel(make_pool())
    staff = visitor(make_user(Role.ORGANIZER), language)
    assert staff.get("/desk/").status_code == 200
    for source in SOURCES:
        assert staff.get(f"/desk/waiting/{source.name}/").status_code == 200, source.name
