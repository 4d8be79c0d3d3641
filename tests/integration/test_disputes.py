"""Disputes: received, considered, answered; money is frozen meanwhile; the pack proves itself (¶33, ¶45, M1, M2)."""

import io
import subprocess
import sys
import zipfile
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.core.files.storage import storages

from accounts.models import Role
from payouts.models import Dispute, DisputeStep, Payable
from payouts.queries.disputes import answer_due
from payouts.queries.endings import has_open_bets
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.disputes import (
    answer,
    compare_ticket,
    consider,
    dispute_at_desk,
    dispute_by_letter,
    dispute_own_bet,
    flag_overdue_disputes,
)
from payouts.services.evidence_pack import evidence_pack
from payouts.services.expiring import expire_winnings
from payouts.services.result_claims import answer_result_claim, claims_end, file_result_claim, read_claim_document
from pools.snapshots.result import sealed_protocol
from tests.claiming import won
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool, make_till, make_user
from tests.paying import broken, go_to, money_of, pay, payable_from, payable_until
from tests.refusals import refused
from tests.settling import ROOT, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
PDF = b"%PDF-1.7 the federation's decision"


def test_m1_a_players_dispute_freezes_the_credit_and_the_accounts_end_until_another_person_answers() -> None:
    player, pool = make_player(100), make_pool("sportloto-variant")
    bet = bet_from_account(pool, player, "1", 100).bet
    settle(pool, "1")
    book_payables(code=pool.code)
    stranger = partial(dispute_own_bet, ticket=bet.ticket, story="Mine", opened_by=make_player())
    assert refused(stranger).code == Refusal.NOT_FOUND
    dispute = dispute_own_bet(ticket=bet.ticket, story="I bet on X.", opened_by=player)
    again = partial(dispute_own_bet, ticket=bet.ticket, story="Again", opened_by=player)
    assert refused(again).code == Refusal.WRONG_STATE
    go_to(payable_from(pool))
    assert (credit_accounts(code=pool.code), money_of(player)) == (0, 0)
    assert has_open_bets(account_of(player))
    one, other = make_organizers()
    early = partial(answer, dispute=dispute, upheld=True, words="Yes", answered_by=one)
    assert refused(early).code == Refusal.WRONG_STATE
    assert refused(partial(consider, dispute=dispute, words="Look", considered_by=player)).code == Refusal.NOT_ALLOWED
    consider(dispute=dispute, words="The log is read.", considered_by=one)
    assert refused(early).code == Refusal.SAME_PERSON
    answered = answer(dispute=dispute, upheld=False, words="The receipt says 1.", answered_by=other)
    assert answered.state == "rejected"
    steps = DisputeStep.objects.order_by("taken_at").values_list("state", "taken_by_id")
    assert list(steps) == [("received", player.pk), ("considered", one.pk), ("rejected", other.pk)]
    assert (credit_accounts(code=pool.code), money_of(player)) == (1, 66)
    assert not has_open_bets(account_of(player))
    assert broken() == []


def test_m1_a_desks_dispute_freezes_cash_and_expiry_and_overdue_is_flagged_once() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    assert till.cashier is not None
    take = partial(dispute_at_desk, ticket=slip.bet.ticket, story="Too little", opened_by=till.cashier)
    assert refused(partial(take, check_code="000000")).code == Refusal.WRONG_CODE
    dispute = take(check_code=slip.check_code)
    go_to(payable_from(pool))
    assert refused(partial(pay, slip, till)).code == Refusal.TICKET_HELD
    go_to(payable_until(pool))
    assert expire_winnings(code=pool.code) == 1  # the other winner's
    assert Payable.objects.get(ticket=slip.bet.ticket).state == "due"
    due = answer_due(dispute)
    assert due == payable_until(pool) + timedelta(days=30)
    go_to(due - timedelta(seconds=30))
    assert flag_overdue_disputes() == []
    clock.move_clock(timedelta(minutes=1))
    assert (flag_overdue_disputes(), flag_overdue_disputes()) == ([dispute], [])
    assert JournalRecord.objects.filter(act="dispute_overdue").count() == 1
    assert broken() == []


