"""What a withdrawal must satisfy: whose instrument, which way first, how soon after a new password (F2, ¶41)."""

from datetime import datetime, timedelta

from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from accounts.models import (
    EFFECTS,
    AccountState,
    GameAccount,
    InstrumentKind,
    PaymentInstrument,
    TopUp,
    TrialAccount,
    User,
    Withdrawal,
    WithdrawalState,
)
from accounts.queries.ways_back import owed_to_credit_cards
from accounts.services.instruments import bank_account_of, postal_address_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_numbers
from totalizator.core.localtime import local_text
from totalizator.core.money import format_byn

_DAY = timedelta(days=1)


def refuse_wish(
    account: GameAccount,
    player: User,
    amount: int,
    instrument: PaymentInstrument,
    at: datetime,
    *,
    signed_wish: str = "",
) -> None:
    """Refuse what can be refused before money is moved.

    :raises DomainError: BAD_VALUE; NOT_ALLOWED, ACCOUNT_BLOCKED; ON_HOLD; OTHER_WAY; NOT_VERIFIED; NO_AGREEMENT.
    """
    refuse_nothing(amount)
    refuse_state(account)
    refuse_on_hold(player, at)
    refuse_other_person(account, instrument)
    if not signed_wish:
        refuse_other_way(account, instrument, amount)


def refuse_nothing(amount: int) -> None:
    """Refuse an amount that is not above zero; :raises DomainError: BAD_VALUE."""
    if amount <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")


def refuse_state(account: GameAccount) -> None:
    """Refuse a test account, or whose state lets nothing out; :raises DomainError: NOT_ALLOWED, ACCOUNT_BLOCKED."""
    if TrialAccount.objects.filter(account=account, approved_at__isnull=False).exists():
        raise DomainError(Refusal.NOT_ALLOWED, _("A test account takes no part: neither bets nor money (E6)."))
    if not EFFECTS[AccountState(account.state)].withdraw:
        raise DomainError(Refusal.ACCOUNT_BLOCKED, _("Nothing can be withdrawn from this account."))


def refuse_on_hold(player: User, at: datetime) -> None:
    """Refuse who has changed the password lately: it may be somebody else (E3); :raises DomainError: ON_HOLD."""
    if player.password_changed_at is None:
        return
    until = player.password_changed_at + timedelta(hours=int(legal_numbers(at)["withdrawal_hold_hours"]))
    if at < until:
        message = _("The password was changed lately: withdrawals are possible from %(when)s.")
        raise DomainError(Refusal.ON_HOLD, message % {"when": local_text(until)}, until=until)


def refuse_other_person(account: GameAccount, instrument: PaymentInstrument) -> None:
    """Refuse what is neither the player's verified bank account, nor an address, nor what the player's money came from.

    :raises DomainError: OTHER_WAY; NOT_VERIFIED; NO_AGREEMENT when nothing goes by post.
    """
    own = instrument.account_id == account.pk
    if own and instrument.kind == InstrumentKind.BANK_ACCOUNT:
        own = bank_account_of(account) == instrument  # the one that is verified now
    elif own and not instrument.provider:  # an address: the post asks who is there for a document
        own = postal_address_of(account, instrument.token) == instrument
    elif own:
        own = TopUp.objects.filter(account=account, instrument=instrument).exists()
    if not own:
        raise DomainError(Refusal.OTHER_WAY, _("Money goes only to the player's own instrument."), field="instrument")


def refuse_other_way(account: GameAccount, instrument: PaymentInstrument, amount: int) -> None:
    """Refuse another way while money that came from a credit card has not gone back to it, and more to it (¶41).

    :raises DomainError: OTHER_WAY, with the instrument and how much may go to it.
    """
    owed = owed_to_credit_cards(account)
    if instrument.kind == InstrumentKind.CREDIT_CARD:
        if amount > owed.get(instrument, 0):
            raise _first_to(instrument, owed.get(instrument, 0))
    elif owed:
        card, most = next(iter(owed.items()))
        raise _first_to(card, most)


def needs_approval(account: GameAccount, amount: int, signed_wish: str, at: datetime) -> bool:
    """Tell whether staff must approve: from a dated sum in 24 hours on, and whenever it goes another way (¶41)."""
    recent = Withdrawal.objects.filter(account=account, requested_at__gt=at - _DAY)
    asked = recent.exclude(state__in=(WithdrawalState.CANCELLED, WithdrawalState.FAILED))
    total = amount + int(asked.aggregate(total=Sum("amount"))["total"] or 0)
    return bool(signed_wish) or total >= legal_numbers(at)["withdrawal_approval_from"]


def _first_to(card: PaymentInstrument, most: int) -> DomainError:
    message = _("To the credit card %(card)s goes what came from it, and that first: now %(most)s (¶41).")
    return DomainError(
        Refusal.OTHER_WAY,
        message % {"card": card.label, "most": format_byn(most)},
        field="instrument",
        instrument=card.pk,
        amount=most,
    )
