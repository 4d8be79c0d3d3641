"""The organizer's dashboard: each thing that waits appears, leads to its page, and goes when it is dealt with."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest

from accounts.models import CaseKind, DocumentKind, Mismatch, Role, UnmatchedItem, User
from accounts.queries.operations import Operation
from accounts.services.bank_terms import record_cash_limit
from accounts.services.cases import close_case, raise_case, review_case
from accounts.services.payment_files import export_payment_orders
from accounts.services.unmatched import close_unmatched, note_unmatched
from accounts.services.withdrawals import approve_withdrawal
from payouts.queries.disputes import answer_due, answers_due
from payouts.services.disputes import answer, consider, dispute_by_letter
from payouts.services.jackpot import add_to_jackpot
from payouts.services.result_claims import answer_result_claim, file_result_claim
from payouts.services.significant_events import acknowledge_event
from payouts.views.waiting_sources import SOURCES
from pools.models import Correction, Pool, Settlement
from pools.services import confirming
from pools.services.correcting_settlement import correct_settlement
from pools.services.failures import report_failure
from pools.services.settling import settle_pool
from pools.services.telling_bets import number_what_happened
from pools.snapshots.bundle import computed_files
from tests.approving import APPROVALS
from tests.banking import own_account
from tests.claiming import won
from tests.correcting import enter_correction, sign_correction
from tests.desks import LAST, file_paper
from tests.fakes.provider import FakeProvider, running, settings_of
from tests.functional.browsing import text_of, visitor
from tests.making import make_organizers, make_player, make_pool, make_till, make_user
from tests.paying import go_to
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
OF_APPROVALS = {
    "accounts.services.bank_doubts.approve_doubt": "bank-doubts",
    "accounts.services.blocking.block_account": "blocks",
    "accounts.services.blocking.unblock_account": "blocks",
    "accounts.services.card_batches.approve_card_batch": "card-batches",
    "accounts.services.dated_numbers.approve_number": "numbers",
    "accounts.services.deposit_returns.approve_return by document": "held-deposits",
    "accounts.services.register_shrinkage.approve_shrunken": "shrunken-registers",
    "accounts.services.release_changes.approve_change": "releases",
    "accounts.services.roles.approve_role": "roles",
    "accounts.services.withdrawals.approve_withdrawal": "withdrawals",
    "payouts.services.bet_cancelling.approve_bet_cancellation": "bet-cancellations",
    "payouts.services.bet_cancelling.approve_bet_cancellation after settlement": "bet-cancellations",
    "payouts.services.large_payments.approve_large_payment": "large-payments",
    "payouts.services.overpaid.approve_overpaid": "overpaid",
    "payouts.services.refund_lapses.approve_refund_lapse": "refunds",
    "payouts.services.ticket_claims.approve_decision": "ticket-claims",
    "pools.services.drafting.announce_pool": "drafts",
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


def test_a6_a_draft_waits_to_be_announced_before_its_bets_open_and_its_line_leads_to_drafts_alone() -> None:
    made, staff = APPROVALS["pools.services.drafting.announce_pool"](None), make_user(Role.ORGANIZER)  # type: ignore[arg-type]
    draft = Pool.objects.get()
    (item,) = [item for item in visitor(staff).get("/desk/").context["waiting"] if "pools" in item.address]
    assert (item.address, item.is_late) == ("/desk/pools/?state=draft", False)
    assert (item.waiting.count, item.waiting.oldest, item.waiting.due) == (1, draft.prepared_at, draft.opens_at)
    assert draft.code in text_of(visitor(staff).get(item.address))
    (line,) = visitor(staff).get("/desk/waiting/drafts/").context["lines"]
    assert (line.about.startswith(f"{draft.code}: "), line.due) == (True, draft.opens_at)
    go_to(draft.opens_at)  # nobody announced it in time
    assert [item.is_late for item in visitor(staff).get("/desk/").context["waiting"] if "pools" in item.address] == [
        True
    ]
    with pytest.raises(DomainError):
        made.approve(staff)


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
    for name, parts in computed_files(pool, computed):
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
