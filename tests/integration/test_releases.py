"""What runs is what was registered, or sales stop; a machine whose clock is wrong does not sell (R2, R3)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from pytest_django import Settings

from pools.models import Incident, IncidentState
from pools.tasks import check_release_daily
from tests.making import bet_from_account, make_player, make_pool
from tests.refusals import refused
from totalizator.core import clock, clock_drift, releases
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord, Release
from totalizator.core.releases import Running, register_release, release_on_disk, running_release
from totalizator.core.tasks import check_clock

pytestmark = pytest.mark.django_db


def registered() -> Release:
    """The release of now, whatever was changed on the disk since this process started."""
    releases.running_release.cache_clear()
    release = register_release(change="tests have passed", registered_by="test")
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
    with pytest.raises(CommandError, match="change record"):
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
    release, said = registered(), StringIO()
    call_command("check_release", stdout=said)
    assert said.getvalue() == f"OK: {release.digest}\n"
    assert not Incident.objects.exists()


def test_r2_a_changed_file_fails_the_check_and_stops_sales(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RELEASE_MUST_HOLD = True
    registered()
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
