"""The stored full subtrees of the public log (X6)."""

from collections.abc import Collection, Mapping

from django.db import connection

from totalizator.engine.merkle_proofs import Place, Range, full_subtrees, hash_of_subtrees

_NODES = """
SELECT level, position, hash FROM pools_lognode
WHERE (level, position) IN (SELECT * FROM unnest(%s::smallint[], %s::bigint[]))
"""


def nodes_at(places: Collection[Place]) -> Mapping[Place, bytes]:
    """Return the hashes of the subtrees at `places`, in one query."""
    levels, positions = [place[0] for place in places], [place[1] for place in places]
    with connection.cursor() as cursor:
        cursor.execute(_NODES, [levels, positions])
        return {(level, position): bytes(node) for level, position, node in cursor.fetchall()}


def hashes_of(ranges: Collection[Range]) -> list[bytes]:
    """Return the hashes of ranges of lines, such as a proof is made of."""
    nodes = nodes_at([place for part in ranges for place in full_subtrees(part)])
    return [hash_of_subtrees(nodes.__getitem__, part) for part in ranges]
