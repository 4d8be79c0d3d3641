"""Importing the post's registers: each remittance becomes a line of its own, for the one line that paid them (¶35.5).

The money stays where it waits, in `bank_suspense`; only what is known of it grows: who sent which part, and what for.
"""

import re
from hashlib import sha256

from django.utils.translation import gettext_lazy as _

from accounts.models import (
    BankLine,
    BankLineWords,
    Outcome,
    PostalRegister,
    Receipt,
    User,
    WhyOpen,
)
from accounts.services.bank_files.entries import fault
from accounts.services.bank_files.postal_register import ParsedRegister, Remittance, read_postal_register
from accounts.services.bank_files.reading import LARGEST, MOST_ENTRIES, decoded
from accounts.services.post import is_from_post
from accounts.services.receipts import held_receipt, note_placed
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.encrypted import keyed_digest
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def import_postal_register(*, content: bytes, imported_by: User) -> PostalRegister:
    """Tell one line of the post part by part; the same file again changes nothing.

    The line is the one from the post that awaits its register, is of the register's whole sum, and names its number.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE naming the line and the column at fault; NOT_FOUND when no line, or more
        than one, is such; BUSY.
    """
    refuse_all_but_staff(imported_by)
    if len(content) > LARGEST:
        raise fault(0, "file", _("the file is larger than 8 MB."))
    digest = "sha256:" + sha256(content).hexdigest()
    parsed = read_postal_register(decoded(content))
    if len(parsed.remittances) > MOST_ENTRIES:
        raise fault(0, "file", _("the file has more than 50,000 movements."))
    with one_transaction():
        standing = PostalRegister.objects.filter(file_digest=digest).first()
        if standing is not None:
            return standing
        receipt = held_receipt(_line_of(parsed))
        if receipt.why != WhyOpen.AWAITS_REGISTER:
            raise DomainError(Refusal.WRONG_STATE, _("This line was told part by part already."), field="file")
        at = clock.now()
        register = PostalRegister.objects.create(
            line=receipt.line,
            number=parsed.number,
            file_digest=digest,
            remittances=len(parsed.remittances),
            imported_at=at,
            imported_by=imported_by,
        )
        _book(receipt.line, parsed)
        subject = f"postal_register:{register.pk}"
        note_placed(receipt, Outcome.REGISTER, amount=parsed.total, subject=subject, actor=imported_by.actor)
        write_journal(
            at=at,
            actor=imported_by.actor,
            act="import_postal_register",
            subject=subject,
            after={"file": digest, "remittances": len(parsed.remittances), "total": parsed.total},
        )
    return register


def _line_of(parsed: ParsedRegister) -> int:
    """Return the number of the line by which the post has paid the register."""
    waiting = Receipt.objects.filter(why=WhyOpen.AWAITS_REGISTER, open_amount=parsed.total).select_related(
        "line__words"
    )
    number = re.compile(rf"(?<!\w){re.escape(parsed.number)}(?!\w)")
    found: list[int] = [
        receipt.line_id
        for receipt in waiting
        if is_from_post(receipt.line) and number.search(receipt.line.words.purpose)
    ]
    if len(found) != 1:
        raise DomainError(
            Refusal.NOT_FOUND,
            _("No line from the post that waits, or more than one, names this register and has its sum."),
            field="file",
            amount=parsed.total,
        )
    return found[0]


def _book(whole: BankLine, parsed: ParsedRegister) -> None:
    lines = BankLine.objects.bulk_create([_line(whole, parsed.number, each) for each in parsed.remittances])
    BankLineWords.objects.bulk_create(
        [
            BankLineWords(
                line=line,
                party_name=each.sender,
                party_account="",
                party_bank="",
                party_address=each.address,
                purpose=each.purpose,
            )
            for line, each in zip(lines, parsed.remittances, strict=True)
        ],
    )
    Receipt.objects.bulk_create([Receipt(line=line, open_amount=line.amount, why=WhyOpen.NEW) for line in lines])


def _line(whole: BankLine, register: str, remittance: Remittance) -> BankLine:
    told = f"{whole.pk}\x1f{register}\x1f{remittance.number}"
    return BankLine(
        statement_id=whole.statement_id,
        account_id=whole.account_id,
        part_of=whole,
        place=remittance.line,
        booked_on=whole.booked_on,
        is_credit=True,
        amount=remittance.amount,
        bank_reference=remittance.number,
        identity=keyed_digest("postal remittance", told),
    )
