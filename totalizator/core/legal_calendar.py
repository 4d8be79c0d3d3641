"""The legal numbers and non-working days that an installation starts with (A4, D-4, D-17)."""

from datetime import date, timedelta

import holidays
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from totalizator.core.models import LegalNumber, NonWorkingDay, RiskWarning

# name, valid from, value, source
LEGAL_NUMBERS = (
    ("winning_tax_rate", date(2000, 1, 1), "1/25", _("Income tax on winnings, 4 %")),
    ("winning_tax_rate", date(2026, 1, 1), "1/20", _("Income tax on winnings: 5 %, from 2026")),
    ("stake_is_taxed", date(2000, 1, 1), "1", _("Whether the returned stake is in the tax base")),
    ("minimum_age", date(2000, 1, 1), "21", _("Age from which a person may take part")),
    ("limit_raise_hours", date(2000, 1, 1), "24", _("Until a limit on one's own play can be raised or removed")),
    ("cooling_off_min_days", date(2000, 1, 1), "1", _("The shortest cooling-off, by the organizer's rules")),
    ("cooling_off_max_days", date(2000, 1, 1), "180", _("The longest cooling-off, by the organizer's rules")),
    ("self_exclusion_min_months", date(2000, 1, 1), "6", _("The shortest self-exclusion")),
    ("self_exclusion_max_months", date(2000, 1, 1), "36", _("The longest self-exclusion")),
    ("exclusion_forward_hours", date(2000, 1, 1), "24", _("In which an application goes on to the register's keeper")),
    (
        "restricted_register_days",
        date(2000, 1, 1),
        "7",
        _("After which a reading of the register is no longer trusted"),
    ),
    (
        "restricted_register_shrinkage",
        date(2000, 1, 1),
        "1/20",
        _("By more a register does not shrink unless two confirm"),
    ),
    ("idle_minutes_player", date(2000, 1, 1), "30", _("Without a request for so long a player is logged out (E3)")),
    ("idle_minutes_staff", date(2000, 1, 1), "15", _("Without a request for so long anybody else is logged out (E3)")),
    ("withdrawal_hold_hours", date(2000, 1, 1), "24", _("For which a changed password delays withdrawals")),
    ("card_sale_min_days", date(2000, 1, 1), "90", _("How long a prepaid card must be valid when it is sold")),
    ("card_days_after_credit", date(2000, 1, 1), "92", _("How long what is credited to a card can be used (¶12, ¶40)")),
    (
        "expired_cards_to_jackpot",
        date(2000, 1, 1),
        "1",
        _("Whether the rest of an expired card goes to the jackpot (¶38.4) or to the organizer"),
    ),
    (
        "currency_rate_days",
        date(2000, 1, 1),
        "1",
        _("Working days for which a currency rate holds after its own (¶35.4)"),
    ),
    ("currency_rate_jump", date(2000, 1, 1), "1/5", _("By more a rate does not change from one reading to the next")),
    (
        "withdrawal_approval_from",
        date(2000, 1, 1),
        "100000",
        _("From which staff must approve what is withdrawn in 24 hours"),
    ),
    (
        "terminal_link_seconds",
        date(2000, 1, 1),
        "60",
        _("Without a heartbeat for so long a terminal sells no more (G5)"),
    ),
    ("clock_tolerance_milliseconds", date(2000, 1, 1), "2000", _("A machine whose clock is further off does not sell")),
    ("archive_pools_after_days", date(2000, 1, 1), "1827", _("After which a pool that is over goes into the archive")),
    ("expiry_warning_days", date(2000, 1, 1), "30", _("How long before its end a point's document is warned of")),
    ("cash_step", date(2000, 1, 1), "1", _("Cash is paid out in multiples of it, rounded down")),
    ("history_shown_months", date(2000, 1, 1), "6", _("How far back a player is shown the history at once (¶35.3)")),
    ("ending_days", date(2000, 1, 1), "7", _("In which the money of an ended registration must be on its way (E5)")),
    ("dormant_months", date(2000, 1, 1), "24", _("Without an act for so long an account's owner is reminded of it")),
    ("aml_identify_from", date(2000, 1, 1), "100000", _("From which a document is asked for (Q1)")),
    (
        "aml_near_threshold",
        date(2000, 1, 1),
        "4/5",
        _("From this part of the threshold on an amount is just below it (Q2)"),
    ),
    ("aml_split_count", date(2000, 1, 1), "5", _("So many operations in the window look split up (Q2)")),
    ("aml_window_minutes", date(2000, 1, 1), "60", _("In which operations that look split up follow one another (Q2)")),
    ("retention_years_ledger", date(2000, 1, 1), "10", _("How long transfers, bets and payments are kept")),
    ("retention_years_journal", date(2000, 1, 1), "10", _("How long the journal is kept")),
    (
        "retention_years_identity",
        date(2000, 1, 1),
        "5",
        _("How long identity data is kept after the registration's end"),
    ),
    ("retention_days_video", date(2000, 1, 1), "60", _("How long the index of video records is kept (S2)")),
    (
        "retention_years_aml",
        date(2000, 1, 1),
        "5",
        _("How long identified operations, cases and their reports are kept"),
    ),
    (
        "events_unsent_hours",
        date(2000, 1, 1),
        "24",
        _("So long a required subscriber may lack events; then sales stop"),
    ),
    ("events_unsent_most", date(2000, 1, 1), "100000", _("So many events it may be behind; then sales stop (U1)")),
    (
        "large_winning_from",
        date(2000, 1, 1),
        "1000000",
        _("From which cash is paid at the central desk, by two"),
    ),
    (
        "claim_days_after_term",
        date(2000, 1, 1),
        "30",
        _("After the term, in which a claim to a lost ticket must end (K4)"),
    ),
    (
        "days_after_hold",
        date(2000, 1, 1),
        "10",
        _("To come for a winning whose ticket was held, past its term (¶45)"),
    ),
    ("phone_code_minutes", date(2000, 1, 1), "10", _("How long a code that was sent to a phone is good (X9)")),
    ("notice_from_hour", date(2000, 1, 1), "9", _("Hour of the day in Minsk from which winners are told (K6)")),
    ("notice_to_hour", date(2000, 1, 1), "21", _("Hour of the day in Minsk from which they are told no more")),
    ("claim_reminder_days", date(2000, 1, 1), "14", _("Before the end of the term, when winners are reminded (K6)")),
    ("unpaid_list_copies", date(2000, 1, 1), "2", _("Files of a pool's unpaid winnings a day, at most (K3)")),
    (
        "dispute_days",
        date(2000, 1, 1),
        "30",
        _("After the term for payment, in which a dispute must be answered (¶45)"),
    ),
    (
        "result_claim_days",
        date(2000, 1, 1),
        "10",
        _("After the outcome, in which claims against a result are taken (¶33)"),
    ),
    (
        "refused_scans",
        date(2000, 1, 1),
        "5",
        _("So many wrong check codes of one ticket or place a day are no forgery yet"),
    ),
    (
        "number_change_lead_days",
        date(2000, 1, 1),
        "3",
        _("So many days before its day a change of a number is approved"),
    ),
    ("unproved_refund_days", date(2000, 1, 1), "92", _("After which a stake is returned without ticket and code (K4)")),
    ("refund_days", date(2000, 1, 1), "30", _("In which returned stakes must be with those who staked them (L1)")),
    ("refund_limitation_years", date(2000, 1, 1), "3", _("Civil code, limitation term (D-12)")),
)

