"""Proofs about a growing Merkle tree, as RFC 6962 defines them (X6).

A proof is a list of hashes, each of a *range* of leaves. Which ranges these are depends on the sizes alone, so one
function names them, and another hashes them out of stored full subtrees. A *place* is a full subtree: its level
(2^level leaves) and its position among those of its level.
"""

from collections.abc import Callable, Mapping, Sequence

from totalizator.engine.merkle import node_hash

Range = tuple[int, int]
Place = tuple[int, int]


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """Name the ranges whose hashes prove the leaf at `index` among `size` leaves, from its sibling upwards."""
    start, end, siblings = 0, size, list[Range]()
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            siblings.append((middle, end))
            end = middle
        else:
            siblings.append((start, middle))
            start = middle
    return siblings[::-1]


def consistency_ranges(first: int, second: int) -> list[Range]:
    """Name the ranges whose hashes prove that the first leaves of `second` are all of `first`, 0 < first <= second.

    The range that holds the last leaf of `first` is named itself, unless it is the whole of `first`, whose root the
    reader has.
    """
    start, end, ranges = 0, second, list[Range]()
    while end != first:
        middle = start + _split(end - start)
        if first <= middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    if start > 0:
        ranges.append((start, end))
    return ranges[::-1]


def full_subtrees(part: Range) -> list[Place]:
    """Name the full subtrees that a range of a proof is made of, the largest, which is leftmost, first."""
    start, end = part
    places = []
    while start < end:
        level = (end - start).bit_length() - 1
        places.append((level, start >> level))
        start += 1 << level
    return places


def subtrees_filled(size: int, leaf: bytes, stored: Mapping[Place, bytes]) -> dict[Place, bytes]:
    """Return the full subtrees that a leaf completes in a tree of `size` leaves, itself the first.

    `stored` has the full subtrees to its left.
    """
    filled: dict[Place, bytes] = {(0, size): leaf}
    level, position, node = 0, size, leaf
    while position & 1:
        node = node_hash(stored[level, position - 1], node)
        level, position = level + 1, position >> 1
        filled[level, position] = node
    return filled


def hash_of_subtrees(stored: Callable[[Place], bytes], part: Range) -> bytes:
    """Hash a range, not empty, out of stored full subtrees."""
    *lefts, place = full_subtrees(part)
    node = stored(place)
    for left in reversed(lefts):
        node = node_hash(stored(left), node)
    return node


def verify_consistency(first: int, second: int, first_root: bytes, second_root: bytes, path: Sequence[bytes]) -> bool:
    """Tell whether `path` proves that the tree of `first` leaves is how the tree of `second` leaves began."""
    if not 0 < first <= second:
        return False
    if first == second:
        return not path and first_root == second_root
    place, last = first - 1, second - 1
    while place & 1:  # up to the largest full subtree that ends where the first tree does
        place >>= 1
        last >>= 1
    hashes = list(path) if place else [first_root, *path]
    if not hashes:
        return False
    old = new = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:  # the path is longer than the tree is high
            return False
        if place & 1 or place == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while place and not place & 1:  # a right edge climbs past levels that have no sibling
                place >>= 1
                last >>= 1
        else:
            new = node_hash(new, sibling)
        place >>= 1
        last >>= 1
    return last == 0 and old == first_root and new == second_root


def _split(size: int) -> int:
    """Return the largest power of two below `size`: how many leaves go to the left."""
    return 1 << (size - 1).bit_length() - 1
