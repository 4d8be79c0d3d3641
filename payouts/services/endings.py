"""Carrying out what ends a registration, again and again until nothing is left of it (¶35.3, E5)."""

from accounts.models import AccountState, GameAccount
from accounts.services.ending import finish, note_waiting, pay_out
from payouts.queries.endings import accounts_to_carry_out, has_open_bets
from pools.services.failures import report_failure
from totalizator.core.errors import DomainError, Refusal

ACTOR = "task:carry_out_endings"


def carry_out_endings() -> int:
    """Send what is on accounts that end to the bank, and end those that are done; return how many have ended.

    What their open bets win comes onto the account as always (¶12), and is sent at the next round. Safe to run twice,
    at once, and to be killed anywhere; one account that fails does not stop the next.
    """
    ended = 0
    for account in accounts_to_carry_out():
        try:
            ended += carry_out(account)
        except Exception as fault:  # noqa: BLE001 the next account must not wait for this one's repair
            if not (isinstance(fault, DomainError) and fault.code == Refusal.BUSY):
                subject = f"game_account:{account.pk}"
                report_failure(act="carry_out_endings", subject=subject, fault=fault, actor=ACTOR)
    return ended


def carry_out(account: GameAccount) -> bool:
    """Do what can be done now for one account; return whether it has ended by that."""
    why = ""
    try:
        pay_out(account)
    except DomainError as refusal:
        if refusal.code == Refusal.BUSY:
            raise
        why = str(refusal.code)
    note_waiting(account, why, actor=ACTOR)
    if account.state == AccountState.ENDED or has_open_bets(account):
        return False
    return finish(account, actor=ACTOR)
