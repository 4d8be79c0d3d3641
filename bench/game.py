"""The pool that the benchmark plays: fifteen conditions, as widely played in practice."""

from collections.abc import Mapping

CONDITIONS = 15
SIGNS = ("1", "X", "2")
PRICE = 100  # kopecks a line
SHARES: Mapping[int, str] = {15: "3/10", 14: "1/5", 13: "3/20", 12: "3/20", 11: "1/5"}
