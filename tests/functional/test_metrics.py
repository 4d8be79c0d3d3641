"""The metrics: who reads them, what they count, and that every alert is about something that is exported."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.db import OperationalError
from django.test import Client, override_settings
from prometheus_client.parser import text_string_to_metric_families

from accounts.models import Role
from payouts.services.reconciling import reconcile
from pools.services.pausing import pause_sales
from pools.tasks import close_due_pools
from tests.architecture.sources import ROOT
from tests.banking import transfer
from tests.functional.browsing import visitor
from tests.making import bet_from_account, make_player, make_pool, make_user
from tests.refusals import refused
from totalizator.celery import app
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.watching.acts import watched_act

pytestmark = pytest.mark.django_db
RULES = ROOT / "deploy" / "monitoring" / "alerts.yml"
DASHBOARD = ROOT / "deploy" / "monitoring" / "dashboard.json"
PAGE = ROOT / "docs" / "monitoring.md"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(**headers: str) -> Samples:
    answer = Client().get("/metrics", headers=headers or None)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((f"totalizator_{name}", tuple(sorted(labels.items()))), 0.0)


def test_only_who_is_named_or_has_the_token_reads_them() -> None:
    stranger: dict[str, Any] = {"REMOTE_ADDR": "192.0.2.7"}
    with override_settings(METRICS_TOKEN="the monitoring's own", METRICS_NETWORKS=["198.51.100.0/24"]):
        assert Client().get("/metrics", **stranger).status_code == 404
        assert Client().get("/metrics", headers={"authorization": "Bearer another"}, **stranger).status_code == 404
        told = Client().get("/metrics", headers={"authorization": "Bearer the monitoring's own"}, **stranger)
        assert told.status_code == 200
        assert Client().get("/metrics", REMOTE_ADDR="198.51.100.9").status_code == 200
        forged = {"x-forwarded-for": "198.51.100.9"}
        assert Client().get("/metrics", headers=forged, **stranger).status_code == 404
    with override_settings(METRICS_TOKEN="", METRICS_NETWORKS=[]):
        assert Client().get("/metrics", headers={"authorization": "Bearer "}).status_code == 404


def test_bets_are_counted_by_channel_and_by_what_refused_them(django_capture_on_commit_callbacks: Any) -> None:
    pool, player = make_pool(), make_player(250)
    before = read()
    with django_capture_on_commit_callbacks(execute=True):
        bet_from_account(pool, player, "1;X;2", 100, "a")
        bet_from_account(pool, player, "1;X;2", 100, "a")  # the same request again is no other bet
        bet_from_account(pool, player, "1;X;2", 100, "b")
        poor = refused(lambda: bet_from_account(pool, player, "1;X;2", 100, "c"))
        odd = refused(lambda: bet_from_account(pool, player, "1;Z;2", 100, "d"))
    assert (poor.code, odd.code) == (Refusal.INSUFFICIENT_FUNDS, Refusal.BAD_SELECTION)
    after = read()

    def more(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    assert more("bets_accepted_total", channel="account") == 2
    assert more("bets_refused_total", channel="account", refusal="insufficient_funds") == 1
    assert more("bets_refused_total", channel="account", refusal="bad_selection") == 1
    assert more("bet_seconds_count", channel="account") == 3


def test_a_bet_that_is_undone_is_not_counted(django_capture_on_commit_callbacks: Any) -> None:
    pool, player, before = make_pool(), make_player(250), read()
    with django_capture_on_commit_callbacks(execute=False):
        bet_from_account(pool, player, "1;X;2", 100)
    assert value(read(), "bets_accepted_total", channel="account") == value(
        before, "bets_accepted_total", channel="account"
    )


def test_requests_are_counted_by_the_name_of_their_view() -> None:
    pool, before = make_pool(), read()
    visitor().get(f"/pools/{pool.code}/")
    visitor().get("/pools/NO-SUCH/")
    visitor().get("/nowhere/")
    visitor().generic("BREW", "/")
    after = read()
    for labels, count in (
        ({"view": "pools:pool", "method": "GET", "status": "200"}, 1),
        ({"view": "pools:pool", "method": "GET", "status": "404"}, 1),
        ({"view": "none", "method": "GET", "status": "404"}, 1),
        ({"view": "none", "method": "other", "status": "405"}, 1),
    ):
        assert value(after, "requests_total", **labels) - value(before, "requests_total", **labels) == count, labels
    seconds = "request_seconds_count"
    assert value(after, seconds, view="pools:pool") - value(before, seconds, view="pools:pool") == 2
    assert not [labels for _name, labels in after if pool.code in str(labels)]


def test_jobs_leave_a_note_and_long_acts_their_time() -> None:
    pool, before = make_pool(), read()
    clock.move_clock(pool.closes_at - clock.now() + timedelta(minutes=1))
    app.tasks["pools.tasks.close_due_pools"].apply()
    app.tasks["pools.tasks.close_due_pools"].apply()

    @app.task(name="tests.fails")
    def fails() -> None:
        raise ZeroDivisionError

    fails.apply()
    after, job = read(), "pools.tasks.close_due_pools"
    assert value(after, "jobs_run_total", job=job) == 2
    assert value(after, "jobs_failed_total", job=job) == 0
    assert 0 <= value(after, "job_success_age_seconds", job=job) < 60
    assert (
        value(after, "jobs_run_total", job="tests.fails"),
        value(after, "jobs_failed_total", job="tests.fails"),
    ) == (1, 1)
    assert ("totalizator_job_success_age_seconds", (("job", "tests.fails"),)) not in after
    del app.tasks["tests.fails"]
    took = "act_seconds_count"
    assert value(after, took, act="close_pool") - value(before, took, act="close_pool") == 1


def test_a_long_act_that_fails_is_counted_unless_somebody_else_is_at_it() -> None:
    before = read()
    for fault in (ZeroDivisionError(), DomainError(Refusal.SETTLEMENT_DIFFERS, ""), DomainError(Refusal.BUSY, "")):
        with pytest.raises(type(fault)), watched_act("settle_pool", pool="T-1"):
            raise fault
    after = read()
    failed, took = "acts_failed_total", "act_seconds_count"
    assert value(after, failed, act="settle_pool") - value(before, failed, act="settle_pool") == 2
    assert value(after, took, act="settle_pool") == value(before, took, act="settle_pool")


def test_the_business_is_read_from_the_database() -> None:
    make_pool()
    organizer = make_user(Role.ORGANIZER)
    before = read()
    assert value(before, "pools", state="open") + value(before, "pools", state="announced") == 1
    assert ("totalizator_reconcile_broken", ()) not in before
    transfer(30, "no reference")
    pause_sales(cause="The line is down.", paused_by=organizer)
    reconcile(actor="test")
    after = read()
    assert value(after, "selling_paused", of="everything") - value(before, "selling_paused", of="everything") == 1
    assert value(after, "selling_paused", of="part") == 0
    assert value(after, "unmatched_payments") - value(before, "unmatched_payments") == 1
    assert (after["totalizator_reconcile_broken", ()], value(after, "database_up")) == (0, 1)
    assert value(after, "broker_up") == 1
    assert sum(each for (name, _), each in after.items() if name == "totalizator_database_connections") >= 1


def test_without_a_database_what_was_counted_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.cursor", away)
    told = read()
    assert told["totalizator_database_up", ()] == 0
    assert any(name == "totalizator_requests_total" for name, _labels in told)


def rules() -> list[dict[str, Any]]:
    document = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    return [rule for group in document["groups"] for rule in group["rules"]]


def metrics_of(expression: str) -> set[str]:
    return set(re.findall(r"\btotalizator_\w+", expression))


def exported() -> set[str]:
    """Every name that a sample of ours can have, also before the first of its kind."""
    from prometheus_client import REGISTRY

    answer = Client().get("/metrics").content.decode()
    names = {sample.name for family in text_string_to_metric_families(answer) for sample in family.samples}
    names |= {family.name for family in text_string_to_metric_families(answer)}
    kinds: dict[str, tuple[str, ...]] = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
    for family in REGISTRY.collect():
        names |= {family.name + end for end in kinds.get(family.type, ("",))}
    return names


@pytest.mark.parametrize("expressions", [
    lambda: [rule["expr"] for rule in rules()],
    lambda: [target["expr"] for panel in json.loads(DASHBOARD.read_text())["panels"] for target in panel["targets"]],
], ids=["alerts", "dashboard"])  # fmt: skip
def test_what_is_watched_is_exported(expressions: Callable[[], list[str]]) -> None:
    reconcile(actor="test")
    close_due_pools.apply()
    names = exported()
    for expression in expressions():
        wanted = metrics_of(expression)
        assert wanted, expression
        assert {name for name in wanted if name not in names and name.removesuffix("_total") not in names} == set()
    assert metrics_of('rate(totalizator_no_such_total{a="b"}[5m])') - names == {"totalizator_no_such_total"}


def test_every_alert_says_what_to_do() -> None:
    headings = {line.removeprefix("### ").strip() for line in PAGE.read_text(encoding="utf-8").splitlines()}
    alerts = {rule["alert"] for rule in rules()}
    assert alerts - headings == set()
    told = {rule["alert"]: rule["annotations"]["runbook"] for rule in rules()}
    assert told == {alert: f"docs/monitoring.md#{alert.lower()}" for alert in alerts}
    assert {rule["labels"]["severity"] for rule in rules()} == {"page", "ticket"}
    assert len(alerts) == len(rules()) > 15
