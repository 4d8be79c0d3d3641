"""Tokens for programs: made by their owner, shown once, revoked at once."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.locks import lock_person
from accounts.models import ApiToken, Role, User
from accounts.services.logged_in import WITH_ACCOUNT
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.prepared_rows import PreparedRow
from totalizator.core.transactions import one_transaction

PREFIX = "tot_"  # so that a token which leaks into a file or a log is found by a search
MOST_TOKENS = 10
_USE_IS_NOTED_EVERY = timedelta(minutes=1)
_OWNER = [f"user__{joined}" for joined in WITH_ACCOUNT]
_IN_FORCE = PreparedRow(lambda: ApiToken.objects.select_related(*_OWNER).filter(revoked_at__isnull=True), by="digest")


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made; `text` is shown now and never again."""

    token: ApiToken
    text: str


def create_token(*, user: User, name: str) -> NewToken:
    """Make a token that acts as `user`.

    :raises DomainError: NOT_ALLOWED for anyone but players and cashiers; BAD_VALUE without a name that can be read;
        WRONG_STATE for who has ten in force.
    """
    name = name.strip()
    if user.role not in (Role.PLAYER, Role.CASHIER):
        raise DomainError(Refusal.NOT_ALLOWED, _("Only players and cashiers have tokens."))
    if not (0 < len(name) <= 60 and name.isprintable()):
        raise DomainError(Refusal.BAD_VALUE, _("Give a name of at most 60 characters."), field="name")
    text = PREFIX + secrets.token_urlsafe(32)
    with one_transaction():
        lock_person(user.pk)  # two that are made at once are counted one after the other
        at = clock.now()
        if ApiToken.objects.filter(user=user, revoked_at__isnull=True).count() >= MOST_TOKENS:
            raise DomainError(Refusal.WRONG_STATE, _("Revoke a token first: ten are in force."))
        token = ApiToken.objects.create(user=user, name=name, digest=_digest(text), created_at=at)
        write_journal(at=at, actor=user.actor, act="create_token", subject=f"api_token:{token.pk}")
    return NewToken(token, text)


def revoke_token(*, user: User, token_id: int) -> None:
    """Revoke a token of one's own: its next request is refused.

    :raises DomainError: NOT_FOUND for what is not in force or not one's own.
    """
    with one_transaction():
        at = clock.now()
        standing = ApiToken.objects.filter(pk=token_id, user=user, revoked_at__isnull=True)
        if not standing.update(revoked_at=at):
            raise DomainError(Refusal.NOT_FOUND, _("There is no such token."))
        write_journal(at=at, actor=user.actor, act="revoke_token", subject=f"api_token:{token_id}")


def revoke_tokens(*, user: User) -> int:
    """Revoke every token in force of a person whose password is changed, and return how many: who knew it is out."""
    with one_transaction():
        at = clock.now()
        standing = ApiToken.objects.select_for_update().filter(user=user, revoked_at__isnull=True)
        revoked = list(standing.order_by("pk").values_list("pk", flat=True))
        ApiToken.objects.filter(pk__in=revoked).update(revoked_at=at)
        for token_id in revoked:
            write_journal(at=at, actor=user.actor, act="revoke_token", subject=f"api_token:{token_id}")
    return len(revoked)


def token_of(text: str) -> ApiToken | None:
    """Return the token in force that `text` is, and note that it was used; None for any other text."""
    token = _IN_FORCE.read(_digest(text))
    if token is None or not token.user.is_active:
        return None
    at = clock.lately()
    if token.last_used_at is None or token.last_used_at < at - _USE_IS_NOTED_EVERY:
        stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=at - _USE_IS_NOTED_EVERY)
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=at)
    return token


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()
