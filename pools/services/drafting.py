"""Preparing a pool and announcing it: one person prepares, another announces, then nothing changes (¶8, A1, A6)."""

import re
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Role, User
from accounts.queries.jackpots import has_ended
from pools.locks import lock_jackpot, lock_pool
from pools.models import Game, Pool, PoolState, RulesText, jackpot_owner, move
from pools.services.commission import appoint_commission, quorum_keys
from pools.services.legible_terms import refuse_illegible
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, digest
from totalizator.engine.errors import EngineError
from totalizator.engine.terms import Terms, parse_terms
from totalizator.engine.version import ENGINE_VERSION

CODE = re.compile(r"[0-9A-Z-]{1,20}")


def draft_pool(*, document: Mapping[str, Any], prepared_by: User) -> Pool:
    """Prepare a pool from its terms.json document; it can be changed until it is announced.

    :raises DomainError: NOT_ALLOWED, BAD_TERMS (with the field and what was expected), BAD_VALUE for a code in use.
    """
    _only_organizer(prepared_by)
    text, terms = _canonical_terms(document)
    with one_transaction():
        at = clock.now()
        try:
            pool = Pool.objects.create(**_columns(text, terms), prepared_by=prepared_by, prepared_at=at)
        except IntegrityError as fault:
            raise DomainError(
                Refusal.BAD_VALUE,
                _("The code %(code)s is in use.") % {"code": terms.pool.code},
                field="pool.code",
            ) from fault
        write_journal(
            at=at,
            actor=prepared_by.actor,
            act="draft_pool",
            subject=f"pool:{pool.code}",
            after={"terms": pool.terms_digest},
        )
    return pool


def sketched_pool(document: Mapping[str, Any]) -> Pool:
    """Return the pool that the document would make; nothing is kept.

    :raises DomainError: as `draft_pool` for the document.
    """
    return Pool(**_columns(*_canonical_terms(document)))


def redraft_pool(*, code: str, document: Mapping[str, Any], prepared_by: User) -> Pool:
    """Replace the terms of a draft; its preparer becomes `prepared_by`.

    :raises DomainError: as `draft_pool`; WRONG_STATE once it is announced; BAD_VALUE when the code differs.
    """
    _only_organizer(prepared_by)
    text, terms = _canonical_terms(document)
    if terms.pool.code != code:
        raise DomainError(Refusal.BAD_VALUE, _("A draft keeps its code."), field="pool.code")
    with one_transaction():
        pool = lock_pool(code)
        if pool.state != PoolState.DRAFT:
            raise DomainError(Refusal.WRONG_STATE, _("Announced terms cannot be changed."), field="pool")
        before, at = pool.terms_digest, clock.now()
        for name, value in {**_columns(text, terms), "prepared_by": prepared_by, "prepared_at": at}.items():
            setattr(pool, name, value)
        pool.save()
        write_journal(
            at=at,
            actor=prepared_by.actor,
            act="redraft_pool",
            subject=f"pool:{code}",
            before={"terms": before},
            after={"terms": pool.terms_digest},
        )
    return pool


def announce_pool(*, code: str, announced_by: User) -> Pool:
    """Announce a draft: from now on the database itself refuses to change its terms (C19).

    The journal gets the initialisation record: who, when, the terms' digest, the engine's version (A6).

    :raises DomainError: NOT_ALLOWED; SAME_PERSON for who prepared it; WRONG_STATE, also when its game has ended;
        BAD_TERMS when it would already be open, is not under the rules text then in force (A3), or has lost a
        commission key since it was drafted.
    """
    _only_organizer(announced_by)
    with one_transaction():
        pool = lock_pool(code)
        if pool.prepared_by_id == announced_by.pk:
            raise DomainError(
                Refusal.SAME_PERSON, _("A pool is announced by another person than the one who prepared it.")
            )
        at = clock.now()
        if pool.opens_at < at:
            raise DomainError(Refusal.BAD_TERMS, _("The opening time is past."), field="opens_at")
        _refuse_stale_rules(pool)
        lock_jackpot(pool.game)
        if has_ended(jackpot_owner(pool.game)):
            raise DomainError(Refusal.WRONG_STATE, _("This game has ended."), field="game")
        ledger_account(AccountKind.POOL_POT, pool.code)  # now, so that no two first bets race to open it
        move(pool, PoolState.ANNOUNCED, announced_by=announced_by, announced_at=at)
        appoint_commission(pool)
        write_journal(
            at=at,
            actor=announced_by.actor,
            act="announce_pool",
            subject=f"pool:{code}",
            after={
                "terms": pool.terms_digest,
                "prepared_by": f"user:{pool.prepared_by_id}",
                "engine": ENGINE_VERSION,
            },
        )
    return pool


def _only_organizer(person: User) -> None:
    if person.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))


def _canonical_terms(document: Mapping[str, Any]) -> tuple[str, Terms]:
    """Check the document and return its canonical text, as it will be published."""
    try:
        terms = parse_terms(dict(document))
    except EngineError as fault:
        raise DomainError(Refusal.BAD_TERMS, str(fault), field=fault.where) from fault
    if terms.game not in Game.values:
        raise DomainError(Refusal.BAD_TERMS, _("Choose one of the four games of the rules."), field="game")
    if not CODE.fullmatch(terms.pool.code):
        raise DomainError(
            Refusal.BAD_TERMS,
            _("A pool's code has 1 to 20 capital Latin letters, digits and hyphens: tickets begin with it."),
            field="pool.code",
        )
    refuse_illegible(terms)
    quorum_keys(terms)
    return canonical_json(dict(document)).decode() + "\n", terms


def _columns(text: str, terms: Terms) -> dict[str, Any]:
    return {
        "code": terms.pool.code,
        "game": terms.game,
        "terms_text": text,
        "terms_digest": digest(text.encode()),
        "opens_at": parse_datetime(terms.opens_at),
        "closes_at": parse_datetime(terms.closes_at),
        "draws_jackpot": terms.jackpot is not None,
    }


def _refuse_stale_rules(pool: Pool) -> None:
    in_force = RulesText.objects.filter(valid_from__lte=pool.opens_at).order_by("-valid_from").first()
    if in_force is None or in_force.version != pool.terms.rules_version:
        raise DomainError(
            Refusal.BAD_TERMS,
            _("The pool is not under the rules text that will be in force when it opens."),
            field="rules_version",
        )
