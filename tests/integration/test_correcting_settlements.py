"""A clerical error found after the settlement: a settlement of its own beside the first, once (H5, I10)."""

import json
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.utils import translation

from accounts.ledger.kinds import TransferKind
from accounts.models import Entry, Person
from pools.models import Correction, LogEntry, Pool, PoolState, Settlement
from pools.queries.corrections import being_corrected, in_force, pools_due_to_correct
from pools.queries.played import lost_since, won_less_staked
from pools.services.abandoning import approve_abandonment, propose_abandonment
from pools.services.calculating import calculate_settlement
from pools.services.conflicts import declare_conflict
from pools.services.correcting_settlement import correct_settlement
from pools.services.protocols import sign_protocol
from pools.services.results import correct_result
from pools.snapshots.bundle import write_bundle
from pools.snapshots.result import newest_sealed_protocol, result_file, sealed_protocol
from tests.correcting import changes_of, correct, corrected_winnings, enter_correction, sign_correction
from tests.making import PASSPHRASE, bet_from_account, make_organizers, make_player, make_pool
from tests.refusals import refused
from tests.resulting import close_by_clock, file_proof, make_result, members_of, seal
from tests.settling import moved, sell, settle, statement_of, winnings_of
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.core.outbox_models import PendingEvent
from totalizator.engine.canonical import digest
from totalizator.engine.deadlines import legal_day, start_of_legal_day

pytestmark = pytest.mark.django_db


def entries() -> int:
    return Entry.objects.count()


def test_h5_an_official_settlement_is_corrected_by_one_of_its_own_and_stays_as_it_was(tmp_path: Path) -> None:
    pool = make_pool("sportloto-variant")
    wrong, right = sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    first = Settlement.objects.get(pool=pool)
    write_bundle(pool, tmp_path / "then")
    posted = entries()
    correction = correct(pool, "2")
    assert (correction.state, correction.version, Settlement.objects.get(pool=pool).version) == ("official", 2, 1)
    assert winnings_of(pool) == {(wrong, "all"): 140}
    assert corrected_winnings(pool) == {(right, "all"): 140}
    assert changes_of(pool) == sorted([(wrong, "winning", 140, 0), (right, "winning", 0, 140)])
    assert entries() == posted  # money moves only with what is owed on tickets
    standing = Settlement.objects.get(pool=pool)
    kept = ("statement_text", "tally_text", "state_text", "manifest_text", "official_at", "payable_until")
    assert [getattr(standing, name) for name in kept] == [getattr(first, name) for name in kept]
    write_bundle(pool, tmp_path / "now", standing)
    for file in (tmp_path / "then").iterdir():
        assert (tmp_path / "now" / file.name).read_bytes() == file.read_bytes()
    pool.refresh_from_db()
    assert pool.state == PoolState.SETTLED


def test_the_correcting_protocol_names_the_one_that_was_settled_by_and_both_are_known() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    correct(pool, "2")
    settled_by, newest = sealed_protocol(pool), newest_sealed_protocol(pool)
    assert settled_by is not None
    assert newest is not None
    assert (settled_by.version, newest.version) == (1, 2)
    assert json.loads(newest.document_text)["protocol"]["previous"] == digest(result_file(settled_by))
    logged = LogEntry.objects.filter(subject=pool.code).order_by("index").values_list("kind", "version")
    assert list(logged)[2:] == [("settlement", 1), ("correction", 2), ("settlement", 2), ("amendment", 2)]


def test_what_is_journalled_and_told_of_a_correction() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    correction = correct(pool, "2")
    record = JournalRecord.objects.get(act="correct_settlement")
    after = record.after or {}
    sums = {"winnings": 140, "refunds": 0, "takeout": 60, "added": 0, "jackpot_in": 0, "jackpot_out": 0}
    assert (record.subject, record.actor) == (f"pool:{pool.code}", "test")
    assert after == sums | {
        "protocol": f"{pool.code}/2",
        "corrects": 1,
        "rows": 1,
        "changed": json.loads(correction.correction_text)["changed"],
        "files": json.loads(correction.manifest_text)["files"],
        "release": correction.release,
    }
    event = PendingEvent.objects.get(kind="pool.corrected")
    assert (event.subject, event.payload) == (
        f"pool:{pool.code}",
        sums | {"protocol": f"{pool.code}/2", "corrects": 1, "rows": 1},
    )


