"""The Z-report of a shift: an 80 mm strip with what came, what went, and what was counted (C2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.documents.slip import SlipRow, render_slip
from totalizator.core.money import format_byn
from totalizator.core.pdf import BOLD


@dataclass(frozen=True, slots=True)
class ZLine:
    """What came in (or went out) for one reason; `amount` in kopecks."""

    name: str
    came: bool
    count: int
    amount: int


@dataclass(frozen=True, slots=True)
class ZFacts:
    """All that the report shows; amounts in kopecks, times written in the point's zone."""

    operator: str
    title: str
    place: str
    cashier: str
    opened: str
    closed: str
    opening_float: int
    lines: Sequence[ZLine]
    came: int
    went: int
    expected: int
    counted: int
    reason: str
    digest: str


def render_z_report(facts: ZFacts) -> bytes:
    """Return the report as a PDF of one page, in the language that is active; same facts, same bytes."""
    return render_slip(facts.title, list(_rows(facts)))


def _rows(facts: ZFacts) -> Iterator[SlipRow]:
    yield SlipRow(facts.operator, 10, BOLD, centred=True)
    yield SlipRow(facts.title, 12, BOLD, centred=True, space=4)
    yield SlipRow(facts.place, space=6)
    yield SlipRow(_("Cashier %(cashier)s") % {"cashier": facts.cashier})
    yield SlipRow(_("Opened"), right=facts.opened, space=4)
    yield SlipRow(_("Closed"), right=facts.closed)
    yield SlipRow(_("Float"), 9, right=format_byn(facts.opening_float), space=8, rule=True)
    for title, came, total in ((_("Came in"), True, facts.came), (_("Went out"), False, facts.went)):
        yield SlipRow(title, 9, BOLD, right=format_byn(total), space=6)
        for line in facts.lines:
            if line.came == came:
                yield SlipRow(f"{line.name} × {line.count}", right=format_byn(line.amount))
    yield SlipRow(_("Expected: float + in − out"), 9, BOLD, right=format_byn(facts.expected), space=8, rule=True)
    yield SlipRow(_("Counted"), 9, BOLD, right=format_byn(facts.counted))
    difference = facts.counted - facts.expected
    if difference:
        name = _("Shortage") if difference < 0 else _("Excess")
        yield SlipRow(name, 9, BOLD, right=format_byn(abs(difference)))
        yield SlipRow(_("Reason: %(reason)s") % {"reason": facts.reason})
    yield SlipRow(_("Cashier's signature"), space=22, rule=True)
    yield SlipRow(facts.digest[7:39], 6, space=6)
