"""What people know an operation by: its ticket, its card, the player whose account it came onto (Q2)."""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import TopUp, TopUpWay


def operations_told(keys: Iterable[str]) -> dict[str, str]:
    """Say in the reader's language what each transfer was, by its key; top-ups are asked for together."""
    asked = list(keys)
    players = _players(asked)
    return {key: _told(key, players) for key in asked}


def _told(key: str, players: dict[str, str]) -> str:
    kind, _colon, name = key.partition(":")
    ticket = {"ticket": name}
    match kind:
        case "stake":
            return _("bet, ticket %(ticket)s") % ticket
        case "winning-paid":
            return _("winning paid, ticket %(ticket)s") % ticket
        case "refund-paid":
            return _("stake returned, ticket %(ticket)s") % ticket
        case "card-sold":
            return _("card %(number)s sold") % {"number": name}
        case "deposit":
            way = name.partition(":")[0]
            label = TopUpWay(way).label if way in TopUpWay.values else way
            if key in players:
                return _("top-up of %(player)s: %(way)s") % {"player": players[key], "way": label}
            return _("top-up: %(way)s") % {"way": label}
    return key


def _players(keys: Iterable[str]) -> dict[str, str]:
    """Return whose account each top-up among these transfers was credited to, by the transfer's key."""
    named = [key.split(":", 2)[1:] for key in keys if key.startswith("deposit:") and key.count(":") > 1]
    if not named:
        return {}
    any_of = reduce(or_, (Q(way=way, reference=reference) for way, reference in named))
    rows = TopUp.objects.filter(any_of).select_related("account__player")
    return {row.transfer_key: row.account.player.username for row in rows}
