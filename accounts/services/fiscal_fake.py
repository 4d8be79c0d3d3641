"""A fiscal register without a device, for demonstrations and tests: it prints to a list, and fails on demand."""

from accounts.services.fiscal import FiscalFault


class FakeFiscalRegister:
    """Prints a line a document; `sheets` is how many it still has paper for, None for any number."""

    sheets: int | None = None
    printed: list[tuple[str, str, str, int]] = []
    """What was printed, of all registers of this process: (act, till, subject, kopecks)."""
    _numbers: dict[int, str] = {}

    def sale(self, *, till: str, number: int, subject: str, amount: int) -> str:
        """Print a sale."""
        return self._print("sale", till, number, subject, amount)

    def payout(self, *, till: str, number: int, subject: str, amount: int) -> str:
        """Print a payment."""
        return self._print("payout", till, number, subject, amount)

    def z(self, *, till: str, number: int, subject: str, amount: int) -> str:
        """Print the end of a shift."""
        return self._print("z", till, number, subject, amount)

    def cash_moved(self, *, till: str, number: int, subject: str, amount: int) -> str:
        """Print that cash came or went."""
        return self._print("cash_moved", till, number, subject, amount)

    def close(self, *, till: str, number: int, subject: str) -> str:
        """Print that the till is closed for good."""
        return self._print("close", till, number, subject, 0)

    def _print(self, act: str, till: str, number: int, subject: str, amount: int) -> str:
        known = self._numbers.get(number)
        if known is not None:
            return known
        if FakeFiscalRegister.sheets == 0:
            raise FiscalFault("out of paper")
        if FakeFiscalRegister.sheets is not None:
            FakeFiscalRegister.sheets -= 1
        self.printed.append((act, till, subject, amount))
        self._numbers[number] = f"F-{len(self.printed):06}"
        return self._numbers[number]
