"""Readings of the plumbing: the jobs, the outbox, the broker, the database's connections, the clock."""

from collections.abc import Iterator
from datetime import timedelta

from django.db import DatabaseError, connection
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from totalizator.core import clock
from totalizator.core.clock_drift import measure_drift
from totalizator.core.outbox import last_sequence
from totalizator.core.outbox_models import PendingEvent, Subscriber, SubscriberState
from totalizator.core.watching.broker import BrokerAway, waiting_messages

_JOBS = """
SELECT name, runs, failures, extract(epoch FROM clock_timestamp() - succeeded_at)::float8,
       extract(epoch FROM took)::float8 FROM core_jobrun ORDER BY name
"""
_CONNECTIONS = """
SELECT coalesce(state, 'unknown'), count(*) FROM pg_stat_activity WHERE datname = current_database() GROUP BY 1
"""


def gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    """Return a reading."""
    return GaugeMetricFamily(f"totalizator_{name}", about, value=value)


def gauges(name: str, about: str, label: str, values: dict[str, float]) -> GaugeMetricFamily:
    """Return readings of several of a kind."""
    family = GaugeMetricFamily(f"totalizator_{name}", about, labels=[label])
    for of, value in values.items():
        family.add_metric([of], value)
    return family


def outbox_lag() -> timedelta:
    """Return how long the oldest event has waited for its number."""
    oldest = PendingEvent.objects.order_by("at", "id").values_list("at", flat=True).first()
    return max(clock.now() - oldest, timedelta()) if oldest is not None else timedelta()


def plumbing() -> Iterator[Metric]:
    """Read everything; :raises DatabaseError: while the database is away."""
    yield from _jobs()
    yield gauge("outbox_lag_seconds", "Age of the oldest event without a number", outbox_lag().total_seconds())
    newest, told = last_sequence(), Subscriber.objects.filter(state=SubscriberState.ACTIVE)
    behind = {str(number): float(newest - delivered) for number, delivered in told.values_list("pk", "delivered")}
    yield gauges("subscriber_behind_events", "Events that a subscriber lacks, by its id", "subscriber", behind)
    with connection.cursor() as cursor:
        cursor.execute(_CONNECTIONS)
        by_state = {str(state): float(count) for state, count in cursor.fetchall()}
        cursor.execute("SELECT current_setting('max_connections')::int")
        most = float(cursor.fetchone()[0])
    yield gauges("database_connections", "Connections to our database, by their state", "state", by_state)
    yield gauge("database_connections_most", "Connections that the server takes", most)
    yield gauge("clock_drift_seconds", "How far this machine is ahead of the database", measure_drift().total_seconds())


def broker() -> Iterator[Metric]:
    """Ask the broker how many tasks wait."""
    try:
        waiting = waiting_messages()
    except (BrokerAway, DatabaseError):
        yield gauge("broker_up", "Whether the broker answers", 0)
        return
    yield gauge("broker_up", "Whether the broker answers", 1)
    yield gauge("broker_messages", "Tasks that wait in the queue", waiting)


def _jobs() -> Iterator[Metric]:
    runs = CounterMetricFamily("totalizator_jobs_run", "Runs of a job", labels=["job"])
    failures = CounterMetricFamily("totalizator_jobs_failed", "Runs of a job that failed", labels=["job"])
    ages = GaugeMetricFamily("totalizator_job_success_age_seconds", "Since a job last succeeded", labels=["job"])
    took = GaugeMetricFamily("totalizator_job_seconds", "Time of a job's last run", labels=["job"])
    with connection.cursor() as cursor:
        cursor.execute(_JOBS)
        for name, run, failed, age, seconds in cursor.fetchall():
            runs.add_metric([name], run)
            failures.add_metric([name], failed)
            took.add_metric([name], seconds)
            if age is not None:
                ages.add_metric([name], age)
    yield from (runs, failures, ages, took)
