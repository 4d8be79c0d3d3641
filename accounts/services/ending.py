"""Ending a registration: the balance goes to the player's bank account, open bets run on, and what they win follows.

The organizer may end one at any time, the player too (¶35.3). From then on no bet and no top-up is taken, and the
log-in only reads. The money has to be on its way within a dated number of days; what is late is journalled (E5).
"""

from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance
from accounts.locks import hold_play_of
from accounts.models import (
    OPEN_STATES,
    AccountState,
    Ending,
    GameAccount,
    Identity,
    TraitKind,
    User,
    Withdrawal,
    WithdrawalState,
)
from accounts.models.game_accounts import MOVES
from accounts.queries.ways_back import owed_to_credit_cards
from accounts.services.identity import spelled_account
from accounts.services.instruments import bank_account_of
from accounts.services.persons import person_of
from accounts.services.staff import refuse_all_but_staff, written
from accounts.services.traits import note_trait
from accounts.services.withdrawals import request_withdrawal
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

# The paper that lets money of credit cards go to the bank account, and lets staff approve it (¶35.3 before ¶41).
_WISH = "end of the registration (¶35.3)"


def end_registration(*, account: GameAccount, asked_by: User, reason: str = "") -> Ending:
    """End a registration: by its player, or by the organizer's staff with a reason; no bet is taken once this returns.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without the organizer's reason; WRONG_STATE when it has ended or ends.
    """
    if asked_by != account.player:
        refuse_all_but_staff(asked_by)
        reason = written(reason, field="reason", most=2000)
    with one_transaction():
        hold_play_of(person_of(account.player))
        at = clock.now()
        came_from = _move(account, AccountState.ENDING)
        days = int(legal_number("ending_days", legal_day(at)))
        ending = Ending.objects.create(
            account=account, asked_by=asked_by, reason=reason, begun_at=at, due_at=at + timedelta(days=days)
        )
        _journal(account, "end_registration", asked_by.actor, at, reason=reason, before={"state": str(came_from)})
    return ending


def pay_out(account: GameAccount) -> Withdrawal | None:
    """Send all that is on an account that ends, or has ended, to the player's bank account; None when it is empty.

    :raises DomainError: NOT_VERIFIED or NOT_FOUND without a verified bank account; OTHER_WAY when the bank has sent
        the money back, until there is another bank account; ON_HOLD; BUSY. Nothing was done; the money waits.
    """
    if account.state not in (AccountState.ENDING, AccountState.ENDED):
        raise DomainError(Refusal.WRONG_STATE, _("This registration does not end."), field="account")
    amount = balance(account.ledger_account)
    if not amount:
        return None
    instrument, asked = bank_account_of(account), Withdrawal.objects.filter(account=account)
    since = Ending.objects.values_list("begun_at", flat=True).get(account=account)
    if asked.filter(instrument=instrument, state=WithdrawalState.FAILED, moved_at__gte=since).exists():
        raise DomainError(Refusal.OTHER_WAY, _("The bank has sent the money back: another bank account is needed."))
    return request_withdrawal(
        account=account,
        amount=amount,
        instrument=instrument,
        stepped_up=True,  # it goes nowhere but to the verified bank account
        idempotency_key=str(asked.count()),
        scope=f"ending:{account.pk}",  # no request of the player's can have used the key before
        signed_wish=_WISH if owed_to_credit_cards(account) else "",
    )


def give_bank_account(*, account: GameAccount, bank_account: str, document: str, given_by: User) -> None:
    """Note the bank account that a player whose registration ends has named on paper.

    Another person gives the order to the bank (`export_payment_orders`).

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without account or paper; WRONG_STATE unless the registration ends;
        NOT_FOUND when no identity is recorded.
    """
    refuse_all_but_staff(given_by)
    spelled = written(spelled_account(bank_account), field="bank_account", most=34)
    document = written(document, field="document")
    with one_transaction():
        person = person_of(account.player)
        hold_play_of(person)
        account.refresh_from_db(fields=["state"])
        if account.state not in (AccountState.ENDING, AccountState.ENDED):
            raise DomainError(Refusal.WRONG_STATE, _("This registration does not end."), field="account")
        identity = Identity.objects.filter(person=person).first()
        if identity is None:
            raise DomainError(Refusal.NOT_FOUND, _("No identity is recorded of this player."), field="account")
        at = clock.now()
        identity.bank_account = spelled
        identity.save(update_fields=["bank_account"])
        Ending.objects.filter(account=account).update(bank_account_by=given_by)
        note_trait(person=person, kind=TraitKind.BANK_ACCOUNT, text=spelled, at=at)
        _journal(account, "give_bank_account", given_by.actor, at, reason=document)


def finish(account: GameAccount, *, actor: str) -> bool:
    """End an account whose money is at the player's bank; return False while some is here or on its way.

    The caller knows that no bet of the player is open.

    :raises DomainError: WRONG_STATE unless the registration ends; BUSY.
    """
    with one_transaction():
        hold_play_of(person_of(account.player))
        under_way = Withdrawal.objects.filter(account=account, state__in=OPEN_STATES).exists()
        if under_way or balance(account.ledger_account):
            return False
        at = clock.now()
        _move(account, AccountState.ENDED)
        Ending.objects.filter(account=account).update(ended_at=at, waits_for="")
        _journal(account, "registration_ended", actor, at)
    return True


def note_waiting(account: GameAccount, why: str, *, actor: str) -> None:
    """Note what keeps the money of an ending here, once, and once that it is overdue (E5)."""
    with one_transaction():
        ending, at = Ending.objects.select_for_update().get(account=account), clock.now()
        if ending.waits_for != why:
            ending.waits_for = why
            if why:
                _journal(account, "ending_waits", actor, at, reason=why)
        if ending.overdue_at is None and at >= ending.due_at and _money_is_late(account, ending, at):
            ending.overdue_at = at
            left = {"balance": balance(account.ledger_account), "waits_for": why}
            _journal(account, "ending_overdue", actor, at, after=left)
        ending.save(update_fields=["waits_for", "overdue_at"])


def _money_is_late(account: GameAccount, ending: Ending, at: datetime) -> bool:
    """Tell whether money is still here, or has been on its way for as long as the term is."""
    asked_before = at - (ending.due_at - ending.begun_at)
    slow = Withdrawal.objects.filter(account=account, state__in=OPEN_STATES, requested_at__lte=asked_before)
    return bool(balance(account.ledger_account)) or slow.exists()


def _move(account: GameAccount, to: AccountState) -> AccountState:
    """Move the account, whose owner's play is held, and return the state it came from."""
    state = AccountState(GameAccount.objects.values_list("state", flat=True).get(pk=account.pk))
    if to not in MOVES[state]:
        raise DomainError(Refusal.WRONG_STATE, _("The account is %(state)s.") % {"state": state.label}, field="account")
    GameAccount.objects.filter(pk=account.pk, state=state).update(state=to)
    account.state = to
    return state


def _journal(
    account: GameAccount,
    act: str,
    actor: str,
    at: datetime,
    *,
    reason: str = "",
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
) -> None:
    write_journal(
        at=at, actor=actor, act=act, subject=f"game_account:{account.pk}", reason=reason, before=before, after=after
    )
