"""Accounts that are nobody's, and only to try the system out: two people mark them (E6)."""

from rest_framework import serializers

from accounts.api.callers import account_named
from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import name_of
from accounts.models import TrialAccount, User
from accounts.services.trial_accounts import approve_trial, propose_trial
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Staff: players"


class TrialBody(Body):
    """Whose account, and why it is nobody's."""

    username = Text(max_length=150)
    reason = Text(max_length=200)


class TrialApprovalBody(Body):
    """Whose account."""

    username = Text(max_length=150)


class TrialDocument(serializers.Serializer[None]):
    """An account that is nobody's, or is proposed to be."""

    username = serializers.CharField()
    reason = serializers.CharField()
    proposed_by = serializers.CharField()
    approved_by = serializers.CharField(allow_null=True)
    approved_at = Moment(allow_null=True)


def _propose_trial(staff: User, told: Told) -> Written:
    return _trial(propose_trial(account=account_named(told["username"]), reason=told["reason"], proposed_by=staff))


def _approve_trial(staff: User, told: Told) -> Written:
    return _trial(approve_trial(account=account_named(told["username"]), approved_by=staff))


def _trial(trial: TrialAccount) -> Written:
    return {
        "username": trial.account.player.username,
        "reason": trial.reason,
        "proposed_by": trial.proposed_by.username,
        "approved_by": name_of(trial.approved_by),
        "approved_at": instant_or_none(trial.approved_at),
    }


_UNFIT = (Refusal.NOT_FOUND, Refusal.WRONG_STATE)
DECLARED = (
    Listing(
        path="trials",
        name="staff_trials",
        summary="Accounts that are only to try the system out",
        tag=TAG,
        rows_name="trials",
        row=TrialDocument,
        rows=lambda _query: TrialAccount.objects.select_related("account__player", "proposed_by", "approved_by"),
        write=_trial,
        ordering=("-proposed_at", "-pk"),
    ),
    Act(
        path="trials",
        name="staff_trial_propose",
        summary="Propose that an account is nobody's, and only to try the system out",
        tag=TAG,
        body=TrialBody,
        answer=TrialDocument,
        do=_propose_trial,
        refused=_UNFIT,
    ),
    Act(
        path="trials/approval",
        name="staff_trial_approve",
        summary="Mark it so for good, by another person",
        tag=TAG,
        body=TrialApprovalBody,
        answer=TrialDocument,
        do=_approve_trial,
        refused=(*_UNFIT, Refusal.SAME_PERSON),
        status=200,
    ),
)