@pytest.mark.parametrize("game", ["sportloto-variant", "totolot-variant"], ids=["¶12", "¶40"])
def test_a_new_term_of_claim_counts_from_the_correcting_protocol(game: str) -> None:
    pool = make_pool(game)
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    settlement = Settlement.objects.get(pool=pool)
    clock.move_clock(timedelta(days=7))
    correction = correct(pool, "2")
    assert correction.payable_from is not None
    assert settlement.payable_from is not None
    assert correction.payable_from - settlement.payable_from == timedelta(days=7)
    assert correction.official_at is not None
    assert correction.payable_from == start_of_legal_day(legal_day(correction.official_at) + timedelta(days=1))


def test_i10_a_condition_said_to_be_void_did_take_place() -> None:
    pool = make_pool()
    first, second = sell(pool, ("1;X;2", 100), ("1;X;1", 100))
    assert settle(pool, "1;X;void")["refunds"] == 200
    correct(pool, "1;X;2")
    wins = corrected_winnings(pool)
    assert sorted(wins.values()) == [56, 84]
    expected = [
        (first, "winning", 0, sum(amount for (ticket, _level), amount in wins.items() if ticket == first)),
        (first, "refund", 100, 0),
        (second, "winning", 0, sum(amount for (ticket, _level), amount in wins.items() if ticket == second)),
        (second, "refund", 100, 0),
    ]
    assert changes_of(pool) == sorted(expected, key=lambda row: (row[0], row[1] == "refund"))


def test_i10_a_condition_said_to_have_taken_place_did_not_and_everything_goes_back() -> None:
    pool = make_pool()
    first, second = sell(pool, ("1;X;2", 100), ("2;1;1", 100))
    settle(pool, "1;X;2")
    ((ticket, _level),) = winnings_of(pool)
    (won,) = winnings_of(pool).values()
    assert (ticket, won) == (first, 84)
    correct(pool, "1;X;void")
    assert corrected_winnings(pool) == {}
    expected = [(first, "winning", won, 0), (first, "refund", 0, 100), (second, "refund", 0, 100)]
    assert changes_of(pool) == sorted(expected, key=lambda row: (row[0], row[1] == "refund"))
    assert json.loads(Correction.objects.get(pool=pool).statement_text)["refunds"] == 200


def test_an_earlier_start_makes_a_bet_late_that_had_won() -> None:
    pool = make_pool("sportloto-variant")
    (early,) = sell(pool, ("1", 100))
    clock.move_clock(timedelta(minutes=1))
    (late,) = sell(pool, ("1", 100))
    settle(pool, "1")
    assert winnings_of(pool) == {(early, "all"): 70, (late, "all"): 70}
    correct(pool, "1", started_at=pool.bets.get(ticket=late).registered_at)
    assert changes_of(pool) == [(late, "winning", 70, 0), (late, "refund", 0, 100)]
    assert corrected_winnings(pool) == {(early, "all"): 70}
    assert json.loads(Correction.objects.get(pool=pool).statement_text)["late"] == [late]


def test_a_settlement_is_corrected_once_and_nothing_is_decided_afterwards() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    correct(pool, "2")
    act = partial(
        correct_result,
        code=pool.code,
        member=members_of(pool)[0],
        result=make_result(pool, "X"),
        reason="Again.",
        document="Sheet 2",
    )
    assert refused(act).code is Refusal.WRONG_STATE
    with translation.override("en"):
        assert str(refused(act).message) == "A settlement is corrected only once."
    assert pool.result_entries.count() == 4
    assert refused(lambda: file_proof(pool, content=b"another sheet")).code is Refusal.WRONG_STATE
    late = partial(declare_conflict, code=pool.code, member=members_of(pool)[0], reason="A friend plays.")
    assert refused(late).code is Refusal.WRONG_STATE
    assert refused(partial(correct_settlement, code=pool.code, actor="test")).code is Refusal.WRONG_STATE
    assert Correction.objects.count() == 1


def test_no_correction_while_the_settlement_is_calculated_nor_of_an_archived_or_unsettled_pool() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    seal(close_by_clock(pool), "1")
    calculate_settlement(code=pool.code, actor="test")
    act = partial(
        correct_result,
        code=pool.code,
        member=members_of(pool)[0],
        result=make_result(pool, "2"),
        reason="Misread.",
        document="Sheet 1",
    )
    assert refused(act).code is Refusal.WRONG_STATE
    assert refused(partial(correct_settlement, code=pool.code, actor="test")).code is Refusal.WRONG_STATE
    other = make_pool("sportloto-variant")
    sell(other, ("1", 100))
    settle(other, "1")
    assert refused(partial(correct_settlement, code=other.code, actor="test")).code is Refusal.WRONG_STATE
    Pool.objects.filter(pk=other.pk).update(state=PoolState.ARCHIVED)
    archived = partial(act, code=other.code, member=members_of(other)[0], result=make_result(other, "2"))
    assert refused(archived).code is Refusal.WRONG_STATE
    assert (other.result_entries.count(), Correction.objects.count()) == (2, 0)


