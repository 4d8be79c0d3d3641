"""The greatest winner is published by two people, as far as the winner agreed, and no longer (¶14, ¶44)."""

from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection, transaction

from accounts.models import Role
from payouts.models import Publication, PublicationConsent
from payouts.services.booking import book_payables
from payouts.services.publishing_winners import (
    Agreed,
    approve_publication,
    consent_from_account,
    consent_on_paper,
    propose_publication,
    withdraw_consent,
)
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.desks import keeper
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import JSON, Caller, told
from tests.making import bet_from_account, make_player, make_pool, make_till, make_user
from tests.paying import sell_slips
from tests.refusals import refused
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db

PAPER, PHOTO = b"%PDF-1.7 signed", b"\xff\xd8\xff a photo"
ALL = Agreed(name="Янка К., Минск", words="Plays on Fridays.", amount=True, photo=PHOTO)


def won() -> tuple[Pool, PlacedBet, PlacedBet]:
    """A settled pool of two levels with its greatest winner and another one."""
    pool = make_pool(conditions=3)
    best, second = sell_slips(pool, make_till(), ("1;1;1", 100), ("1;1;2", 100))
    settle(pool, "1;1;1")
    book_payables(code=pool.code)
    return pool, best, second


def consent(slip: PlacedBet, agreed: Agreed = ALL) -> PublicationConsent:
    return consent_on_paper(ticket=slip.bet.ticket, agreed=agreed, paper=PAPER, taken_by=keeper())


def publish(given: PublicationConsent) -> Publication:
    proposal = propose_publication(consent=given, proposed_by=make_user(Role.ORGANIZER))
    return approve_publication(proposal=proposal, approved_by=make_user(Role.ORGANIZER))


def shown() -> list[dict[str, Any]]:
    """What the open data tell of winners."""
    winners: list[dict[str, Any]] = Caller().get("open-data/winners").json()["winners"]
    return winners


def test_14_a_winner_is_shown_by_two_people_with_what_was_agreed_to() -> None:
    pool, best, _second = won()
    given, one, other = consent(best), make_user(Role.ORGANIZER), make_user(Role.ORGANIZER)
    proposal = propose_publication(consent=given, proposed_by=one)
    assert refused(partial(approve_publication, proposal=proposal, approved_by=one)).code == Refusal.SAME_PERSON
    by_player = partial(approve_publication, proposal=proposal, approved_by=make_player())
    assert refused(by_player).code == Refusal.NOT_ALLOWED
    assert shown() == []
    assert "Янка" not in text_of(visitor().get(f"/pools/{pool.code}/result/"))
    publication = approve_publication(proposal=proposal, approved_by=other)
    assert approve_publication(proposal=proposal, approved_by=other) == publication
    assert refused(partial(propose_publication, consent=given, proposed_by=one)).code == Refusal.WRONG_STATE
    (winner,) = shown()
    photo = f"/pools/{pool.code}/winners/{given.pk}/photo/"
    amount = sum(pool.winnings.filter(ticket=best.bet.ticket).values_list("amount", flat=True))
    assert winner == {
        "pool": pool.code,
        "name": "Янка К., Минск",
        "words": "Plays on Fridays.",
        "amount": f"{amount // 100}.{amount % 100:02d}",
        "photo": photo,
        "published_at": winner["published_at"],
    }
    for path in (f"/pools/{pool.code}/", f"/pools/{pool.code}/result/"):
        page = text_of(visitor().get(path))
        assert "Янка К., Минск" in page
        assert best.bet.ticket not in page
    answer = visitor().get(photo)
    assert (answer.content, answer["Content-Type"], answer["Cache-Control"]) == (PHOTO, "image/jpeg", "no-store")


def test_only_what_was_agreed_to_is_shown() -> None:
    pool, best, _second = won()
    given = consent(best, Agreed(name="Янка К."))
    publish(given)
    (winner,) = shown()
    assert (winner["name"], winner["words"], winner["amount"], winner["photo"]) == ("Янка К.", None, None, None)
    section = visitor().get(f"/pools/{pool.code}/result/").content.decode().partition('id="winners"')[2]
    section = section.partition("</section>")[0]
    assert "Янка К." in section
    assert "BYN" not in section
    assert "<img" not in section
    assert visitor().get(f"/pools/{pool.code}/winners/{given.pk}/photo/").status_code == 404


def test_a_withdrawn_consent_hides_everything_and_stays_on_record() -> None:
    pool, best, _second = won()
    given, staff = consent(best), make_user(Role.ORGANIZER)
    waiting = propose_publication(consent=given, proposed_by=staff)
    publish(given)
    assert len(shown()) == 1
    end = partial(withdraw_consent, consent=given, withdrawn_by=staff)
    assert refused(partial(end, reason=" ")).code == Refusal.BAD_VALUE
    stranger = partial(withdraw_consent, consent=given, reason="x", withdrawn_by=make_player())
    assert refused(stranger).code == Refusal.NOT_ALLOWED
    assert end(reason="Letter 5") == end(reason="Letter 6")
    assert shown() == []
    assert "Янка" not in text_of(visitor().get(f"/pools/{pool.code}/result/"))
    assert visitor().get(f"/pools/{pool.code}/winners/{given.pk}/photo/").status_code == 404
    late = partial(approve_publication, proposal=waiting, approved_by=make_user(Role.ORGANIZER))
    assert refused(late).code == Refusal.WRONG_STATE
    assert (Publication.objects.count(), PublicationConsent.objects.get().name) == (1, "Янка К., Минск")
    acts = JournalRecord.objects.filter(subject=f"bet:{best.bet.ticket}").order_by("pk").values_list("act", flat=True)
    wanted = ["record_publication_consent", "propose_publication", "propose_publication", "approve_publication"]
    assert [act for act in acts if "publication" in act] == [*wanted, "withdraw_publication_consent"]


