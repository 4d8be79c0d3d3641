"""A player's disputes, paper tickets, consents to be published, and letters (¶45, X10, ¶14, K6)."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Role, User
from payouts.models import (
    ConsentWithdrawal,
    CreditWish,
    Dispute,
    DisputeDocument,
    DisputeState,
    NoticeChoice,
    Payable,
    PublicationConsent,
    TicketOwner,
)
from payouts.services.booking import book_payables
from payouts.services.disputes import answer, consider
from payouts.services.notice_letters import send_letters
from payouts.services.notices import tell_players
from tests.functional.browsing import text_of, visitor
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool, make_till, make_user
from tests.noticing import PHONE, bind, fake_gateway, last_code
from tests.paying import money_of, sell_slips
from tests.refusals import every_row
from tests.settling import settle
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db

PDF, PNG = b"%PDF-1.7 a photo of the screen", b"\x89PNG\r\n\x1a\n another"


@pytest.fixture(autouse=True)
def _gateway(settings: Any) -> Iterator[None]:
    with fake_gateway(settings):
        yield


def file(content: bytes, name: str = "scan.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def proven(player: User) -> Client:
    """A browser of the player, who has just confirmed who it is."""
    browser = visitor(player)
    assert browser.post("/account/reauthenticate/", {"password": "correct horse battery"}).status_code == 302
    return browser


def test_p45_a_player_disputes_a_bet_with_documents_and_reads_the_answer() -> None:
    pool, player = make_pool(), make_player(1_000)
    ticket = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    client = visitor(player)
    assert "No disputes." in text_of(client.get("/my/disputes/"))
    assert f'value="{ticket}"' in client.get(f"/my/disputes/?ticket={ticket}").content.decode()
    sent = client.post("/my/disputes/", {"ticket": ticket, "story": "I had X,\nnot 1.", "file": file(PDF)})
    dispute = Dispute.objects.get()
    here = f"/my/disputes/{dispute.pk}/"
    assert (sent.status_code, sent["Location"]) == (302, here)
    page = client.get(here)
    assert "I had X,<br>not 1." in page.content.decode()
    assert "The pool has no term for payment yet." in text_of(page)
    assert "1 dispute of mine is not answered yet" in text_of(client.get("/my/"))
    assert here in client.get(f"/my/bets/{ticket}/").content.decode()
    for _time in range(2):
        assert client.post(here, {"file": file(PNG)}).status_code == 302
    first, second = DisputeDocument.objects.order_by("pk")
    got = client.get(f"{here}documents/{second.pk}/")
    assert (got.content, got["Content-Type"], got["X-Content-Type-Options"]) == (PNG, "image/png", "nosniff")
    assert JournalRecord.objects.filter(act="file_dispute_document").count() == 2

    one, other = make_organizers()
    staff = visitor(one)
    theirs = f"/desk/disputes/{dispute.pk}/documents/{first.pk}/"
    assert theirs in staff.get(f"/desk/disputes/{dispute.pk}/").content.decode()
    assert staff.get(theirs).content == PDF
    stranger = visitor(make_player())
    for address in (here, f"{here}documents/{first.pk}/", f"/my/disputes/{10**15}/", f"{here}documents/{10**15}/"):
        assert stranger.get(address).status_code == 404
    assert stranger.post(here, {"file": file(b"%PDF-1.7 forged")}).status_code == 404
    assert ticket not in text_of(stranger.get("/my/disputes/"))

    settle(pool, "1;X;2")
    client = visitor(player)
    assert "The pool has no term" not in text_of(client.get(here))  # now the term is known
    assert client.get("/my/disputes/").context["shown"][0][1] is not None
    consider(dispute=dispute, words="Our note", considered_by=one)
    answer(dispute=dispute, upheld=True, words="You are right.", answered_by=other)
    answered = text_of(client.get(here))
    assert "You are right." in answered
    assert "Our note" not in answered
    assert "answered: upheld" in text_of(client.get("/my/"))
    assert client.post(here, {"file": file(b"%PDF-1.7 late")}).status_code == 200  # nothing is taken any more
    assert DisputeDocument.objects.count() == 2
    assert Dispute.objects.get().state == DisputeState.UPHELD


def test_p45_what_cannot_be_disputed_is_said_at_its_field_and_nothing_is_kept() -> None:
    pool, player = make_pool(), make_player(1_000)
    ticket = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    foreign = bet_from_account(pool, make_player(1_000), "1;X;2", 100).bet.ticket
    client, good = visitor(player), {"ticket": ticket, "story": "Why?"}
    client.get("/my/disputes/")
    before = every_row()
    for change, field, words in (
        ({"ticket": foreign}, "ticket", "There is no such ticket."),
        ({"ticket": "T-0"}, "ticket", "There is no such ticket."),
        ({"story": " "}, "story", "This field is required."),
        ({"story": "x" * 4_001}, "story", "at most 4000 characters"),
        ({"file": file(b"MZ a program")}, "file", "A PDF, JPEG or PNG file is wanted."),
        ({"file": file(PDF + b"x" * (10 << 20))}, "file", "A file of at most 10 MB is wanted."),
    ):
        page = client.post("/my/disputes/", {**good, **change})
        assert (page.status_code, words in str(page.context["form"].errors[field])) == (400, True), change
    assert every_row() == before
    assert client.post("/my/disputes/", good).status_code == 302
    again = client.post("/my/disputes/", good)
    assert "This ticket is disputed already." in str(again.context["form"].errors["ticket"])
    here = f"/my/disputes/{Dispute.objects.get().pk}/"
    for number in range(10):
        assert client.post(here, {"file": file(PDF + bytes([number]))}).status_code == 302
    last = client.post(here, {"file": file(PDF + b"one more")})
    assert "at most 10 documents" in str(last.context["form"].errors["file"])
    assert (Dispute.objects.count(), DisputeDocument.objects.count()) == (1, 10)


def test_x10_a_paper_ticket_is_bound_by_its_code_and_credited_by_a_signed_wish() -> None:
    till, player = make_till(1_000), make_player()
    pool = make_pool("sportloto-variant")
    mine, other = sell_slips(pool, till, ("1", 100), ("1", 100))
    client = visitor(player)
    wrong = client.post("/my/tickets/", {"ticket": mine.bet.ticket, "check_code": "AAAA-AAAA"})
    assert "no ticket with this number and check code" in str(wrong.context["form"].errors["check_code"])
    assert not TicketOwner.objects.exists()
    sent = {"ticket": mine.bet.ticket, "check_code": mine.check_code}
    assert client.post("/my/tickets/", sent).status_code == 302
    assert client.post("/my/tickets/", sent).status_code == 302  # bound again it is the same
    assert TicketOwner.objects.get().account == account_of(player)
    assert mine.bet.ticket in text_of(client.get("/my/tickets/"))
    stranger = visitor(make_player())
    assert mine.bet.ticket not in text_of(stranger.get("/my/tickets/"))
    taken = stranger.post("/my/tickets/", sent)
    assert "bound to an account, or settled, already" in text_of(taken)
    assert TicketOwner.objects.count() == 1

    assert "first confirm once more who you are" in text_of(client.get("/my/tickets/"))
    refused = client.post("/my/tickets/wish/", {"wanted": "yes"}, follow=True)
    assert "Show the second factor" in text_of(refused)
    assert not CreditWish.objects.exists()
    client = proven(player)
    assert "go to your account" in text_of(client.post("/my/tickets/wish/", {"wanted": "yes"}, follow=True))
    assert CreditWish.objects.get().wanted
    client.get("/my/tickets/wish/")
    client.post("/my/tickets/wish/", {"wanted": "perhaps"})
    assert CreditWish.objects.count() == 1
    settle(pool, "1")
    book_payables(code=pool.code)
    paid_to = {row.ticket: row.pay_to for row in Payable.objects.filter(pool=pool)}
    assert paid_to == {mine.bet.ticket: account_of(player).ledger_account, other.bet.ticket: None}
    client = proven(player)
    assert "on its way to the account" in text_of(client.get("/my/"))
    assert "taken back" in text_of(client.post("/my/tickets/wish/", {"wanted": "no"}, follow=True))
    assert "1 paper ticket has won" in text_of(client.get("/my/"))
    assert money_of(player) == 0


def test_x10_guessing_a_check_code_is_slow() -> None:
    till, player = make_till(), make_player()
    (slip,) = sell_slips(make_pool(), till, ("1;1;1", 100))
    client = visitor(player)
    for _time in range(20):
        client.post("/my/tickets/", {"ticket": slip.bet.ticket, "check_code": "AAAA-AAAA"})
    right = client.post("/my/tickets/", {"ticket": slip.bet.ticket, "check_code": slip.check_code})
    assert (right.status_code, TicketOwner.objects.exists()) == (400, False)


def test_x10_a_ticket_that_is_bound_to_a_phone_needs_a_code_from_there() -> None:
    till, player = make_till(), make_player()
    (slip,) = sell_slips(make_pool(), till, ("1;1;1", 100))
    bind(slip, tell=False)
    client = visitor(player)
    sent = {"ticket": slip.bet.ticket, "check_code": slip.check_code}
    assert client.post("/my/tickets/", sent).status_code == 400
    assert not TicketOwner.objects.exists()
    asked = client.post("/my/tickets/phone-code/", {"ticket": slip.bet.ticket, "phone": "12"})
    assert (asked.status_code, "phone" in asked.context["form"].errors) == (400, True)
    told = client.post("/my/tickets/phone-code/", {"ticket": slip.bet.ticket, "phone": PHONE}, follow=True)
    assert "a code is on its way there" in text_of(told)
    assert client.post("/my/tickets/", {**sent, "phone_code": last_code()}).status_code == 302
    assert TicketOwner.objects.get().ticket == slip.bet.ticket


def test_14_a_winner_agrees_to_be_published_and_takes_it_back() -> None:
    pool, player = make_pool(), make_player(1_000)
    best = bet_from_account(pool, player, "1;1;1", 100).bet.ticket
    second = bet_from_account(pool, player, "1;1;2", 100).bet.ticket
    settle(pool, "1;1;1")
    book_payables(code=pool.code)
    good = {"ticket": best, "name": "Янка К., Минск", "amount": "on"}
    unproven = visitor(player)
    assert "nothing is published of you" in text_of(unproven.get("/my/publications/"))
    refused = unproven.post("/my/publications/", good)
    assert (refused.status_code, "Show the second factor" in text_of(refused)) == (400, True)
    client = proven(player)
    for change, field in (
        ({"ticket": second}, None),
        ({"ticket": "T-0"}, "ticket"),
        ({"name": "", "amount": ""}, "name"),
        ({"words": "x" * 501}, "words"),
    ):
        page = client.post("/my/publications/", {**good, **change})
        assert page.status_code == 400
        assert field is None or field in page.context["form"].errors, change
    assert not PublicationConsent.objects.exists()
    assert client.post("/my/publications/", good).status_code == 302
    consent = PublicationConsent.objects.get()
    assert (consent.ticket, consent.name, consent.words, consent.amount) == (best, "Янка К., Минск", "", 84)
    shown = client.get("/my/publications/").content.decode()
    withdraw = f"/my/publications/{consent.pk}/withdraw/"
    assert withdraw in shown
    assert visitor(make_player()).post(withdraw).status_code == 404
    client.get(withdraw)
    assert not ConsentWithdrawal.objects.exists()
    assert "is withdrawn" in text_of(client.post(withdraw, follow=True))
    assert ConsentWithdrawal.objects.get().withdrawn_by == player
    assert withdraw not in client.get("/my/publications/").content.decode()


def test_k6_letters_are_sent_to_who_wants_them() -> None:
    pool, players = make_pool("sportloto-variant"), [make_player(1_000) for _ in range(2)]
    for player in players:
        bet_from_account(pool, player, "1", 100)
    quiet, other = (visitor(player) for player in players)
    settings_page = quiet.get("/my/notices/settings/")
    assert f"on {players[0].email}" in text_of(settings_page)
    assert quiet.post("/my/notices/settings/", {"wanted": "perhaps"}).status_code == 400
    assert not NoticeChoice.objects.exists()
    for _time in range(2):
        assert quiet.post("/my/notices/settings/", {"wanted": "no"}).status_code == 302
    assert NoticeChoice.objects.get().player == players[0]
    settle(pool, "1")
    book_payables(code=pool.code)
    tell_players(code=pool.code)
    assert send_letters() == 1
    assert [letter.to for letter in mail.outbox] == [[players[1].email]]
    quiet, other = (visitor(player) for player in players)
    assert "1 new notice" in text_of(quiet.get("/my/"))  # the own page tells all the same
    assert "1 new notice" in text_of(other.get("/my/"))
    assert quiet.post("/my/notices/settings/", {"wanted": "yes"}).status_code == 302
    assert send_letters() == 1


@pytest.mark.parametrize("role", [Role.CASHIER, Role.COMMISSION, Role.ORGANIZER, Role.REGULATOR])
def test_r1_nobody_but_a_player_has_such_pages(role: Role) -> None:
    client = visitor(make_user(role))
    for path in ("bets/", "alive/", "disputes/", "tickets/", "publications/", "notices/settings/"):
        assert (client.get(f"/my/{path}").status_code, client.post(f"/my/{path}").status_code) == (403, 403)
