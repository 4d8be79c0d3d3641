"""The money machine's rules of pools: announced, settled, cancelled, paid out, expired."""

from datetime import timedelta
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from accounts.models import Till
from payouts.models import Payment
from payouts.services.bet_cancelling import approve_bet_cancellation
from payouts.services.booking import book_payables
from payouts.services.cash import pay_in_cash
from payouts.tasks import credit_due_accounts, expire_due_winnings, post_due_agent_commissions
from pools.models import CancelledWhen, PoolState
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.closing import close_pool
from pools.services.settling import settle_pool
from tests.disputing import proposed
from tests.paying import go_to
from tests.resulting import seal
from tests.stateful.money_model import ON_SALE, Book, Slip, attempt
from tests.stateful.money_town import Town, cashier_of, new_key, number, term
from totalizator.core import clock
from totalizator.core.errors import Refusal

MOST_POOLS, MOST_EXPIRIES = 3, 2


class PoolRules(Town):
    """What becomes of pools, and of what is won."""

    expiries = 0

    @precondition(lambda self: len(self.books) < MOST_POOLS)
    @rule()
    def announce(self) -> None:
        self.books.append(self.announced())

    @rule(of=number, right=st.sampled_from(["1", "X", "2", "void"]))
    def settle(self, of: int, right: str) -> None:
        book = self.book(of)
        book.pool.refresh_from_db()
        if book.pool.state not in ON_SALE:
            return
        if clock.now() < book.pool.closes_at:
            go_to(book.pool.closes_at + timedelta(minutes=1))
        close_pool(code=book.pool.code, actor="test")
        book.pool.refresh_from_db()
        seal(book.pool, right, event_void=right == "void")
        settle_pool(code=book.pool.code, actor="test")
        book.right, book.returned = right, right == "void"
        self.draw_up(book)

    @rule(of=number)
    def cancel(self, of: int) -> None:
        book, (one, other) = self.book(of), self.world.staff
        code, reasons = book.pool.code, {Refusal.WRONG_STATE} if book.right or book.cancelled else set()
        act = partial(propose_cancellation, code=code, reason="The match is off.", document="Letter 1")
        if attempt(lambda: act(proposed_by=one), reasons) is not None:
            attempt(lambda: approve_cancellation(code=code, approved_by=one), {Refusal.SAME_PERSON})
            attempt(lambda: approve_cancellation(code=code, approved_by=other))
            book.cancelled = True
            self.draw_up(book)

    @rule(of=number, which=number)
    def cancel_a_bet(self, of: int, which: int) -> None:
        """Before the settlement it leaves the division; after it nobody's winning changes but its own (¶29, D-3)."""
        book, (one, other) = self.book(of), self.world.staff
        if not book.slips:
            return
        slip = book.slips[which % len(book.slips)]
        reasons = {Refusal.WRONG_STATE} if book.goes_back(slip) else set()
        proposal = attempt(lambda: proposed(slip.ticket, one), reasons)
        if proposal is None:
            return
        attempt(lambda: approve_bet_cancellation(proposal=proposal, approved_by=one), {Refusal.SAME_PERSON})
        done = approve_bet_cancellation(proposal=proposal, approved_by=other)
        slip.cancelled = CancelledWhen.AFTER if book.right else CancelledWhen.BEFORE
        assert done.cancelled_when == slip.cancelled
        slip.paid = False  # its stake, whatever was paid of its winning

    def draw_up(self, book: Book) -> None:
        """Draw up what is owed, and the agents' commissions."""
        book_payables(code=book.pool.code)
        post_due_agent_commissions()
        book.pool.refresh_from_db()
        assert book.pool.state == (PoolState.CANCELLED if book.cancelled else PoolState.SETTLED)

    @rule()
    def pay_accounts(self) -> None:
        """Let the first day of payment of every settled pool come, and the job run."""
        self.wait(max((term(book)[0] for book in self.books if book.right), default=clock.now()))
        credit_due_accounts()
        for book in self.books:
            for slip in book.slips:
                known = book.determined or slip.cancelled is not None
                if known and (slip.pay_to is not None or slip.by_bank) and not slip.paid and book.owed(slip):
                    slip.paid = True
                    if slip.pay_to is not None:
                        self.model.into(slip.pay_to, book.net(slip))

    @precondition(lambda self: self.expiries < MOST_EXPIRIES and any(book.right for book in self.books))
    @rule()
    def expire(self) -> None:
        self.expiries += 1
        self.wait(max(term(book)[1] for book in self.books if book.right))
        expire_due_winnings()

    @rule(of=number, which=number, at=number)
    def pay_a_ticket(self, of: int, which: int, at: int) -> None:
        book, till = self.book(of), self.till(at)
        brought = [slip for slip in book.slips if slip.pay_to is None and not slip.by_bank]
        if not brought:
            return
        slip = brought[which % len(brought)]
        net = book.net(slip) if book.determined or slip.cancelled is not None else 0
        reasons = self.model.at_desk(till) | self.why_not_paid(book, slip) | self.model.short(till.ledger_account, net)
        if attempt(lambda: bring(slip, till), reasons) is not None:
            slip.paid = True
            self.model.into(till.ledger_account, -net)

    def why_not_paid(self, book: Book, slip: Slip) -> set[Refusal]:
        """Return why a ticket is not paid in cash at any till."""
        if not book.determined and slip.cancelled is None:
            return {Refusal.NOT_PAYABLE_YET}
        if slip.paid:
            return {Refusal.ALREADY_PAID}
        if not book.owed(slip):
            return {Refusal.NOTHING_TO_PAY}
        if book.goes_back(slip):
            return set()
        first, until = term(book)
        early = {Refusal.NOT_PAYABLE_YET} if clock.now() < first else set()
        return early | ({Refusal.TERM_EXPIRED} if clock.now() >= until else set())


def bring(slip: Slip, till: Till) -> Payment:
    """Bring a ticket to the till."""
    return pay_in_cash(
        ticket=slip.ticket,
        check_code=slip.check_code,
        cashier=cashier_of(till),
        idempotency_key=f"pay-{next(new_key)}",
    )
