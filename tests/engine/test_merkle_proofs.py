"""Proofs of inclusion and of growth against the definitions of RFC 6962, read literally, and published vectors (X6)."""

import pytest

from tests.engine.logged import hash_of_leaves
from tests.engine.test_merkle import INPUTS, ROOTS, path_by_definition, root_by_definition, split_of
from tests.engine.worked import NOTHING, Row, table
from totalizator.engine.merkle import leaf_hash, verify_inclusion
from totalizator.engine.merkle_proofs import (
    Place,
    consistency_ranges,
    full_subtrees,
    hash_of_subtrees,
    inclusion_ranges,
    verify_consistency,
)

LINES = [b"line %d" % number for number in range(64)]
LEAVES = [leaf_hash(line) for line in LINES]
GROWN = table("That a log has only grown")
SIZES = [root_by_definition(LINES[:size]) for size in range(65)]

# Of Certificate Transparency's own implementation, over the inputs of test_merkle.
PUBLISHED = {
    (1, 1): [],
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}


def growth_by_definition(lines: list[bytes], first: int, *, known: bool = True) -> list[bytes]:
    """RFC 6962, 2.1.2: SUBPROOF(m, D[n], b)."""
    if first == len(lines):
        return [] if known else [root_by_definition(lines)]
    cut = split_of(len(lines))
    if first <= cut:
        return [*growth_by_definition(lines[:cut], first, known=known), root_by_definition(lines[cut:])]
    return [*growth_by_definition(lines[cut:], first - cut, known=False), root_by_definition(lines[:cut])]


def growth(first: int, second: int) -> list[bytes]:
    return [hash_of_leaves(LEAVES, part) for part in consistency_ranges(first, second)]


@pytest.mark.parametrize(("first", "second"), PUBLISHED)
def test_published_proofs_of_growth(first: int, second: int) -> None:
    leaves = [leaf_hash(bytes.fromhex(line)) for line in INPUTS]
    path = [hash_of_leaves(leaves, part) for part in consistency_ranges(first, second)]
    assert [node.hex() for node in path] == PUBLISHED[first, second]
    assert verify_consistency(first, second, bytes.fromhex(ROOTS[first]), bytes.fromhex(ROOTS[second]), path)


def test_every_proof_of_growth_up_to_64_is_the_definitions_and_verifies() -> None:
    for second in range(1, 65):
        for first in range(1, second + 1):
            path = growth(first, second)
            assert path == growth_by_definition(LINES[:second], first), (first, second)
            assert verify_consistency(first, second, SIZES[first], SIZES[second], path), (first, second)


def test_every_path_up_to_64_is_the_definitions_and_verifies() -> None:
    for size in range(1, 65):
        for index in range(size):
            path = [hash_of_leaves(LEAVES, part) for part in inclusion_ranges(index, size)]
            assert path == path_by_definition(LINES[:size], index), (index, size)
            assert verify_inclusion(LEAVES[index], index, size, path, SIZES[size])


def test_no_proof_of_growth_is_good_for_anything_else() -> None:
    """Another size, another root, a hash changed, left out, added or swapped: none of it verifies, for any sizes."""
    for second in range(1, 33):
        for first in range(1, second + 1):
            path = growth(first, second)
            old, new = SIZES[first], SIZES[second]
            assert not verify_consistency(first, second, SIZES[0], new, path)
            assert not verify_consistency(first, second, old, SIZES[0], path)
            assert not verify_consistency(first, second, old, new, [*path, old])
            for place, node in enumerate(path):
                flipped = bytes([node[0] ^ 1]) + node[1:]
                assert not verify_consistency(first, second, old, new, [*path[:place], flipped, *path[place + 1 :]])
                assert not verify_consistency(first, second, old, new, [*path[:place], *path[place + 1 :]])
            if len(path) > 1:
                assert not verify_consistency(first, second, old, new, path[::-1])


@pytest.mark.parametrize(("first", "second"), [(0, 1), (0, 0), (-1, 3), (3, 2)])
def test_sizes_that_make_no_sense_prove_nothing(first: int, second: int) -> None:
    assert not verify_consistency(first, second, SIZES[0], SIZES[0], [])


def test_a_log_that_was_rewritten_cannot_be_proved_to_have_grown() -> None:
    other = [leaf_hash(b"another"), *LEAVES[1:40]]
    for first in range(1, 40):
        path = [hash_of_leaves(other, part) for part in consistency_ranges(first, 40)]
        assert not verify_consistency(first, 40, SIZES[first], hash_of_leaves(other, (0, 40)), path)


def test_ranges_are_hashed_out_of_stored_subtrees_as_out_of_leaves() -> None:
    def stored(place: Place) -> bytes:
        level, position = place
        return hash_of_leaves(LEAVES, (position << level, (position + 1) << level))

    assert full_subtrees((0, 21)) == [(4, 0), (2, 4), (0, 20)]
    for size in range(1, 65):
        for index in range(size):
            for part in (*inclusion_ranges(index, size), *consistency_ranges(index + 1, size), (0, size)):
                assert hash_of_subtrees(stored, part) == hash_of_leaves(LEAVES, part)


@pytest.mark.parametrize("row", GROWN, ids=lambda row: row["Proved"])
def test_that_a_log_has_only_grown(row: Row) -> None:
    what, _space, number = row["Proved"].rpartition(" ")
    prove = inclusion_ranges if what == "leaf" else consistency_ranges
    ranges = ", ".join(f"{start}..{end}" for start, end in prove(int(number), int(row["Of"])))
    assert (ranges or NOTHING) == row["Ranges"]
