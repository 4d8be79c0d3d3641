"""Importing the bank's statements: each line once, whatever file or format it comes in, however often (¶35.5).

A credit waits in `bank_suspense` as a receipt until it is matched or decided upon. A debit that executes one of our
payment orders confirms it; other debits are listed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from itertools import islice

from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.locks import lock_own_account
from accounts.models import (
    BankLine,
    BankLineWords,
    BankStatement,
    OrderState,
    OwnBankAccount,
    PaymentOrder,
    Receipt,
    User,
    WhyOpen,
)
from accounts.services.bank_addresses import spelled_bic, spelled_iban
from accounts.services.bank_files.entries import ParsedStatement, StatementEntry, fault
from accounts.services.bank_files.reading import read_bank_file
from accounts.services.payment_orders import note_executed
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.encrypted import keyed_digest
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_CHUNK = 1_000
_Group = tuple[date, bool, str]


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What an import did: `new` lines were booked, `known` ones had come in an earlier file."""

    statements: Sequence[BankStatement]
    new: int
    known: int


def import_bank_file(*, content: bytes, actor: str) -> ImportedFile:
    """Import every statement of a bank file, in one transaction; the same file again changes nothing.

    :raises DomainError: BAD_VALUE naming the line and the element at fault, also for an account that is not ours; BUSY.
    """
    form, parsed = read_bank_file(content)
    digest = "sha256:" + sha256(content).hexdigest()
    with one_transaction():
        # In the order of their ids, so that two imports never hold what the other wants.
        accounts = {account.iban: account for account in lock_own_account({statement.account for statement in parsed})}
        for statement in parsed:
            if statement.account not in accounts:
                raise fault(statement.line, "account", _("this is no account of the organizer's."))
        seen: Counter[bytes] = Counter()
        imported = [_import(one, accounts[one.account], str(form), digest, seen, actor) for one in parsed]
    new = sum(lines for _statement, lines in imported)
    return ImportedFile(
        statements=[statement for statement, _lines in imported],
        new=new,
        known=sum(len(statement.entries) for statement in parsed) - new,
    )


def _import(
    parsed: ParsedStatement, account: OwnBankAccount, form: str, digest: str, seen: Counter[bytes], actor: str
) -> tuple[BankStatement, int]:
    """Return the statement, and how many lines this import has booked."""
    standing = BankStatement.objects.filter(account=account, file_digest=digest, place=parsed.line).first()
    if standing is not None:
        return standing, 0
    at, fresh = clock.now(), _not_known(account, parsed.entries, seen)
    statement = BankStatement.objects.create(
        account=account,
        file_digest=digest,
        place=parsed.line,
        form=form,
        number=parsed.number,
        opening=parsed.opening,
        closing=parsed.closing,
        lines_in_file=len(parsed.entries),
        lines_new=len(fresh),
        imported_at=at,
        imported_by=actor,
    )
    rows = iter(fresh.items())
    while chunk := list(islice(rows, _CHUNK)):
        _book(statement, chunk, at, actor)
    write_journal(
        at=at,
        actor=actor,
        act="import_bank_file",
        subject=f"bank_statement:{statement.pk}",
        after={
            "file": digest,
            "account": account.iban,
            "lines": len(parsed.entries),
            "new": len(fresh),
            "credited": sum(entry.amount for entry in fresh.values() if entry.is_credit),
        },
    )
    return statement, len(fresh)


def _not_known(
    account: OwnBankAccount, entries: Sequence[StatementEntry], seen: Counter[bytes]
) -> Mapping[bytes, StatementEntry]:
    """Return identity → entry of the entries that no earlier file had.

    Like lines are told apart by their number among the like ones: of the whole file (`seen`) where the bank gives no
    reference, of the statement where it does, since two statements that tell one reference tell one movement.
    """
    told_otherwise = _told_otherwise(account, entries)
    in_statement: Counter[bytes] = Counter()
    by_identity = {}
    for entry in entries:
        alike = _identity(account, entry)
        numbered = in_statement if entry.bank_reference else seen
        numbered[alike] += 1
        if _group(entry) not in told_otherwise:
            by_identity[keyed_digest("bank line", f"{alike.hex()} {numbered[alike]}")] = entry
    known = BankLine.objects.filter(identity__in=list(by_identity)).values_list("identity", flat=True)
    standing = {bytes(identity) for identity in known}
    return {identity: entry for identity, entry in by_identity.items() if identity not in standing}


