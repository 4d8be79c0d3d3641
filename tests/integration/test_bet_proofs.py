"""A bet's path out of one chunk is the path out of all bets, wherever the bet stands (X2)."""

from pathlib import Path

import pytest

from pools.models import Bet, BetChunk, Commitment
from pools.snapshots import bet_proofs, sealing
from pools.snapshots.bet_proofs import proof_of
from pools.snapshots.bets import bet_line, write_bets_csv
from tests.loaded_bets import load_bets
from tests.making import make_pool
from tests.resulting import close_by_clock
from totalizator.engine.canonical import parse_json
from totalizator.engine.merkle import inclusion_path, leaf_hash, verify_inclusion

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 16, 17, 37])
def test_x2_every_bets_path_is_that_of_the_whole_tree(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "CHUNK", 8)
    monkeypatch.setattr(bet_proofs, "CHUNK", 8)
    pool = make_pool()
    load_bets(pool, count)
    close_by_clock(pool)
    write_bets_csv(pool, tmp_path / "bets.csv")
    lines = (tmp_path / "bets.csv").read_bytes().splitlines()[1:]
    leaves = [leaf_hash(line) for line in lines]
    commitment = Commitment.objects.get(pool=pool)
    for index, bet in enumerate(Bet.objects.filter(pool=pool).select_related("pool").order_by("ticket")):
        proof = proof_of(bet, commitment)
        assert (proof.line, proof.index, proof.count) == (lines[index], index, count)
        assert proof.line == bet_line(bet)
        assert proof.path == inclusion_path(leaves, index)
    assert BetChunk.objects.filter(pool=pool).count() == (count + 7) // 8


def test_x2_chunks_of_1024_lead_to_the_committed_root(tmp_path: Path) -> None:
    pool = make_pool()
    load_bets(pool, 2_500)
    close_by_clock(pool)
    commitment = Commitment.objects.get(pool=pool)
    root = bytes.fromhex(parse_json(commitment.document_text.encode(), where="commitment.json")["merkle_root"])
    assert BetChunk.objects.filter(pool=pool).count() == 3
    bets = Bet.objects.filter(pool=pool).select_related("pool").order_by("ticket")
    for place in (0, 1023, 1024, 2047, 2048, 2499):
        proof = proof_of(bets[place], commitment)
        assert (proof.index, proof.root) == (place, root)
        assert verify_inclusion(leaf_hash(proof.line), place, 2_500, proof.path, root)
