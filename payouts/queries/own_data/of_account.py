"""The own data: the log-in and the game account."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance
from accounts.models import AccountProposal, ApiToken, DormancyNotice, Ending, GameAccount, TrialAccount, User
from payouts.queries.own_data.subjects import Owner, Row, Subject, rows_of
from totalizator.core.models import JournalRecord
from totalizator.core.money import plain_byn


def _account(owner: Owner) -> list[Row]:
    log_in = User.objects.filter(pk=owner.player.pk)
    (row,) = rows_of(log_in, "username", "email", "role", "date_joined", "last_login", "password_changed_at")
    (money,) = rows_of(GameAccount.objects.filter(pk=owner.account.pk), "id", "state", "opened_at")
    return [row | money | {"balance": plain_byn(balance(owner.account.ledger_account))}]


def _emails(owner: Owner) -> list[Row]:
    return rows_of(EmailAddress.objects.filter(user=owner.player).order_by("pk"), "email", "verified", "primary")


def _sessions(owner: Owner) -> list[Row]:
    mine = UserSession.objects.filter(user=owner.player).order_by("created_at")
    return rows_of(mine, "ip", "user_agent", "created_at", "last_seen_at")


def _factors(owner: Owner) -> list[Row]:
    mine = Authenticator.objects.filter(user=owner.player).order_by("pk")
    return rows_of(mine, "type", "created_at", "last_used_at")


def _tokens(owner: Owner) -> list[Row]:
    mine = ApiToken.objects.filter(user=owner.player).order_by("pk")
    return rows_of(mine, "name", "created_at", "last_used_at", "revoked_at")


def _blocks(owner: Owner) -> list[Row]:
    decided = AccountProposal.objects.filter(account=owner.account, decision__isnull=False).order_by("pk")
    return rows_of(decided, "act", "decision__decided_at")


def _ending(owner: Owner) -> list[Row]:
    mine = Ending.objects.filter(account=owner.account)
    return rows_of(mine, "begun_at", "due_at", "overdue_at", "waits_for", "ended_at")


def _reminders(owner: Owner) -> list[Row]:
    mine = DormancyNotice.objects.filter(account=owner.account).order_by("pk")
    return rows_of(mine, "last_act_at", "told_at")


def _trial(owner: Owner) -> list[Row]:
    return rows_of(TrialAccount.objects.filter(account=owner.account, approved_at__isnull=False), "approved_at")


def _acts(owner: Owner) -> list[Row]:
    about = (owner.person.subject, f"game_account:{owner.account.pk}")
    mine = JournalRecord.objects.filter(subject__in=about, actor=owner.player.actor).order_by("pk")
    return rows_of(mine, "at", "act", "subject", "reason")


SUBJECTS = (
    Subject("account", _("your log-in and your game account"), (User, GameAccount), _account),
    Subject("emails", _("your addresses"), (EmailAddress,), _emails),
    Subject("sessions", _("where you are logged in"), (UserSession,), _sessions),
    Subject("second_factors", _("your second factors, without their secrets"), (Authenticator,), _factors),
    Subject("tokens", _("your tokens for programs, without the tokens"), (ApiToken,), _tokens),
    Subject("blocks", _("when your account was blocked and opened again"), (AccountProposal,), _blocks),
    Subject("ending", _("the end of your registration"), (Ending,), _ending),
    Subject("reminders", _("letters about an account that is not used"), (DormancyNotice,), _reminders),
    Subject("trial", _("whether the account is only to try the system out"), (TrialAccount,), _trial),
    Subject("acts", _("what you did to your account and limits, as the journal has it"), (JournalRecord,), _acts),
)
