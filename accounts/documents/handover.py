"""The document of a handover of cash, signed by two people (¶9.5)."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.documents.slip import SlipRow, render_slip
from totalizator.core.money import format_byn
from totalizator.core.pdf import BOLD


@dataclass(frozen=True, slots=True)
class HandoverFacts:
    """All that the document shows; amounts in kopecks. Nobody has received it yet: `receiver` is empty."""

    operator: str
    number: int
    route: str
    place: str
    amount: int
    giver: str
    given: str
    receiver: str
    received: str
    counted: int | None
    reason: str
    bank_document: str


def render_handover(facts: HandoverFacts) -> bytes:
    """Return the document as a PDF of one page, in the language that is active; same facts, same bytes."""
    return render_slip(str(facts.number), list(_rows(facts)))


def _rows(facts: HandoverFacts) -> Iterator[SlipRow]:
    yield SlipRow(facts.operator, 10, BOLD, centred=True)
    yield SlipRow(_("Handover of cash No. %(number)s") % {"number": facts.number}, 12, BOLD, centred=True, space=4)
    yield SlipRow(facts.route, 9, centred=True)
    if facts.place:
        yield SlipRow(facts.place, space=6)
    if facts.bank_document:
        yield SlipRow(_("Bank's document"), right=facts.bank_document, space=4)
    yield SlipRow(_("Amount"), 10, BOLD, right=format_byn(facts.amount), space=8, rule=True)
    yield SlipRow(_("Given by %(name)s, %(time)s") % {"name": facts.giver, "time": facts.given}, space=4)
    yield SlipRow(_("Signature"), space=22, rule=True)
    if facts.counted is None:
        yield SlipRow(_("On its way: not received yet"), 9, BOLD, space=8)
        return
    yield SlipRow(_("Counted"), 10, BOLD, right=format_byn(facts.counted), space=10, rule=True)
    difference = facts.counted - facts.amount
    if difference:
        name = _("Shortage") if difference < 0 else _("Excess")
        yield SlipRow(name, 9, BOLD, right=format_byn(abs(difference)))
        yield SlipRow(_("Reason: %(reason)s") % {"reason": facts.reason})
    yield SlipRow(_("Received by %(name)s, %(time)s") % {"name": facts.receiver, "time": facts.received}, space=4)
    yield SlipRow(_("Signature"), space=22, rule=True)
