"""Merkle tree of a pool's bets, as RFC 6962 defines it (X1, X2).

One root, published at closing, commits the operator to every bet line; a path of about log2(count) hashes later
proves to a player that his line is under that root. A *leaf* below is always the 32 bytes that `leaf_hash` returns.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

_LEAF = b"\x00"
_NODE = b"\x01"  # a different first byte, so that an inner node can never be passed off as a bet


def leaf_hash(line: bytes) -> bytes:
    """Hash one bet line, given without its newline."""
    return sha256(_LEAF + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash two subtrees into their parent."""
    return sha256(_NODE + left + right).digest()


def hashed_texts(block: bytes) -> list[bytes]:
    """Give what is hashed of each line of a block of whole lines, each with its newline."""
    texts = (_LEAF + block.replace(b"\n", b"\n" + _LEAF)).split(b"\n")
    texts.pop()
    return texts


def leaf_hashes(block: bytes) -> list[bytes]:
    """Hash every line of a block: `leaf_hash` of each, without a call for each."""
    return [sha256(text).digest() for text in hashed_texts(block)]


def parents(nodes: Sequence[bytes]) -> list[bytes]:
    """Hash an even number of neighbours into the layer above: `node_hash` of each pair."""
    left = iter(nodes)
    return [sha256(b"\x01" + one + other).digest() for one, other in zip(left, left, strict=True)]


class MerkleTree:
    """Build the root leaf by leaf, in memory that grows with log2(count).

    What is kept are the peaks: the roots of the full subtrees whose sizes are the binary digits of `count`,
    largest first. With `proved`, the path of that leaf is picked up on the way, so that a proof out of ten million
    bets needs one pass and no list of them.
    """

    __slots__ = ("_holder", "_path", "_peaks", "_proved", "count")

    def __init__(self, proved: int | None = None) -> None:
        """Start an empty tree.

        :param proved: index from 0 of the leaf whose `path` is wanted
        """
        self.count = 0
        self._peaks: list[bytes] = []
        self._proved = proved
        self._path: list[bytes] = []  # of the proved leaf, inside the peak that holds it
        self._holder = -1  # that peak's place among the peaks

    def add(self, leaf: bytes) -> None:
        """Append the next leaf."""
        node = leaf
        holds = self.count == self._proved
        filled = self.count
        while filled & 1:  # as in a binary counter: every carry joins two subtrees of equal size
            left = self._peaks.pop()
            if holds:
                self._path.append(left)
            elif self._holder == len(self._peaks):
                self._path.append(node)
                holds = True
            node = node_hash(left, node)
            filled >>= 1
        if holds:
            self._holder = len(self._peaks)
        self._peaks.append(node)
        self.count += 1

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Append many leaves: what `add` does for each, a whole layer of nodes at a time, which is twice as fast."""
        if self._proved is not None:
            for leaf in leaves:
                self.add(leaf)
            return
        nodes, unpaired = list(leaves), []
        filled = self.count
        while nodes:
            if filled & 1:
                nodes.insert(0, self._peaks.pop())
            if len(nodes) & 1:
                unpaired.append(nodes.pop())
            nodes = parents(nodes)
            filled >>= 1
        self._peaks += reversed(unpaired)
        self.count += len(leaves)

    def add_lines(self, block: bytes) -> None:
        """Append every line of a block of whole lines."""
        self.extend(leaf_hashes(block))

    def root(self) -> bytes:
        """Return the root over the leaves added so far; of an empty tree, the hash of nothing."""
        if not self._peaks:
            return sha256().digest()
        node = self._peaks[-1]
        for left in reversed(self._peaks[:-1]):
            node = node_hash(left, node)
        return node

    def path(self) -> tuple[bytes, ...]:
        """Return the proved leaf's path to `root()`, from the leaf's sibling upwards.

        :raises IndexError: the tree has no such leaf
        """
        if self._holder < 0:
            raise IndexError(f"leaf {self._proved} of {self.count}")
        path = list(self._path)
        right: bytes | None = None  # everything to the right of the peak at hand, already joined
        for place in range(len(self._peaks) - 1, -1, -1):
            peak = self._peaks[place]
            if place < self._holder:
                path.append(peak)
            elif place > self._holder:
                right = peak if right is None else node_hash(peak, right)
            elif right is not None:
                path.append(right)
        return tuple(path)


def inclusion_path(leaves: Iterable[bytes], index: int) -> tuple[bytes, ...]:
    """Return the path that proves the leaf at `index` (from 0), from its sibling upwards.

    :raises IndexError: there is no such leaf
    """
    tree = MerkleTree(proved=index)
    for leaf in leaves:
        tree.add(leaf)
    return tree.path()


def verify_inclusion(leaf: bytes, index: int, count: int, path: Sequence[bytes], root: bytes) -> bool:
    """Tell whether `path` proves that `leaf` stands at `index` (from 0) among `count` leaves under `root`."""
    if not 0 <= index < count:
        return False
    node = leaf
    place, last = index, count - 1
    for sibling in path:
        if last == 0:  # the path is longer than the tree is high
            return False
        if place & 1 or place == last:
            node = node_hash(sibling, node)
            while place and not place & 1:  # a right edge climbs past levels that have no sibling
                place >>= 1
                last >>= 1
        else:
            node = node_hash(node, sibling)
        place >>= 1
        last >>= 1
    return last == 0 and node == root
