"""Blocking a game account, and opening it again: proposed by one, approved by another (¶35.3, E5).

What a block does is said in one place (`accounts.models.EFFECTS`): no bets and no deposits; accepted bets run on,
what they win is credited, and the balance can be withdrawn.
"""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_play_of
from accounts.models import AccountAct, AccountDecision, AccountProposal, AccountState, GameAccount, Role, User
from accounts.models.game_accounts import MOVES
from accounts.services.persons import person_of
from accounts.services.staff import refuse_same_person
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_LEADS_TO = {AccountAct.BLOCK: AccountState.BLOCKED, AccountAct.UNBLOCK: AccountState.ACTIVE}


def propose_block(*, account: GameAccount, reason: str, proposed_by: User) -> AccountProposal:
    """Propose to block an account.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE when it is blocked.
    """
    return _propose(account, AccountAct.BLOCK, reason, proposed_by)


def propose_unblock(*, account: GameAccount, reason: str, proposed_by: User) -> AccountProposal:
    """Propose to let a blocked account be used again.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE when it is not blocked.
    """
    return _propose(account, AccountAct.UNBLOCK, reason, proposed_by)


def block_account(*, account: GameAccount, approved_by: User) -> AccountDecision:
    """Approve the latest proposal, which must be to block; no bet is taken once this returns.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND without such a proposal; SAME_PERSON; WRONG_STATE.
    """
    return _decide(account, AccountAct.BLOCK, approved_by)


def unblock_account(*, account: GameAccount, approved_by: User) -> AccountDecision:
    """Approve the latest proposal, which must be to unblock.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND without such a proposal; SAME_PERSON; WRONG_STATE.
    """
    return _decide(account, AccountAct.UNBLOCK, approved_by)


def _propose(account: GameAccount, act: AccountAct, reason: str, proposed_by: User) -> AccountProposal:
    _refuse_others(proposed_by)
    if not reason.strip():
        raise DomainError(Refusal.BAD_VALUE, _("Give a reason."), field="reason")
    with one_transaction():
        at = _hold(account)
        _refuse_impossible(account, act)
        proposal = AccountProposal.objects.create(
            account=account, act=act, reason=reason, proposed_by=proposed_by, proposed_at=at
        )
        _journal(account, f"propose_{act}", proposed_by, reason, at)
    return proposal


def _decide(account: GameAccount, act: AccountAct, approved_by: User) -> AccountDecision:
    _refuse_others(approved_by)
    with one_transaction():
        at = _hold(account)
        proposal = AccountProposal.objects.filter(account=account).order_by("-pk").first()
        if proposal is None or proposal.act != act or AccountDecision.objects.filter(proposal=proposal).exists():
            raise DomainError(Refusal.NOT_FOUND, _("Nobody has proposed this."), field="account")
        refuse_same_person(proposal.proposed_by_id, approved_by)
        before = _refuse_impossible(account, act)
        GameAccount.objects.filter(pk=account.pk, state=before).update(state=_LEADS_TO[act])
        account.refresh_from_db(fields=["state"])
        decision = AccountDecision.objects.create(
            proposal=proposal, proposed_by_id=proposal.proposed_by_id, approved_by=approved_by, decided_at=at
        )
        _journal(account, f"{act}_account", approved_by, proposal.reason, at)
    return decision


def _hold(account: GameAccount) -> datetime:
    """Hold the owner's play, so that no bet is under way, and return the instant."""
    hold_play_of(person_of(account.player))
    return clock.now()


def _refuse_impossible(account: GameAccount, act: AccountAct) -> AccountState:
    """Return the state as it is now, from which `act` must be a move."""
    state = AccountState(GameAccount.objects.values_list("state", flat=True).get(pk=account.pk))
    if _LEADS_TO[act] not in MOVES[state]:
        raise DomainError(Refusal.WRONG_STATE, _("The account is %(state)s.") % {"state": state.label}, field="account")
    return state


def _refuse_others(actor: User) -> None:
    if actor.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))


def _journal(account: GameAccount, act: str, actor: User, reason: str, at: datetime) -> None:
    write_journal(at=at, actor=actor.actor, act=act, subject=f"game_account:{account.pk}", reason=reason)
