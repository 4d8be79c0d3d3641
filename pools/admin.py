"""What of this app can be looked at in the admin: pools with their dates, versions of the rules, pauses of sales."""

from django.utils.translation import gettext_lazy as _

from accounts.admin import look_at
from pools.models import Incident, Pool, RulesText

look_at(
    Pool,
    ("code", "game", "state", "opens_at", "closes_at", "terms_digest"),
    _("Pools"),
    _("Their times, states and the digest of their terms, which never change once they are announced."),
    changed_at="pools:desk",
    searched=("code",),
    filters=("state", "game"),
)
look_at(
    RulesText,
    ("version", "valid_from", "published_at", "filing"),
    _("Rules"),
    _("Every version that was published."),
    changed_at="pools:publish_rules",
    searched=("version", "filing"),
)
look_at(
    Incident,
    ("pk", "pool", "channel", "point", "state", "started_at", "ended_at"),
    _("Pauses of sales"),
    _("When and where nothing was sold."),
    changed_at="pools:pauses",
    filters=("state",),
    related=("pool", "point"),
)
