"""What waits for another person to approve it."""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.models import User


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits: who began it, how another approves it, and the act that one approval journals, in `rows` rows."""

    first: User
    approve: Callable[[User], object]
    act: str
    rows: int = 1
