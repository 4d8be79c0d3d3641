"""C19, A1: announced terms are changed by nobody in no way; the database itself refuses."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from pools.models import Pool, PoolState
from pools.services.closing import close_pool, open_pool
from pools.services.drafting import redraft_pool
from tests.integration.test_states import make_pool_in
from tests.making import make_organizers, make_pool, make_terms
from tests.refusals import every_row, refused
from tests.resulting import close_by_clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db

OTHER: dict[str, Any] = {
    "code": "OTHER",
    "game": "totolot-variant",
    "terms_text": "{}",
    "terms_digest": "sha256:0",
    "draws_jackpot": True,
    "announced_by": None,
    "announced_at": None,
}


def change_of(pool: Pool, column: str) -> Any:
    """Another value for a column of the announced terms."""
    if column in ("opens_at", "closes_at", "prepared_at"):
        return getattr(pool, column) + timedelta(minutes=1)
    return make_organizers()[0] if column == "prepared_by" else OTHER[column]


COLUMNS = [*OTHER, "opens_at", "closes_at", "prepared_at", "prepared_by"]


def test_every_column_but_the_state_and_the_closing_is_frozen() -> None:
    assert set(COLUMNS) == {field.name for field in Pool._meta.concrete_fields} - {"id", "state", "closed_at"}


@pytest.mark.parametrize("column", COLUMNS)
def test_c19_no_way_of_writing_changes_announced_terms(column: str) -> None:
    pool = make_pool()
    value = change_of(pool, column)
    before = every_row()
    edited = Pool.objects.get(pk=pool.pk)
    setattr(edited, column, value)
    ways = (
        edited.save,
        lambda: Pool.objects.filter(pk=pool.pk).update(**{column: value}),
        lambda: Pool.objects.bulk_update([edited], [column]),
    )
    for write in ways:
        with pytest.raises(IntegrityError, match="is announced: its terms cannot change"), transaction.atomic():
            write()
    assert every_row() == before


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE pools_pool SET terms_text = replace(terms_text, '3/5', '1/2')",
        "UPDATE pools_pool SET id = id + 1000",
        "UPDATE pools_pool SET state = 'draft'",
        "DELETE FROM pools_pool",
    ],
)
def test_c19_raw_sql_neither(sql: str) -> None:
    make_pool()
    before = every_row()
    with pytest.raises(IntegrityError, match="is announced"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
    assert every_row() == before


@pytest.mark.parametrize("state", [state for state in PoolState if state != PoolState.DRAFT])
def test_c19_in_no_state(state: PoolState) -> None:
    pool = make_pool_in(state)
    with pytest.raises(IntegrityError, match="is announced"), transaction.atomic():
        Pool.objects.filter(pk=pool.pk).update(terms_text="{}")


def test_c19_the_organizer_is_refused_too() -> None:
    pool = make_pool()
    maker, _checker = make_organizers()
    document = document_like(pool, "3/4")
    refusal = refused(lambda: redraft_pool(code=pool.code, document=document, prepared_by=maker))
    assert refusal.code is Refusal.WRONG_STATE


def test_a_draft_is_edited_freely() -> None:
    pool = make_pool_in(PoolState.DRAFT)
    maker, _checker = make_organizers()
    edited = redraft_pool(code=pool.code, document=document_like(pool, "3/4"), prepared_by=maker)
    again = Pool.objects.get(pk=pool.pk)
    assert str(again.terms.fund) == "3/4"
    assert again.terms_digest == edited.terms_digest == again.digest_of_terms()


def test_when_sales_ended_is_written_once() -> None:
    pool = close_by_clock(make_pool())
    for value in (None, pool.closes_at - timedelta(hours=1)):
        with pytest.raises(IntegrityError, match="is announced"), transaction.atomic():
            Pool.objects.filter(pk=pool.pk).update(closed_at=value)


def test_c25_a_bulk_edit_of_pools_is_journalled_row_by_row() -> None:
    """No signal is sent by update(), so the database itself writes the record."""
    first, second = make_pool(), make_pool()
    Pool.objects.filter(pk__in=[first.pk, second.pk]).update(state=PoolState.OPEN)
    records = JournalRecord.objects.filter(act="pool_row_changed", after__state="open")
    assert {record.subject for record in records} == {f"pool:{first.code}", f"pool:{second.code}"}
    assert {record.actor for record in records} == {f"database:{connection.settings_dict['USER']}"}
    assert all(record.before is not None and record.before["state"] == "announced" for record in records)


def test_opening_and_closing_leave_the_terms_as_they_were() -> None:
    pool = make_pool()
    text = pool.terms_text
    open_pool(code=pool.code, actor="test")
    close_pool(code=pool.code, actor="test", early_by=make_organizers()[0])
    again = Pool.objects.get(pk=pool.pk)
    assert (again.terms_text, again.terms_digest) == (text, again.digest_of_terms())


def document_like(pool: Pool, fund: str) -> dict[str, Any]:
    """The document of the pool's terms, with another fund."""
    quorum = pool.terms.quorum
    assert quorum is not None
    return make_terms(
        opens_at=pool.opens_at,
        closes_at=pool.closes_at,
        rules_version=pool.terms.rules_version,
        keys=[],
        code=pool.code,
        fund=fund,
        quorum={"members": list(quorum.members), "need": 2},
    )
