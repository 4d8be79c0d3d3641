"""What a verification came to, and how it is told."""

import sys
from dataclasses import dataclass

RIGHT, DIFFERS = 0, 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification came to."""

    difference: str | None
    """The first thing that is wrong; None when all is right."""
    notes: tuple[str, ...] = ()
    """What else the reader of an OK must know: what was not there to be checked."""

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None

    def __str__(self) -> str:
        return "\n".join(("OK", *self.notes)) if self.difference is None else self.difference


def tell(verdict: Verdict) -> int:
    """Print a verdict and give the exit code."""
    sys.stdout.buffer.write(f"{verdict}\n".encode("utf-8", "backslashreplace"))
    return RIGHT if verdict.ok else DIFFERS
