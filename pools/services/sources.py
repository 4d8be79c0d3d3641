"""Where a bet comes from, and what pays for it (¶9.1-9.3, ¶35)."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from accounts.models import GameAccount, LedgerAccount, Person, Role, Till, User
from pools.models import Channel
from totalizator.core.errors import DomainError, Refusal


@dataclass(frozen=True, slots=True)
class BetSource:
    """A channel, and the account that is debited. `actor` is who the journal names.

    `person` is who plays, where that is known: of a game account always, at a desk who asked for it (X15).
    """

    channel: Channel
    account: LedgerAccount
    actor: str
    player: User | None = None
    till: Till | None = None
    sold_by: User | None = None
    person: Person | None = None

    @property
    def scope(self) -> str:
        """Whose idempotency keys these are: the same key from another till is another key (C37)."""
        return f"till:{self.till.pk}" if self.till is not None else self.actor


def from_game_account(player: User) -> BetSource:
    """Pay from the player's game account (¶35.3).

    :raises DomainError: NOT_ALLOWED for anyone but a player with an account (E6).
    """
    account = GameAccount.objects.select_related("ledger_account", "player__person").filter(player=player).first()
    if player.role != Role.PLAYER or account is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a player with a game account can bet here."))
    return BetSource(Channel.ACCOUNT, account.ledger_account, player.actor, player=player, person=account.player.person)


def from_till(cashier: User, person: Person | None = None) -> BetSource:
    """Pay in cash at the cashier's till (¶35.1); `person` is who showed a document and plays within limits (X15).

    :raises DomainError: NOT_ALLOWED for anyone but a cashier at a till.
    """
    till = Till.objects.select_related("ledger_account", "point").filter(cashier=cashier).first()
    if cashier.role != Role.CASHIER or till is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier at a till can sell bets for cash."))
    return BetSource(Channel.CASH, till.ledger_account, cashier.actor, till=till, sold_by=cashier, person=person)
