"""The same payments of one day as a bank tells them in its formats, each with what that format may leave out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from tests.banking import OURS, PAYER

DAY = date(2026, 11, 30)
NEXT = DAY + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Payment:
    """A credit of so many kopecks."""

    amount: int
    reference: str
    purpose: str = "за участие"
    account: str = PAYER


def _money(kopecks: int, point: str) -> str:
    return f"{kopecks // 100}{point}{kopecks % 100:02d}"


def camt(
    payments: Sequence[Payment], *, opening: int | None = 100_000, booked: date = DAY, collective: bool = False
) -> bytes:
    """A statement in camt.053; `collective` tells all under the first one's reference, part by part."""
    closing = (opening or 0) + sum(each.amount for each in payments)

    def balance(code: str, amount: int) -> str:
        return (
            f"<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy='BYN'>{_money(amount, '.')}</Amt>"
            f"<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>{booked}</Dt></Dt></Bal>"
        )

    def part(each: Payment) -> str:
        return (
            f"<TxDtls><Amt Ccy='BYN'>{_money(each.amount, '.')}</Amt><CdtDbtInd>CRDT</CdtDbtInd>"
            f"<RltdPties><DbtrAcct><Id><IBAN>{each.account}</IBAN></Id></DbtrAcct></RltdPties>"
            f"<RmtInf><Ustrd>{each.purpose}</Ustrd></RmtInf></TxDtls>"
        )

    def entry(reference: str, parts: Sequence[Payment]) -> str:
        return (
            f"<Ntry><Amt Ccy='BYN'>{_money(sum(each.amount for each in parts), '.')}</Amt><CdtDbtInd>CRDT</CdtDbtInd>"
            f"<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>{booked}</Dt></BookgDt><ValDt><Dt>{NEXT}</Dt></ValDt>"
            f"<AcctSvcrRef>{reference}</AcctSvcrRef><NtryDtls>{''.join(map(part, parts))}</NtryDtls></Ntry>"
        )

    entries = (
        entry(payments[0].reference, payments) if collective else "".join(entry(p.reference, [p]) for p in payments)
    )
    balances = "" if opening is None else balance("OPBD", opening) + balance("CLBD", closing)
    return (
        '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
        f"<BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id><IBAN>{OURS}</IBAN></Id><Ccy>BYN</Ccy></Acct>"
        f"{balances}{entries}</Stmt></BkToCstmrStmt></Document>"
    ).encode()


def mt940(
    payments: Sequence[Payment],
    *,
    opening: int = 100_000,
    entry_day: bool = True,
    cut: bool = False,
    valued: date = NEXT,
    booked: date = DAY,
) -> bytes:
    """A statement in MT940; without `entry_day` only the value day is told, `cut` leaves 16 signs of a reference."""
    closing = opening + sum(each.amount for each in payments)
    lines = [":20:S", f":25:AKBBBY2X/{OURS}", ":28C:1/1", f":60F:C{booked:%y%m%d}BYN{_money(opening, ',')}"]
    for each in payments:
        reference = each.reference[:16] if cut else each.reference
        day = f"{valued:%y%m%d}" + (f"{booked:%m%d}" if entry_day else "")
        lines += [f":61:{day}C{_money(each.amount, ',')}NTRFNONREF//{reference}", f":86:{each.purpose}"]
    return "\n".join([*lines, f":62F:C{booked:%y%m%d}BYN{_money(closing, ',')}", "-", ""]).encode()


def table(payments: Sequence[Payment], *, references: bool = True, booked: date = DAY) -> bytes:
    """A table; the column of references is optional."""
    head = ["Счёт", "Дата", *(["Референс"] if references else []), "Дебет", "Кредит", "Валюта"]
    rows = [";".join([*head, "Счёт корреспондента", "Назначение платежа"])]
    for each in payments:
        own = [each.reference] if references else []
        told = [OURS, f"{booked:%d.%m.%Y}", *own, "", _money(each.amount, ","), "BYN", each.account, each.purpose]
        rows.append(";".join(told))
    return "\r\n".join([*rows, ""]).encode("cp1251")


TELLINGS: Mapping[str, Callable[[Sequence[Payment]], bytes]] = {
    "camt": camt,
    "camt without balances": lambda payments: camt(payments, opening=None),
    "mt940": mt940,
    "mt940 by the value day": lambda payments: mt940(payments, entry_day=False),
    "mt940, references cut": lambda payments: mt940(payments, cut=True),
    "mt940 of another balance": lambda payments: mt940(payments, entry_day=False, cut=True, opening=5),
    "table": table,
    "table without references": lambda payments: table(payments, references=False),
}
"""By what they leave out: each tells the whole day."""


def summed(payments: Sequence[Payment]) -> Payment:
    """One line for all of them, as one format tells what another tells part by part."""
    return Payment(sum(each.amount for each in payments), payments[0].reference, "реестр")
