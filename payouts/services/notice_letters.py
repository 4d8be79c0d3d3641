"""Letters to the players who were told of a winning: after the notice is committed, tried again for three days (K6)."""

from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext as _
from django.utils.translation import override

from payouts.models import WinnerNotice
from payouts.queries.notice_choices import who_wants_no_letters
from payouts.services.notice_words import words_of
from pools.services.failures import report_failure
from totalizator.core import clock
from totalizator.core.transactions import one_transaction

ACTOR = "task:send_notice_letters"
GOOD_FOR = timedelta(days=3)


def send_letters() -> int:
    """Send the letters that wait and are wanted, each in a transaction of its own; return how many were sent.

    A letter that cannot be sent is reported and tried again at the next round; it does not stop the others. Who dies
    between sending and noting it sends it again under the same `Message-ID`, by which mail servers know it.
    """
    waiting = WinnerNotice.objects.filter(
        player__isnull=False, mailed_at__isnull=True, told_at__gt=clock.now() - GOOD_FOR
    ).exclude(player__email="")
    waiting = waiting.exclude(player__in=who_wants_no_letters().values("pk"))
    sent = 0
    for number in list(waiting.order_by("pk").values_list("pk", flat=True)):
        try:
            sent += _send(number)
        except Exception as fault:  # noqa: BLE001 the next player must not wait for this one's mailbox
            report_failure(act="send_notice_letters", subject=f"notice:{number}", fault=fault, actor=ACTOR)
    return sent


def mark_read(*, notice: WinnerNotice) -> None:
    """Mark a notice as read by its player, once."""
    WinnerNotice.objects.filter(pk=notice.pk, read_at__isnull=True).update(read_at=clock.now())


def _send(number: int) -> bool:
    """Send one letter, unless another worker is at it or has sent it."""
    with one_transaction(), override(settings.LANGUAGE_CODE):
        rows = WinnerNotice.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
        notice = rows.select_related("pool", "player").filter(pk=number, mailed_at__isnull=True).first()
        if notice is None or notice.player is None:
            return False
        WinnerNotice.objects.filter(pk=number).update(mailed_at=clock.now())
        subject = _("%(operator)s: about your tickets") % {"operator": settings.OPERATOR_NAME}
        host = urlsplit(settings.SITE_URL).hostname
        headers = {"Message-ID": f"<winner-notice-{number}@{host}>"}
        EmailMessage(subject, words_of(notice), None, [notice.player.email], headers=headers).send()
    return True
