"""Settings of work that is shared by many machines."""

from totalizator.core.environment import env

SETTLE_BY_RANGES_FROM = int(env("SETTLE_BY_RANGES_FROM", "1000000"))
"""Bets from which on a pool is settled by ranges, by any number of workers; below it one statement does all."""
SETTLING_RANGE_BETS = int(env("SETTLING_RANGE_BETS", "250000"))
"""About how many bets are in a range: a range is one short transaction."""
