"""What every payment has in common: its transfer, its row, and the payable that it settles, whichever way it goes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from django.db import connection
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account
from accounts.models import LedgerAccount, Till, User
from payouts.models import MOVES, WINNINGS, Payable, PayableKind, PayableState, Payment, PaymentMethod
from payouts.services.notice_phones import forget_phones
from payouts.services.taxing import TaxRule, tax_rule
from pools.models import Pool
from totalizator.core.columns import array, unnested
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_number
from totalizator.core.money import format_byn
from totalizator.engine.deadlines import legal_day

_METHODS: Mapping[str, PaymentMethod] = {
    AccountKind.GAME_ACCOUNT: PaymentMethod.GAME_ACCOUNT,
    AccountKind.PREPAID_CARD: PaymentMethod.CARD,
    AccountKind.TILL: PaymentMethod.CASH,
    AccountKind.ORDERS_DUE: PaymentMethod.TRANSFER,
}


_SETTLE = f"""
UPDATE payouts_payable p SET state = %(state)s, settled_at = %(at)s
FROM {unnested(pool_id="bigint", ticket="text", kind="text")}
WHERE (p.pool_id, p.ticket, p.kind) = (k.pool_id, k.ticket, k.kind) AND p.state = 'due'
"""
_STAKES = "SELECT ticket, stake FROM pools_bet WHERE pool_id = %s AND ticket = ANY(%s::text[])"


class Owed(Protocol):
    """What names a payable: itself, or what was read of it."""

    @property
    def pool_id(self) -> int:
        """The pool's key."""

    @property
    def ticket(self) -> str:
        """The ticket's number."""

    @property
    def kind(self) -> str:
        """A `PayableKind`."""


class AlreadySettled(Exception):
    """A payable that was locked as due is no longer due: nothing of the act is committed."""


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What is paid of a payable, in kopecks, and how: equal for all of one kind, sum, stake and way."""

    method: PaymentMethod
    gross: int
    tax: int
    net: int
    rounded: int

    @property
    def handed_over(self) -> int:
        """What the player gets: the net, less what cash is rounded by."""
        return self.net - self.rounded


@dataclass(frozen=True, slots=True)
class Desk:
    """One pool's payments at one instant: the debts they come out of, the tax and the smallest coin of the day."""

    pool: Pool
    at: datetime
    rule: TaxRule
    cash_step: int
    winnings_due: LedgerAccount
    refunds_due: LedgerAccount
    tax_due: LedgerAccount
    _reckoned: dict[tuple[str, int, int, str], Reckoned] = field(default_factory=dict)

    def pay(
        self, payable: Payable, *, stake: int, to: LedgerAccount, till: Till | None = None, paid_by: User | None = None
    ) -> tuple[Payment, NewTransfer]:
        """Return the payment of `payable` and its one transfer, unwritten (C09: each ticket has its own).

        `stake` as `stakes_of` has it.

        :raises DomainError: as `reckon`.
        """
        reckoned = self.reckon(payable.kind, payable.amount, stake=stake, way=to.kind)
        payment = self.payment(payable, reckoned, till=till, paid_by=paid_by)
        return payment, self.transfer(payable, reckoned, to=to)

    def reckon(self, kind: str, amount: int, *, stake: int, way: str) -> Reckoned:
        """Return what is paid of a payable of `amount` to an account of the kind `way`; what was asked is known.

        :raises DomainError: NOTHING_TO_PAY in cash, for less than the smallest coin: it stays owed.
        """
        asked = kind, amount, stake, way
        if asked not in self._reckoned:
            winning = kind in WINNINGS
            tax = self.rule.tax_on(amount, stake) if winning else 0
            net = amount - tax
            # A stake was taken as it is, so it is given back as it is (D-12, C46).
            rounded = self._kept_back(net) if winning and way == AccountKind.TILL else 0
            self._reckoned[asked] = Reckoned(_METHODS[way], amount, tax, net, rounded)
        return self._reckoned[asked]

    def payment(
        self, payable: Owed, reckoned: Reckoned, *, till: Till | None = None, paid_by: User | None = None
    ) -> Payment:
        """Return the payment of a payable, unwritten."""
        return Payment(
            pool=self.pool,
            ticket=payable.ticket,
            kind=payable.kind,
            method=reckoned.method,
            gross=reckoned.gross,
            tax=reckoned.tax,
            net=reckoned.net,
            rounded=reckoned.rounded,
            paid_at=self.at,
            till=till,
            paid_by=paid_by,
        )

    def transfer(self, payable: Owed, reckoned: Reckoned, *, to: LedgerAccount) -> NewTransfer:
        """Return the transfer of a payment, unwritten."""
        winning = payable.kind in WINNINGS
        debt = self.winnings_due if winning else self.refunds_due
        parts = [(to, reckoned.handed_over), (self.tax_due, reckoned.tax)]
        if reckoned.rounded:
            parts.append((ledger_account(AccountKind.CASH_ROUNDING), reckoned.rounded))
        return NewTransfer(
            book=payable.pool_id,
            key=payment_key(payable.kind, payable.ticket),
            kind=TransferKind.WINNING_PAID if winning else TransferKind.REFUND_PAID,
            occurred_at=self.at,
            cause=f"bet:{payable.ticket}",
            movements=[Movement(debt, account, amount) for account, amount in parts if amount],
        )

    def _kept_back(self, net: int) -> int:
        """Return by how much a payment of `net` kopecks in cash is rounded down (C46)."""
        kept = net % self.cash_step
        if net and kept == net:
            message = _("Cash is paid from %(coin)s on: this is less.") % {"coin": format_byn(self.cash_step)}
            raise DomainError(Refusal.NOTHING_TO_PAY, message, amount=net)
        return kept


