"""Players take money back: to the card it came from, to a bank account, a large sum after approval (¶41, F2)."""

from accounts.models import GameAccount, PaymentInstrument, PaymentOrder, Withdrawal, WithdrawalState
from accounts.models.payment_orders import OrderState
from accounts.services.instruments import bank_account_of
from accounts.services.payment_files import GivenFile, export_payment_orders
from accounts.services.sending import send_withdrawal
from accounts.services.withdrawals import approve_withdrawal, request_withdrawal
from payouts.management.demo.bank import Bank, Transfer
from payouts.management.demo.cast import Cast
from payouts.management.demo.payment_system import NAME

SMALL, LARGE = 1_000, 150_000  # kopecks; a large withdrawal is approved by the organizer's staff


def withdraw(name: str, large: GameAccount, cast: Cast) -> list[Withdrawal]:
    """Let one player have a little back by the payment system, one by the bank, and `large` a large sum by the bank."""
    by_card, by_bank = cast.accounts[1], cast.accounts[-1]
    card = PaymentInstrument.objects.get(account=by_card, provider=NAME)
    asked = [
        _ask(by_card, SMALL, card, f"{name}:card"),
        _ask(by_bank, SMALL, bank_account_of(by_bank), f"{name}:bank"),
        _ask(large, LARGE, bank_account_of(large), f"{name}:large"),
    ]
    for withdrawal in asked:
        if withdrawal.state == WithdrawalState.REQUESTED:
            approve_withdrawal(withdrawal=withdrawal, approved_by=cast.announcer)
    send_withdrawal(withdrawal=asked[0])
    return asked


def give_to_the_bank(bank: Bank, cast: Cast) -> tuple[GivenFile, PaymentOrder]:
    """Give the bank every payment order that waits, in one file, and let it say that it has paid them."""
    waiting = list(PaymentOrder.objects.filter(state=OrderState.DRAWN_UP).order_by("pk"))
    given = export_payment_orders(account=bank.account, made_by=cast.drafter)
    bank.send([Transfer(order.amount, order.payee_name, order.payee_account, "", order.number) for order in waiting])
    return given, PaymentOrder.objects.get(pk=waiting[0].pk)


def _ask(account: GameAccount, amount: int, to: PaymentInstrument, key: str) -> Withdrawal:
    return request_withdrawal(
        account=account, amount=amount, instrument=to, stepped_up=True, idempotency_key=f"demo:{key}"
    )
