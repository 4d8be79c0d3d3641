"""Accounts that nobody uses: their owners are told, once for each silence, and nothing is taken (E5)."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from accounts.models import DormancyNotice, Entry
from accounts.services.ending import end_registration
from pools.services.dormancy import tell_of_dormancy
from pools.tasks import tell_of_dormancy as tell_task
from tests.making import account_of, bet_from_account, keep_register_fresh, make_player, make_pool
from tests.paying import money_of
from tests.topping_up import pay_in
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
LONG = timedelta(days=740)  # over 24 months


def test_e5_the_owner_is_told_once_and_nothing_is_taken() -> None:
    player = make_player(1_234)
    clock.move_clock(LONG)
    entries = Entry.objects.count()
    assert (tell_of_dormancy(), tell_of_dormancy()) == (1, 0)
    (message,) = mail.outbox
    assert message.to == [player.email]
    assert "12,34" in str(message.body)
    assert (money_of(player), Entry.objects.count(), DormancyNotice.objects.count()) == (1_234, entries, 1)
    after = JournalRecord.objects.get(act="tell_of_dormancy").after
    assert after is not None
    assert after["balance"] == 1_234


def test_it_is_not_told_before_its_time() -> None:
    make_player(100)
    clock.move_clock(timedelta(days=720))
    assert tell_of_dormancy() == 0


@pytest.mark.parametrize("act", ["bet", "pay in", "log in"])
def test_any_act_of_the_owners_ends_the_silence_and_a_new_one_is_told_anew(act: str) -> None:
    player = make_player(1_000)
    clock.move_clock(LONG)
    assert tell_of_dormancy() == 1
    if act == "bet":
        bet_from_account(make_pool("sportloto-variant"), player, "1", 100)
    elif act == "pay in":
        keep_register_fresh()
        pay_in(player, 100)
    else:
        player.last_login = clock.now()
        player.save(update_fields=["last_login"])
    assert tell_of_dormancy() == 0
    clock.move_clock(LONG)
    assert tell_of_dormancy() == 1


def test_what_ends_is_not_dormant() -> None:
    player = make_player(1_000)
    end_registration(account=account_of(player), asked_by=player)
    clock.move_clock(LONG)
    assert tell_of_dormancy() == 0


def test_a_message_that_cannot_be_sent_is_tried_again_and_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    lost, heard = make_player(1), make_player(2)
    clock.move_clock(LONG)
    send = EmailMessage.send

    def fail_for_one(self: EmailMessage, fail_silently: bool = False) -> int:
        if lost.email in self.to:
            raise OSError("no route to the mailbox")
        return send(self, fail_silently)

    monkeypatch.setattr(EmailMessage, "send", fail_for_one)
    assert tell_of_dormancy() == 1
    assert DormancyNotice.objects.get().account == account_of(heard)
    assert JournalRecord.objects.filter(act="tell_of_dormancy_failed").count() == 1
    monkeypatch.undo()
    tell_task()
    assert [message.to for message in mail.outbox] == [[heard.email], [lost.email]]
