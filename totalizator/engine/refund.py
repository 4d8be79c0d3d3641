"""When everything goes back: step 2 of settling (¶32, D-9, D-12)."""

from totalizator.engine.announced import Terms
from totalizator.engine.result import Result


def everything_returned(terms: Terms, result: Result) -> bool:
    """Tell whether the event, or too much of it, did not take place.

    A turnover under the announced minimum returns everything too; `dividends.divide` sees to that.
    """
    valid = len(terms.conditions) - len(result.void)
    return (
        result.event_void
        or (bool(result.void) and terms.void_condition == "refund")
        or (bool(result.void) and terms.is_variant)
        or valid < max(1, terms.min_valid_conditions)
    )
