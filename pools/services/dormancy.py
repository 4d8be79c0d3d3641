"""Telling the owners of accounts that nobody uses what is on them; nothing is ever taken (E5)."""

from datetime import datetime

from django.conf import settings
from django.core.mail import send_mail
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.ledger.balances import balance
from accounts.models import DormancyNotice, GameAccount
from pools.queries.dormant import untold_dormant_accounts
from pools.services.failures import report_failure
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.localtime import local_text
from totalizator.core.money import format_byn
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

ACTOR = "task:tell_of_dormancy"


def tell_of_dormancy() -> int:
    """Write to the owner of each account that was not used for a dated number of months; return how many were told.

    Each is told once for each time of silence. A message that cannot be sent is reported and tried again at the next
    run; it does not stop the others.
    """
    at, told = clock.now(), 0
    before = _months_before(at, int(legal_number("dormant_months", legal_day(at))))
    for number, last_act_at in list(untold_dormant_accounts(before)):
        account = GameAccount.objects.select_related("player", "ledger_account").get(pk=number)
        try:
            _tell(account, last_act_at)
        except Exception as fault:  # noqa: BLE001 the next owner must not wait for this one's mailbox
            subject = f"game_account:{account.pk}"
            report_failure(act="tell_of_dormancy", subject=subject, fault=fault, actor=ACTOR)
        else:
            told += 1
    return told


def _tell(account: GameAccount, last_act_at: datetime) -> None:
    """Note the notice and send the message: a message that is not sent takes the note with it."""
    with one_transaction():
        at, amount = clock.now(), balance(account.ledger_account)
        DormancyNotice.objects.create(account=account, last_act_at=last_act_at, told_at=at)
        write_journal(
            at=at,
            actor=ACTOR,
            act="tell_of_dormancy",
            subject=f"game_account:{account.pk}",
            after={"last_act_at": last_act_at.isoformat(), "balance": amount},
        )
        with override(settings.LANGUAGE_CODE):
            words = {
                "operator": settings.OPERATOR_NAME,
                "login": account.player.username,
                "since": local_text(last_act_at),
                "amount": format_byn(amount),
            }
            send_mail(
                subject=_("%(operator)s: your game account waits for you") % words,
                message=_(
                    "Nobody has used the game account of %(login)s since %(since)s. %(amount)s are on it, and stay "
                    "yours: you can bet with them, withdraw them, or end the registration."
                )
                % words,
                from_email=None,
                recipient_list=[account.player.email],
            )


def _months_before(at: datetime, months: int) -> datetime:
    """Return the same day so many months before; the 28th where a month may be too short."""
    year, month = divmod(at.year * 12 + at.month - 1 - months, 12)
    return at.replace(year=year, month=month + 1, day=min(at.day, 28))
