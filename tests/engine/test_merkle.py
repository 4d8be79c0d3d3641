"""The Merkle tree against published vectors and against the definition of RFC 6962, read literally (X1, X2)."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalizator.engine.merkle import MerkleTree, inclusion_path, leaf_hash, verify_inclusion

# The reference inputs and roots of Certificate Transparency's own implementation of RFC 6962.
INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def root_of(leaves: list[bytes]) -> bytes:
    tree = MerkleTree()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root()


def split_of(count: int) -> int:
    """The largest power of two smaller than `count`: where the definition cuts a list in two."""
    split = 1
    while split * 2 < count:
        split *= 2
    return split


def root_by_definition(lines: list[bytes]) -> bytes:
    if not lines:
        return sha256(b"").digest()
    if len(lines) == 1:
        return sha256(b"\x00" + lines[0]).digest()
    cut = split_of(len(lines))
    return sha256(b"\x01" + root_by_definition(lines[:cut]) + root_by_definition(lines[cut:])).digest()


def path_by_definition(lines: list[bytes], index: int) -> list[bytes]:
    if len(lines) == 1:
        return []
    cut = split_of(len(lines))
    if index < cut:
        return [*path_by_definition(lines[:cut], index), root_by_definition(lines[cut:])]
    return [*path_by_definition(lines[cut:], index - cut), root_by_definition(lines[:cut])]


@pytest.mark.parametrize("count", range(9))
def test_published_roots(count: int) -> None:
    leaves = [leaf_hash(bytes.fromhex(text)) for text in INPUTS[:count]]
    assert root_of(leaves).hex() == ROOTS[count]


@pytest.mark.parametrize("count", [*range(1, 35), 63, 64, 65, 100])
def test_every_leaf_of_every_small_tree_is_proved_by_the_path_of_the_definition(count: int) -> None:
    lines = [f"T-{number}".encode() for number in range(count)]
    leaves = [leaf_hash(line) for line in lines]
    root = root_of(leaves)
    assert root == root_by_definition(lines)
    for index in range(count):
        path = inclusion_path(iter(leaves), index)
        assert list(path) == path_by_definition(lines, index)
        assert verify_inclusion(leaves[index], index, count, path, root)


@pytest.mark.parametrize("index", [-1, 3, 4])
def test_no_path_for_a_leaf_that_is_not_there(index: int) -> None:
    leaves = [leaf_hash(b"a"), leaf_hash(b"b"), leaf_hash(b"c")]
    with pytest.raises(IndexError):
        inclusion_path(leaves, index)
    assert not verify_inclusion(leaves[0], index, 3, (), root_of(leaves))


def test_an_inner_node_is_not_a_leaf() -> None:
    a, b = leaf_hash(b"a"), leaf_hash(b"b")
    assert leaf_hash(a + b) != root_of([a, b])


def test_the_tree_keeps_only_its_peaks() -> None:
    tree = MerkleTree(proved=77)
    for number in range(10_000):
        tree.add(leaf_hash(str(number).encode()))
        assert len(tree._peaks) == tree.count.bit_count()
    assert len(tree.path()) == 14


@given(st.lists(st.binary(max_size=4), min_size=1, max_size=70), st.data())
@settings(max_examples=100, deadline=None)
def test_a_proof_fails_when_anything_in_it_changes(lines: list[bytes], draw: st.DataObject) -> None:
    leaves = [leaf_hash(line) for line in lines]
    count, root = len(leaves), root_of(leaves)
    index = draw.draw(st.integers(0, count - 1))
    path = list(inclusion_path(leaves, index))
    assert verify_inclusion(leaves[index], index, count, path, root)
    assert not verify_inclusion(leaf_hash(b"another line"), index, count, path, root)
    assert not verify_inclusion(leaves[index], index, count, path, leaf_hash(b"another root"))
    assert not verify_inclusion(leaves[index], index, count, [*path, root], root)
    if path:
        place = draw.draw(st.integers(0, len(path) - 1))
        assert not verify_inclusion(leaves[index], index, count, path[:place] + path[place + 1 :], root)
        swapped = [*path[:place], leaf_hash(b"another sibling"), *path[place + 1 :]]
        assert not verify_inclusion(leaves[index], index, count, swapped, root)