def test_of_sportloto_only_the_greatest_and_of_totolot_only_a_large_winning_may_be_published() -> None:
    _pool, _best, second = won()
    assert refused(partial(consent, second)).code == Refusal.WRONG_STATE
    totolot = make_pool("totolot-variant")
    large, small = sell_slips(totolot, make_till(), ("1", 1_000), ("1", 100))
    settle(totolot, "1")
    book_payables(code=totolot.code)
    assert refused(partial(consent, large)).code == Refusal.WRONG_STATE
    LegalNumber.objects.create(name="large_winning_from", valid_from=clock.today(), value="600", source="A test's")
    forget_legal_numbers()
    assert consent(large).amount == 600
    assert refused(partial(consent, small)).code == Refusal.WRONG_STATE


def test_a_consent_says_something_by_a_paper_of_a_known_kind_and_never_changes() -> None:
    _pool, best, _second = won()
    assert refused(partial(consent, best, Agreed())).code == Refusal.BAD_VALUE
    assert refused(partial(consent, best, Agreed(name="x", photo=PAPER))).code == Refusal.BAD_VALUE
    staff = make_user(Role.ORGANIZER)
    no_paper = partial(consent_on_paper, ticket=best.bet.ticket, agreed=ALL, paper=b"text", taken_by=staff)
    assert refused(no_paper).code == Refusal.BAD_VALUE
    nothing = partial(consent_on_paper, ticket="NONE-1", agreed=ALL, paper=PAPER, taken_by=staff)
    assert refused(nothing).code == Refusal.NOT_FOUND
    by_player = partial(consent_on_paper, ticket=best.bet.ticket, agreed=ALL, paper=PAPER, taken_by=make_player())
    assert refused(by_player).code == Refusal.NOT_ALLOWED
    consent(best)
    with connection.cursor() as cursor:
        cursor.execute("SELECT c::text FROM payouts_publicationconsent c")
        assert "Янка" not in str(cursor.fetchall())
    for change in ("SET amount = 1", "SET photo_digest = ''"):
        with pytest.raises(DatabaseError, match="is evidence"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE payouts_publicationconsent {change}")
    with pytest.raises(DatabaseError, match="is evidence"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM payouts_publicationconsent")


def test_a_player_agrees_from_the_account_after_the_password_and_says_no_later() -> None:
    pool, player, other = make_pool("sportloto-variant"), make_player(1_000), make_player(1_000)
    ticket = bet_from_account(pool, player, "1", 100).bet.ticket
    settle(pool, "1")
    book_payables(code=pool.code)
    body = {"ticket": ticket, "name": "Янка К.", "amount": True}
    path = "me/publication-consents"
    assert told(Caller(player).post(path, body, key=None)) == (403, "step_up_needed")
    not_mine = partial(consent_from_account, ticket=ticket, agreed=ALL, player=other, stepped_up=True)
    assert refused(not_mine).code == Refusal.NOT_FOUND
    browser = visitor(player)
    browser.post("/account/reauthenticate/", {"password": "correct horse battery"})
    given = browser.post(f"/api/v1/{path}", body, content_type=JSON).json()
    assert (given["name"], given["amount"], given["way"]) == ("Янка К.", "0.70", "account")
    publish(PublicationConsent.objects.get())
    assert [winner["name"] for winner in shown()] == ["Янка К."]
    withdrawal = f"{path}/{given['number']}/withdrawal"
    assert told(Caller(other).post(withdrawal, key=None)) == (404, "not_found")
    assert Caller(player).post(withdrawal, key=None).json()["withdrawn_at"] is not None
    assert shown() == []
    assert len(Caller(player).get(path).json()["consents"]) == 1


def test_over_the_api_from_the_paper_to_the_page() -> None:
    _pool, best, _second = won()
    one, other = Caller(make_user(Role.ORGANIZER)), Caller(make_user(Role.ORGANIZER))
    form = {
        "ticket": best.bet.ticket,
        "name": "Янка К.",
        "amount": "true",
        "file": SimpleUploadedFile("paper.pdf", PAPER),
        "photo": SimpleUploadedFile("photo.jpg", PHOTO),
    }
    given = one.client.post("/api/v1/staff/publication-consents", form).json()
    number = given["number"]
    assert given["paper"].startswith("sha256:")
    proposal = one.post(f"staff/publication-consents/{number}/proposals", {}, key=None).json()
    approval = f"staff/publication-proposals/{proposal['number']}/approval"
    assert told(one.post(approval, {}, key=None)) == (403, "same_person")
    assert other.post(approval, {}, key=None).json()["published_at"] is not None
    assert [winner["name"] for winner in shown()] == ["Янка К."]
    assert other.get(f"staff/publication-consents/{number}/paper").content == PAPER
    ended = other.post(f"staff/publication-consents/{number}/withdrawal", {"reason": "Letter 5"}, key=None).json()
    assert ended["withdrawn_at"] is not None
    (listed,) = one.get("staff/publication-consents").json()["consents"]
    assert listed == ended