def test_nothing_is_corrected_by_what_the_protocol_says_already_even_in_a_conflict() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    first, second, third = members_of(pool)
    declare_conflict(code=pool.code, member=first, reason="A friend plays.")
    act = partial(correct_result, code=pool.code, reason="Misread.", document="Sheet 1")
    assert refused(partial(act, member=second, result=make_result(pool, "1"))).code is Refusal.BAD_VALUE
    act(member=second, result=make_result(pool, "2"))
    progress = act(member=third, result=make_result(pool, "2"))
    assert progress.protocol is not None
    assert being_corrected(pool)


def test_a_pool_waits_from_the_drawing_up_until_it_is_applied() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    assert not being_corrected(pool)
    enter_correction(pool, "2")
    assert (being_corrected(pool), list(pools_due_to_correct())) == (True, [])
    sign_correction(pool)
    assert (being_corrected(pool), list(pools_due_to_correct())) == (True, [pool])
    assert in_force(pool) == Settlement.objects.get(pool=pool)
    correction = correct_settlement(code=pool.code, actor="test")
    assert (being_corrected(pool), list(pools_due_to_correct())) == (True, [])
    assert in_force(pool) == correction
    correction.applied_at = correction.official_at
    correction.save(update_fields=["applied_at"])
    assert not being_corrected(pool)


def test_a_correcting_protocol_is_given_up_by_two_and_another_can_follow(tmp_path: Path) -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("2", 100))
    settle(pool, "1")
    one, other = make_organizers()
    propose = partial(propose_abandonment, code=pool.code, reason="There was no error.", proposed_by=one)
    assert refused(propose).code is Refusal.WRONG_STATE  # nothing is being signed
    enter_correction(pool, "2")
    assert refused(partial(propose, proposed_by=members_of(pool)[0])).code is Refusal.NOT_ALLOWED
    assert refused(partial(propose, reason=" ")).code is Refusal.BAD_VALUE
    older, proposal = propose(), propose()
    assert refused(partial(approve_abandonment, proposal=proposal, approved_by=one)).code is Refusal.SAME_PERSON
    assert refused(partial(approve_abandonment, proposal=older, approved_by=other)).code is Refusal.WRONG_STATE
    assert being_corrected(pool)
    abandoned = approve_abandonment(proposal=proposal, approved_by=other)
    assert not being_corrected(pool)
    line = LogEntry.objects.get(subject=f"{pool.code}/2")
    assert (line.kind, line.digest) == ("correction", digest(abandoned.document_text.encode()))
    assert set(json.loads(abandoned.document_text)) == {"format", "pool", "protocol", "document", "given_up_at"}
    sign = partial(sign_protocol, code=pool.code, member=members_of(pool)[0], passphrase=PASSPHRASE)
    assert refused(sign).code is Refusal.WRONG_STATE
    assert refused(partial(approve_abandonment, proposal=proposal, approved_by=other)).code is Refusal.WRONG_STATE
    correction = correct(pool, "X")
    assert correction.version == 3
    settled_by, newest = sealed_protocol(pool), newest_sealed_protocol(pool)
    assert settled_by is not None
    assert newest is not None
    document = json.loads(newest.document_text)["protocol"]
    assert (document["version"], document["previous"]) == (3, digest(result_file(settled_by)))
    assert json.loads(correction.correction_text)["corrects"] == 1


def test_a_drawn_jackpot_is_the_one_of_the_settlement() -> None:
    feeding = make_pool("sportloto-variant", terms={"fund": "1", "price": {"line": 5_000}})
    sell(feeding, ("2", 5_000))
    settle(feeding, "1")
    pool = make_pool("sportloto-variant", terms={"jackpot": {"level": "all", "share": "1"}})
    wrong, right = sell(pool, ("1", 100), ("2", 100))
    assert settle(pool, "1")["jackpot_in"] == 5_000
    correct(pool, "2")
    assert changes_of(pool) == sorted([(wrong, "winning", 5_140, 0), (right, "winning", 0, 5_140)])
    assert statement_of(pool)["jackpot_in"] == 5_000
    assert moved(pool, TransferKind.JACKPOT_DRAWN) == 5_000  # not a second time


def test_what_a_player_has_lost_is_by_the_correction() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(1_000)
    since = clock.now()
    bet_from_account(pool, player, "1", 100)
    sell(pool, ("2", 100))
    settle(pool, "1")
    person = Person.objects.get(player=player)
    assert (lost_since(person, since), won_less_staked(person, since)) == ([0], [40])
    correct(pool, "2")
    assert (lost_since(person, since), won_less_staked(person, since)) == ([100], [-100])
