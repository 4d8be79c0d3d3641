"""The organizer's bank: a file of the day's transfers, as it sends one, imported and matched (¶9.8, ¶35.5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from accounts.models import OwnBankAccount
from accounts.services.bank_statements import enter_own_account, import_bank_file
from payouts.management.demo.cast import Cast
from pools.services.receipt_matching import match_receipts
from totalizator.core import clock

IBAN = "BY04AKBB30120000000000000017"
COLUMNS = "Счёт;Дата;Референс;Номер документа;Дебет;Кредит;Валюта;Корреспондент;Счёт корреспондента;Назначение платежа"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One line of the file: `amount` kopecks that came, or with `order`, that were paid out by this order of ours."""

    amount: int
    name: str
    account: str
    purpose: str
    order: str = ""


class Bank:
    """The bank of one run: it numbers its entries, so that no two files say the same."""

    def __init__(self, run: int, cast: Cast) -> None:
        self._run = run
        self._number = count(1)
        self._actor = cast.announcer.actor
        self.account: OwnBankAccount = enter_own_account(
            iban=IBAN, bank="AKBBBY2X", holder="ООО «Тотализатор»", by=cast.announcer
        )

    def send(self, transfers: Sequence[Transfer]) -> None:
        """Let the bank's file come, import it, and find the place of each transfer."""
        if transfers:
            text = "\r\n".join([COLUMNS, *(self._line(transfer) for transfer in transfers), ""])
            import_bank_file(content=text.encode("cp1251"), actor=self._actor)
            match_receipts(actor=self._actor)

    def _line(self, transfer: Transfer) -> str:
        money = f"{transfer.amount // 100},{transfer.amount % 100:02d}"
        sides = (money, "") if transfer.order else ("", money)
        reference = f"D{self._run}-{next(self._number):06d}"
        party = (transfer.name, transfer.account, transfer.purpose)
        return ";".join([IBAN, f"{clock.today():%d.%m.%Y}", reference, transfer.order, *sides, "BYN", *party])
