"""A tree that grows by the layer is the tree that grows by the leaf."""

from hypothesis import given
from hypothesis import strategies as st

from totalizator.engine.merkle import MerkleTree, leaf_hash


@given(st.lists(st.integers(0, 70), max_size=6))
def test_extending_is_adding(sizes: list[int]) -> None:
    by_leaf, by_layer = MerkleTree(), MerkleTree()
    for number, size in enumerate(sizes):
        leaves = [leaf_hash(b"%d %d" % (number, leaf)) for leaf in range(size)]
        by_layer.extend(leaves)
        for leaf in leaves:
            by_leaf.add(leaf)
        assert (by_layer.root(), by_layer.count) == (by_leaf.root(), by_leaf.count)


@given(st.integers(1, 70), st.data())
def test_extending_picks_up_the_same_path(count: int, data: st.DataObject) -> None:
    proved = data.draw(st.integers(0, count - 1))
    leaves = [leaf_hash(b"%d" % leaf) for leaf in range(count)]
    by_leaf, by_layer = MerkleTree(proved=proved), MerkleTree(proved=proved)
    by_layer.extend(leaves)
    for leaf in leaves:
        by_leaf.add(leaf)
    assert by_layer.path() == by_leaf.path()
