"""Cash handed over between point, cash desk and bank: two people, two counts, one document (¶9.5, C3)."""

from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.utils import translation
from pypdfium2 import PdfDocument

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Handover, HandoverState, Role, Route, Till, User
from accounts.services.bank_terms import record_cash_limit
from accounts.services.handover_documents import handover_pdf
from accounts.services.handovers import announce_handover, receive_handover
from accounts.services.points import give_float
from tests.desks import end_shift, keeper
from tests.making import make_organizers, make_till, make_user
from tests.paying import broken
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


def cash(kind: AccountKind, owner: str = "") -> int:
    return balance(ledger_account(kind, owner))


def cashier_of(till: Till) -> User:
    assert till.cashier is not None
    return till.cashier


def sent(till: Till, amount: int) -> Handover:
    """From the till on its way to the cash desk."""
    return announce_handover(route=Route.POINT_TO_DESK, amount=amount, given_by=cashier_of(till), till=till)


def test_takings_go_from_the_point_to_the_cash_desk_and_on_to_the_bank() -> None:
    """The worked numbers of docs/points.md."""
    till, (one, other) = make_till(8_000), make_organizers()
    first = sent(till, 6_000)
    assert (first.number, first.state) == (1, HandoverState.ANNOUNCED)
    assert (balance(till.ledger_account), cash(AccountKind.CASH_IN_TRANSIT, "1")) == (2_000, 6_000)
    receive_handover(handover=first, counted=5_950, received_by=one, reason="One note was false.")
    assert (cash(AccountKind.CASH_DESK), cash(AccountKind.CASH_IN_TRANSIT, "1")) == (5_950, 0)
    assert cash(AccountKind.CASH_SHORTAGE, "handover:1") == 50
    second = announce_handover(route=Route.DESK_TO_BANK, amount=5_000, given_by=one, document="Bag 17")
    receive_handover(handover=second, counted=5_001, received_by=other, reason="The bank counted one more.")
    assert second.number == 2
    assert (cash(AccountKind.CASH_DESK), cash(AccountKind.CASH_IN_TRANSIT, "2")) == (950, 0)
    assert cash(AccountKind.BANK) == -8_000 + 5_001
    assert cash(AccountKind.CASH_EXCESS, "handover:2") == 1
    assert broken() == []


def test_cash_is_brought_to_a_point_the_other_way() -> None:
    till, (one, other) = make_till(), make_organizers()
    drawn = announce_handover(route=Route.BANK_TO_DESK, amount=9_000, given_by=one, document="Cheque 3")
    receive_handover(handover=drawn, counted=9_000, received_by=other)
    brought = announce_handover(route=Route.DESK_TO_POINT, amount=4_000, given_by=one, till=till)
    assert refused(lambda: receive_handover(handover=brought, counted=4_000, received_by=other)).code == (
        Refusal.NOT_ALLOWED
    )
    receive_handover(handover=brought, counted=4_000, received_by=cashier_of(till))
    assert (cash(AccountKind.CASH_DESK), balance(till.ledger_account)) == (5_000, 4_000)
    assert end_shift(till).expected == 4_000


def test_nobody_receives_what_they_gave() -> None:
    one, _other = make_organizers()
    drawn = announce_handover(route=Route.BANK_TO_DESK, amount=100, given_by=one, document="Cheque")
    assert refused(lambda: receive_handover(handover=drawn, counted=100, received_by=one)).code == Refusal.SAME_PERSON
    with pytest.raises(IntegrityError, match="accounts_handover_by_two"), transaction.atomic():
        Handover.objects.update(state="received", received_by=one, received_at=drawn.announced_at, counted=100)


def test_it_is_received_once() -> None:
    till, (one, other) = make_till(500), make_organizers()
    handover = sent(till, 500)
    stale = Handover.objects.get()
    receive_handover(handover=handover, counted=500, received_by=one)
    assert refused(lambda: receive_handover(handover=stale, counted=500, received_by=other)).code == (
        Refusal.WRONG_STATE
    )