def test_m2_a_ticket_that_shows_something_else_is_a_case_and_is_not_paid() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    assert till.cashier is not None
    same = partial(compare_ticket, ticket=slip.bet.ticket, check_code=slip.check_code, compared_by=till.cashier)
    assert same(selections="1", stake=100) is None
    assert Dispute.objects.count() == 0
    case = same(selections="X", stake=100)
    assert case is not None
    assert (case.kind, case.shown["registered"]) == ("discrepancy", {"selections": "1", "stake": 100})
    assert same(selections="2", stake=100) == case
    go_to(payable_from(pool))
    assert refused(partial(pay, slip, till)).code == Refusal.TICKET_HELD


def test_m1_a_stranger_checks_the_evidence_pack_with_the_engine_alone(tmp_path: Path) -> None:
    till = make_till(1_000)
    _pool, slip = won(till)
    one, _other = make_organizers()
    dispute_by_letter(ticket=slip.bet.ticket, story="A letter", opened_by=one)
    assert refused(partial(evidence_pack, bet=slip.bet, asked_by=make_player())).code == Refusal.NOT_ALLOWED
    with zipfile.ZipFile(io.BytesIO(evidence_pack(bet=slip.bet, asked_by=one))) as pack:
        pack.extractall(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"receipt.json", "keys.json", "ticket.pdf", "journal.json", "result.json", "statement.json"} <= names
    assert (tmp_path / "ticket.pdf").read_bytes().startswith(b"%PDF-")
    assert "open_dispute" in (tmp_path / "journal.json").read_text()
    command = [sys.executable, "-m", "totalizator.engine", "verify-receipt", str(tmp_path / "receipt.json")]
    keys = ["--keys", str(tmp_path / "keys.json")]
    run = partial(subprocess.run, cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True, check=False, timeout=60)
    assert run([*command, *keys]).returncode == 0
    text = (tmp_path / "receipt.json").read_text()
    (tmp_path / "receipt.json").write_text(text.replace(",1,", ",X,", 1))
    assert run([*command, *keys]).returncode != 0


def test_p33_a_claim_against_a_result_needs_a_document_and_comes_within_ten_days() -> None:
    pool = make_pool("sportloto-variant")
    one, other = make_organizers()
    act = partial(
        file_result_claim, code=pool.code, claimant="A club", story="It was X", issuer="The federation", filed_by=one
    )
    assert refused(partial(act, content=PDF)).code == Refusal.WRONG_STATE
    bet_from_account(pool, make_player(100), "1", 100)
    settle(pool, "1")
    assert refused(partial(act, content=b"")).code == Refusal.BAD_VALUE
    assert refused(partial(act, content=b"just words")).code == Refusal.BAD_VALUE
    assert refused(partial(act, content=PDF, filed_by=make_user(Role.CASHIER))).code == Refusal.NOT_ALLOWED
    claim = act(content=PDF)
    assert (claim.state, read_claim_document(claim, actor="test"), claim.size) == ("filed", PDF, len(PDF))
    answering = partial(answer_result_claim, claim=claim, upheld=False, words="The protocol stands.")
    assert refused(partial(answering, answered_by=one)).code == Refusal.SAME_PERSON
    answering(answered_by=other)
    assert claim.state == "rejected"
    assert refused(partial(answering, answered_by=other)).code == Refusal.WRONG_STATE
    protocol = sealed_protocol(pool)
    assert protocol is not None
    assert protocol.sealed_at is not None
    go_to(claims_end(protocol.sealed_at) - timedelta(seconds=30))
    assert act(content=PDF).pk > claim.pk
    clock.move_clock(timedelta(minutes=1))
    late = refused(partial(act, content=PDF))
    assert (late.code, "¶33" in str(late.message)) == (Refusal.TERM_EXPIRED, True)
    storages["private"].delete(str(claim.file.name))
