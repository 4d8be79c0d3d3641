"""What goes wrong in a run, and when: told by the run's seed alone."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

STAGES = ("selling", "closing", "deciding", "settling", "paying")
WEIGHTS = (6, 1, 1, 2, 2)
MOST = 3


@dataclass(frozen=True, slots=True)
class Injected:
    """One fault: `after` so many seconds from the beginning of its stage."""

    kind: str
    stage: str
    after: float

    def __str__(self) -> str:
        return f"{self.kind} {self.after:.1f} s into {self.stage}"


def plan_of(seed: int, kinds: Sequence[str]) -> list[Injected]:
    """Return one to three faults; of as many seeds in a row as there are kinds, each has another kind as its first."""
    chance = random.Random(seed)
    chosen = [kinds[seed % len(kinds)], *chance.choices(kinds, k=chance.randrange(MOST))]
    stages = chance.choices(STAGES, WEIGHTS, k=len(chosen))
    return [
        Injected(kind, stage, round(chance.uniform(0, 2.5 if stage == "selling" else 0.8), 2))
        for kind, stage in zip(chosen, stages, strict=True)
    ]
