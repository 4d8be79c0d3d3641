"""Opening a game account (¶35.3)."""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.locks import lock_person
from accounts.models import GameAccount, Person, Role, User
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def open_game_account(*, player: User) -> GameAccount:
    """Open the player's one game account, or return the one that is open (¶35.3: one account a player).

    :raises DomainError: NOT_ALLOWED when the person is not a player (E6).
    """
    accounts = GameAccount.objects.select_related("ledger_account", "player__person")
    open_one = accounts.filter(player=player, player__role=Role.PLAYER).first()
    if open_one is not None:
        return open_one  # it is for good, so nothing is locked to find it
    with one_transaction():
        player = lock_person(player.pk)
        if player.role != Role.PLAYER:
            raise DomainError(Refusal.NOT_ALLOWED, _("Only a player can have a game account."), field="player")
        existing = GameAccount.objects.filter(player=player).first()
        if existing is not None:
            return existing
        at = clock.now()
        account = GameAccount.objects.create(
            player=player,
            ledger_account=ledger_account(AccountKind.GAME_ACCOUNT, str(player.pk)),
            opened_at=at,
        )
        Person.objects.create(player=player)
        write_journal(at=at, actor=player.actor, act="open_game_account", subject=f"game_account:{account.pk}")
    return account
