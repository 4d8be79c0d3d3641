"""Cash tickets bound to a phone: nothing for a thief, minutes for the owner, no number in clear (X9, U3)."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection

from payouts.models import MessageTry, Payment, PhoneBinding, PhoneCode, TextMessage
from payouts.services.cash import pay_by_phone, pay_in_cash
from payouts.services.phone_binding import ask_for_code, begin_binding, confirm_binding
from payouts.services.text_messages import send_waiting
from payouts.services.text_messages_fake import FakeMessageGateway
from pools.services.betting import PlacedBet
from tests.claiming import claimed, won
from tests.functional.calling import Caller, told
from tests.making import make_till
from tests.noticing import PHONE, fake_gateway, last_code
from tests.paying import broken, go_to, pay, payable_from
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db

OTHER = "+375297654321"


@pytest.fixture(autouse=True)
def _gateway(settings: Any) -> Iterator[None]:
    with fake_gateway(settings):
        yield


def bound(slip: PlacedBet) -> PhoneBinding:
    ticket, code = slip.bet.ticket, slip.check_code
    begin_binding(ticket=ticket, check_code=code, phone="+375 (29) 123-45-67")
    return confirm_binding(ticket=ticket, check_code=code, phone=PHONE, code=last_code())


def test_a_thief_with_the_ticket_gets_nothing_and_the_owner_with_the_code_is_paid() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    bound(slip)
    go_to(payable_from(pool))
    assert till.cashier is not None
    thief = partial(
        pay_in_cash, ticket=slip.bet.ticket, check_code=slip.check_code, cashier=till.cashier, idempotency_key="k"
    )
    assert refused(thief).code == Refusal.PHONE_CODE_NEEDED
    assert refused(partial(thief, phone_code="000000x")).code == Refusal.PHONE_CODE_NEEDED
    ask_for_code(ticket=slip.bet.ticket, phone=PHONE)
    paid = thief(phone_code=last_code())
    assert (paid.net, thief().replayed) == (66, True)
    assert refused(partial(pay, slip, till, "again")).code == Refusal.ALREADY_PAID
    assert broken() == []


def test_x9_a_lost_ticket_is_paid_by_its_phone_in_minutes_and_once() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    bound(slip)
    go_to(payable_from(pool))
    assert till.cashier is not None
    ask_for_code(ticket=slip.bet.ticket.lower(), phone=PHONE)
    code = last_code()
    act = partial(pay_by_phone, ticket=slip.bet.ticket, phone_code=code, cashier=till.cashier)
    assert refused(partial(act, phone=OTHER, idempotency_key="k")).code == Refusal.PHONE_CODE_NEEDED
    assert act(phone=PHONE, idempotency_key="k").net == 66
    assert act(phone=PHONE, idempotency_key="k").replayed
    assert refused(partial(act, phone=PHONE, idempotency_key="k2")).code == Refusal.ALREADY_PAID
    assert Payment.objects.count() == 1


def test_a_held_ticket_is_not_paid_by_its_phone_either() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    bound(slip)
    go_to(payable_from(pool))
    claimed(slip, till)
    ask_for_code(ticket=slip.bet.ticket, phone=PHONE)
    assert till.cashier is not None
    act = partial(pay_by_phone, ticket=slip.bet.ticket, phone=PHONE, phone_code=last_code(), cashier=till.cashier)
    assert refused(partial(act, idempotency_key="k")).code == Refusal.TICKET_HELD


def test_a_code_is_good_for_ten_minutes_one_use_and_five_tries() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    bound(slip)
    go_to(payable_from(pool))
    assert till.cashier is not None
    act = partial(
        pay_in_cash, ticket=slip.bet.ticket, check_code=slip.check_code, cashier=till.cashier, idempotency_key="k"
    )
    ask_for_code(ticket=slip.bet.ticket, phone=PHONE)
    old = last_code()
    clock.move_clock(timedelta(minutes=10))
    assert refused(partial(act, phone_code=old)).code == Refusal.PHONE_CODE_NEEDED
    ask_for_code(ticket=slip.bet.ticket, phone=PHONE)
    right = last_code()
    wrong = f"{(int(right) + 1) % 10**6:06d}"
    for _try in range(5):
        with pytest.raises(DomainError, match=Refusal.PHONE_CODE_NEEDED):
            act(phone_code=wrong)
    assert PhoneCode.objects.order_by("-pk")[0].wrong_tries == 5
    assert refused(partial(act, phone_code=right)).code == Refusal.PHONE_CODE_NEEDED
    assert Payment.objects.count() == 0


def test_nothing_is_told_of_tickets_and_phones_and_codes_are_few() -> None:
    _pool, slip = won(make_till())
    bound(slip)
    caller, before = Caller(), TextMessage.objects.count()
    asks = [(slip.bet.ticket, OTHER), ("NO-SUCH-1", PHONE)]
    answers = [caller.post("tickets/phones/codes", {"ticket": t, "phone": p}, key=None) for t, p in asks]
    assert {(answer.status_code, answer.content) for answer in answers} == {(202, b'{"asked":true}')}
    assert TextMessage.objects.count() == before
    for number in range(10):  # a stranger's guesses are not the owner's tries
        caller.post("tickets/phones/codes", {"ticket": slip.bet.ticket, "phone": f"+37529000000{number}"}, key=None)
    for _time in range(5):
        ask_for_code(ticket=slip.bet.ticket, phone=PHONE)
    assert TextMessage.objects.count() == before + 5
    assert refused(partial(ask_for_code, ticket=slip.bet.ticket, phone=PHONE)).code == Refusal.THROTTLED
    assert told(caller.post("tickets/phones/codes", {"ticket": "X-1", "phone": "12"}, key=None)) == (400, "bad_value")


def test_the_database_holds_no_phone_and_no_code_in_clear() -> None:
    _pool, slip = won(make_till())
    begin_binding(ticket=slip.bet.ticket, check_code=slip.check_code, phone=PHONE)
    code = PhoneCode.objects.get()
    with connection.cursor() as cursor:
        for table in ("phonecode", "textmessage"):
            cursor.execute(f"SELECT t::text FROM payouts_{table} t")
            assert PHONE not in str(cursor.fetchall())
    confirm_binding(ticket=slip.bet.ticket, check_code=slip.check_code, phone=PHONE, code=last_code())
    assert bytes(PhoneBinding.objects.get().phone_hash) != bytes(code.phone_hash)  # salted
    message = TextMessage.objects.get()
    assert (message.phone, message.words) == ("", "")
    again = partial(begin_binding, ticket=slip.bet.ticket, check_code=slip.check_code, phone=OTHER)
    assert refused(again).code == Refusal.WRONG_STATE


def test_u3_an_outage_queues_and_no_message_goes_twice() -> None:
    _pool, slip = won(make_till())
    FakeMessageGateway.away = True
    begin_binding(ticket=slip.bet.ticket, check_code=slip.check_code, phone=PHONE)
    assert (send_waiting(), len(FakeMessageGateway.sent)) == (0, 0)
    FakeMessageGateway.away = False
    assert (send_waiting(), send_waiting(), len(FakeMessageGateway.sent)) == (1, 0, 1)
    tries = MessageTry.objects.order_by("pk").values_list("sent", "answer")
    assert [sent for sent, _answer in tries] == [False, True]
    FakeMessageGateway.away = True
    begin_binding(ticket=slip.bet.ticket, check_code=slip.check_code, phone=PHONE)
    clock.move_clock(timedelta(minutes=10))
    FakeMessageGateway.away = False
    assert (send_waiting(), len(FakeMessageGateway.sent)) == (0, 1)  # a code that is good no more is not sent


def test_without_a_gateway_nothing_is_bound(settings: Any) -> None:
    settings.SMS_GATEWAY = ""
    _pool, slip = won(make_till())
    act = partial(begin_binding, ticket=slip.bet.ticket, check_code=slip.check_code, phone=PHONE)
    assert refused(act).code == Refusal.WRONG_STATE
