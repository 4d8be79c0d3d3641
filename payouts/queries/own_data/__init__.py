"""All that is kept of a player, by subjects: each becomes a file of what the player is handed (S2)."""

from payouts.queries.own_data import of_account, of_money, of_person, of_play
from payouts.queries.own_data.subjects import Owner, Subject

SUBJECTS: tuple[Subject, ...] = (
    *of_person.SUBJECTS,
    *of_account.SUBJECTS,
    *of_money.SUBJECTS,
    *of_play.SUBJECTS,
)

__all__ = ["SUBJECTS", "Owner", "Subject"]
