"""Opening, closing and sealing a pool (D-11, G1, G4, X1)."""

import hashlib
import json
import re
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import Role
from pools import tasks
from pools.models import Bet, Commitment, Pool, PoolState
from pools.queries import pools_due_to_close, pools_due_to_commit, pools_due_to_open
from pools.services import closing
from pools.services.closing import close_pool, open_pool, seal_bets
from pools.snapshots.bets import write_bets_csv
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till, make_user
from tests.refusals import refused
from tests.resulting import close_by_clock
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.localtime import to_instant
from totalizator.core.models import JournalRecord
from totalizator.core.signing import operator_key_id, operator_public_key
from totalizator.engine.commitment import commitment_payload
from totalizator.engine.ed25519 import verify
from totalizator.engine.instants import instant_text
from totalizator.engine.merkle import MerkleTree, leaf_hash

pytestmark = pytest.mark.django_db


def at(pool: Pool, name: str, shift: timedelta = timedelta(0)) -> None:
    """Move the clock to the pool's opening or closing, or beside it."""
    clock.move_clock(getattr(pool, name) - clock.now() + shift)


def test_a_pool_opens_when_its_time_has_come() -> None:
    pool = make_pool(is_open=False)
    assert list(pools_due_to_open(clock.now())) == []
    assert refused(lambda: open_pool(code=pool.code, actor="test")).code is Refusal.NOT_OPEN_YET
    at(pool, "opens_at")
    assert list(pools_due_to_open(clock.now())) == [pool]
    assert open_pool(code=pool.code, actor="task:open_due_pools").state == PoolState.OPEN
    assert list(pools_due_to_open(clock.now())) == []
    record = JournalRecord.objects.get(act="open_pool")
    assert (record.actor, record.subject) == ("task:open_due_pools", f"pool:{pool.code}")
    assert refused(lambda: open_pool(code=pool.code, actor="test")).code is Refusal.WRONG_STATE


def test_a_pool_whose_closing_has_come_is_not_opened_any_more() -> None:
    pool = make_pool(is_open=False)
    at(pool, "closes_at")
    assert list(pools_due_to_open(clock.now())) == []
    assert refused(lambda: open_pool(code=pool.code, actor="test")).code is Refusal.POOL_CLOSED


def test_a_pool_closes_by_the_clock_and_not_before() -> None:
    pool, player = make_pool(), make_player(1_000)
    open_pool(code=pool.code, actor="test")
    at(pool, "closes_at", -timedelta(seconds=5))
    assert list(pools_due_to_close(clock.now())) == []
    assert refused(lambda: close_pool(code=pool.code, actor="test")).code is Refusal.WRONG_STATE
    at(pool, "closes_at", timedelta(seconds=3))
    assert list(pools_due_to_close(clock.now())) == [pool]
    closed = close_pool(code=pool.code, actor="task:close_due_pools")
    assert (closed.state, closed.closed_at) == (PoolState.CLOSED, pool.closes_at)
    assert refused(lambda: bet_from_account(pool, player, "1;1;1", 100)).code is Refusal.POOL_CLOSED
    assert refused(lambda: close_pool(code=pool.code, actor="test")).code is Refusal.WRONG_STATE
    record = JournalRecord.objects.get(act="close_pool")
    assert (record.actor, record.reason) == ("task:close_due_pools", "")
    announced = instant_text(pool.closes_at)
    assert record.after == {"closed_at": announced, "announced": announced}


def test_a_pool_that_no_job_opened_still_closes() -> None:
    pool = make_pool(is_open=False)
    assert close_by_clock(pool).state == PoolState.CLOSED


def test_the_organizer_may_close_earlier_and_the_record_says_who_and_when() -> None:
    pool, player = make_pool(), make_player(1_000)
    bet = bet_from_account(pool, player, "1;1;1", 100).bet
    organizer = make_user(Role.ORGANIZER)
    closed = close_pool(code=pool.code, actor="web", early_by=organizer)
    assert closed.closed_at is not None
    assert bet.registered_at <= closed.closed_at < pool.closes_at
    assert refused(lambda: bet_from_account(pool, player, "1;1;1", 100)).code is Refusal.POOL_CLOSED
    record = JournalRecord.objects.get(act="close_pool")
    assert (record.actor, record.reason) == (organizer.actor, "closed early by hand")
    assert record.after == {"closed_at": instant_text(closed.closed_at), "announced": instant_text(pool.closes_at)}
    assert json.loads(pool.commitment.document_text)["closed_at"] == instant_text(closed.closed_at)


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION])
def test_nobody_else_closes_early(role: Role) -> None:
    pool, person = make_pool(), make_user(role)
    refusal = refused(lambda: close_pool(code=pool.code, actor="web", early_by=person))
    assert refusal.code is Refusal.NOT_ALLOWED


