"""The post: what came through its account came by post, and what goes by post is paid to it (¶35.5-35.7, ¶41-43)."""

from datetime import date, datetime

from django.utils.translation import gettext_lazy as _

from accounts.models import BankLine, PostalOperator, User
from accounts.services.bank_addresses import spelled_bic, spelled_iban
from accounts.services.staff import refuse_all_but_staff, written
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

LONGEST_ADDRESS = 200


def enter_postal_operator(
    *, name: str, account: str, bank: str, agreement: str, valid_from: date, entered_by: User
) -> PostalOperator:
    """Enter the agreement with the post that holds from a legal day on; what is paid to it, another person exports.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE for a wrong IBAN or BIC, a missing name or paper, or a day that is over.
    """
    refuse_all_but_staff(entered_by)
    at = clock.now()
    if valid_from < legal_day(at):
        raise DomainError(Refusal.BAD_VALUE, _("It holds from today on at the earliest."), field="valid_from")
    told = {
        "name": written(name, field="name", most=140),
        "account": spelled_iban(account, field="account"),
        "bank": spelled_bic(bank, field="bank"),
        "agreement": written(agreement, field="agreement"),
    }
    with one_transaction():
        post = PostalOperator.objects.create(**told, valid_from=valid_from, entered_by=entered_by, entered_at=at)
        write_journal(
            at=at,
            actor=entered_by.actor,
            act="enter_postal_operator",
            subject=f"postal_operator:{post.pk}",
            reason=post.agreement,
            after={**told, "valid_from": valid_from.isoformat()},
        )
    return post


def post_in_force(at: datetime) -> PostalOperator:
    """Return the post that brings money on the legal day of `at`; :raises DomainError: NO_AGREEMENT."""
    entered = PostalOperator.objects.filter(valid_from__lte=legal_day(at)).order_by("-valid_from", "-pk")
    post = entered.first()
    if post is None:
        raise DomainError(Refusal.NO_AGREEMENT, _("No agreement with the post is in force: nothing goes by post."))
    return post


def is_from_post(line: BankLine) -> bool:
    """Tell whether the post has paid a line of a statement, by an account that it had by then."""
    account = line.words.party_account
    return PostalOperator.objects.filter(account=account, valid_from__lte=line.booked_on).exists()


def came_by_post(line: BankLine) -> bool:
    """Tell whether a line is a postal transfer: of the post's register, or a line of the post's own."""
    return line.part_of_id is not None or is_from_post(line)


def spelled_address(text: str, *, field: str) -> str:
    """Return an address in one line; :raises DomainError: BAD_VALUE for none, or one that is too long."""
    return written(" ".join(text.split()), field=field, most=LONGEST_ADDRESS)