@pytest.mark.parametrize(("counted", "field"), [(499, "reason"), (501, "reason"), (-1, "counted")])
def test_a_difference_has_a_reason(counted: int, field: str) -> None:
    handover, receiver = sent(make_till(500), 500), keeper()
    refusal = refused(lambda: receive_handover(handover=handover, counted=counted, received_by=receiver, reason=" "))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


def test_all_of_it_may_be_lost_on_the_way() -> None:
    receive_handover(handover=sent(make_till(500), 500), counted=0, received_by=keeper(), reason="Robbed.")
    assert (cash(AccountKind.CASH_DESK), cash(AccountKind.CASH_SHORTAGE, "handover:1")) == (0, 500)


def test_a_point_gives_only_what_it_has_in_its_shift_by_its_cashier() -> None:
    till, stranger = make_till(500), make_user(Role.CASHIER)
    assert refused(lambda: sent(till, 501)).code == Refusal.INSUFFICIENT_FUNDS
    assert refused(lambda: sent(till, 0)).field == "amount"
    for giver in (stranger, keeper()):
        refusal = refused(
            lambda giver=giver: announce_handover(route=Route.POINT_TO_DESK, amount=1, given_by=giver, till=till)  # type: ignore[misc]
        )
        assert refusal.code == Refusal.NOT_ALLOWED
    end_shift(till)
    assert refused(lambda: sent(till, 500)).code == Refusal.NO_OPEN_SHIFT
    assert sent(make_till(1), 1).number == 1


def test_each_end_is_named_as_it_must_be() -> None:
    till, staff = make_till(500), keeper()
    without_till = refused(lambda: announce_handover(route=Route.DESK_TO_POINT, amount=1, given_by=staff))
    with_till = refused(lambda: announce_handover(route=Route.DESK_TO_BANK, amount=1, given_by=staff, till=till))
    assert (without_till.field, with_till.field) == ("till", "till")
    assert refused(lambda: announce_handover(route=Route.DESK_TO_BANK, amount=1, given_by=staff)).field == "document"


def test_the_document_names_both_people_and_is_drawn_alike_each_time() -> None:
    handover = sent(make_till(50_000), 50_000)
    with translation.override("ru"):
        on_its_way = handover_pdf(Handover.objects.get())
        receive_handover(handover=handover, counted=49_900, received_by=keeper(), reason="Недостача ў купюрах")
        received = handover_pdf(handover)
        assert handover_pdf(Handover.objects.get()) == received != on_its_way
    text = PdfDocument(received)[0].get_textpage().get_text_range()
    assert handover.till is not None
    assert "?" not in text
    for words in ("500,00", "499,00", "1,00", "Недостача ў купюрах", "keeper", cashier_of(handover.till).username):
        assert words in text, words


def test_the_receiving_points_limit_of_the_bank_is_asked() -> None:
    """¶9.6: all its tills together; the cash stays on its way until the point has handed enough over."""
    till, (one, other) = make_till(3_000), make_organizers()
    drawn = announce_handover(route=Route.BANK_TO_DESK, amount=9_000, given_by=one, document="Cheque 3")
    receive_handover(handover=drawn, counted=9_000, received_by=other)
    brought = announce_handover(route=Route.DESK_TO_POINT, amount=4_000, given_by=one, till=till)
    record_cash_limit(point=till.point, amount=6_999, valid_from=clock.today(), document="L-1", by=one)
    receive = partial(receive_handover, handover=brought, counted=4_000, received_by=cashier_of(till))
    refusal = refused(receive)
    assert (refusal.code, refusal.details["limit"], refusal.details["cash"]) == (Refusal.CASH_LIMIT, 6_999, 3_000)
    receive_handover(handover=sent(till, 1), counted=1, received_by=one)
    receive()
    assert balance(till.ledger_account) == 6_999


def test_a_float_is_brought_within_the_limit_too() -> None:
    till, staff = make_till(3_000), keeper()
    record_cash_limit(point=till.point, amount=6_999, valid_from=clock.today(), document="L-1", by=staff)
    assert refused(partial(give_float, till=till, amount=4_000, document="F", by=staff)).code is Refusal.CASH_LIMIT
    assert give_float(till=till, amount=3_999, document="F", by=staff)
    assert not give_float(till=till, amount=3_999, document="F", by=staff)  # booked before, whatever the limit says now
