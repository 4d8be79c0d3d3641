"""The tree over a pool's bets, cut into chunks, so that later a bet's path is found without reading all bets (X2).

A chunk has 2^n lines, so it is a full subtree of the tree over all of them, and the tree over the chunks' roots has the
same root as the tree over the lines.
"""

from hashlib import sha256

from totalizator.engine.merkle import MerkleTree, hashed_texts, parents

Chunk = tuple[str, bytes]
"""The first ticket, and the root over the lines."""


class ChunkedTree:
    """Build the root block by block, and keep what each chunk begins with and its root."""

    def __init__(self, size: int) -> None:
        """Start an empty tree.

        :param size: lines of a chunk, a power of two
        """
        if size.bit_count() != 1:
            raise ValueError(f"a chunk is a full subtree, not {size} lines")
        self._size = size
        self._count = 0
        self._firsts: list[str] = []
        self._roots: list[bytes] = []
        self._leaves: list[bytes] = []  # of the chunk that is not full yet

    def add_lines(self, block: bytes) -> None:
        """Append every line of a block of whole lines."""
        texts = hashed_texts(block)
        firsts = texts[-self._count % self._size :: self._size]
        self._firsts += [text[1:].partition(b",")[0].decode() for text in firsts]
        self._count += len(texts)
        self._leaves += [sha256(text).digest() for text in texts]
        full = len(self._leaves) - len(self._leaves) % self._size
        nodes, self._leaves = self._leaves[:full], self._leaves[full:]
        for _layer in range(self._size.bit_length() - 1):
            nodes = parents(nodes)
        self._roots += nodes

    def chunks(self) -> list[Chunk]:
        """Return the chunks; the last may not be full."""
        rest = MerkleTree()
        rest.extend(self._leaves)
        roots = [*self._roots, rest.root()] if self._leaves else self._roots
        return list(zip(self._firsts, roots, strict=True))

    def root(self) -> bytes:
        """Return the root over all lines."""
        return root_of_chunks([root for _first, root in self.chunks()])


def root_of_chunks(roots: list[bytes]) -> bytes:
    """Return the root over all lines, from the chunks' roots in their order."""
    tree = MerkleTree()
    tree.extend(roots)
    return tree.root()
