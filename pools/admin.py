"""What of this app can be looked at in the admin: pools with their dates, versions of the rules, pauses of sales."""

from accounts.admin import look_at
from pools.models import Incident, Pool, RulesText

look_at(
    Pool,
    ("code", "game", "state", "opens_at", "closes_at", "terms_digest"),
    searched=("code",),
    filters=("state", "game"),
)
look_at(RulesText, ("version", "valid_from", "published_at", "filing"), searched=("version", "filing"))
look_at(
    Incident,
    ("pk", "pool", "channel", "point", "state", "started_at", "ended_at"),
    filters=("state",),
    related=("pool", "point"),
)
