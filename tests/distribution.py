"""What Citus would say of the schema: which tables deploy/citus.sql distributes, and which keys do not allow it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

CITUS = Path(__file__).parents[1] / "deploy" / "citus.sql"

_DISTRIBUTED = re.compile(
    r"^SELECT create_distributed_table\('(\w+)', '(\w+)', colocate_with => '(\w+)'\);$", re.MULTILINE
)
_REFERENCE = re.compile(r"^SELECT create_reference_table\('(\w+)'\);$", re.MULTILINE)
# Citus is not here. What it would do is checked from outside; that the file is SQL, and does what comes before, is not.
STUBS = """
CREATE FUNCTION create_reference_table(regclass) RETURNS void LANGUAGE sql AS 'SELECT';
CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text) RETURNS void LANGUAGE sql AS 'SELECT';
"""
_UNIQUE = """
SELECT i.indrelid::regclass::text, i.indexrelid::regclass::text,
       ARRAY(SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
             LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
             WHERE k.place <= i.indnkeyatts ORDER BY k.place)
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE i.indisunique AND n.nspname = 'public'
"""
_FOREIGN = """
SELECT c.conrelid::regclass::text, c.confrelid::regclass::text,
       ARRAY(SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number ORDER BY k.place),
       ARRAY(SELECT a.attname::text FROM unnest(c.confkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number ORDER BY k.place)
FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each table goes; what is not named stays on the coordinator."""

    distributed: Mapping[str, tuple[str, str]]
    """Table → its distribution column, and the first table that it lies together with (itself, when alone)."""
    reference: frozenset[str]


def plan_of(text: str) -> Plan:
    """Read deploy/citus.sql."""
    rows = _DISTRIBUTED.findall(text)
    distributed = {table: (column, table if beside == "none" else beside) for table, column, beside in rows}
    return Plan(distributed, frozenset(_REFERENCE.findall(text)))


def violations(plan: Plan) -> set[str]:
    """Return what Citus would refuse of the schema as it is, each thing in one line."""
    with connection.cursor() as cursor:
        cursor.execute(_UNIQUE)
        unique = cursor.fetchall()
        cursor.execute(_FOREIGN)
        foreign = cursor.fetchall()
        cursor.execute("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
        tables = {table for (table,) in cursor.fetchall()}
    return {
        *(f"{table}: there is no such table" for table in {*plan.distributed, *plan.reference} - tables),
        *_bad_unique(plan, unique),
        *(
            f"{table} ({', '.join(by)}) -> {to}"
            for table, to, by, at in foreign
            if _bad_foreign(plan, table, to, by, at)
        ),
        *_bad_types(plan),
    }


def _bad_unique(plan: Plan, unique: list[tuple[str, str, list[str]]]) -> Iterator[str]:
    """Citus: a unique index of a distributed table holds its distribution column."""
    for table, index, columns in unique:
        if table in plan.distributed and plan.distributed[table][0] not in columns:
            yield f"{table}: unique {index} ({', '.join(map(str, columns))})"


def _bad_foreign(plan: Plan, table: str, to: str, by: list[str], at: list[str]) -> bool:
    """Citus: a distributed table points at reference tables, or at those it lies together with, by its own column.

    Nothing else points at a distributed table. A reference table may point at reference and local ones.
    """
    if table not in plan.distributed:
        return to in plan.distributed
    if to in plan.reference:
        return False
    if to not in plan.distributed or plan.distributed[to][1] != plan.distributed[table][1]:
        return True
    own, other = plan.distributed[table][0], plan.distributed[to][0]
    return own not in by or at[by.index(own)] != other


def _bad_types(plan: Plan) -> Iterator[str]:
    """Citus: tables that lie together are distributed by columns of one type."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns"
            " WHERE table_schema = 'public'"
        )
        types = {(table, column): kind for table, column, kind in cursor.fetchall()}
    for table, (column, beside) in plan.distributed.items():
        if beside not in plan.distributed or types.get((table, column)) != types.get(
            (beside, plan.distributed[beside][0])
        ):
            yield f"{table}: {column} is not of the type of what it lies together with"
