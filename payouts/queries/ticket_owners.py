"""Whose a ticket is known to be, and whether its winning goes to that player's game account (X10, ¶41)."""

from django.db.models import QuerySet

from accounts.models import GameAccount, LedgerAccount, User
from payouts.models import CreditWish, TicketOwner
from payouts.queries.ticket_claims import live_claims
from pools.models import Bet

# The same as `account_wished`, of a bet `b` inside a larger statement.
ACCOUNT_WISHED = """(
SELECT g.ledger_account_id FROM payouts_ticketowner o JOIN accounts_gameaccount g ON g.id = o.account_id
WHERE o.pool_id = b.pool_id AND o.ticket = b.ticket
  AND (SELECT w.wanted FROM payouts_creditwish w WHERE w.account_id = o.account_id ORDER BY w.id DESC LIMIT 1)
  AND NOT EXISTS (SELECT FROM payouts_ticketclaim c WHERE c.pool_id = b.pool_id AND c.ticket = b.ticket
                  AND c.state IN ('open', 'disputed', 'granted')))"""


def owner_of(bet: Bet) -> TicketOwner | None:
    """Return who has shown the ticket to be theirs."""
    owners = TicketOwner.objects.select_related("account__ledger_account", "account__player")
    return owners.filter(pool_id=bet.pool_id, ticket=bet.ticket).first()


def own_bet(player: User, ticket: str) -> Bet | None:
    """Return the bet of a ticket that is the player's: made from the game account, or bound to it."""
    number = ticket.strip().upper()
    bet = Bet.objects.select_related("pool").filter(pool__code=number.rpartition("-")[0], ticket=number).first()
    if bet is None or bet.player_id == player.pk:
        return bet
    owner = owner_of(bet)
    return bet if owner is not None and owner.account.player_id == player.pk else None


def account_wished(bet: Bet) -> LedgerAccount | None:
    """Return the game account to which the ticket's winning goes by its player's wish; None where it does not.

    A ticket that is claimed as lost goes nowhere before that is decided (K4).
    """
    owner = owner_of(bet)
    if owner is None or not wants_credit(owner.account) or live_claims(bet.pool_id, bet.ticket).exists():
        return None
    return owner.account.ledger_account


def wants_credit(account: GameAccount) -> bool:
    """Tell what the player's latest wish says; without one, no."""
    latest = CreditWish.objects.filter(account=account).order_by("-pk").values_list("wanted", flat=True).first()
    return bool(latest)


def tickets_of(account: GameAccount) -> QuerySet[TicketOwner]:
    """Return the tickets that are bound to an account."""
    return TicketOwner.objects.filter(account=account).select_related("pool")
