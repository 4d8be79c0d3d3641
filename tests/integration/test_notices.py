"""Winners are told once, reminded once, by day, and nobody's number stays (K6)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import connection

from accounts.models import Role, Till
from payouts import tasks
from payouts.models import NoticeKind, NoticePhone, TextMessage, WinnerNotice
from payouts.services import notices
from payouts.services.booking import book_payables
from payouts.services.cash import pay_in_cash
from payouts.services.crediting import credit_accounts
from payouts.services.expiring import expire_winnings
from payouts.services.extending import approve_extension, propose_extension
from payouts.services.notice_letters import send_letters
from payouts.services.notices import tell_phones
from payouts.services.phone_binding import ask_for_code
from payouts.services.text_messages import queue_message, send_waiting
from payouts.services.text_messages_fake import FakeMessageGateway
from payouts.services.ticket_owners import bind_to_account
from pools.services.betting import PlacedBet
from tests.claiming import won
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller, told
from tests.making import account_of, bet_from_account, make_player, make_pool, make_till, make_user
from tests.noticing import MORNING, PHONE, bind, fake_gateway, first_morning, last_code, texts
from tests.paying import go_to, pay, payable_from, payable_until, sell_slips
from tests.settling import settle
from totalizator.core.models import JournalRecord
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _gateway(settings: Any) -> Iterator[None]:
    with fake_gateway(settings):
        yield


def test_k6_a_win_on_a_ticket_bound_to_a_phone_is_one_message_by_day() -> None:
    till = make_till(1_000)
    pool, slip = won(till)
    bind(slip, tell=True)
    codes = len(texts())
    go_to(payable_from(pool) - timedelta(hours=5))  # by day, but nothing is payable yet
    tasks.tell_winners()
    go_to(payable_from(pool) + timedelta(hours=8, minutes=59))
    tasks.tell_winners()
    assert len(texts()) == codes
    first_morning(pool)
    for _time in range(3):
        tasks.tell_winners()
    (words,) = texts()[codes:]
    assert slip.bet.ticket in words
    assert "0,70" in words
    last_day = legal_day(payable_until(pool)) - timedelta(days=1)
    assert last_day.strftime("%d.%m.%Y") in words
    assert WinnerNotice.objects.get().amount == 70
    pay_by(slip, till)
    assert NoticePhone.objects.count() == 0


def pay_by(slip: PlacedBet, till: Till) -> None:
    """Pay a ticket that is bound to the phone."""
    assert till.cashier is not None
    ask_for_code(ticket=slip.bet.ticket, phone=PHONE)
    pay_in_cash(
        ticket=slip.bet.ticket,
        check_code=slip.check_code,
        cashier=till.cashier,
        idempotency_key="k",
        phone_code=last_code(),
    )


def test_without_the_holders_word_no_number_is_kept_and_nothing_is_sent() -> None:
    pool, slip = won(make_till())
    bind(slip, tell=False)
    before = len(texts())
    first_morning(pool)
    tasks.tell_winners()
    assert (NoticePhone.objects.count(), len(texts()), WinnerNotice.objects.count()) == (0, before, 0)


def test_a_number_is_kept_encrypted_and_goes_with_the_wish_the_loss_or_the_end_of_the_term() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    winner, loser, quitter = sell_slips(pool, till, ("1", 100), ("2", 100), ("1", 100))
    for number, slip in enumerate((winner, loser, quitter)):
        bind(slip, tell=True, phone=f"+37529123450{number}")
    with connection.cursor() as cursor:
        cursor.execute("SELECT n::text FROM payouts_noticephone n")
        rows = str(cursor.fetchall())
    assert rows.count(pool.code) == 3
    assert "+37529123450" not in rows
    check = {"ticket": quitter.bet.ticket, "check_code": quitter.check_code}
    wrong = Caller().post("tickets/phones/notices-end", {**check, "check_code": "AAAAAAAAAAAAAA"}, key=None)
    assert told(wrong) == (400, "wrong_code")
    assert NoticePhone.objects.count() == 3
    for _time in range(2):
        assert Caller().post("tickets/phones/notices-end", check, key=None).json() == {"ended": True}
    assert JournalRecord.objects.filter(act="end_notices").count() == 1
    settle(pool, "1")
    book_payables(code=pool.code)
    assert [kept.ticket for kept in NoticePhone.objects.all()] == [winner.bet.ticket]
    go_to(payable_until(pool))
    expire_winnings(code=pool.code)
    assert NoticePhone.objects.count() == 0


def test_a_message_that_still_waits_goes_with_the_number() -> None:
    pool, slip = won(make_till())
    bind(slip, tell=True)
    texts()
    FakeMessageGateway.away = True
    first_morning(pool)
    tasks.tell_winners()
    waiting = TextMessage.objects.get(ended_at__isnull=True)
    assert (waiting.phone, slip.bet.ticket in waiting.words) == (PHONE, True)
    check = {"ticket": slip.bet.ticket, "check_code": slip.check_code}
    Caller().post("tickets/phones/notices-end", check, key=None)
    waiting.refresh_from_db()
    assert (waiting.phone, waiting.words) == ("", "")
    FakeMessageGateway.away = False
    assert send_waiting() == 0


def test_who_dies_between_two_messages_or_after_the_gateway_took_one_tells_nobody_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    slips = sell_slips(pool, till, ("1", 100), ("1", 100), ("1", 100))
    phones = [f"+37529000000{number}" for number in range(3)]
    for slip, phone in zip(slips, phones, strict=True):
        bind(slip, tell=True, phone=phone)
    settle(pool, "1")
    book_payables(code=pool.code)
    first_morning(pool)
    queue, calls = queue_message, list[object]()

    def die_at_the_second(**named: Any) -> None:
        calls.append(named)
        if len(calls) == 2:
            raise KeyboardInterrupt
        queue(**named)

    monkeypatch.setattr(notices, "queue_message", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        tell_phones(NoticeKind.WON, chunk=1)
    assert WinnerNotice.objects.count() == 1  # the second is rolled back with its message
    assert tell_phones(NoticeKind.WON, chunk=1) == 2
    assert tell_phones(NoticeKind.WON) == 0

    send = FakeMessageGateway.send

    def die_having_sent(self: FakeMessageGateway, **named: str) -> str:
        send(self, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(FakeMessageGateway, "send", die_having_sent)
    with pytest.raises(KeyboardInterrupt):
        send_waiting()
    monkeypatch.setattr(FakeMessageGateway, "send", send)
    assert send_waiting() == 3  # the first once more, under the same reference
    for slip, phone in zip(slips, phones, strict=True):
        assert [slip.bet.ticket in words and "0,70" in words for words in texts(phone)] == [False, True]


def test_who_plays_from_an_account_is_told_once_of_all_tickets_of_a_pool_and_by_one_letter() -> None:
    pool, player, other = make_pool("sportloto-variant"), make_player(1_000), make_player(1_000)
    for selections in ("1", "1", "2"):
        bet_from_account(pool, player, selections, 100)
    bet_from_account(pool, other, "2", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    first_morning(pool)
    credit_accounts(code=pool.code)
    for _time in range(2):
        tasks.tell_winners()
        tasks.send_notice_letters()
    notice = WinnerNotice.objects.get()
    assert (notice.player, notice.kind, notice.amount) == (player, "won", 280)
    (letter,) = mail.outbox
    assert letter.to == [player.email]
    assert letter.extra_headers["Message-ID"].startswith(f"<winner-notice-{notice.pk}@")
    assert pool.code in letter.body
    assert "2,80" in letter.body
    assert Caller(other).get("me/notices").json()["notices"] == []
    (shown,) = Caller(player).get("me/notices").json()["notices"]
    assert (shown["amount"], shown["pool"], shown["read_at"]) == ("2.80", pool.code, None)
    read = f"me/notices/{shown['number']}/read"
    assert told(Caller(other).post(read, key=None)) == (404, "not_found")
    page = visitor(player)
    assert "1 new notice" in text_of(page.get("/my/"))
    first = Caller(player).post(read, key=None).json()["read_at"]
    assert first is not None
    assert Caller(player).post(read, key=None).json()["read_at"] == first
    assert "new notice" not in text_of(page.get("/my/"))
    assert "2.80" in text_of(page.get("/my/notices/"))


def test_the_page_marks_what_it_shows_as_read() -> None:
    pool, player = make_pool("sportloto-variant"), make_player(1_000)
    bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    first_morning(pool)
    tasks.tell_winners()
    page = visitor(player)
    assert "Mark as read" in text_of(page.get("/my/notices/"))
    assert page.post("/my/notices/").status_code == 302
    assert WinnerNotice.objects.get().read_at is not None
    assert "Mark as read" not in text_of(page.get("/my/notices/"))


def test_a_letter_that_cannot_be_sent_is_tried_again_and_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, players = make_pool("sportloto-variant"), [make_player(1_000), make_player(1_000)]
    for player in players:
        bet_from_account(pool, player, "1", 100)
    settle(pool, "1")
    book_payables(code=pool.code)
    first_morning(pool)
    tasks.tell_winners()
    send = EmailMessage.send

    def fail_for_one(self: EmailMessage, fail_silently: bool = False) -> int:
        if self.to == [players[0].email]:
            raise OSError("mailbox away")
        return send(self, fail_silently)

    monkeypatch.setattr(EmailMessage, "send", fail_for_one)
    assert (send_letters(), send_letters()) == (1, 0)
    assert JournalRecord.objects.filter(act="send_notice_letters_failed").count() == 1
    monkeypatch.setattr(EmailMessage, "send", send)
    assert (send_letters(), send_letters()) == (1, 0)
    assert sorted(letter.to[0] for letter in mail.outbox) == sorted(player.email for player in players)


def test_k2_k6_a_dated_number_of_days_before_the_end_each_who_did_not_come_is_reminded_once() -> None:
    till, player = make_till(1_000), make_player(1_000)
    pool = make_pool("sportloto-variant")
    by_phone, by_account, paid = sell_slips(pool, till, ("1", 100), ("1", 100), ("1", 100))
    bet_from_account(pool, player, "1", 100)
    bind(by_phone, tell=True)
    for slip in (by_account, paid):
        bind_to_account(account=account_of(player), ticket=slip.bet.ticket, check_code=slip.check_code)
    settle(pool, "1")
    book_payables(code=pool.code)
    first_morning(pool)
    tasks.tell_winners()
    credit_accounts(code=pool.code)
    pay(paid, till)
    assert [notice.amount for notice in WinnerNotice.objects.filter(player=player)] == [210]
    before = len(texts())
    go_to(payable_until(pool) - timedelta(days=14) - MORNING)
    tasks.tell_winners()
    assert (WinnerNotice.objects.filter(kind="ending").count(), len(texts())) == (0, before)
    go_to(payable_until(pool) - timedelta(days=14) + MORNING)
    for _time in range(2):
        tasks.tell_winners()
    ending = WinnerNotice.objects.filter(kind="ending").order_by("pk")
    assert [(notice.player, notice.ticket, notice.amount) for notice in ending] == [
        (player, "", 70),
        (None, by_phone.bet.ticket, 70),
    ]
    (words,) = texts()[before:]
    assert by_phone.bet.ticket in words


def test_the_reminder_follows_a_longer_term_and_a_notice_shows_the_day_that_stands() -> None:
    till, player = make_till(1_000), make_player(1_000)
    pool, slip = won(till)
    bind_to_account(account=account_of(player), ticket=slip.bet.ticket, check_code=slip.check_code)
    first_morning(pool)
    tasks.tell_winners()
    last_day = legal_day(payable_until(pool)) + timedelta(days=20)
    asked = propose_extension(
        code=pool.code, last_day=last_day, reason="Shut", document="Order 7", proposed_by=make_user(Role.ORGANIZER)
    )
    approve_extension(extension=asked, approved_by=make_user(Role.ORGANIZER))
    go_to(payable_until(pool) - timedelta(days=14) + MORNING)
    tasks.tell_winners()
    assert WinnerNotice.objects.filter(kind="ending").count() == 0
    (shown,) = Caller(player).get("me/notices").json()["notices"]
    assert f"{last_day.day} {last_day:%b %Y}" in shown["words"]
    go_to(payable_until(pool) + timedelta(days=7) + MORNING)
    tasks.tell_winners()
    assert WinnerNotice.objects.filter(kind="ending").count() == 1
