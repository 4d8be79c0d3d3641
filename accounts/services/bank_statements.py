"""Importing the bank's statements: each line once, whatever file or format it comes in, however often (¶35.5).

A credit waits in `bank_suspense` as a receipt until it is matched or decided upon. A debit that executes one of our
payment orders confirms it; other debits are listed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from itertools import islice

from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from accounts.locks import lock_own_account
from accounts.models import (
    BankLine,
    BankLineWords,
    BankStatement,
    OrderState,
    OwnBankAccount,
    PaymentOrder,
    User,
)
from accounts.services.bank_addresses import spelled_bic, spelled_iban
from accounts.services.bank_booking import book_credits
from accounts.services.bank_files.entries import ParsedStatement, StatementEntry, fault
from accounts.services.bank_files.reading import read_bank_file
from accounts.services.bank_resemblance import SortedOut, sort_out
from accounts.services.payment_orders import note_executed
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.encrypted import keyed_digest
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_CHUNK = 1_000
_Group = tuple[date, bool, str]
_Row = tuple[bytes, StatementEntry, BankLine | None]


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What an import did: `new` lines were booked, `known` ones had come in an earlier file.

    `maybe` ones wait: another format may have told them, which two people decide (`bank_doubts.py`).
    """

    statements: Sequence[BankStatement]
    new: int
    known: int
    maybe: int


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
    new, maybe = (sum(lines[place] for _statement, lines in imported) for place in (0, 1))
    return ImportedFile(
        statements=[statement for statement, _lines in imported],
        new=new,
        known=sum(len(statement.entries) for statement in parsed) - new - maybe,
        maybe=maybe,
    )


def _import(
    parsed: ParsedStatement, account: OwnBankAccount, form: str, digest: str, seen: Counter[bytes], actor: str
) -> tuple[BankStatement, tuple[int, int]]:
    """Return the statement, how many lines this import has booked, and how many it leaves in doubt."""
    standing = BankStatement.objects.filter(account=account, file_digest=digest, place=parsed.line).first()
    if standing is not None:
        return standing, (0, 0)
    at, found = clock.now(), _looked_at(account, parsed, form, digest, seen)
    statement = BankStatement.objects.create(
        account=account,
        file_digest=digest,
        place=parsed.line,
        form=form,
        number=parsed.number,
        opening=parsed.opening,
        closing=parsed.closing,
        lines_in_file=len(parsed.entries),
        lines_new=len(found.new),
        imported_at=at,
        imported_by=actor,
    )
    rows = iter(_rows(found))
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
            "new": len(found.new),
            "maybe": len(found.maybe),
            "credited": sum(entry.amount for entry in found.new.values() if entry.is_credit),
        },
    )
    return statement, (len(found.new), len(found.maybe))


def _rows(found: SortedOut) -> Iterator[_Row]:
    yield from ((identity, entry, None) for identity, entry in found.new.items())
    yield from ((identity, entry, line) for identity, (entry, line) in found.maybe.items())


def _looked_at(
    account: OwnBankAccount, parsed: ParsedStatement, form: str, digest: str, seen: Counter[bytes]
) -> SortedOut:
    """Sort out what no earlier file had told: what is new, and what another format may have told."""
    in_sums = _told_otherwise(account, parsed.entries)
    by_identity = _identified(account, parsed.entries, seen)
    known = BankLine.objects.filter(identity__in=list(by_identity)).values_list("identity", "pk")
    told = {bytes(identity): number for identity, number in known}
    fresh = {
        identity: entry
        for identity, entry in by_identity.items()
        if identity not in told and _group(entry) not in in_sums
    }
    return sort_out(account, parsed, form, fresh, {*told.values(), *_lines_of(account, in_sums)}, digest)


def _lines_of(account: OwnBankAccount, groups: set[_Group]) -> Iterator[int]:
    """Yield the numbers of the lines that stand under these references."""
    under = BankLine.objects.filter(
        account=account, bank_reference__in={reference for _day, _side, reference in groups}
    )
    for number, *group in under.values_list("pk", "booked_on", "is_credit", "bank_reference"):
        if tuple(group) in groups:
            yield number


def _identified(
    account: OwnBankAccount, entries: Sequence[StatementEntry], seen: Counter[bytes]
) -> Mapping[bytes, StatementEntry]:
    """Return identity → entry.

    Like lines are told apart by their number among the like ones: of the whole file (`seen`) where the bank gives no
    reference, of the statement where it does, since two statements that tell one reference tell one movement.
    """
    in_statement: Counter[bytes] = Counter()
    by_identity = {}
    for entry in entries:
        alike = _identity(account, entry)
        numbered = in_statement if entry.bank_reference else seen
        numbered[alike] += 1
        by_identity[keyed_digest("bank line", f"{alike.hex()} {numbered[alike]}")] = entry
    return by_identity


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
            resembles__isnull=True,
            booked_on__in={day for day, _credit, _reference in sums},
            bank_reference__in={reference for _day, _credit, reference in sums},
        )
        .values_list("booked_on", "is_credit", "bank_reference")
        .annotate(total=Sum("amount"))
    )
    return {(day, credit, ref) for day, credit, ref, total in rows if sums.get((day, credit, ref)) == total}


def _book(statement: BankStatement, chunk: Sequence[_Row], at: datetime, actor: str) -> None:
    executed = _executed_orders([entry for _identity, entry, _line in chunk])
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
                resembles=resembled,
            )
            for identity, entry, resembled in chunk
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
            for line, (_identity, entry, _resembled) in zip(lines, chunk, strict=True)
        ]
    )
    book_credits([line for line in lines if line.is_credit and line.resembles_id is None], at)
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
