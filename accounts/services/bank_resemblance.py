"""Which credits of a statement may be ones that another format has told already: nothing is credited twice (¶35.5).

A line that no earlier file had, by its identity, may still be known: formats tell other days, cut the bank's reference
or have none, and tell a collective entry as one sum or part by part. So a credit is held if a known line of another
format, or with the same reference, or with one where this has none or the other way round, has its account and amount
and a day near its own, and is not told by this statement as itself. Balances decide where they leave no doubt.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Min, QuerySet, Sum

from accounts.models import BankLine, BankStatement, OwnBankAccount
from accounts.services.bank_files.entries import ParsedStatement, StatementEntry
from accounts.services.bank_files.reading import BankFileFormat
from accounts.services.transfer_references import read_reference

# Booking and value day, holidays between, and the day on which a statement was made up.
NEAR = timedelta(days=7)
# To so many characters MT940 cuts a reference.
_CUT_TO = 16


@dataclass(frozen=True, slots=True)
class SortedOut:
    """What becomes of entries that no file had told so: `maybe` by identity, each with the line that it may be."""

    new: Mapping[bytes, StatementEntry]
    maybe: Mapping[bytes, tuple[StatementEntry, BankLine]]


@dataclass(frozen=True, slots=True)
class _Known:
    """A known line, or the sum of those under one reference, of which `line` is the first."""

    amount: int
    line: BankLine


def sort_out(
    account: OwnBankAccount,
    parsed: ParsedStatement,
    form: str,
    fresh: Mapping[bytes, StatementEntry],
    told: Collection[int],
    digest: str,
) -> SortedOut:
    """Tell which of `fresh` are new, and which may be known; what is left out is known for certain.

    `told` are the numbers of the known lines that the statement tells as themselves; `digest` is its file's.
    """
    credits = {identity: entry for identity, entry in fresh.items() if entry.is_credit}
    if not credits:
        return SortedOut(fresh, {})
    near = _near(account, credits.values(), told, digest)
    balanced = list(
        BankStatement.objects.filter(account=account, opening__isnull=False, closing__isnull=False).order_by("pk")
    )
    before = _before(parsed, balanced)
    maybe = {
        identity: line
        for identity, line in _resembling(credits, near, form)
        if line.statement_id not in before or (line.statement.form != form and _is_strong(credits[identity], line))
    }
    alike = {one.pk for one in balanced if one.form != form and _same_balances(one, parsed)}
    if alike:
        if _all_retold(credits, near, form):
            return SortedOut({key: entry for key, entry in fresh.items() if key not in credits}, {})
        # The same balances leave no room for a payment more, whatever parts it is told in.
        first = near.filter(statement__in=alike).order_by("pk").first()
        if first is not None:
            maybe = dict.fromkeys(credits, first) | maybe
    return SortedOut(
        new={key: entry for key, entry in fresh.items() if key not in maybe},
        maybe={key: (credits[key], line) for key, line in maybe.items()},
    )


def _before(parsed: ParsedStatement, balanced: Sequence[BankStatement]) -> Collection[int]:
    """Return the statements that ended where this one begins, and those that ended where they begin.

    One that begins where this one begins may be the same, also when its balance came back to where it was.
    """
    ends: defaultdict[int | None, list[BankStatement]] = defaultdict(list)
    for one in balanced:
        if one.opening not in (one.closing, parsed.opening):
            ends[one.closing].append(one)
    found: set[int] = set()
    waiting = [parsed.opening] if parsed.opening is not None else []
    while waiting:
        ended = [one for one in ends[waiting.pop()] if one.pk not in found]
        found |= {one.pk for one in ended}
        waiting += [one.opening for one in ended if one.opening is not None]
    return found


def _same_balances(statement: BankStatement, parsed: ParsedStatement) -> bool:
    both = (parsed.opening, parsed.closing)
    return both == (statement.opening, statement.closing) and parsed.opening != parsed.closing


def _near(
    account: OwnBankAccount, entries: Collection[StatementEntry], told: Collection[int], digest: str
) -> QuerySet[BankLine]:
    """Return the credits near these days that other files told, and that this statement does not tell as themselves."""
    days = [entry.booked_on for entry in entries]
    stands_for = _said_to_be_same().filter(pk__in=told).values("resembles")
    known = BankLine.objects.filter(
        account=account, is_credit=True, part_of__isnull=True, booked_on__range=(min(days) - NEAR, max(days) + NEAR)
    )
    known = known.exclude(statement__file_digest=digest).exclude(pk__in=_said_to_be_same().values("pk"))
    return known.exclude(pk__in=told).exclude(pk__in=stands_for)


def _said_to_be_same() -> QuerySet[BankLine]:
    return BankLine.objects.filter(proposals__same=True, proposals__decision__isnull=False)


def _resembling(
    credits: Mapping[bytes, StatementEntry], near: QuerySet[BankLine], form: str
) -> Iterator[tuple[bytes, BankLine]]:
    """Yield each entry that resembles a known line, with the line that it resembles most."""
    tellings = _tellings(credits)
    known = _known(near, {amount for amount, _identities in tellings})
    for amount, identities in tellings:
        for identity in identities:
            entry = credits[identity]
            found = [one.line for one in known[amount] if _resembles(entry, one.line, form)]
            if found:
                yield identity, min(found, key=lambda line: _distance(entry, line))


def _tellings(credits: Mapping[bytes, StatementEntry]) -> Sequence[tuple[int, Sequence[bytes]]]:
    """Return amounts with the entries that they are of: the sums under one reference, then each by itself."""
    by_reference: defaultdict[str, list[bytes]] = defaultdict(list)
    for identity, entry in credits.items():
        if entry.bank_reference:
            by_reference[entry.bank_reference].append(identity)
    sums = [(sum(credits[one].amount for one in parts), parts) for parts in by_reference.values() if len(parts) > 1]
    return [*sums, *((entry.amount, [identity]) for identity, entry in credits.items())]


def _known(near: QuerySet[BankLine], amounts: Collection[int]) -> Mapping[int, Sequence[_Known]]:
    known: defaultdict[int, list[_Known]] = defaultdict(list)
    for line in near.filter(amount__in=amounts).select_related("statement", "words").order_by("pk"):
        known[line.amount].append(_Known(line.amount, line))
    sums = near.exclude(bank_reference="").order_by().values("bank_reference")
    totals = sums.annotate(total=Sum("amount"), parts=Count("pk"), first=Min("pk"))
    found = {row["first"]: row["total"] for row in totals.filter(parts__gt=1, total__in=amounts)}
    for line in near.filter(pk__in=found).select_related("statement", "words").order_by("pk"):
        known[found[line.pk]].append(_Known(found[line.pk], line))
    return known


def _resembles(entry: StatementEntry, line: BankLine, form: str) -> bool:
    """Tell whether a line of the same amount may tell the same payment in another way."""
    told_otherwise = (
        line.statement.form != form
        or bool(line.bank_reference) != bool(entry.bank_reference)
        or _same_bank_reference(line.bank_reference, entry.bank_reference)
    )
    return told_otherwise and abs(entry.booked_on - line.booked_on) <= NEAR and not _other_payer(entry, line, form)


def _other_payer(entry: StatementEntry, line: BankLine, form: str) -> bool:
    """Tell whether the bank names two payers. MT940 has the account in free text, where a payer can write any."""
    accounts = {"".join(told.upper().split()) for told in (entry.party_account, line.words.party_account)}
    free = BankFileFormat.MT940 in (form, line.statement.form)
    return len(accounts) == 2 and "" not in accounts and not free


def _distance(entry: StatementEntry, line: BankLine) -> tuple[bool, timedelta, int]:
    return not _is_strong(entry, line), abs(entry.booked_on - line.booked_on), line.pk


def _is_strong(entry: StatementEntry, line: BankLine) -> bool:
    """Tell whether the bank's references, the payer's references or the purposes are the same."""
    if _same_bank_reference(entry.bank_reference, line.bank_reference):
        return True
    told, known = read_reference(entry.purpose).reference, read_reference(line.words.purpose).reference
    if told is not None and told == known:
        return True
    purpose = _letters(entry.purpose)
    return bool(purpose) and purpose == _letters(line.words.purpose)


def _is_sure(entry: StatementEntry, line: BankLine) -> bool:
    """Tell whether nothing else can be meant, where the balances are the same: two references that differ are two."""
    if entry.bank_reference and line.bank_reference:
        return _same_bank_reference(entry.bank_reference, line.bank_reference)
    return _is_strong(entry, line)


def _same_bank_reference(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return bool(short) and (short == long or (len(short) == _CUT_TO and long.startswith(short)))


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _all_retold(credits: Mapping[bytes, StatementEntry], near: QuerySet[BankLine], form: str) -> bool:
    """Tell whether each entry is surely one known line, a line for one entry only."""
    free = _known(near, {entry.amount for entry in credits.values()})
    for entry in credits.values():
        lines = [one for one in free[entry.amount] if one.line.amount == entry.amount]
        mine = next((one for one in lines if _resembles(entry, one.line, form) and _is_sure(entry, one.line)), None)
        if mine is None:
            return False
        free = {**free, entry.amount: [one for one in free[entry.amount] if one is not mine]}
    return True
