"""Many pools from a few: a pool that was played by the services is copied with all its rows, set-wise.

A copy has a code, terms and instants of its own, and money of its own in the ledger, which balances. What was signed
is copied with the code changed in it, so that a copy's signatures and Merkle root are not true: who shows proofs asks
for an original.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection

from accounts.ledger.proofs import broken_invariants
from pools.models import Commitment, LogEntry, LogHead, LogKind, LogNode, Pool, Protocol, Settlement
from pools.queries.log_nodes import nodes_at
from pools.services.log_heads import note_log_head, places_wanted
from totalizator.core.signing import operator_sign
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.log import entry_line, head_document, head_payload
from totalizator.engine.merkle import leaf_hash
from totalizator.engine.merkle_proofs import hash_of_subtrees, subtrees_filled

SHORT = 40  # characters; a column of no more has no room for a digest or an instant
KINDS: Mapping[str, type[Commitment | Protocol | Settlement]] = {
    LogKind.COMMITMENT: Commitment,
    LogKind.PROTOCOL: Protocol,
    LogKind.SETTLEMENT: Settlement,
}


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that is wanted: of which pool, under which code of the same length, how much later."""

    of: Pool
    code: str
    later: timedelta


_WANTED = """
CREATE TEMP TABLE copies ON COMMIT DROP AS
WITH wanted AS (
    SELECT p.id AS old_id, p.code AS old_code, w.code AS new_code, w.later, p.terms_digest AS old_digest, p.terms_text,
           p.opens_at, p.closes_at
    FROM unnest(%s::bigint[], %s::text[], %s::interval[]) AS w (old_id, code, later)
    JOIN pools_pool p ON p.id = w.old_id
), renamed AS (
    SELECT *, {opens} AS old_opens, {closes} AS old_closes, {later_opens} AS new_opens, {later_closes} AS new_closes
    FROM wanted
), written AS (
    SELECT *, replace(replace(replace(terms_text, old_code, new_code), old_opens, new_opens), old_closes, new_closes)
           AS new_terms FROM renamed
)
SELECT *, nextval(pg_get_serial_sequence('pools_pool', 'id')) AS new_id,
       'sha256:' || encode(sha256(new_terms::bytea), 'hex') AS new_digest
FROM written
"""
_ACCOUNTS = """
CREATE TEMP TABLE copied_accounts ON COMMIT DROP AS
SELECT a.id AS old_id, c.new_id AS book, nextval(pg_get_serial_sequence('accounts_ledgeraccount', 'id')) AS new_id,
       c.new_code AS owner
FROM accounts_ledgeraccount a JOIN copies c ON a.owner = c.old_code;
INSERT INTO accounts_ledgeraccount (id, kind, owner, guarded, debit_normal, debits, credits)
SELECT m.new_id, a.kind, m.owner, a.guarded, a.debit_normal, a.debits, a.credits
FROM copied_accounts m JOIN accounts_ledgeraccount a ON a.id = m.old_id
"""
_ENTRIES = """
INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount)
SELECT c.new_id, replace(e.key, c.old_code, c.new_code), e.line, COALESCE(d.new_id, e.debit_id),
       COALESCE(r.new_id, e.credit_id), e.amount
FROM accounts_entry e JOIN copies c ON c.old_id = e.book
LEFT JOIN copied_accounts d ON d.old_id = e.debit_id AND d.book = c.new_id
LEFT JOIN copied_accounts r ON r.old_id = e.credit_id AND r.book = c.new_id
"""
# An account of a pool's own was copied with its counters; those that all pools share have got entries more.
_COUNTERS = """
UPDATE accounts_ledgeraccount a SET debits = a.debits + more.debits, credits = a.credits + more.credits
FROM (SELECT account, sum(debit)::bigint AS debits, sum(credit)::bigint AS credits
      FROM accounts_entry e JOIN copies c ON c.new_id = e.book
      CROSS JOIN LATERAL (VALUES (e.debit_id, e.amount, 0), (e.credit_id, 0, e.amount)) AS v (account, debit, credit)
      GROUP BY account) AS more
WHERE a.id = more.account AND a.guarded AND a.id NOT IN (SELECT new_id FROM copied_accounts)
"""