def open_desk(pool: Pool, *, at: datetime) -> Desk:
    """Return the desk of `pool` for payments made at the instant `at`."""
    return Desk(
        pool=pool,
        at=at,
        rule=tax_rule(legal_day(at)),
        cash_step=int(legal_number("cash_step", legal_day(at))),
        winnings_due=ledger_account(AccountKind.WINNINGS_DUE, pool.code),
        refunds_due=ledger_account(AccountKind.REFUNDS_DUE, pool.code),
        tax_due=ledger_account(AccountKind.TAX_DUE),
    )


def payment_key(kind: str, ticket: str) -> str:
    """Return the key of a payment's transfer in its pool's book: `winning-paid:TICKET`, `refund-paid:TICKET`, …"""
    return f"{kind}-paid:{ticket}"


def stakes_of(pool: Pool, payables: Sequence[Owed]) -> Mapping[str, int]:
    """Return the stakes of the payables' bets, in kopecks, by ticket: what of a winning may be free of tax (D-17).

    Of what a correction makes good, it is what the winning that was paid before has left of the stake.
    """
    tickets = [payable.ticket for payable in payables]
    with connection.cursor() as cursor:
        cursor.execute(_STAKES, [pool.pk, array("text", tickets)])
        stakes = dict(cursor.fetchall())
    made_good = [payable.ticket for payable in payables if payable.kind == PayableKind.CORRECTION]
    if made_good:
        paid = Payment.objects.filter(pool=pool, ticket__in=made_good, kind=PayableKind.WINNING)
        for ticket, gross in paid.values_list("ticket", "gross"):
            stakes[ticket] = max(stakes[ticket] - gross, 0)
    return stakes


def settle_payables(payables: Sequence[Owed], to: PayableState, *, at: datetime) -> None:
    """Take payables that the caller has locked from due to `to`, all or none; there is nothing more to tell of them.

    :raises AlreadySettled: when one of them is not due any more.
    """
    assert to in MOVES[PayableState.DUE], to
    with connection.cursor() as cursor:
        cursor.execute(
            _SETTLE,
            {
                "state": str(to),
                "at": at,
                "pool_id": array("bigint", [payable.pool_id for payable in payables]),
                "ticket": array("text", [payable.ticket for payable in payables]),
                "kind": array("text", [payable.kind for payable in payables]),
            },
        )
        moved = cursor.rowcount
    if moved != len(payables):
        raise AlreadySettled(f"{moved} of {len(payables)} were due")
    forget_phones([(payable.pool_id, payable.ticket) for payable in payables], at=at)
