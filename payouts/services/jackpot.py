"""The organizer's own money for a jackpot, and the warning that it was not drawn (¶16, ¶17.6, ¶37, ¶38.3)."""

import logging
from datetime import date

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import DuplicateTransfer, Movement, ledger_account, post
from accounts.models import Role, User
from accounts.queries.jackpots import has_ended
from payouts.queries.jackpot import JACKPOTS, jackpot_balance, jackpot_undrawn_this_year
from pools.locks import lock_jackpot
from pools.models import jackpot_owner
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction

logger = logging.getLogger(__name__)
WARNING_FROM_MONTH = 10
_WARNING = "warn_undrawn_jackpot"


def add_to_jackpot(*, game: str, amount: int, document: str, actor: User) -> bool:
    """Put `amount` kopecks of the organizer's money into a jackpot; return False when `document` was booked before.

    `game` is `sportloto` or `totolot`, or one of their games.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for another game, an amount not above zero, or no document; WRONG_STATE
        for a game that has ended.
    """
    if actor.role != Role.ORGANIZER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only the organizer's staff can do this."))
    owner = jackpot_owner(game)
    if owner not in JACKPOTS:
        raise DomainError(Refusal.BAD_VALUE, _("There is no such jackpot."), field="game")
    if amount <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
    if not 0 < len(document.strip()) <= 50:
        raise DomainError(Refusal.BAD_VALUE, _("Name the document, in 50 characters at most."), field="document")
    with one_transaction():
        lock_jackpot(owner)
        if has_ended(owner):
            raise DomainError(Refusal.WRONG_STATE, _("This game has ended."), field="game")
        at = clock.now()
        try:
            post(
                key=f"jackpot-organizer:{document.strip()}",
                kind=TransferKind.JACKPOT_ORGANIZER,
                occurred_at=at,
                cause=f"jackpot:{owner}",
                movements=[
                    Movement(ledger_account(AccountKind.ORGANIZER), ledger_account(AccountKind.JACKPOT, owner), amount)
                ],
            )
        except DuplicateTransfer:
            return False
        write_journal(
            at=at,
            actor=actor.actor,
            act="add_to_jackpot",
            subject=f"jackpot:{owner}",
            after={"amount": amount, "document": document.strip()},
        )
    return True


def warn_of_undrawn_jackpots() -> list[str]:
    """From 1 October, once a day, journal and log each jackpot that holds money and was not drawn this year (¶16).

    Return the owners warned of.
    """
    return [owner for owner in JACKPOTS if _warn(owner)]


def _warn(owner: str) -> bool:
    with one_transaction():
        lock_jackpot(owner)
        at, today = clock.now(), clock.today()
        amount = jackpot_balance(owner)
        if not amount or not _undrawn(owner, today) or _warned_on(owner, today):
            return False
        write_journal(
            at=at,
            actor=f"task:{_WARNING}",
            act=_WARNING,
            subject=f"jackpot:{owner}",
            after={"amount": amount, "day": today.isoformat()},
        )
    logger.warning("The jackpot of %s (%s kopecks) was not drawn in %s yet (par. 16, 37).", owner, amount, today.year)
    return True


def _undrawn(owner: str, today: date) -> bool:
    return today.month >= WARNING_FROM_MONTH and jackpot_undrawn_this_year(owner, on=today)


def _warned_on(owner: str, day: date) -> bool:
    warnings = JournalRecord.objects.filter(subject=f"jackpot:{owner}", act=_WARNING)
    return warnings.filter(after__day=day.isoformat()).exists()
