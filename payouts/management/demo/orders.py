"""Bets that come by transfer and on paper, and one payment that comes too late (¶9.8-9.10, ¶17.3)."""

from collections.abc import Sequence

from django.core.management.base import CommandError

from accounts.models import Outcome, Receipt, WhyOpen
from payouts.management.demo.admitting import bank_account_no
from payouts.management.demo.bank import Bank, Transfer
from payouts.management.demo.cast import Cast
from payouts.management.demo.choosing import ChosenBet
from payouts.management.demo.doors import Sold
from pools.models import BetOrder, PaperRegister, jackpot_owner
from pools.queries.announced import announced_pool
from pools.services.bet_orders import Payer, make_bet_order, reference_of
from pools.services.paper_forms import approve_form, enter_form
from pools.services.paper_registers import issue_register
from pools.services.receipt_decisions import Target, approve_decision, propose_decision
from totalizator.core import clock


def bet_by_transfer(pool_code: str, bets: Sequence[ChosenBet], cast: Cast, bank: Bank) -> None:
    """Order each bet, and let the bank's file bring the stakes: with them the orders become bets."""
    orders = [_order(pool_code, bet, bet.number, cast) for bet in bets]
    bank.send([_payment(order) for order in orders])
    if BetOrder.objects.filter(pk__in=[order.pk for order in orders], ticket__isnull=True).exists():
        raise CommandError("A transfer that came in time was no bet; the journal says why.")


def order_unpaid(pool_code: str, like: ChosenBet, number: int, cast: Cast) -> BetOrder:
    """Order a bet whose payment will come too late."""
    return _order(pool_code, like, number, cast)


def pay_late(order: BetOrder, bank: Bank, cast: Cast) -> None:
    """Let the payment come after the closing; two people put it into the jackpot (¶17.3)."""
    bank.send([_payment(order)])
    receipt = Receipt.objects.get(why=WhyOpen.LATE, reference=str(reference_of(order)))
    proposal = propose_decision(
        line_id=receipt.pk,
        outcome=Outcome.JACKPOT,
        target=Target(),
        reason="The payment came after the pool had closed.",
        document="DEMO",
        proposed_by=cast.drafter,
    )
    approve_decision(proposal=proposal, approved_by=cast.announcer)


def bet_on_paper(pool_code: str, bets: Sequence[ChosenBet], cast: Cast) -> dict[int, Sold]:
    """Enter each form at the first till and have the organizer compare it with the paper; return tickets by number."""
    if not bets:
        return {}
    last = PaperRegister.objects.order_by("-last").values_list("last", flat=True).first() or 0
    register = issue_register(
        point=cast.tills[0].point,
        game=jackpot_owner(announced_pool(pool_code).game),
        first=last + 1,
        last=last + len(bets),
        issued_by=cast.drafter,
    )
    sold = {}
    for form, bet in enumerate(bets, start=register.first):
        enter_form(
            number=form,
            pool_code=pool_code,
            selections=bet.selections,
            stake=bet.stake,
            written_at=clock.now(),
            cashier=cast.cashiers[0],
        )
        placed = approve_form(number=form, approved_by=cast.announcer).placed
        if placed is None:
            raise CommandError("A form that came in time was no bet; the journal says why.")
        sold[bet.number] = Sold(placed.bet.ticket, placed.check_code)
    return sold


def _order(pool_code: str, bet: ChosenBet, number: int, cast: Cast) -> BetOrder:
    return make_bet_order(
        pool_code=pool_code,
        selections=bet.selections,
        stake=bet.stake,
        payer=Payer(f"Плательщик {number}", bank_account_no(1_000 + number)),
        consent=True,
        actor=cast.drafter.actor,
        idempotency_key=f"demo:{pool_code}:{number}",
    )


def _payment(order: BetOrder) -> Transfer:
    return Transfer(order.stake, order.payer_name, order.payer_account, f"Ставка {reference_of(order)}")
