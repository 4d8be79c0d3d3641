"""What every payment has in common: its transfer, its row, and the payable that it settles, whichever way it goes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account
from accounts.models import LedgerAccount, Till, User
from payouts.models import MOVES, WINNINGS, Payable, PayableKind, PayableState, Payment, PaymentMethod
from payouts.services.notice_phones import forget_phones
from payouts.services.taxing import TaxRule, tax_rule
from pools.models import Bet, Pool
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


# For a thousand rows a quarter of the time of the same with the ORM's list of composite keys.
_SETTLE = """
UPDATE payouts_payable p SET state = %s, settled_at = %s
FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS k (pool_id, ticket, kind)
WHERE (p.pool_id, p.ticket, p.kind) = (k.pool_id, k.ticket, k.kind) AND p.state = 'due'
"""


class AlreadySettled(Exception):
    """A payable that was locked as due is no longer due: nothing of the act is committed."""


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

    def pay(
        self, payable: Payable, *, stake: int, to: LedgerAccount, till: Till | None = None, paid_by: User | None = None
    ) -> tuple[Payment, NewTransfer]:
        """Return the payment of `payable` and its one transfer, unwritten (C09: each ticket has its own).

        `stake` as `stakes_of` has it.

        :raises DomainError: NOTHING_TO_PAY in cash, for less than the smallest coin: it stays owed.
        """
        winning = payable.kind in WINNINGS
        tax = self.rule.tax_on(payable.amount, stake) if winning else 0
        net = payable.amount - tax
        # A stake was taken as it is, so it is given back as it is (D-12, C46).
        rounded = self._kept_back(net) if winning and to.kind == AccountKind.TILL else 0
        payment = Payment(
            pool=self.pool,
            ticket=payable.ticket,
            kind=payable.kind,
            method=_METHODS[to.kind],
            gross=payable.amount,
            tax=tax,
            net=net,
            rounded=rounded,
            paid_at=self.at,
            till=till,
            paid_by=paid_by,
        )
        debt = self.winnings_due if winning else self.refunds_due
        parts = [(to, payment.handed_over), (self.tax_due, tax)]
        if rounded:
            parts.append((ledger_account(AccountKind.CASH_ROUNDING), rounded))
        transfer = NewTransfer(
            book=self.pool.pk,
            key=payment_key(payable.kind, payable.ticket),
            kind=TransferKind.WINNING_PAID if winning else TransferKind.REFUND_PAID,
            occurred_at=self.at,
            cause=f"bet:{payable.ticket}",
            movements=[Movement(debt, account, amount) for account, amount in parts if amount],
        )
        return payment, transfer

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


def stakes_of(pool: Pool, payables: Sequence[Payable]) -> Mapping[str, int]:
    """Return the stakes of the payables' bets, in kopecks, by ticket: what of a winning may be free of tax (D-17).

    Of what a correction makes good, it is what the winning that was paid before has left of the stake.
    """
    tickets = [payable.ticket for payable in payables]
    stakes = dict(Bet.objects.filter(pool=pool, ticket__in=tickets).values_list("ticket", "stake"))
    made_good = [payable.ticket for payable in payables if payable.kind == PayableKind.CORRECTION]
    if made_good:
        paid = Payment.objects.filter(pool=pool, ticket__in=made_good, kind=PayableKind.WINNING)
        for ticket, gross in paid.values_list("ticket", "gross"):
            stakes[ticket] = max(stakes[ticket] - gross, 0)
    return stakes


def settle_payables(payables: Sequence[Payable], to: PayableState, *, at: datetime) -> None:
    """Take payables that the caller has locked from due to `to`, all or none; there is nothing more to tell of them.

    :raises AlreadySettled: when one of them is not due any more.
    """
    assert to in MOVES[PayableState.DUE], to
    with connection.cursor() as cursor:
        cursor.execute(
            _SETTLE,
            [
                str(to),
                at,
                [payable.pool_id for payable in payables],
                [payable.ticket for payable in payables],
                [payable.kind for payable in payables],
            ],
        )
        moved = cursor.rowcount
    if moved != len(payables):
        raise AlreadySettled(f"{moved} of {len(payables)} were due")
    forget_phones([(payable.pool_id, payable.ticket) for payable in payables], at=at)
