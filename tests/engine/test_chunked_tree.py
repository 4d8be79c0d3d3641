"""A tree that keeps its chunks is the plain tree of the definition, wherever blocks and chunks end (X2)."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalizator.engine.chunks import ChunkedTree, root_of_chunks
from totalizator.engine.merkle import MerkleTree, leaf_hash, leaf_hashes, node_hash, parents

LINES = [b"T-%05d,1;X;2,%d" % (number, number * number) for number in range(90)]


def defined_root(lines: list[bytes]) -> bytes:
    """The tree as RFC 6962 defines it, by halves."""
    if not lines:
        return sha256().digest()
    if len(lines) == 1:
        return sha256(b"\x00" + lines[0]).digest()
    left = 1 << (len(lines) - 1).bit_length() - 1
    return sha256(b"\x01" + defined_root(lines[:left]) + defined_root(lines[left:])).digest()


def as_blocks(sizes: list[int]) -> tuple[list[bytes], list[bytes]]:
    """Cut the first lines into blocks of these sizes; return the lines and the blocks."""
    lines, blocks = LINES[: sum(sizes)], []
    for place, size in enumerate(sizes):
        start = sum(sizes[:place])
        blocks.append(b"".join(line + b"\n" for line in lines[start : start + size]))
    return lines, blocks


@given(st.lists(st.integers(1, 15), max_size=6), st.sampled_from([1, 2, 4, 8, 64]))
def test_root_and_chunks_are_those_of_the_definition(sizes: list[int], size: int) -> None:
    lines, blocks = as_blocks(sizes)
    tree, plain = ChunkedTree(size), MerkleTree()
    for block in blocks:
        tree.add_lines(block)
        plain.add_lines(block)
    assert tree.root() == plain.root() == defined_root(lines)
    cut = [lines[start : start + size] for start in range(0, len(lines), size)]
    assert tree.chunks() == [(chunk[0].split(b",")[0].decode(), defined_root(chunk)) for chunk in cut]
    assert root_of_chunks([root for _first, root in tree.chunks()]) == tree.root()


def test_many_at_once_are_one_by_one() -> None:
    leaves = leaf_hashes(b"".join(line + b"\n" for line in LINES))
    assert leaves == [leaf_hash(line) for line in LINES]
    assert parents(leaves) == [node_hash(*leaves[place : place + 2]) for place in range(0, len(LINES), 2)]
    assert leaf_hashes(b"") == []


@pytest.mark.parametrize("size", [0, 3, 1000])
def test_a_chunk_that_is_no_full_subtree_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="a full subtree"):
        ChunkedTree(size)
