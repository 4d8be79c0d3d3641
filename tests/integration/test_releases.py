"""What runs is what was registered, or sales stop; a machine whose clock is wrong does not sell (R2, R3)."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import translation
from pytest_django import Settings

from accounts.services.release_changes import approve_change, propose_change, register_changed_release
from payouts.queries.reports.significant import significant_events
from pools.models import Incident, IncidentState
from pools.tasks import check_release_daily
from tests.making import bet_from_account, make_organizers, make_player, make_pool
from tests.refusals import every_row, refused
from totalizator.core import clock, clock_drift, release_files, releases
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord, Release
from totalizator.core.release_files import code_digest
from totalizator.core.releases import Running, register_release, release_on_disk, running_release
from totalizator.core.tasks import check_clock

pytestmark = pytest.mark.django_db


def registered() -> Release:
    """The release of now, whatever was changed on the disk since this process started."""
    releases.running_release.cache_clear()
    release = register_release(change="tests have passed", registered_by="test")
    assert release.digest == running_release().digest
    return release


def approved_change(code: str | None = None) -> int:
    """The number of a change record that two people approved, of the code on the disk unless told."""
    one, other = make_organizers()
    code = code or code_digest(release_on_disk().files)
    change = propose_change(code=code, notice="Letter 4 to the ministry", evidence="Run 812 passed", proposed_by=one)
    return approve_change(number=change.pk, approved_by=other).pk


def registered_by_two() -> Release:
    """The release of now, put in service as in production."""
    releases.running_release.cache_clear()
    release = register_changed_release(number=approved_change(), registered_by="test")
    assert release.digest == running_release().digest
    return release


def with_another_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one file on the disk be another one."""
    found = release_on_disk()
    files = {**found.files, "pools/services/betting.py": "sha256:other", "pools/new.py": "sha256:new"}
    del files["manage.py"]
    monkeypatch.setattr(releases, "release_on_disk", lambda: Running(files, found.configuration))


def test_r2_a_release_is_registered_once_with_its_change_record() -> None:
    release = registered()
    assert (release.number, release.change) == (1, "tests have passed")
    assert release.files["totalizator/engine/division.py"].startswith("sha256:")
    assert registered() == release
    with pytest.raises(CommandError, match="say what changed"):
        call_command("register_release", "--change", " ")
    for change in ("UPDATE core_release SET digest = ''", "DELETE FROM core_release"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)


def test_r2_no_secret_stands_in_the_register(settings: Settings) -> None:
    settings.TICKET_KEY = "very secret"
    first = release_on_disk()
    settings.TICKET_KEY = "very other"
    second = release_on_disk()
    assert "very secret" not in str(first.configuration)
    assert first.configuration["TICKET_KEY"] != second.configuration["TICKET_KEY"]
    assert first.digest != second.digest


def test_r2_the_check_says_ok(settings: Settings) -> None:
    settings.RELEASE_MUST_HOLD = True
    release, said = registered_by_two(), StringIO()
    call_command("check_release", stdout=said)
    assert said.getvalue() == f"OK: {release.digest}\n"
    assert not Incident.objects.exists()


