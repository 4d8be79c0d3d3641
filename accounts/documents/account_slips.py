"""Slips of 80 mm: money paid onto a game account, asked back from it, or for a prepaid card (¶35, ¶41)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.documents.slip import SlipDrawer, SlipRow, render_slip
from totalizator.core.money import format_byn
from totalizator.core.pdf import BOLD
from totalizator.core.sums_in_words import byn_in_words


@dataclass(frozen=True, slots=True)
class AccountSlip:
    """All that a slip shows; `account` is empty where the money goes to none.

    `amount` in kopecks; `rows` are names with values; `signed_by` who signs, in order.
    """

    operator: str
    title: str
    number: str
    account: str
    amount: int
    rows: Sequence[tuple[str, str]]
    signed_by: Sequence[str]
    digest: str
    copy: bool = False


def render_account_slip(facts: AccountSlip, draw: SlipDrawer = render_slip) -> bytes:
    """Return the slip as a PDF of one page, or as `draw` does it, in the active language; same facts, same bytes."""
    return draw(facts.number, list(_rows(facts)))


def _rows(facts: AccountSlip) -> Iterator[SlipRow]:
    yield SlipRow(facts.operator, 10, BOLD, centred=True)
    yield SlipRow(facts.title, 11, BOLD, centred=True, space=4)
    yield SlipRow(_("No. %(number)s") % {"number": facts.number}, 9, centred=True)
    if facts.copy:
        yield SlipRow(_("COPY"), 14, BOLD, centred=True, space=2)
    if facts.account:
        yield SlipRow(_("Game account"), 9, right=facts.account, space=8, rule=True)
    for number, (name, value) in enumerate(facts.rows):
        first = not facts.account and not number
        yield SlipRow(name, right=value, space=8 if first else 2, rule=first)
    yield SlipRow(_("Amount"), 12, BOLD, right=format_byn(facts.amount), space=6, rule=True)
    yield SlipRow(byn_in_words(facts.amount), 7, space=2)
    for name in facts.signed_by:
        yield SlipRow(name, 7, space=24, rule=True)
    yield SlipRow(facts.digest[7:39], 6, space=8)