# What the numbers of installations made before were entered with, and how it is said now.
_SAID_BEFORE = {
    "1: the returned stake is in the tax base; 0: it is not": "Whether the returned stake is in the tax base",
    "1: the rest of an expired card goes to the jackpot (¶38.4); 0: to the organizer": (
        "Whether the rest of an expired card goes to the jackpot (¶38.4) or to the organizer"
    ),
    "Kopecks in 24 hours from which staff must approve": (
        "From which staff must approve what is withdrawn in 24 hours"
    ),
    "Kopecks: cash is paid out in multiples of it, rounded down; 1: exactly": (
        "Cash is paid out in multiples of it, rounded down"
    ),
    "Kopecks in cash from which a document is asked for (Q1)": "From which a document is asked for (Q1)",
    "Kopecks from which cash is paid at the central desk, by two": (
        "From which cash is paid at the central desk, by two"
    ),
}

# Numbers that are a yes or a no.
SWITCHES = frozenset({"stake_is_taxed", "expired_cards_to_jackpot"})

# What pages and tickets carry until the organizer sets another text with `manage.py set_risk_warning` (P3).
RISK_WARNING = {
    "ru": "Азартная игра может вызвать зависимость. Играйте на то, что готовы потерять. С 21 года.",
    "be": "Азартная гульня можа выклікаць залежнасць. Гуляйце на тое, што гатовы страціць. З 21 года.",
    "en": "Gambling can be addictive. Play only with what you can afford to lose. From the age of 21.",
}


_OWN_WORDS = frozenset(source for _name, _day, _value, source in LEGAL_NUMBERS)


def source_told(source: str) -> str:
    """Return the source of a number in the reader's language; what the organizer wrote stays as it is."""
    source = _SAID_BEFORE.get(source, source)
    return gettext(source) if source in _OWN_WORDS else source


def load_risk_warning() -> None:
    """Enter the first warning of the risks of play, unless one is entered."""
    if not RiskWarning.objects.exists():
        RiskWarning.objects.create(valid_from=date(2000, 1, 1), **RISK_WARNING)


def load_legal_numbers() -> None:
    """Enter every legal number that is not entered yet; values changed by the organizer stay."""
    for name, valid_from, value, source in LEGAL_NUMBERS:
        if not LegalNumber.objects.filter(name=name, valid_from=valid_from).exists():
            LegalNumber.objects.create(name=name, valid_from=valid_from, value=value, source=source)


def load_non_working_days(first_year: int, last_year: int) -> None:
    """Enter the weekends and public holidays of Belarus for whole years, both included.

    Moved working days, which the government sets each year, are corrected by hand in the table.
    """
    public = holidays.country_holidays("BY", years=range(first_year, last_year + 1))
    day, rows = date(first_year, 1, 1), []
    while day.year <= last_year:
        if day in public:
            rows.append(NonWorkingDay(day=day, name=public[day]))
        elif day.weekday() >= 5:
            rows.append(NonWorkingDay(day=day, name="weekend"))
        day += timedelta(days=1)
    NonWorkingDay.objects.bulk_create(rows, ignore_conflicts=True)
