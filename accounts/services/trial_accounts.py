"""Game accounts to try the system out with: marked for good, by two people, before any money was on them (E6).

A marked account logs in and sees everything. It neither bets, pays in nor withdraws: so no fund, balance, report
or case ever holds anything of it, and there is no money of nobody's in the ledger.
"""

from django.utils.translation import gettext_lazy as _

from accounts.locks import hold_play_of
from accounts.models import Entry, GameAccount, TrialAccount, User
from accounts.services.persons import person_of
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def propose_trial(*, account: GameAccount, reason: str, proposed_by: User) -> TrialAccount:
    """Propose that an account is nobody's and only to try the system out; who proposed it last waits for approval.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE when it is one, or money was ever on it.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason")
    with one_transaction():
        hold_play_of(person_of(account.player))
        at = clock.now()
        _refuse_used(account)
        trial, _created = TrialAccount.objects.update_or_create(
            account=account, defaults={"reason": reason, "proposed_by": proposed_by, "proposed_at": at}
        )
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_trial_account",
            subject=f"game_account:{account.pk}",
            reason=reason,
        )
    return trial


def approve_trial(*, account: GameAccount, approved_by: User) -> TrialAccount:
    """Mark an account for good as one to try the system out.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND when nobody has proposed it; SAME_PERSON; WRONG_STATE as when proposing.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        hold_play_of(person_of(account.player))
        at = clock.now()
        _refuse_used(account)
        trial = TrialAccount.objects.filter(account=account).first()
        if trial is None:
            raise DomainError(Refusal.NOT_FOUND, _("Nobody has proposed this."), field="account")
        refuse_same_person(trial.proposed_by_id, approved_by)
        trial.approved_by, trial.approved_at = approved_by, at
        trial.save(update_fields=["approved_by", "approved_at"])
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_trial_account",
            subject=f"game_account:{account.pk}",
            reason=trial.reason,
        )
    return trial


def _refuse_used(account: GameAccount) -> None:
    if TrialAccount.objects.filter(account=account, approved_at__isnull=False).exists():
        raise DomainError(Refusal.WRONG_STATE, _("It is a test account."), field="account")
    ledger = account.ledger_account_id
    if Entry.objects.filter(debit_id=ledger).exists() or Entry.objects.filter(credit_id=ledger).exists():
        raise DomainError(Refusal.WRONG_STATE, _("There was money on this account: it is somebody's."), field="account")
