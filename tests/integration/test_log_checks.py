"""The public log against itself, what was published, and heads known elsewhere; nothing is signed over a broken one."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from payouts.queries.reports.significant import significant_events
from payouts.services.bet_cancelling import approve_bet_cancellation, propose_bet_cancellation
from payouts.services.insider_wins import publish_insider_wins
from payouts.services.log_checks import check_and_note, check_log, known_head
from payouts.tasks import check_log_nightly
from pools.models import Commitment, LogEntry, LogHead, LogNode, LogStamp, Pool
from pools.queries.log_rebuilt import KnownHead
from pools.services.journal_heads import publish_journal_head
from pools.services.log_heads import noted_heads
from pools.services.public_log import append_to_log
from tests.correcting import correct
from tests.making import bet_in_cash, make_organizers, make_pool, make_till
from tests.refusals import refused
from tests.settling import sell, settle
from tests.tampering import cut_log, tamper
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def append(count: int = 1) -> None:
    for number in range(count):
        append_to_log(kind="journal", subject=f"journal:{number}", document=b"%d" % number, at=clock.now())


def settled() -> Pool:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("X", 100))
    settle(pool, "1")
    return pool


def root(size: int) -> str:
    return LogHead.objects.get(size=size).root


def written() -> tuple[int, int, int]:
    return LogEntry.objects.count(), LogHead.objects.count(), LogNode.objects.count()


def noted() -> list[tuple[int, str]]:
    return [(size, root) for _number, size, root in noted_heads()]


def refused_to_append() -> str:
    before = written()
    refusal = refused(append)
    assert (refusal.code, written()) == (Refusal.LOG_BROKEN, before)
    return str(refusal.message).partition(": ")[2]


def test_a4_a_log_of_documents_of_every_kind_is_whole_and_its_head_is_noted() -> None:
    till, pool = make_till(10_000), make_pool("sportloto-variant")
    ticket = bet_in_cash(pool, till, "1", 100).bet.ticket
    bet_in_cash(pool, till, "X", 100)
    one, other = make_organizers()
    proposal = propose_bet_cancellation(ticket=ticket, reason="Breach", document="Act 1", proposed_by=one)
    approve_bet_cancellation(proposal=proposal, approved_by=other)
    settle(pool, "X")
    correct(pool, "1")
    publish_journal_head()
    year = clock.today().year
    clock.move_clock(timedelta(days=400))
    publish_insider_wins(year, actor="test")
    kinds = list(LogEntry.objects.order_by("index").values_list("kind", flat=True))
    assert sorted(set(kinds)) == [
        "amendment", "commitment", "correction", "journal", "protocol", "report", "settlement",
    ]  # fmt: skip
    size = len(kinds)
    assert check_log().broken == ()
    known_before = noted()
    assert [known for known, _root in known_before] == [2, kinds.index("journal") + 1]  # sealed, the journal's head
    check_log_nightly()
    assert noted() == [*known_before, (size, root(size))]
    record = JournalRecord.objects.get(act="check_log")
    assert (record.actor, record.after) == ("task:check_log_nightly", {"lines": size, "broken": []})
    now = clock.now()
    events = significant_events(now - timedelta(hours=1), now + timedelta(hours=1))
    assert [event.kind for event in events if "log" in event.kind] == []


def test_a4_an_empty_log_is_whole_and_nothing_is_noted() -> None:
    assert check_and_note(actor="test").newest is None
    assert noted() == []


def test_a4_the_cut_off_tail_is_named_flagged_and_never_signed_over() -> None:
    pool = settled()
    publish_journal_head()
    size = LogHead.objects.latest("size").size
    assert size == 4
    cut_log(2)
    checked = check_and_note(actor="test")
    row = JournalRecord.objects.filter(act="note_log_head").latest("pk").pk
    lost = f"row {row} of the journal: a head of 4 lines, the log has 2: lines are missing"
    no_line = f"settlement {pool.code}, version 1: no line"
    assert checked.broken == (lost, no_line)
    assert JournalRecord.objects.get(act="check_log").after == {"lines": 2, "broken": [lost, no_line]}
    now = clock.now()
    events = significant_events(now - timedelta(hours=1), now + timedelta(hours=1))
    assert [event.kind for event in events if event.subject == "public_log"] == ["check_log"]
    assert [known for known, _root in noted()] == [1, 4]  # a broken log's head is not noted
    assert refused_to_append() == "the journal knows a head of 4 lines, here are 2."


def test_a4_no_pool_is_sealed_over_a_cut_log() -> None:
    pool = settled()
    publish_journal_head()
    cut_log(3)
    other = make_pool("sportloto-variant")
    sell(other, ("1", 100))
    with pytest.raises(DomainError) as caught:
        settle(other, "1")
    assert caught.value.code == Refusal.LOG_BROKEN
    assert not LogEntry.objects.filter(subject=other.code).exists()
    assert not Commitment.objects.filter(pool=other).exists()  # the bets stay unsealed, the money where it is
    assert check_log().broken[-1].endswith("a head of 4 lines, the log has 3: lines are missing")
    assert LogEntry.objects.filter(subject=pool.code).count() == 3


CHANGED = {
    "UPDATE pools_logentry SET line = replace(line, 'journal:4', 'journal:5') WHERE index = 4": (
        "line 5: its columns say otherwise",
        "line 5 is not the one that was hashed.",
    ),
    "UPDATE pools_logentry SET version = 2 WHERE index = 1": ("line 2: its columns say otherwise", None),
    "DELETE FROM pools_logentry WHERE index = 1": ("line 2 is missing", None),
    "DELETE FROM pools_logentry WHERE index = 4": (
        "a head of 5 lines, the log has 4: lines are missing",
        "the newest line is number 4, the newest head is of 5 lines.",
    ),
    "DELETE FROM pools_loghead WHERE size = 5": (
        "the head of 5 lines is missing",
        "the newest line is number 5, the newest head is of 4 lines.",
    ),
    "UPDATE pools_loghead SET root = repeat('0', 64) WHERE size = 5": (
        "the head of 5 lines is not of these lines",
        "the tree does not lead to the head of 5 lines.",
    ),
    "UPDATE pools_loghead SET document_text = replace(document_text, '\"size\":2', '\"size\":3') WHERE size = 2": (
        "the head of 2 lines is not of these lines",
        None,
    ),
    'UPDATE pools_loghead SET document_text = regexp_replace(document_text, \'"signature":"..\', \'"signature":"AA\')'
    " WHERE size = 5": ("is not its signature of this file", None),
    "UPDATE pools_lognode SET hash = decode(repeat('00', 32), 'hex') WHERE level = 2": (
        "the stored tree does not lead to the root over 5 lines",
        "the tree does not lead to the head of 5 lines.",
    ),
    "DELETE FROM pools_lognode WHERE level = 2": (
        "the stored tree does not lead to the root over 5 lines",
        "parts of the tree under the head of 5 lines are missing.",
    ),
}


@pytest.mark.parametrize("sql", CHANGED)
def test_a4_whatever_is_changed_is_named_and_what_was_just_signed_is_not_signed_over(sql: str) -> None:
    append(5)
    assert check_log().broken == ()
    tamper(sql)
    named, refusal = CHANGED[sql]
    broken = check_log().broken
    assert any(named in told for told in broken), broken
    if refusal is None:
        append()  # a few rows do not tell; the nightly check does
    else:
        assert refused_to_append() == refusal


def test_a4_a_changed_document_no_longer_has_its_line() -> None:
    pool = settled()
    tamper(
        "UPDATE pools_settlement SET manifest_text = manifest_text || ' ' WHERE pool_id = %s",
        pool.pk,
        tables=("pools_settlement",),
    )
    assert check_log().broken == (f"settlement {pool.code}, version 1: its line has another digest",)


def test_a4_another_head_that_the_journal_knows_is_a_split_view() -> None:
    append(3)
    check_and_note(actor="test")
    first = root(3)
    cut_log(2)
    tamper(
        "UPDATE core_journalrecord SET after = jsonb_set(after, '{size}', '2') WHERE act = 'note_log_head'",
        tables=("core_journalrecord",),
    )
    assert first != root(2)
    row = JournalRecord.objects.get(act="note_log_head").pk
    assert check_log().broken == (f"row {row} of the journal: another root over 2 lines: a split view",)
    assert refused_to_append() == "the journal knows another head of 2 lines."


def test_a4_a_token_over_another_head_and_one_over_a_lost_head_are_named() -> None:
    append(2)
    now = clock.now()
    LogStamp.objects.create(
        head=LogHead.objects.get(size=1), authority="notary", at=now, serial="1", answer=b"none", received_at=now
    )
    assert check_log().broken == ("notary has stamped another head of 1 lines: a split view",)


def test_a4_heads_kept_outside_are_compared_by_the_command(tmp_path: Path) -> None:
    append(3)
    kept = tmp_path / "head.json"
    kept.write_text(LogHead.objects.get(size=3).document_text + "\n")
    said = StringIO()
    call_command("check_log", known=[kept], stdout=said)
    assert said.getvalue() == f"OK: 3 lines, root {root(3)}\n"
    cut_log(2)
    said = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("check_log", known=[kept], stdout=said)
    lost = "BROKEN: head.json: a head of 3 lines, the log has 2: lines are missing\n"
    assert (ended.value.code, said.getvalue()) == (1, lost)
    append_to_log(kind="journal", subject="journal:other", document=b"other", at=clock.now())  # nobody noted the head
    known = known_head(kept.read_bytes(), "head.json")
    assert check_log([known]).broken == ("head.json: another root over 3 lines: a split view",)
    assert check_log([KnownHead(3, root(3)[:32], "ticket")]).broken == ()


def test_a4_a_file_that_is_no_head_of_the_operators_is_refused(tmp_path: Path) -> None:
    append(1)
    forged = json.loads(LogHead.objects.get(size=1).document_text)
    forged["root"] = "0" * 64
    for content, expected in ((json.dumps(forged).encode(), "not its signature"), (b"{}", "format")):
        (tmp_path / "head.json").write_bytes(content)
        with pytest.raises(CommandError, match=expected):
            call_command("check_log", known=[tmp_path / "head.json"])
    with pytest.raises(CommandError, match="No such file"):
        call_command("check_log", known=[tmp_path / "none.json"])
