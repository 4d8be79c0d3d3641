"""Proposals to block accounts, or to open them again, that wait for another person (¶35.3)."""

from django.db.models import Q, QuerySet

from accounts.models import AccountAct, AccountProposal, AccountState, GameAccount

_POSSIBLE = Q(act=AccountAct.BLOCK, account__state=AccountState.ACTIVE) | Q(
    act=AccountAct.UNBLOCK, account__state=AccountState.BLOCKED
)


def standing_block_proposals() -> QuerySet[AccountProposal]:
    """Return the proposals that somebody can approve: of an account only the latest counts."""
    latest = AccountProposal.objects.order_by("account", "-pk").distinct("account").values("pk")
    waiting = AccountProposal.objects.filter(_POSSIBLE, pk__in=latest, decision__isnull=True)
    return waiting.select_related("account__player", "proposed_by")


def standing_block_proposal(account: GameAccount) -> AccountProposal | None:
    """Return what waits about one account, if anything does."""
    return standing_block_proposals().filter(account=account).first()
