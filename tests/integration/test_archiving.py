"""Old pools leave the database for an archive, and nothing that could be proved before cannot be proved after (X1)."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from payouts.queries.archiving import pools_to_archive
from payouts.queries.tickets import ticket_status
from payouts.services import archiving
from payouts.services.agent_commissions import post_agent_commissions
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.disputes import dispute_at_desk, dispute_by_letter
from payouts.services.evidence_pack import evidence_pack
from payouts.services.expiring import expire_winnings
from payouts.services.filed_checks import check_filed_files
from payouts.services.log_checks import check_log
from payouts.services.reports import make_report
from pools.models import ArchivedPlay, Bet, Correction, Pool, PoolArchive, PoolState, Settlement, Winning
from pools.snapshots.pool_archives import archived_bet
from tests.archived import bundle_of, known, long_after, paid_and_expired, played, run, seen
from tests.correcting import correct
from tests.making import (
    make_organizers,
)
from tests.paying import broken, go_to, payable_until
from tests.refusals import every_row, refused
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few_bets_are_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sealing", "bet_proofs", "archive_writing"):
        monkeypatch.setattr(f"pools.snapshots.{module}.CHUNK", 2)


def test_everything_that_could_be_proved_before_can_be_proved_after(tmp_path: Path) -> None:
    pool, slips = played()
    paid_and_expired(pool, slips)
    long_after()
    before, files = seen(pool, slips), bundle_of(pool, tmp_path / "before")
    assert before["broken"] == []
    assert run("--dry-run") == f"{pool.code}: to be archived\n"
    assert Bet.objects.filter(pool=pool).count() == 5
    told = run()
    pool.refresh_from_db()
    archive = PoolArchive.objects.get(pool=pool)
    assert told.splitlines()[1] == f"{pool.code}: {5 + archive.winnings} rows dropped"
    assert (pool.state, archive.bets, archive.turnover) == (PoolState.ARCHIVED, 5, 6_000)
    assert not Bet.objects.filter(pool=pool).exists()
    assert not Winning.objects.filter(pool=pool).exists()
    after = seen(pool, slips)
    assert after == before
    assert bundle_of(pool, tmp_path / "after") == files
    assert check_log().broken == ()
    assert check_filed_files(actor="test") == []
    for slip in slips:
        kept, was = archived_bet(pool, slip.bet.ticket), slip.bet
        assert kept is not None
        for field in Bet._meta.fields:
            value = getattr(was, field.attname)
            assert getattr(kept, field.attname) == (bytes(value) if isinstance(value, memoryview) else value), field
    journalled = JournalRecord.objects.get(act="archive_pool", subject=f"pool:{pool.code}")
    assert journalled.after is not None
    assert (journalled.after["digest"], journalled.after["bets"]) == (archive.digest, 5)
    assert run() == ""
    assert archived_bet(pool, f"{pool.code}-NONE") is None


def test_pages_of_an_archived_pool_answer() -> None:
    pool, slips = played()
    paid_and_expired(pool, slips)
    long_after()
    run()
    pool.refresh_from_db()
    visitor = Client(HTTP_ACCEPT_LANGUAGE="en")
    for address in ("", "what-if/", "late/", "bundle.zip", "money/", "result/"):
        assert visitor.get(f"/pools/{pool.code}/{address}").status_code in (200, 301, 302), address
    answer = visitor.post(reverse("payouts:ticket", args=[slips[0].bet.ticket]), {"check_code": slips[0].check_code})
    assert answer.status_code == 200
    assert answer.context["proof"] is not None
    one, _other = make_organizers()
    kept = archived_bet(pool, slips[0].bet.ticket)
    assert kept is not None
    with ZipFile(BytesIO(evidence_pack(bet=kept, asked_by=one))) as pack:
        receipt = json.loads(pack.read("receipt.json"))
        assert pack.read("bet.csv").decode() == receipt["bet"] + "\n"
    refusal = refused(
        lambda: dispute_at_desk(ticket=kept.ticket, check_code=slips[0].check_code, story="It had won", opened_by=one)
    )
    assert refusal.code == Refusal.WRONG_STATE
    refusal = refused(lambda: ticket_status(slips[0].bet.ticket, "WRONG"))
    assert refusal.code == Refusal.WRONG_CODE


def test_a_corrected_pool_keeps_both_settlements(tmp_path: Path) -> None:
    from payouts.services.correcting import apply_correction

    pool, slips = played()
    book_payables(code=pool.code)
    post_agent_commissions(code=pool.code)
    correct(pool, "1;2")
    apply_correction(code=pool.code)
    go_to(payable_until(pool) + timedelta(days=400))
    credit_accounts(code=pool.code)
    expire_winnings(code=pool.code)
    long_after()
    first, second = Settlement.objects.get(pool=pool), Correction.objects.get(pool=pool)
    before = [bundle_of(pool, tmp_path / f"b{each.version}", each) for each in (first, second)]
    run()
    assert Pool.objects.get(pk=pool.pk).state == PoolState.ARCHIVED
    after = [bundle_of(pool, tmp_path / f"a{each.version}", each) for each in (first, second)]
    assert after == before
    assert broken() == []
    page = Client(HTTP_ACCEPT_LANGUAGE="en").get(reverse("payouts:ticket", args=[slips[4].bet.ticket]))
    assert [row.amount for row in page.context["winnings"]] != []


def test_what_is_not_over_stays() -> None:
    pool, slips = played()
    assert not pools_to_archive(clock.now()).exists()
    paid_and_expired(pool, slips)
    assert not pools_to_archive(clock.now()).exists()  # too young
    long_after()
    assert pools_to_archive(clock.now()).get() == pool
    one, _other = make_organizers()
    dispute_by_letter(ticket=slips[3].bet.ticket, story="It had won", opened_by=one)
    before = every_row()
    refusal = refused(lambda: archiving.archive_pool(code=pool.code, actor="test"))
    assert (refusal.code, every_row()) == (Refusal.WRONG_STATE, before)
    assert run() == ""


@pytest.mark.parametrize("wrong", ["changed", "gone"])
def test_no_row_goes_when_the_filed_archive_is_not_what_was_written(wrong: str) -> None:
    pool, slips = played()
    paid_and_expired(pool, slips)
    long_after()
    archive = archiving.archive_pool(code=pool.code, actor="test")
    storage, name = archive.file.storage, str(archive.file)
    content = archive.file.read()
    storage.delete(name)
    if wrong == "changed":
        storage.save(name, ContentFile(content[:-1] + b"?"))
    with pytest.raises(archiving.NotProved):
        archiving.drop_archived_rows(pool, actor="test")
    with pytest.raises(SystemExit):
        run()
    assert Bet.objects.filter(pool=pool).count() == 5
    assert len(check_filed_files(actor="test")) == 1


def test_a_bundle_that_does_not_verify_is_not_archived(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, slips = played()
    paid_and_expired(pool, slips)
    long_after()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE pools_winning DISABLE TRIGGER USER")
        cursor.execute("UPDATE pools_winning SET amount = amount + 1 WHERE pool_id = %s", [pool.pk])
        cursor.execute("ALTER TABLE pools_winning ENABLE TRIGGER USER")
    before = every_row()
    with pytest.raises(archiving.NotProved, match="winnings"):
        archiving.archive_pool(code=pool.code, actor="test")
    assert every_row() == before


@pytest.mark.parametrize("at", ["_drop_some", "move"])
def test_killed_half_way_and_run_again(at: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pool, slips = played()
    paid_and_expired(pool, slips)
    long_after()
    before, files = known(pool, slips), bundle_of(pool, tmp_path / "before")
    monkeypatch.setattr(archiving, "AT_ONCE", 2)
    real, calls = getattr(archiving, at), []

    class Killed(BaseException):
        pass

    def dying(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == (4 if at == "_drop_some" else 1):
            raise Killed
        return real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(archiving, at, dying)
        with pytest.raises(Killed):
            run()
    assert known(pool, slips) == before
    assert bundle_of(pool, tmp_path / "half") == files
    run()
    assert not Bet.objects.filter(pool=pool).exists()
    assert known(pool, slips) == before
    assert JournalRecord.objects.filter(act="archive_pool").count() == 1


@contextmanager
def as_the_application() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        role = f"{cursor.fetchone()[0]}_app"
        call_command("grant_app_role", role=role)
        cursor.execute(f"SET LOCAL ROLE {role}")
        try:
            yield
        finally:
            cursor.execute("RESET ROLE")


def test_only_the_owner_drops_and_only_of_archived_pools() -> None:
    pool, slips = played()
    paid_and_expired(pool, slips)
    long_after()
    for sql in ("DELETE FROM pools_bet", "DELETE FROM pools_winning", "UPDATE pools_bet SET stake = 1"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    with as_the_application(), pytest.raises(CommandError, match="owner"):
        run()
    archiving.archive_pool(code=pool.code, actor="test")
    with as_the_application():
        for sql in ("DELETE FROM pools_bet", "DELETE FROM pools_poolarchive", "DELETE FROM pools_archivedplay"):
            with pytest.raises(DatabaseError, match="denied"), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(sql)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE pools_bet SET stake = 1 WHERE pool_id = %s", [pool.pk])
    assert ArchivedPlay.objects.filter(pool=pool).count() == 2


def test_a_report_of_archived_days_is_refused_and_of_others_is_made() -> None:
    pool, slips = played()
    paid_and_expired(pool, slips)
    day, last = pool.opens_at.date(), clock.today()
    make_report("sales", day, day)
    long_after()
    run()
    refusal = refused(lambda: make_report("sales", day, day))
    assert refusal.code == Refusal.BAD_VALUE
    assert pool.code in str(refusal.message)
    make_report("sales", last + timedelta(days=1), last + timedelta(days=30))


def test_the_ledger_is_held_to_the_archive() -> None:
    pool, slips = played()
    paid_and_expired(pool, slips)
    long_after()
    run()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE pools_poolarchive DISABLE TRIGGER USER")
        cursor.execute("UPDATE pools_poolarchive SET turnover = turnover + 1")
    assert any("archive" in told for told in broken())