def test_a_pool_not_yet_open_is_not_closed_early() -> None:
    pool, organizer = make_pool(is_open=False), make_user(Role.ORGANIZER)
    refusal = refused(lambda: close_pool(code=pool.code, actor="web", early_by=organizer))
    assert refusal.code is Refusal.NOT_OPEN_YET


def test_an_unknown_pool_is_not_found() -> None:
    for act in (open_pool, close_pool, seal_bets):
        assert refused(partial(act, code="T-0", actor="test")).code is Refusal.NOT_FOUND


def test_the_bets_are_written_as_they_are_published(tmp_path: Path) -> None:
    pool, player, till = make_pool(), make_player(10_000), make_till()
    placed = [
        bet_from_account(pool, player, "1;X;1+2", 200).bet,
        bet_in_cash(pool, till, "1+X+2;1;2", 300).bet,
        bet_in_cash(pool, till, "2;2;2", 100).bet,
    ]
    write_bets_csv(pool, tmp_path / "bets.csv")
    texts = dict(zip([bet.ticket for bet in placed], ["1;X;1+2", "1+X+2;1;2", "2;2;2"], strict=True))
    lines = [
        f"{bet.ticket},{texts[bet.ticket]},{bet.stake},{bet.lines},{instant_text(bet.registered_at)},{bet.salt.hex()}\n"
        for bet in sorted(placed, key=lambda bet: bet.ticket.encode())
    ]
    expected = "ticket,selections,stake,lines,registered_at,salt\n" + "".join(lines)
    assert (tmp_path / "bets.csv").read_text(encoding="ascii") == expected
    assert re.fullmatch(r".*\.\d{6}Z,[0-9a-f]{32}\n", lines[0])


@pytest.mark.parametrize(("conditions", "outcomes"), [(1, 30), (15, 3), (7, 5), (3, 12), (2, 13)])
def test_a_coupon_of_any_width_reads_back_as_it_was_sold(tmp_path: Path, conditions: int, outcomes: int) -> None:
    """The coupon is decoded piece by piece; a condition wider than a piece is a piece of its own."""
    codes = [str(number) for number in range(1, outcomes + 1)]
    pool, till = make_pool(conditions=conditions, outcomes=codes), make_till()
    coupon = ";".join(["+".join(codes[:2]), codes[-1], codes[0]] + [codes[1]] * conditions)
    coupon = ";".join(coupon.split(";")[:conditions])
    bet_in_cash(pool, till, coupon, 200)
    write_bets_csv(pool, tmp_path / "bets.csv")
    assert (tmp_path / "bets.csv").read_text().splitlines()[1].split(",")[1] == coupon


def test_the_commitment_seals_count_totals_digests_and_root(tmp_path: Path) -> None:
    pool, player = make_pool(), make_player(10_000)
    for selections, stake in (("1;X;1+2", 200), ("1;1;1", 100), ("2;2;2", 100)):
        bet_from_account(pool, player, selections, stake)
    close_by_clock(pool)
    write_bets_csv(pool, tmp_path / "bets.csv")
    data = (tmp_path / "bets.csv").read_bytes()
    tree = MerkleTree()
    for line in data.splitlines()[1:]:
        tree.add(leaf_hash(line))
    document = json.loads(Commitment.objects.get(pool=pool).document_text)
    (signature,) = document.pop("signatures")
    assert document == {
        "format": 1,
        "pool": pool.code,
        "terms": pool.terms_digest,
        "bets": "sha256:" + hashlib.sha256(data).hexdigest(),
        "count": 3,
        "lines": 4,
        "turnover": 400,
        "merkle_root": tree.root().hex(),
        "closed_at": instant_text(pool.closes_at),
    }
    assert (signature["key"], signature["algorithm"]) == (operator_key_id(), "ed25519")
    assert verify(operator_public_key(), commitment_payload(document), b64decode(signature["signature"]))
    assert not verify(
        operator_public_key(), commitment_payload({**document, "count": 4}), b64decode(signature["signature"])
    )
    record = JournalRecord.objects.get(act="seal_bets")
    sealed = ("count", "lines", "turnover", "merkle_root", "terms", "bets")
    assert record.after == {key: document[key] for key in sealed}


