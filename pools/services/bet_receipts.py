"""The receipt of a bet, which anyone can check off line with the engine alone (X2, docs/log.md).

From the sale on it proves that the bet was taken; from closing on that it is among the committed bets, and when these
were fixed in the public log. It tells nothing of other bets: their hashes are salted.
"""

from typing import Any

from pools.models import Bet, Commitment, LogEntry, LogKind
from pools.queries.log_proofs import inclusion_proof, newest_head
from pools.snapshots.bet_proofs import proof_of
from pools.snapshots.bets import bet_line
from totalizator.core.signing import operator_sign
from totalizator.engine.canonical import parse_json
from totalizator.engine.merkle import leaf_hash, verify_inclusion
from totalizator.engine.receipt import receipt_payload


def receipt_of(bet: Bet) -> dict[str, Any]:
    """Return the bet's receipt as of now, signed by the operator."""
    document: dict[str, Any] = {"format": 1, "pool": bet.pool.code}
    commitment = Commitment.objects.filter(pool_id=bet.pool_id).first()
    if commitment is None:
        document |= {"bet": bet_line(bet).decode()}
    else:
        document |= _committed(bet, commitment)
    return {**document, "signatures": [operator_sign(receipt_payload(document))]}


def _committed(bet: Bet, commitment: Commitment) -> dict[str, Any]:
    proof = proof_of(bet, commitment)
    leaf = leaf_hash(proof.line)
    assert verify_inclusion(leaf, proof.index, proof.count, proof.path, proof.root), f"bet {bet.ticket}: no path"
    entry = LogEntry.objects.get(subject=bet.pool.code, kind=LogKind.COMMITMENT)
    head = newest_head()
    assert head is not None, "a line and its head are written together"
    return {
        "bet": proof.line.decode(),
        "index": proof.index,
        "path": [node.hex() for node in proof.path],
        "root": proof.root.hex(),
        "commitment": parse_json(commitment.document_text.encode(), where="commitment.json"),
        "log": inclusion_proof(entry, head),
    }
