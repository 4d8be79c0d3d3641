"""A player's instruments: the verified bank account, an address, what payment systems took money from (¶41, F2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import (
    GameAccount,
    Identity,
    InstrumentKind,
    PaymentInstrument,
    TraitKind,
    Verification,
)
from accounts.services.persons import person_of
from accounts.services.post import post_in_force, spelled_address
from accounts.services.traits import note_trait
from totalizator.core import clock
from totalizator.core.encrypted import keyed_digest
from totalizator.core.errors import DomainError, Refusal

_SHOWN_DIGITS = 4


@dataclass(frozen=True, slots=True)
class WaysOut:
    """Where a player's money may go; whether a document was shown, and a bank account named."""

    instruments: Sequence[PaymentInstrument]
    is_verified: bool
    names_bank: bool


def bank_account_of(account: GameAccount) -> PaymentInstrument:
    """Return the player's bank account, which staff have verified together with the person.

    :raises DomainError: NOT_VERIFIED; NOT_FOUND for a player who named none.
    """
    person = person_of(account.player)
    identity = Identity.objects.filter(person=person).first()
    if identity is None or not Verification.objects.filter(person=person).exists():
        raise DomainError(Refusal.NOT_VERIFIED, _("Money goes only to the bank account of who has shown a document."))
    if not identity.bank_account:
        raise DomainError(Refusal.NOT_FOUND, _("This player has named no bank account."), field="instrument")
    return _bank(account, identity)


def ways_out(account: GameAccount) -> WaysOut:
    """Return where the player's money may go: the bank account that is verified now, and the others of theirs."""
    person = person_of(account.player)
    identity = Identity.objects.filter(person=person).first()
    is_verified = Verification.objects.filter(person=person).exists()
    names_bank = identity is not None and bool(identity.bank_account)
    bank = _bank(account, identity) if identity is not None and is_verified and names_bank else None
    found = PaymentInstrument.objects.filter(account=account).order_by("pk")
    own = [each for each in found if each.kind != InstrumentKind.BANK_ACCOUNT or each == bank]
    return WaysOut(own, is_verified, names_bank)


def postal_address_of(account: GameAccount, address: str) -> PaymentInstrument:
    """Return an address to which the post brings money, for a document in the name of the verified player (¶42).

    :raises DomainError: NOT_VERIFIED; BAD_VALUE for no address; NO_AGREEMENT when nothing goes by post.
    """
    if not Verification.objects.filter(person=person_of(account.player)).exists():
        raise DomainError(Refusal.NOT_VERIFIED, _("The post pays only to who has shown a document."))
    at = clock.now()
    post_in_force(at)
    address = spelled_address(address, field="address")
    return _kept(account, InstrumentKind.POSTAL_ADDRESS, "", address, address, at)


def instrument_wished(account: GameAccount, number: int | None, postal_address: str | None) -> PaymentInstrument:
    """Return the instrument that a player names: by its number, an address, or without both the bank account.

    :raises DomainError: BAD_VALUE for both at once; NOT_FOUND for what is not the player's; as `bank_account_of` and
        `postal_address_of`.
    """
    if postal_address is not None:
        if number is not None:
            raise DomainError(
                Refusal.BAD_VALUE, _("Name an instrument or an address, not both."), field="postal_address"
            )
        return postal_address_of(account, postal_address)
    if number is None:
        return bank_account_of(account)
    found = PaymentInstrument.objects.filter(pk=number, account=account).first()
    if found is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such instrument."), field="instrument")
    return found


def remember_instrument(
    *, account: GameAccount, kind: InstrumentKind, provider: str, token: str, label: str, at: datetime
) -> PaymentInstrument:
    """Return the instrument that a payment system took the player's money from; note it as a trait of the person."""
    note_trait(person=person_of(account.player), kind=TraitKind.CARD, text=f"{provider} {token}", at=at)
    return _kept(account, kind, provider, token, label, at)


def _bank(account: GameAccount, identity: Identity) -> PaymentInstrument:
    number = identity.bank_account
    return _kept(account, InstrumentKind.BANK_ACCOUNT, "", number, _label(number), clock.now())


def _kept(
    account: GameAccount, kind: InstrumentKind, provider: str, token: str, label: str, at: datetime
) -> PaymentInstrument:
    instrument, _created = PaymentInstrument.objects.get_or_create(
        account=account,
        provider=provider,
        token_digest=keyed_digest("instrument", f"{provider} {token}"),
        defaults={"kind": kind, "token": token, "label": label[:40], "first_seen_at": at},
    )
    return instrument


def _label(bank_account: str) -> str:
    return f"•••• {bank_account[-_SHOWN_DIGITS:]}"