def test_a_pool_without_bets_is_sealed_too() -> None:
    pool = close_by_clock(make_pool())
    document = json.loads(pool.commitment.document_text)
    assert (document["count"], document["turnover"]) == (0, 0)
    assert document["merkle_root"] == hashlib.sha256(b"").hexdigest()


def test_dying_between_closing_and_sealing_leaves_the_pool_on_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool()
    bet_from_account(pool, make_player(1_000), "1;1;1", 100)

    def die(**_: str) -> Commitment:
        raise SystemExit

    monkeypatch.setattr(closing, "seal_bets", die)
    with pytest.raises(SystemExit):
        close_by_clock(pool)
    assert Pool.objects.get(pk=pool.pk).state == PoolState.CLOSED
    assert list(pools_due_to_commit()) == [pool]
    first = seal_bets(code=pool.code, actor="task:close_due_pools")
    assert list(pools_due_to_commit()) == []
    assert seal_bets(code=pool.code, actor="task:close_due_pools") == first
    assert JournalRecord.objects.filter(act="seal_bets").count() == 1


def test_the_bets_of_an_open_pool_cannot_be_sealed() -> None:
    pool = make_pool()
    assert refused(lambda: seal_bets(code=pool.code, actor="test")).code is Refusal.WRONG_STATE


def test_g4_bets_that_are_not_the_money_in_the_pot_are_not_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bet slipped in beside the ledger, by somebody who switched the guards off, stops the sealing."""
    pool = make_pool()
    bet = bet_from_account(pool, make_player(1_000), "1;1;1", 100).bet
    with connection.cursor() as cursor:
        connection.check_constraints()
        cursor.execute("ALTER TABLE pools_bet DISABLE TRIGGER append_only_rows")
        cursor.execute(
            "UPDATE pools_bet SET stake = 200, lines = 2, bits = '110100100' WHERE ticket = %s", [bet.ticket]
        )
        connection.check_constraints()
        cursor.execute("ALTER TABLE pools_bet ENABLE TRIGGER append_only_rows")
    with pytest.raises(AssertionError, match="not the money in its pot, 100"):
        close_by_clock(pool)
    assert not Commitment.objects.exists()
    assert list(pools_due_to_commit()) == [pool]


def test_g3_no_bet_is_changed_or_removed_by_anyone() -> None:
    """No role has a cancel action, and the database itself refuses the rest, to its owner too (¶27)."""
    pool = make_pool()
    bet = bet_from_account(pool, make_player(1_000), "1;1;1", 100).bet
    close_by_clock(pool)
    connection.check_constraints()
    for sql in ("UPDATE pools_bet SET stake = 1", "DELETE FROM pools_bet", "TRUNCATE pools_bet CASCADE"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    assert Bet.objects.get(ticket=bet.ticket).stake == 100


def test_c54_a_pool_that_ends_in_an_hour_that_comes_twice_is_closed_once_and_by_its_instant() -> None:
    """02:30 in Berlin comes twice that night. Of two pools that end at the first, one is closed by a job in time."""
    first = to_instant("2027-10-31T02:30", "Europe/Berlin", which="first", field="closes_at")
    assert first == datetime(2027, 10, 31, 0, 30, tzinfo=UTC)
    hour = timedelta(hours=1)
    pools = [make_pool(is_open=False, opens_in=hour, lasts=first - clock.now() - hour) for _ in range(2)]
    assert all(abs(pool.closes_at - first) < timedelta(minutes=1) for pool in pools)
    at(pools[0], "closes_at", -timedelta(minutes=1))
    tasks.close_due_pools()
    assert states(pools) == ["announced", "announced"]
    at(pools[0], "closes_at")
    close_pool(code=pools[0].code, actor="test")
    clock.move_clock(hour)  # it is half past two again; nothing has run since the clocks were put back
    for _ in range(2):
        tasks.close_due_pools()
    assert states(pools) == ["closed", "closed"]
    assert [Pool.objects.get(pk=pool.pk).closed_at for pool in pools] == [pool.closes_at for pool in pools]
    assert JournalRecord.objects.filter(act="close_pool").count() == 2


def states(pools: list[Pool]) -> list[str]:
    return [Pool.objects.get(pk=pool.pk).state for pool in pools]
