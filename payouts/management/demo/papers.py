"""The papers of one run, as people hold them in their hands: written into a folder to be looked at."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from accounts.documents.statement import render_statement
from accounts.models import GameAccount, Handover, PaymentOrder, Shift
from accounts.services.handover_documents import handover_pdf
from accounts.services.payment_files import GivenFile
from accounts.services.payment_order_pages import payment_order_page
from accounts.services.statements import statement_facts
from accounts.services.z_reports import z_report_pdf
from payouts.management.demo.bank import Bank
from payouts.management.demo.cast import Cast
from payouts.management.demo.sales import Slip
from payouts.models import Payment, PaymentMethod
from payouts.services.receipts import print_receipt
from pools.models import Bet
from pools.services.betting import PlacedBet
from pools.services.printing import print_ticket
from totalizator.core import clock
from totalizator.engine.deadlines import legal_day

LOOKED_BACK = timedelta(days=180)


@dataclass(slots=True)
class Papers:
    """The folder and what is in it."""

    folder: Path
    names: list[str] = field(default_factory=list)

    def keep(self, name: str, content: bytes) -> None:
        """Write one of them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(content)
        self.names.append(name)

    def ticket(self, slip: Slip) -> None:
        """Keep the ticket of a bet that was paid in cash."""
        bet = Bet.objects.get(ticket=slip.ticket)
        self.keep("ticket.pdf", print_ticket(PlacedBet(bet, slip.check_code, replayed=False)))

    def receipt(self, codes: Sequence[str], cast: Cast) -> None:
        """Keep the receipt of the largest winning that was paid in cash."""
        paid = Payment.objects.filter(pool__code__in=codes, method=PaymentMethod.CASH).order_by("-net", "ticket")
        payment = paid.select_related("till__point", "paid_by")[0]
        self.keep("receipt.pdf", print_receipt(payment=payment, asked_by=cast.cashiers[0]))

    def of_the_till(self, handover: Handover | None, shift: Shift) -> None:
        """Keep a handover and a Z-report."""
        if handover is not None:
            self.keep("handover.pdf", handover_pdf(handover))
        self.keep("z-report.pdf", z_report_pdf(shift.z_report))

    def of_the_account(self, account: GameAccount) -> None:
        """Keep a player's statement of half a year."""
        today = legal_day(clock.now())
        self.keep("statement.pdf", render_statement(statement_facts(account, today - LOOKED_BACK, today)))

    def of_the_bank(self, given: GivenFile, order: PaymentOrder, bank: Bank, cast: Cast) -> None:
        """Keep a file for the bank, and the page of one of its orders."""
        self.keep("pain.001.xml", given.content)
        self.keep("payment-order.pdf", payment_order_page(order=order, account=bank.account, asked_by=cast.drafter))