def copy_pools(wanted: Sequence[Copy]) -> None:
    """Copy pools with their bets, winnings, payables, payments, documents and money; go on with the public log."""
    assert all(len(copy.code) == len(copy.of.code) for copy in wanted), "a code is replaced where it stands"
    if not wanted:
        return
    with one_transaction(), connection.cursor() as cursor:
        shifts = [copy.later for copy in wanted]
        cursor.execute(_wanted_sql(), [[copy.of.pk for copy in wanted], [copy.code for copy in wanted], shifts])
        cursor.execute("ANALYZE copies")
        cursor.execute(_ACCOUNTS)
        tables = _tables_of_pools()
        for table, key in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")  # the copies were refused nothing once before
            cursor.execute(_copying(table, key))
        cursor.execute(_ENTRIES)
        cursor.execute(_COUNTERS)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table, _key in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    _log_documents([copy.code for copy in wanted])
    broken = broken_invariants()
    if broken:
        raise RuntimeError(f"the ledger of the copied pools does not balance: {broken}")


def _wanted_sql() -> str:
    def written(instant: str) -> str:
        return f"""to_char(({instant}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""

    return _WANTED.format(
        opens=written("opens_at"),
        closes=written("closes_at"),
        later_opens=written("opens_at + later"),
        later_closes=written("closes_at + later"),
    )


def _tables_of_pools() -> list[tuple[str, str]]:
    """Return every table whose rows are a pool's, with the column that says of which; the pools first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND column_name = 'pool_id' AND table_name NOT LIKE %s"
            " ORDER BY table_name",
            ["pg_temp%"],
        )
        tables = [(name, "pool_id") for (name,) in cursor.fetchall()]
    return [("pools_pool", "id"), ("accounts_transfer", "book"), *tables]


def _copying(table: str, key: str) -> str:
    """Return the statement that copies a pool's rows of a table: another pool, another code, other instants."""
    columns = dict(_columns(table, key))
    return (
        f"INSERT INTO {table} ({', '.join(columns)})"
        f" SELECT {', '.join(columns.values())} FROM {table} t JOIN copies c ON c.old_id = t.{key}"
        " ORDER BY c.later, c.new_id"  # rows come in the order of time, which their indexes count on
    )


def _columns(table: str, key: str) -> Iterator[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, data_type, character_maximum_length, is_identity FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = %s ORDER BY ordinal_position",
            [table],
        )
        found = cursor.fetchall()
    for name, kind, longest, identity in found:
        column, quoted = f"t.{name}", f'"{name}"'
        if name == key:
            yield quoted, "c.new_id"
        elif identity == "YES":
            continue  # a new row gets a number of its own
        elif kind == "timestamp with time zone":
            yield quoted, f"{column} + c.later"
        elif kind == "jsonb":
            yield quoted, f"({_renamed(f'{column}::text', None)})::jsonb"
        elif kind in ("text", "character varying"):
            yield quoted, _renamed(column, longest)
        else:
            yield quoted, column


def _renamed(column: str, longest: int | None) -> str:
    replaced = f"replace({column}, c.old_code, c.new_code)"
    if longest is None or longest > SHORT:
        for old, new in (("old_digest", "new_digest"), ("old_opens", "new_opens"), ("old_closes", "new_closes")):
            replaced = f"replace({replaced}, c.{old}, c.{new})"
    return replaced


def _log_documents(codes: Sequence[str]) -> None:
    """Append the documents of the copies to the public log, each line with its signed head, as one by one."""
    last = LogHead.objects.order_by("-size").first()
    if last is None:
        return
    size, at, name = last.size, last.at, parse_json(last.document_text.encode(), where="head")["log"]
    nodes = dict(nodes_at(places_wanted(size)))
    lines, heads, filled = [], [], {}
    for kind, subject, text in sorted(_documents(codes)):
        named = digest(text.encode())
        line = entry_line(index=size, kind=LogKind(kind), subject=subject, version=1, digest=named, at=at)
        new = subtrees_filled(size, leaf_hash(line), nodes)
        filled.update(new)
        nodes.update(new)
        lines.append(
            LogEntry(index=size, kind=kind, subject=subject, version=1, digest=named, at=at, line=line.decode())
        )
        size += 1
        root = hash_of_subtrees(nodes.__getitem__, (0, size))
        document = head_document(log=name, size=size, root=root, at=at)
        signed = {**document, "signatures": [operator_sign(head_payload(document))]}
        heads.append(LogHead(size=size, at=at, root=root.hex(), document_text=canonical_json(signed).decode()))
    with one_transaction():
        LogEntry.objects.bulk_create(lines)
        LogNode.objects.bulk_create(
            [LogNode(level=level, position=place, hash=node) for (level, place), node in filled.items()]
        )
        LogHead.objects.bulk_create(heads)
        note_log_head(actor="bench")


def _documents(codes: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for kind, model in KINDS.items():
        text = "manifest_text" if model is Settlement else "document_text"
        for code, document in model._default_manager.filter(pool__code__in=codes).values_list("pool__code", text):
            yield str(kind), code, document