def _identity(account: OwnBankAccount, entry: StatementEntry) -> bytes:
    told = [entry.bank_reference] if entry.bank_reference else [entry.end_to_end_id, entry.party_account, entry.purpose]
    parts = [account.iban, entry.booked_on.isoformat(), str(entry.is_credit), str(entry.amount), *told]
    return keyed_digest("bank line alike", "\x1f".join(parts))


def _group(entry: StatementEntry) -> _Group:
    return entry.booked_on, entry.is_credit, entry.bank_reference


def _told_otherwise(account: OwnBankAccount, entries: Iterable[StatementEntry]) -> set[_Group]:
    """Return the bank's references under which the same sum is known already, whatever parts it was told in.

    One format tells a collective entry as one sum, the other part by part.
    """
    sums: Counter[_Group] = Counter()
    for entry in entries:
        if entry.bank_reference:
            sums[_group(entry)] += entry.amount
    rows = (
        BankLine.objects.filter(
            account=account,
            part_of__isnull=True,
            booked_on__in={day for day, _credit, _reference in sums},
            bank_reference__in={reference for _day, _credit, reference in sums},
        )
        .values_list("booked_on", "is_credit", "bank_reference")
        .annotate(total=Sum("amount"))
    )
    return {(day, credit, ref) for day, credit, ref, total in rows if sums.get((day, credit, ref)) == total}


def _book(statement: BankStatement, chunk: Sequence[tuple[bytes, StatementEntry]], at: datetime, actor: str) -> None:
    executed = _executed_orders([entry for _identity, entry in chunk])
    lines = BankLine.objects.bulk_create(
        [
            BankLine(
                statement=statement,
                account=statement.account,
                place=entry.line,
                booked_on=entry.booked_on,
                is_credit=entry.is_credit,
                amount=entry.amount,
                bank_reference=entry.bank_reference,
                end_to_end_id=entry.end_to_end_id,
                identity=identity,
                order=executed.get((entry.is_credit, entry.end_to_end_id, entry.amount)),
            )
            for identity, entry in chunk
        ]
    )
    BankLineWords.objects.bulk_create(
        [
            BankLineWords(
                line=line,
                party_name=entry.party_name,
                party_account=entry.party_account,
                party_bank=entry.party_bank,
                purpose=entry.purpose,
            )
            for line, (_identity, entry) in zip(lines, chunk, strict=True)
        ]
    )
    credits = [line for line in lines if line.is_credit]
    Receipt.objects.bulk_create([Receipt(line=line, open_amount=line.amount, why=WhyOpen.NEW) for line in credits])
    bank, suspense = ledger_account(AccountKind.BANK), ledger_account(AccountKind.BANK_SUSPENSE)
    post_many(
        [
            NewTransfer(
                key=f"receipt:{line.pk}",
                kind=TransferKind.BANK_RECEIPT,
                occurred_at=at,
                cause=f"bank_line:{line.pk}",
                movements=[Movement(bank, suspense, line.amount)],
            )
            for line in credits
        ]
    )
    for line in lines:
        if line.order is not None:
            note_executed(order=line.order, bank_reference=line.bank_reference, actor=actor)


def _executed_orders(entries: Sequence[StatementEntry]) -> dict[tuple[bool, str, int], PaymentOrder]:
    """Return the orders given to the bank that the debits among `entries` name, in full; an order once."""
    named = Counter((entry.end_to_end_id, entry.amount) for entry in entries if not entry.is_credit)
    numbers = [name[3:] for name, _amount in named if name.startswith("PO-") and name[3:].isascii()]
    candidates = PaymentOrder.objects.filter(
        pk__in=[int(number) for number in numbers if number.isdigit() and len(number) < 19],
        state=OrderState.EXPORTED,
        bank_line__isnull=True,
    ).select_related("withdrawal")
    return {
        (False, order.number, order.amount): order
        for order in candidates
        if named.get((order.number, order.amount)) == 1
    }


def enter_own_account(*, iban: str, bank: str, holder: str, by: User) -> OwnBankAccount:
    """Enter an account of the organizer's, whose statements can then be imported; entered again, the first.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a wrong IBAN or BIC, or without a holder.
    """
    refuse_all_but_staff(by)
    iban, bank = spelled_iban(iban, field="iban"), spelled_bic(bank, field="bank")
    if not 0 < len(holder.strip()) <= 140:
        raise DomainError(Refusal.BAD_VALUE, _("Name the holder, in 140 characters at most."), field="holder")
    with one_transaction():
        at = clock.now()
        account, created = OwnBankAccount.objects.get_or_create(
            iban=iban, defaults={"bank": bank, "holder": holder.strip(), "entered_at": at}
        )
        if created:
            write_journal(at=at, actor=by.actor, act="enter_own_account", subject=f"bank_account:{iban}")
    return account
