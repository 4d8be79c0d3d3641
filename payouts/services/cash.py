"""Paying a ticket in cash at a till: to whoever brings it with its check code, once (D-13, ¶12-13, ¶43)."""

from collections.abc import Callable
from datetime import datetime

from accounts.ledger.posting import post_many
from accounts.models import FiscalKind, Person, Terminal, Till, User
from accounts.services.desks import refuse_to_pay
from accounts.services.fiscal import queue_fiscal
from accounts.services.identified_operations import note_identified, refuse_unidentified
from payouts.locks import lock_payables_of
from payouts.models import CodePurpose, Payable, PayableState, Payment
from payouts.queries.tickets import find_ticket, standing_payable
from payouts.services.held_tickets import refuse_held
from payouts.services.large_payments import person_of_large
from payouts.services.owed_now import owed_now
from payouts.services.paying import open_desk, settle_payables, stakes_of
from payouts.services.phone_binding import bet_of_number, is_bound, is_bound_to
from payouts.services.phone_codes import code_needed, judged_code, spelled_phone, use_code
from pools.models import Bet
from pools.services.sources import from_till
from totalizator.core import clock
from totalizator.core.idempotency import answered_at, fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

Guard = Callable[[Payable, datetime], None]
"""What else must be true of who asks for the money, looked at under the payable's lock."""


def pay_in_cash(
    *,
    ticket: str,
    check_code: str,
    cashier: User,
    idempotency_key: str,
    person: Person | None = None,
    terminal: Terminal | None = None,
    phone_code: str = "",
) -> Payment:
    """Pay what is owed on a ticket, a winning less its tax or a returned stake, from the cashier's till.

    Cash is rounded down to the smallest coin of the day; `handed_over` of the payment is what the player gets (C46).
    `person` is who showed a document (`person_at_desk`), which large sums need; `terminal` asks for the
    cashier; `phone_code` was sent to the phone that the ticket is bound to.

    :raises DomainError: NOT_ALLOWED (no cashier at a till; it goes to an account); WRONG_CODE; NOTHING_TO_PAY;
        NOT_PAYABLE_YET; TERM_EXPIRED; ALREADY_PAID, with where and when; TICKET_HELD; PHONE_CODE_NEEDED; what
        `refuse_to_pay` refuses; CENTRAL_DESK_ONLY, APPROVAL_NEEDED; IDENTITY_NEEDED; INSUFFICIENT_FUNDS of the till;
        KEY_REUSED; BUSY. In each case nothing was paid.
    """
    from_till(cashier)
    bet = find_ticket(ticket, check_code)

    fresh = phone_code and is_bound(bet) and not _is_paid(bet)
    sent = judged_code(bet, CodePurpose.PAY, phone_code) if fresh else None

    def refuse(_payable: Payable, at: datetime) -> None:
        refuse_held(bet)
        if is_bound(bet):
            if sent is None:
                raise code_needed()
            use_code(sent, at)

    return hand_over(
        bet=bet, guard=refuse, cashier=cashier, idempotency_key=idempotency_key, person=person, terminal=terminal
    )


def pay_by_phone(
    *,
    ticket: str,
    phone: str,
    phone_code: str,
    cashier: User,
    idempotency_key: str,
    person: Person | None = None,
    terminal: Terminal | None = None,
) -> Payment:
    """Pay a ticket that was lost to who has the phone it is bound to, and the code that was sent there (X9).

    :raises DomainError: as `pay_in_cash`, but PHONE_CODE_NEEDED for an unknown number, another phone or a wrong code.
    """
    from_till(cashier)
    bet = bet_of_number(ticket)
    if bet is None or not is_bound_to(bet, spelled_phone(phone)):
        raise code_needed()
    sent = None if _is_paid(bet) else judged_code(bet, CodePurpose.PAY, phone_code)

    def refuse(_payable: Payable, at: datetime) -> None:
        refuse_held(bet)
        if sent is None:
            raise code_needed()
        use_code(sent, at)

    return hand_over(
        bet=bet, guard=refuse, cashier=cashier, idempotency_key=idempotency_key, person=person, terminal=terminal
    )


def hand_over(
    *,
    bet: Bet,
    guard: Guard,
    cashier: User,
    idempotency_key: str,
    person: Person | None,
    terminal: Terminal | None = None,
    claimed_in_time: bool = False,
) -> Payment:
    """Pay in cash to who has a right to it, which the caller has looked at and `guard` looks at once more.

    :raises DomainError: as `pay_in_cash`, and what `guard` refuses.
    """
    source = from_till(cashier)
    assert source.till is not None
    with one_transaction():
        first = recall_or_reserve(
            scope=source.scope,
            key=idempotency_key,
            fingerprint=fingerprint_of("pay_in_cash", bet.ticket),
            answer=bet.ticket,
            created_at=clock.now(),
        )
        payable = standing_payable(lock_payables_of(bet.pool_id, bet.ticket))
        if first is not None:
            return _replayed(bet, source.till, answered_at(scope=source.scope, key=idempotency_key))
        at = clock.now()  # after the lock: who waited past the term's end is too late
        owed = owed_now(bet, payable, at, claimed_in_time=claimed_in_time)
        guard(owed, at)
        refuse_to_pay(till=source.till, now=at, terminal=terminal)
        payment = _pay(bet, owed, source.till, cashier, person_of_large(owed, source.till, person, at), at)
        queue_fiscal(
            till=source.till,
            kind=FiscalKind.PAYOUT,
            subject=f"bet:{bet.ticket}",
            amount=payment.handed_over,
            at=at,
        )
        write_journal(
            at=at,
            actor=cashier.actor,
            act="pay_in_cash",
            subject=f"bet:{bet.ticket}",
            after={
                "kind": payment.kind,
                "gross": payment.gross,
                "tax": payment.tax,
                "net": payment.net,
                "till": source.till.pk,
                **({"terminal": terminal.actor} if terminal is not None else {}),
                **({"rounded": payment.rounded} if payment.rounded else {}),
            },
        )
    return payment


def _pay(bet: Bet, payable: Payable, till: Till, cashier: User, person: Person | None, at: datetime) -> Payment:
    desk = open_desk(bet.pool, at=at)
    stake = stakes_of(bet.pool, [payable])[bet.ticket]
    payment, transfer = desk.pay(payable, stake=stake, to=till.ledger_account, till=till, paid_by=cashier)
    refuse_unidentified(amount=payment.handed_over, person=person, at=at)
    if person is not None:
        note_identified(operation=transfer.key, person=person, noted_by=cashier, at=at)
    post_many([transfer])
    payment.save(force_insert=True)
    settle_payables([payable], PayableState.PAID, at=at)
    return payment


def _is_paid(bet: Bet) -> bool:
    """Tell whether all of it was paid before: then a code is not looked at, and the answer says where."""
    of_ticket = {"pool_id": bet.pool_id, "ticket": bet.ticket}
    still_due = Payable.objects.filter(**of_ticket, state=PayableState.DUE).exists()
    return not still_due and Payment.objects.filter(**of_ticket).exists()


def _replayed(bet: Bet, till: Till, since: datetime) -> Payment:
    """Return the payment that this request, made at the instant `since`, led to."""
    of_till = Payment.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket, till=till, paid_at__gte=since)
    payment = of_till.order_by("paid_at")[0]
    payment.replayed = True
    return payment
