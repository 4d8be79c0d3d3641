"""What people call the dated numbers, and how they write and read their values: BYN, per cent, days (N4, D-17)."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal_calendar import SWITCHES
from totalizator.core.money import format_byn, parse_byn, share_told

NAMES: Mapping[str, str | Promise] = {
    "winning_tax_rate": _("Income tax on winnings"),
    "stake_is_taxed": _("The returned stake is taxed"),
    "minimum_age": _("Least age of a player"),
    "limit_raise_hours": _("Wait before one's own limit is raised"),
    "cooling_off_min_days": _("Shortest pause of play"),
    "cooling_off_max_days": _("Longest pause of play"),
    "self_exclusion_min_months": _("Shortest self-exclusion"),
    "self_exclusion_max_months": _("Longest self-exclusion"),
    "exclusion_forward_hours": _("Self-exclusions go to the register within"),
    "restricted_register_days": _("The register is trusted for"),
    "restricted_register_shrinkage": _("The register shrinks without two people by at most"),
    "idle_minutes_player": _("A player without requests is logged out after"),
    "idle_minutes_staff": _("Staff without requests are logged out after"),
    "withdrawal_hold_hours": _("A new password delays withdrawals by"),
    "card_sale_min_days": _("A card that is sold is valid for at least"),
    "card_days_after_credit": _("What is credited to a card can be used for"),
    "expired_cards_to_jackpot": _("The rest of expired cards goes to the jackpot"),
    "currency_rate_days": _("Working days for which a currency rate holds"),
    "currency_rate_jump": _("A currency rate changes at once by at most"),
    "withdrawal_approval_from": _("Withdrawals of 24 hours that staff approve, from"),
    "terminal_link_seconds": _("A terminal without a heartbeat stops selling after"),
    "clock_tolerance_milliseconds": _("A clock may be off by"),
    "expiry_warning_days": _("Papers of points are warned of before their end by"),
    "cash_step": _("Cash is paid out in steps of"),
    "history_shown_months": _("History that is shown at once"),
    "ending_days": _("Money of an ended registration goes out within"),
    "dormant_months": _("A player who does nothing is reminded after"),
    "aml_identify_from": _("Cash for which a document is asked, from"),
    "aml_near_threshold": _("Just below the threshold is, from this part of it on"),
    "aml_split_count": _("Operations that look split up, from"),
    "aml_window_minutes": _("Operations that look split up come within"),
    "retention_years_ledger": _("Transfers, bets and payments are kept for"),
    "retention_years_journal": _("The journal is kept for"),
    "retention_years_identity": _("Personal data is kept after the registration for"),
    "retention_days_video": _("The index of video is kept for"),
    "retention_years_aml": _("Cases of suspicion are kept for"),
    "events_unsent_hours": _("A receiver of events may be late by"),
    "events_unsent_most": _("A receiver of events may be behind by so many"),
    "large_winning_from": _("Winnings paid at the central desk by two, from"),
    "claim_days_after_term": _("Claims to lost tickets end after the term by"),
    "days_after_hold": _("A winning that was held is paid for at least"),
    "phone_code_minutes": _("A code sent to a phone is good for"),
    "notice_from_hour": _("Winners are told from"),
    "notice_to_hour": _("Winners are told until"),
    "claim_reminder_days": _("Winners are reminded before the end of the term by"),
    "unpaid_list_copies": _("Files of unpaid winnings of a pool a day, at most"),
    "dispute_days": _("A dispute is answered after the term within"),
    "result_claim_days": _("Claims against a result are taken for"),
    "refused_scans": _("Wrong check codes a day that are no forgery yet"),
    "number_change_lead_days": _("A change of a number is approved ahead by"),
    "unproved_refund_days": _("A stake is returned without its ticket after"),
    "refund_days": _("Returned stakes are with their owners within"),
    "refund_limitation_years": _("Returned stakes are kept for"),
    "archive_pools_after_days": _("A pool that is over goes into the archive after"),
}
IN_KOPECKS = frozenset({"withdrawal_approval_from", "cash_step", "aml_identify_from", "large_winning_from"})
SHARES = frozenset({"winning_tax_rate", "restricted_register_shrinkage", "currency_rate_jump", "aml_near_threshold"})
HOURS_OF_THE_DAY = frozenset({"notice_from_hour", "notice_to_hour"})
WITHOUT_UNIT = frozenset({"currency_rate_days", "minimum_age"})
"""The name says the unit, or nobody needs it."""

_COUNTED: Mapping[str, Callable[[int], str]] = {
    "milliseconds": lambda count: ngettext("%(count)s millisecond", "%(count)s milliseconds", count),
    "seconds": lambda count: ngettext("%(count)s second", "%(count)s seconds", count),
    "minutes": lambda count: ngettext("%(count)s minute", "%(count)s minutes", count),
    "hours": lambda count: ngettext("%(count)s hour", "%(count)s hours", count),
    "days": lambda count: ngettext("%(count)s day", "%(count)s days", count),
    "months": lambda count: ngettext("%(count)s month", "%(count)s months", count),
    "years": lambda count: ngettext("%(count)s year", "%(count)s years", count),
}
_UNITS: Mapping[str, str | Promise] = {
    "milliseconds": _("in milliseconds"),
    "seconds": _("in seconds"),
    "minutes": _("in minutes"),
    "hours": _("in hours"),
    "days": _("in days"),
    "months": _("in months"),
    "years": _("in years"),
}
_PERCENT = re.compile(r"([0-9]{1,3})(?:[.,]([0-9]{1,6}))?")
_FRACTION = re.compile(r"[0-9]{1,15}/[1-9][0-9]{0,14}")


def number_named(name: str) -> str:
    """Return what people call a number; one that is new to this release keeps its own name."""
    return str(NAMES.get(name, name))


def number_asked(name: str) -> str:
    """Return the same with the unit that its value is typed in."""
    return f"{number_named(name)} ({unit})" if (unit := _unit(name)) else number_named(name)


def value_told(name: str, value: str) -> str:
    """Write a value as people read it: `1000,00 BYN`, `5 %`, `24 hours`, `yes`."""
    exact = Fraction(value)
    if name in SHARES:
        return share_told(exact)
    if exact.denominator != 1:
        return value
    whole = exact.numerator
    if name in IN_KOPECKS:
        return format_byn(whole)
    if name in SWITCHES:
        return gettext("yes") if whole else gettext("no")
    if name in HOURS_OF_THE_DAY:
        return f"{whole}:00"
    counted = _COUNTED.get(_part(name))
    return counted(whole) % {"count": whole} if counted is not None else f"{whole:,}".replace(",", "\u00a0")


def value_typed(name: str, text: str) -> str:
    """Read what a person typed in the unit of the number, and return it as numbers are kept.

    :raises DomainError: BAD_VALUE naming `value`, saying what is expected. What has no unit is not judged here.
    """
    text = text.strip().replace("\u00a0", " ")
    if name in IN_KOPECKS:
        return str(parse_byn(text, field="value"))
    if name in SHARES:
        return str(_share(text.removesuffix("%").strip()))
    if name in SWITCHES:
        return {gettext("yes"): "1", gettext("no"): "0"}.get(text.lower(), text)
    return text.removesuffix(":00") if name in HOURS_OF_THE_DAY else text


def _share(text: str) -> Fraction:
    if _FRACTION.fullmatch(text):
        return Fraction(text)
    found = _PERCENT.fullmatch(text)
    if found is None:
        message = _("Give a percentage from 0 to 100, such as 25 or 12.5, or a fraction such as 1/3.")
        raise DomainError(Refusal.BAD_VALUE, message, field="value")
    decimals = found.group(2) or ""
    return Fraction(int(found.group(1) + decimals), 100 * 10 ** len(decimals))


def _unit(name: str) -> str:
    if name in IN_KOPECKS:
        return "BYN"
    if name in SHARES:
        return "%"
    if name in SWITCHES:
        return gettext("yes or no")
    return str(_UNITS.get(_part(name), ""))


def _part(name: str) -> str:
    """Return the unit in a number's own name."""
    if name in WITHOUT_UNIT:
        return ""
    return next((part for part in name.split("_") if part in _COUNTED), "")
