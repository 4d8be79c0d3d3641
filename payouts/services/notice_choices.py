"""A player chooses whether notices come by e-mail too; on the own page they always stand (K6)."""

from accounts.locks import lock_person
from accounts.models import User
from payouts.models import NoticeChoice
from payouts.queries.notice_choices import wants_letters
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def choose_letters(*, player: User, wanted: bool) -> None:
    """Note whether the player wants letters; said again it changes nothing."""
    with one_transaction():
        lock_person(player.pk)
        before = wants_letters(player)
        if before == wanted:
            return
        at = clock.now()
        NoticeChoice.objects.create(player=player, letters=wanted, chosen_at=at)
        write_journal(
            at=at,
            actor=player.actor,
            act="choose_letters",
            subject=f"user:{player.pk}",
            before={"letters": before},
            after={"letters": wanted},
        )
