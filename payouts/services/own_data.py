"""All that is kept of a player, handed to the player: a zip with a file of JSON for each subject (S2)."""

import json
from datetime import timedelta
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.locks import lock_person
from accounts.models import GameAccount, User
from accounts.services.persons import person_of
from payouts.queries.own_data import SUBJECTS, Owner
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.localtime import local_text
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction

EXPORTS_A_DAY = 3
_ACT = "export_own_data"
_DAY = timedelta(days=1)


def export_own_data(*, player: User) -> bytes:
    """Return a zip of all that is kept of a player, with words about it in the language that is active.

    :raises DomainError: NOT_ALLOWED for who has no game account; THROTTLED for who took it often in the last 24 hours.
    """
    person = person_of(player)
    with one_transaction():
        lock_person(player.pk)
        at = clock.now()
        lately = JournalRecord.objects.filter(subject=person.subject, act=_ACT, at__gt=at - _DAY).order_by("at")
        taken = list(lately.values_list("at", flat=True))
        if len(taken) >= EXPORTS_A_DAY:
            again = taken[-EXPORTS_A_DAY] + _DAY
            message = gettext_lazy("You have taken it %(count)s times in 24 hours; the next time is from %(when)s.")
            raise DomainError(
                Refusal.THROTTLED,
                message % {"count": EXPORTS_A_DAY, "when": local_text(again)},
                retry_after=int((again - at).total_seconds()) + 1,
            )
        write_journal(at=at, actor=player.actor, act=_ACT, subject=person.subject)
    account = GameAccount.objects.select_related("ledger_account", "player").get(player=player)
    return _zipped(Owner(player, person, account, at))


def _zipped(owner: Owner) -> bytes:
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as file:
        file.writestr("README.txt", _about(owner))
        for subject in SUBJECTS:
            rows = subject.read(owner)
            file.writestr(f"{subject.name}.json", json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    return written.getvalue()


def _about(owner: Owner) -> str:
    made = {"name": owner.player.username, "operator": settings.OPERATOR_NAME, "time": local_text(owner.at)}
    lines = [
        _("All that %(operator)s keeps of %(name)s, %(time)s, Minsk time.") % made,
        "",
        *(f"{subject.name}.json: {subject.about}" for subject in SUBJECTS),
        "",
        _("Amounts are BYN with a point, instants are UTC."),
        _(
            "Not here: marks made of your data that nobody can turn back (digests), secrets of your log-in, who of the "
            "staff did what, and what the law forbids to tell. Bets in cash that nobody showed a document for are "
            "nobody's by name."
        ),
    ]
    return "\n".join(lines) + "\n"