def test_r2_a_changed_file_fails_the_check_and_stops_sales(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RELEASE_MUST_HOLD = True
    registered_by_two()
    pool, player = make_pool(), make_player(300)
    bet_from_account(pool, player, "1;1;1", 100)
    with_another_file(monkeypatch)
    said = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("check_release", stdout=said)
    assert ended.value.code == 1
    assert said.getvalue().splitlines() == [
        "on disk: manage.py is gone",
        "on disk: pools/new.py is new",
        "on disk: pools/services/betting.py was changed",
    ]
    incident = Incident.objects.get(state=IncidentState.OPEN)
    assert incident.cause == "Not the registered release: on disk: manage.py is gone"
    refusal = refused(lambda: bet_from_account(pool, player, "1;1;1", 100))
    assert refusal.code == Refusal.SALES_PAUSED


def test_r4_in_production_no_release_is_registered_without_an_approved_change_record(settings: Settings) -> None:
    settings.RELEASE_MUST_HOLD = True
    (one, _other), code = make_organizers(), code_digest(release_on_disk().files)
    proposed = propose_change(code=code, notice="Letter 4", evidence="Run 812 passed", proposed_by=one)
    of_other_code = approved_change("sha256:" + "0" * 64)
    before = every_row()
    for asked, why in (
        (["--change", "a quick fix"], "without an approved change record"),
        (["--record", str(proposed.pk)], "must approve"),
        (["--record", str(of_other_code)], f"other code than lies here: {code}"),
        (["--record", "999"], "no such change record"),
    ):
        with translation.override("en"), pytest.raises(CommandError, match=why):
            call_command("register_release", *asked)
    assert every_row() == before
    said, record = StringIO(), str(approved_change())
    call_command("register_release", "--record", record, stdout=said)
    call_command("register_release", "--record", record, stdout=said)  # safe to run again
    release = Release.objects.get()
    assert said.getvalue().splitlines() == [f"1: {release.digest}"] * 2
    assert (release.change_number, release.change) == (int(record), "Letter 4 to the ministry\n\nRun 812 passed")
    settings.OPERATOR_NAME = "Another"  # other configuration is another release, and needs a record of its own
    with pytest.raises(CommandError):
        call_command("register_release", "--record", record)
    assert Release.objects.count() == 1
    call_command("register_release", "--record", str(approved_change()), stdout=said)
    assert Release.objects.count() == 2


def test_r4_sales_stop_while_the_release_has_no_approved_change_record(settings: Settings) -> None:
    registered()  # by who can write to the register, past the command
    settings.RELEASE_MUST_HOLD = True
    pool, player = make_pool(), make_player(300)
    with pytest.raises(SystemExit):
        call_command("check_release", stdout=(said := StringIO()))
    assert said.getvalue() == "release 1 has no approved change record\n"
    assert refused(lambda: bet_from_account(pool, player, "1;1;1", 100)).code == Refusal.SALES_PAUSED
    registered_by_two()
    call_command("check_release", stdout=said)
    now = clock.now()
    told = [event.kind for event in significant_events(now - timedelta(hours=9), now + timedelta(seconds=1))]
    assert (told.count("approve_change"), told.count("register_release")) == (1, 2)


def test_r4_a_change_is_approved_once_by_another_person() -> None:
    (one, other), player = make_organizers(), make_player()
    code = "sha256:" + "a" * 64
    change = propose_change(code=code, notice="n", evidence="e", proposed_by=one)
    before = every_row()
    for act, why in (
        (lambda: propose_change(code="main", notice="n", evidence="e", proposed_by=one), Refusal.BAD_VALUE),
        (lambda: propose_change(code=code, notice=" ", evidence="e", proposed_by=one), Refusal.BAD_VALUE),
        (lambda: propose_change(code=code, notice="n", evidence="", proposed_by=one), Refusal.BAD_VALUE),
        (lambda: propose_change(code=code, notice="n", evidence="e", proposed_by=player), Refusal.NOT_ALLOWED),
        (lambda: approve_change(number=change.pk, approved_by=one), Refusal.SAME_PERSON),
        (lambda: approve_change(number=0, approved_by=other), Refusal.NOT_FOUND),
    ):
        assert refused(act).code == why
    assert every_row() == before
    approve_change(number=change.pk, approved_by=other)
    assert refused(lambda: approve_change(number=change.pk, approved_by=other)).code == Refusal.WRONG_STATE
    acts = JournalRecord.objects.filter(subject=f"change:{change.pk}").order_by("pk").values_list("act", "actor")
    assert list(acts) == [("propose_change", one.actor), ("approve_change", other.actor)]
    for table in ("accounts_releasechange", "accounts_releaseapproval"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")


def test_r4_the_name_of_the_code_is_told_by_a_bare_python_and_not_by_what_is_built_of_it() -> None:
    told = subprocess.run(
        [sys.executable, "-S", "-m", "totalizator.core.release_files"],
        cwd=release_files.ROOT, env={"PATH": ""}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    files = release_on_disk().files
    assert told.stdout == f"code {code_digest(files)}\n"
    assert code_digest({**files, "locale/ru/LC_MESSAGES/django.mo": "sha256:other"}) == code_digest(files)
    assert code_digest({**files, "manage.py": "sha256:other"}) != code_digest(files)


def test_r2_without_a_registered_release_the_check_fails() -> None:
    with pytest.raises(SystemExit):
        call_command("check_release", stdout=StringIO())


def test_r2_the_job_checks_at_the_start_and_every_24_hours() -> None:
    registered()
    counts = []
    for hours in (0, 23, 2):
        clock.move_clock(timedelta(hours=hours))
        check_release_daily()
        counts.append(JournalRecord.objects.filter(act="check_release").count())
    assert counts == [1, 1, 2]


def test_r2_every_file_that_decides_is_covered(tmp_path: Path) -> None:
    for name in ("manage.py", "requirements.txt"):
        (tmp_path / name).write_text("")
    for name in ("pools/a.py", "templates/b.html", "totalizator/c.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert set(release_on_disk(tmp_path).files) == {"manage.py", "requirements.txt", "pools/a.py", "templates/b.html"}


@pytest.fixture
def _measured_anew() -> Iterator[None]:
    clock_drift.forget_drift()
    yield
    clock_drift.forget_drift()


@pytest.mark.usefixtures("_measured_anew")
@pytest.mark.parametrize(("seconds", "sells"), [(3, False), (-3, False), (1, True), (0, True)])
def test_r3_a_machine_whose_clock_is_three_seconds_off_stops_selling(
    monkeypatch: pytest.MonkeyPatch, seconds: int, sells: bool
) -> None:
    pool, player = make_pool(), make_player(100)
    monkeypatch.setattr(clock_drift, "own_time", lambda: datetime.now(UTC) + timedelta(seconds=seconds))
    if sells:
        assert bet_from_account(pool, player, "1;1;1", 100).bet.stake == 100
    else:
        assert refused(lambda: bet_from_account(pool, player, "1;1;1", 100)).code == Refusal.CLOCK_DRIFTS
    check_clock()
    flagged = JournalRecord.objects.filter(act="clock_drifts")
    assert flagged.count() == (0 if sells else 1)
    if not sells:
        assert abs((flagged.get().after or {})["milliseconds"] - seconds * 1000) < 500
