"""What lines cost, and whether a stake is right for them (¶5, 24, D-10)."""

from totalizator.engine.announced import Terms
from totalizator.engine.errors import EngineError, shown


def price_of_lines(terms: Terms, lines: int, *, where: str = "selections") -> int | None:
    """Price lines in kopecks; None when the player chooses the stake.

    :raises EngineError: TOO_MANY_LINES.
    """
    check_lines(terms, lines, where=where)
    return None if terms.price.line is None else terms.price.line * lines


def check_lines(terms: Terms, lines: int, *, where: str = "selections") -> None:
    """Refuse a system coupon over the announced cap.

    :raises EngineError: TOO_MANY_LINES.
    """
    if lines > terms.max_lines:
        raise EngineError("TOO_MANY_LINES", where, f"at most {terms.max_lines} lines")


def check_stake_of_lines(terms: Terms, lines: int, stake: int, *, where: str = "stake") -> None:
    """Refuse a stake that is not the price, is outside the limits, or does not divide evenly over the lines.

    :raises EngineError: BAD_STAKE, TOO_MANY_LINES.
    """
    price = price_of_lines(terms, lines)
    if price is not None:
        if stake != price:
            raise EngineError("BAD_STAKE", where, f"{price}, the price of {lines} lines, not {shown(stake)} (¶5)")
        return
    least, most = terms.price.least, terms.price.most
    if least is None or most is None or not least <= stake <= most:
        raise EngineError("BAD_STAKE", where, f"a stake from {least} to {most}, not {shown(stake)} (¶24)")
    if stake % lines:
        raise EngineError("BAD_STAKE", where, f"a stake that divides evenly over {lines} lines (D-10)")
