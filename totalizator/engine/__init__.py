"""The mathematics of a pool, and its public verifier: standard library only.

Frozen dataclasses of ints, strings and Fractions go in and come out. Nothing here reads a clock, draws a random
number or knows a database, so that anyone can settle a published bundle again on a bare Python. The order of
reading: `terms` and `law` (what was announced), `coupon` and `bets` (what was bet), `result` (what happened),
`matching` (who was right), `dividends` (who gets what, step by step), `settlement` (all of it on a folder),
`verification` (all of it once more), `log` and `log_verification` (what was published, for good), `receipt` (one bet's
way up to it).
"""
