"""Terminals: their keys, their link, and that a request comes from one (¶7, C1, G5)."""

import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.utils.translation import gettext_lazy as _

from accounts.models import KeyKind, Terminal, Till, User
from accounts.services.desks import link_lost
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


@dataclass(frozen=True, slots=True)
class NewKey:
    """A terminal and, of an HMAC key, its secret (64 hex digits): shown once, to be put into the device."""

    terminal: Terminal
    secret: str | None


def register_terminal(*, till: Till, serial: str, by: User, public_key: str | None = None) -> NewKey:
    """Register a terminal at a till; with `public_key` (64 hex digits) it signs by Ed25519, else by HMAC.

    It sells once it has a certificate (`equipment.register_certificate`) and has synchronised.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a serial known before or a key that is none; WRONG_STATE at a till
        that is closed for good.
    """
    refuse_all_but_staff(by)
    serial = written(serial, field="serial", most=60)
    if till.closed_at is not None:
        raise DomainError(Refusal.WRONG_STATE, _("This till is closed for good."))
    with one_transaction():
        if Terminal.objects.filter(serial=serial).exists():
            raise DomainError(Refusal.BAD_VALUE, _("There is a terminal with this serial number."), field="serial")
        terminal = Terminal(till=till, serial=serial)
        secret = _give_key(terminal, public_key)
        terminal.save(force_insert=True)
        _journal("register_terminal", terminal, by)
    return NewKey(terminal, secret)


def renew_key(*, terminal: Terminal, by: User, public_key: str | None = None) -> NewKey:
    """Give a terminal another key; the one before signs nothing any more.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a key that is none.
    """
    refuse_all_but_staff(by)
    with one_transaction():
        terminal = Terminal.objects.select_for_update(no_key=True, of=("self",)).get(pk=terminal.pk)
        secret = _give_key(terminal, public_key)
        terminal.save(update_fields=["key_id", "key_kind", "secret", "public_key"])
        _journal("renew_key", terminal, by)
    return NewKey(terminal, secret)


def synchronise(*, terminal: Terminal) -> None:
    """Note that the terminal is in touch and has read what it must know: from now on it may sell (G5)."""
    with one_transaction():
        at = clock.now()
        before = Terminal.objects.values_list("seen_at", flat=True).get(pk=terminal.pk)
        Terminal.objects.filter(pk=terminal.pk).update(seen_at=at)
        if link_lost(before, at):
            _note_sync(terminal)
    terminal.refresh_from_db(fields=["seen_at"])


def note_heartbeat(*, terminal: Terminal) -> None:
    """Keep an unbroken link unbroken.

    :raises DomainError: LINK_LOST when it was broken: the terminal must synchronise first.
    """
    with one_transaction():
        at = clock.now()
        seen_at = Terminal.objects.select_for_update(no_key=True).values_list("seen_at", flat=True).get(pk=terminal.pk)
        if link_lost(seen_at, at):
            raise DomainError(Refusal.LINK_LOST, _("The link was lost: the terminal must synchronise before it sells."))
        Terminal.objects.filter(pk=terminal.pk).update(seen_at=at)


def _give_key(terminal: Terminal, public_key: str | None) -> str | None:
    """Set a new key, and return its secret if it has one."""
    terminal.key_id = secrets.token_hex(8)
    if public_key is None:
        secret = secrets.token_hex(32)
        terminal.key_kind, terminal.secret, terminal.public_key = KeyKind.HMAC, secret, ""
        return secret
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
    except (ValueError, InvalidSignature) as fault:
        raise DomainError(Refusal.BAD_VALUE, _("Give an Ed25519 key as 64 hex digits."), field="public_key") from fault
    terminal.key_kind, terminal.secret, terminal.public_key = KeyKind.ED25519, None, public_key.lower()
    return None


def _note_sync(terminal: Terminal) -> None:
    write_journal(at=clock.now(), actor=terminal.actor, act="synchronise", subject=terminal.actor)


def _journal(act: str, terminal: Terminal, by: User) -> None:
    write_journal(
        at=clock.now(),
        actor=by.actor,
        act=act,
        subject=terminal.actor,
        after={"serial": terminal.serial, "till": terminal.till_id, "key_id": terminal.key_id},
    )
