"""Registrations that end: which ones, and whether a bet of the player is still open (¶35.3)."""

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.models import AccountState, GameAccount
from payouts.models import Booking, Payable, PayableState
from payouts.queries.disputes import has_open_disputes
from pools.models import Bet


def accounts_to_carry_out() -> QuerySet[GameAccount]:
    """Return the accounts that end, and those that have ended and got money since (¶29)."""
    late = Q(state=AccountState.ENDED, ledger_account__credits__gt=F("ledger_account__debits"))
    accounts = GameAccount.objects.filter(Q(state=AccountState.ENDING) | late)
    return accounts.select_related("player", "ledger_account").order_by("pk")


def has_open_bets(account: GameAccount) -> bool:
    """Tell whether something may still come to the account: a bet without a result, or a winning not yet credited."""
    booked = Booking.objects.filter(pool_id=OuterRef("pool_id"))
    if Bet.objects.filter(~Exists(booked), player=account.player).exists():
        return True
    if has_open_disputes(account.player):  # ¶45
        return True
    return Payable.objects.filter(pay_to=account.ledger_account, state=PayableState.DUE).exists()
