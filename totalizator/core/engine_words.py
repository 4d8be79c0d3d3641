"""What the engine expected, in the reader's language.

The engine speaks one language, because its command line is a public interface. The table turns each of its sentences
into a translated one; what stands for a wildcard (a value, a code, a number) is carried over.
"""

import re

from django.utils.translation import gettext, gettext_lazy, gettext_noop, pgettext
from django.utils.translation import gettext as _

from totalizator.core.money import format_byn
from totalizator.engine.errors import EngineError

# One entry a sentence; %s stands for what changes, in the same order in every language.
SENTENCES = (
    gettext_noop("a number, not %s"),
    gettext_noop("each key once, not %s twice"),
    gettext_noop("text in UTF-8"),
    gettext_noop("JSON (%s)"),
    gettext_noop("fewer levels of nesting"),
    gettext_noop("a whole number of at most %s digits, not %s"),
    gettext_noop("%s conditions joined by ; and not %s"),
    gettext_noop("outcomes of condition %s in announced order, not %s"),
    gettext_noop("%s characters 0 or 1"),
    gettext_noop("a mark in every condition"),
    gettext_noop("a text that is not empty"),
    gettext_noop("a text, not %s"),
    gettext_noop("a code without spaces , ; + and quotes, not %s"),
    gettext_noop("a code that names no other place for money, not %s"),
    gettext_noop("an object of language: text, not %s"),
    gettext_noop("an object of stake: bets, not %s"),
    gettext_noop("an object, not %s"),
    gettext_noop("true or false, not %s"),
    gettext_noop("a share from 0 to 1, not %s"),
    gettext_noop('a fraction in quotes like "7/10", not %s'),
    gettext_noop("a digest like sha256:…, not %s"),
    gettext_noop("each once, not %s twice"),
    gettext_noop("a whole number in quotes, not %s"),
    gettext_noop("a whole number from %s, not %s"),
    gettext_noop("this key"),
    gettext_noop("no such key"),
    gettext_noop("a language code, not %s"),
    gettext_noop("one of %s, not %s"),
    gettext_noop("a list, not %s"),
    gettext_noop('a list of right outcomes or "void", not %s'),
    gettext_noop("the time of the first start"),
    gettext_noop("a time like 2026-12-01T06:00:00Z, not %s"),
    gettext_noop("at most %s lines"),
    gettext_noop("a stake that divides evenly over %s lines (D-10)"),
    gettext_noop("%s bytes in base64"),
    gettext_noop("base64, not %s"),
    gettext_noop("not more than the turnover"),
    gettext_noop("bets whose winning stakes add up to `stakes`"),
    gettext_noop("at least one condition"),
    gettext_noop("at least one outcome"),
    gettext_noop("at least one level"),
    gettext_noop("more than 0"),
    gettext_noop("not more than there are members"),
    gettext_noop("not more than `to`"),
    gettext_noop("ranges apart, unlike %s and %s (D-7)"),
    gettext_noop("later than opens_at"),
    gettext_noop("shares that with jackpot_share add up to 1 (D-7)"),
    gettext_noop("winning, as lines have no coefficient"),
    gettext_noop("whole kopecks with lines"),
    gettext_noop("false together with min_dividend or max_dividend"),
    # The law's limits, each followed by its paragraph.
    gettext_noop("shares that add up to 1 (%s)"),
    gettext_noop("one condition in a Variant pool (%s)"),
    gettext_noop("one level from 1 to 1 in a Variant pool (%s)"),
    gettext_noop("a fixed price of a line (%s)"),
    gettext_noop("at least 7/10 (%s)"),
    gettext_noop("a least and a greatest stake (%s)"),
    gettext_noop("exactly 3/5 (%s)"),
    gettext_noop("one of jackpot, other_levels, next_lower, next_higher (%s)"),
    # The value itself, last: `0 (¶17)`, `1, not 2`.
    gettext_noop("%s, not %s"),
    gettext_noop("%s (%s)"),
)

# Fields that people know by another name than documents do.
_FIELDS = {"selections": gettext_lazy("Selections"), "stake": gettext_lazy("Stake")}

# Sentences about money: kopecks are shown as amounts.
_STAKE_FROM_TO = re.compile(r"a stake from (\d+) to (\d+), not (-?\d+) \(¶24\)")
_STAKE_IS_PRICE = re.compile(r"(\d+), the price of (\d+) lines, not (-?\d+) \(¶5\)")


def explain(fault: EngineError, *, called: str = "") -> str:
    """Say where the input is wrong and what was expected: `stake: expected …`.

    `called` is what the page calls the place at fault, when the reader has no document before him.
    """
    where = called or str(_FIELDS.get(fault.where, fault.where))
    words = pgettext("what is wrong with an input", "%(where)s: expected %(expected)s.")
    return words % {"where": where, "expected": expected_words(fault.expected)}


def expected_words(expected: str) -> str:
    """Translate what the engine expected; a sentence that is not in the table stays as it is."""
    about_money = _about_money(expected)
    if about_money is not None:
        return about_money
    for form, pattern in _PATTERNS:
        found = pattern.fullmatch(expected)
        if found is not None:
            words = gettext(form)
            return words % found.groups() if found.groups() else words
    return expected


def _about_money(expected: str) -> str | None:
    if found := _STAKE_FROM_TO.fullmatch(expected):
        least, most, given = (format_byn(int(kopecks)) for kopecks in found.groups())
        words = _("a stake from %(least)s to %(most)s, not %(given)s (¶24)")
        return words % {"least": least, "most": most, "given": given}
    if found := _STAKE_IS_PRICE.fullmatch(expected):
        price, lines, given = found.groups()
        words = _("%(price)s, the price of the coupon (lines: %(lines)s), not %(given)s (¶5)")
        return words % {"price": format_byn(int(price)), "lines": lines, "given": format_byn(int(given))}
    return None


def _pattern(form: str) -> re.Pattern[str]:
    return re.compile("(.+)".join(map(re.escape, form.split("%s"))), re.DOTALL)


_PATTERNS = tuple((form, _pattern(form)) for form in SENTENCES)
