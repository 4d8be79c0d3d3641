"""The organizer's pages of the system: roles, releases, receivers of events, pauses, keys, proposals taken back."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from accounts.models import CurrencyRate, NumberProposal, ReleaseApproval, ReleaseChange, Role, RoleProposal, User
from accounts.services.dated_numbers import propose_number
from payouts.queries.waiting.of_the_system import number_proposals, role_proposals
from pools.models import Incident, IncidentState
from pools.services.operator_keys import register_operator_key
from tests.functional.browsing import text_of, visitor
from tests.making import make_organizers, make_pool, make_till, make_user
from tests.paying import broken as broken_books
from totalizator.core import clock
from totalizator.core.legal import legal_number
from totalizator.core.models import JournalRecord, LegalNumber, Subscriber, SubscriberState

pytestmark = pytest.mark.django_db
CODE = "sha256:" + "a" * 64


def act_of(subject: str) -> str:
    return JournalRecord.objects.filter(subject=subject).latest("pk").act


def test_r1_a_role_is_proposed_by_one_and_given_by_another() -> None:
    (one, other), clerk = make_organizers(), make_user(Role.CASHIER, "clerk")
    Authenticator.objects.create(user=one, type=Authenticator.Type.TOTP, data={})
    first, second = visitor(one), visitor(other)
    listed = first.get("/desk/people/")
    rows = {user.username: user.protected for user in listed.context["page"]}
    assert (rows[one.username], rows[other.username], rows["clerk"]) == (True, False, False)
    assert [user.username for user in first.get("/desk/people/?q=CLER").context["page"]] == ["clerk"]
    assert [user.username for user in first.get("/desk/people/?role=cashier").context["page"]] == ["clerk"]
    here = f"/desk/people/{clerk.pk}/"
    for fields, words in (
        ({"role": "", "reason": "x"}, "This field is required."),
        ({"role": "chief", "reason": "x"}, "Select a valid choice."),
        ({"role": "cashier", "reason": "x"}, "The person has this role already."),
        ({"role": "commission", "reason": " "}, "This field is required."),
    ):
        page = first.post(here, fields)
        assert (page.status_code, words in text_of(page)) == (400, True), fields
    assert first.post(f"/desk/people/{one.pk}/", {"role": "cashier", "reason": "x"}).status_code == 400
    assert not RoleProposal.objects.exists()
    assert first.post(here, {"role": "commission", "reason": "Elected"}).status_code == 302
    proposal = RoleProposal.objects.get()
    approve, withdraw = f"/desk/roles/{proposal.pk}/approve/", f"/desk/roles/{proposal.pk}/withdraw/"
    mine, theirs = (browser.get("/desk/people/").content.decode() for browser in (first, second))
    assert ((approve in mine, withdraw in mine), (approve in theirs, withdraw in theirs)) == (
        (False, True),
        (True, False),
    )
    assert '<a href="/desk/people/">Roles to approve' in second.get("/desk/").content.decode()
    assert "Another person than who proposed it must approve it." in text_of(first.post(approve, follow=True))
    second.get(approve)
    clerk.refresh_from_db()
    assert clerk.role == Role.CASHIER
    assert "The role is given" in text_of(second.post(approve, follow=True))
    clerk.refresh_from_db()
    assert clerk.role == Role.COMMISSION
    assert f"Elected {one.username}" in text_of(second.get(here))
    assert "does not stand any more" in text_of(first.post(withdraw, follow=True))


def test_r1_who_proposed_a_role_takes_it_back_and_nobody_else_does() -> None:
    (one, other), clerk = make_organizers(), make_user(Role.CASHIER)
    first, second = visitor(one), visitor(other)
    first.post(f"/desk/people/{clerk.pk}/", {"role": "commission", "reason": "Elected"})
    number = RoleProposal.objects.get().pk
    assert "Only who proposed it can take it back." in text_of(
        second.post(f"/desk/roles/{number}/withdraw/", follow=True)
    )
    assert role_proposals().lines(5)
    assert "The proposal is taken back." in text_of(first.post(f"/desk/roles/{number}/withdraw/", follow=True))
    assert act_of(clerk.actor) == "withdraw_role"
    assert role_proposals().lines(5) == []
    assert "does not stand any more" in text_of(second.post(f"/desk/roles/{number}/approve/", follow=True))
    assert "does not stand any more" in text_of(first.post(f"/desk/roles/{number}/withdraw/", follow=True))
    assert "taken back" in text_of(first.get(f"/desk/people/{clerk.pk}/"))
    assert User.objects.get(pk=clerk.pk).role == Role.CASHIER
    missing = first.post("/desk/roles/999/withdraw/", follow=True)
    assert "There is no such proposal." in text_of(missing)


def test_n4_a_proposed_number_is_taken_back_and_its_source_is_told_in_the_readers_language() -> None:
    one, other = make_organizers()
    first, second = visitor(one), visitor(other)
    day = clock.today() + timedelta(days=5)
    words = {"source": "Order 9", "reason": "Few"}
    propose_number(name="refused_scans", value="7", valid_from=day, proposed_by=one, **words)
    number = NumberProposal.objects.get().pk
    approve, withdraw = f"/desk/numbers/{number}/approve/", f"/desk/numbers/{number}/withdraw/"
    assert withdraw in first.get("/desk/numbers/").content.decode()
    assert withdraw not in second.get("/desk/numbers/").content.decode()
    assert "Only who proposed it can take it back." in text_of(second.post(withdraw, follow=True))
    assert "The proposal is taken back." in text_of(first.post(withdraw, follow=True))
    assert act_of("number:refused_scans") == "withdraw_number"
    assert number_proposals(clock.now()).lines(5) == []
    assert "does not stand any more" in text_of(second.post(approve, follow=True))
    assert int(legal_number("refused_scans", day)) == 5
    LegalNumber.objects.create(name="minimum_age", valid_from=clock.today(), value="21", source="Указ 305")
    shown = text_of(first.get("/desk/numbers/"))
    assert "Указ 305" in shown
    assert "Income tax on winnings: 5 %, from 2026" in shown


def test_r4_a_change_of_the_system_is_proposed_by_one_and_approved_by_another() -> None:
    one, other = make_organizers()
    first, second = visitor(one), visitor(other)
    assert "No change was proposed yet." in text_of(first.get("/desk/releases/"))
    change = {"code": CODE, "notice": "Faster", "evidence": "Run 7"}
    for broken, words in (({"code": "sha256:x"}, "Give the digest as it was printed"), ({"notice": " "}, "required")):
        page = first.post("/desk/releases/", change | broken)
        assert (page.status_code, words in text_of(page)) == (400, True)
    assert not ReleaseChange.objects.exists()
    assert first.post("/desk/releases/", change).status_code == 302
    approve = f"/desk/releases/{ReleaseChange.objects.get().pk}/approve/"
    mine, theirs = (browser.get("/desk/releases/").content.decode() for browser in (first, second))
    assert (approve in mine, approve in theirs) == (False, True)
    assert "Another person must approve it." in text_of(first.post(approve, follow=True))
    assert not ReleaseApproval.objects.exists()
    assert "The change is approved" in text_of(second.post(approve, follow=True))
    assert ReleaseApproval.objects.get().approved_by == other
    assert "This change is approved already." in text_of(second.post(approve, follow=True))


def test_u1_a_receiver_of_events_is_proposed_approved_and_stopped_by_two() -> None:
    one, other = make_organizers()
    first, second = visitor(one), visitor(other)
    asked = {"name": "Regulator", "url": "https://events.example/in", "kinds": ["pool.closed"], "required": "on"}
    for broken in ({"name": ""}, {"url": "ftp://x"}, {"kinds": ["no.such"]}, {"after": "-1"}):
        assert first.post("/desk/subscribers/", asked | broken).status_code == 400, broken
    assert not Subscriber.objects.exists()
    made = first.post("/desk/subscribers/", asked)
    row = Subscriber.objects.get()
    assert (made.status_code, row.secret in made.content.decode(), row.required) == (200, True, True)
    assert (row.kinds, row.delivered) == (["pool.closed"], 0)
    assert row.secret not in first.get("/desk/subscribers/").content.decode()
    approve = f"/desk/subscribers/{row.pk}/approve/"
    assert approve not in first.get("/desk/subscribers/").content.decode()
    assert "Another person must approve it." in text_of(first.post(approve, follow=True))
    assert "It is told of events from now on." in text_of(second.post(approve, follow=True))
    first.post("/desk/subscribers/stop/", {"number": row.pk, "reason": " "})
    row.refresh_from_db()
    assert (row.state, row.stop_proposed_by) == (SubscriberState.ACTIVE, "")
    first.post("/desk/subscribers/stop/", {"number": row.pk, "reason": "Moved"})
    end = f"/desk/subscribers/{row.pk}/stop/approve/"
    assert end in second.get("/desk/subscribers/").content.decode()
    assert "Another person must approve it." in text_of(first.post(end, follow=True))
    assert "It is told no more." in text_of(second.post(end, follow=True))
    row.refresh_from_db()
    assert (row.state, row.stopped_by) == (SubscriberState.STOPPED, other.actor)
    first.post("/desk/subscribers/", asked)
    again = Subscriber.objects.latest("pk")
    first.post("/desk/subscribers/stop/", {"number": again.pk, "reason": "A mistake"})  # a proposal: at once
    again.refresh_from_db()
    assert again.state == SubscriberState.STOPPED
    assert first.post("/desk/subscribers/stop/", {"number": 999, "reason": "x"}).status_code == 302


def test_t2_sales_are_paused_and_resumed_with_what_was_found() -> None:
    pool, till = make_pool(), make_till()
    staff = visitor(pool.prepared_by)
    assert "everything that is open sells" in text_of(staff.get("/desk/pauses/"))
    for broken in ({"cause": " "}, {"point": "NONE"}, {"pool_code": "X-1"}, {"channel": "smoke"}):
        assert staff.post("/desk/pauses/", {"cause": "Flood", **broken}).status_code == 400, broken
    assert not Incident.objects.exists()
    asked = {"cause": "Flood", "pool_code": pool.code, "channel": "cash", "point": till.point.code}
    assert f'value="{pool.code}" selected' in staff.get(f"/desk/pauses/?pool={pool.code}").content.decode()
    assert staff.post("/desk/pauses/", asked).status_code == 302
    pause = Incident.objects.get()
    assert (pause.pool, pause.channel, pause.point, pause.started_by) == (pool, "cash", till.point, pool.prepared_by)
    assert "Flood" in text_of(staff.get(f"/desk/pools/{pool.code}/"))
    empty = staff.post("/desk/pauses/end/", {"number": pause.pk, "outcome": ""})
    assert (empty.status_code, "This field is required." in text_of(empty)) == (400, True)
    assert staff.post("/desk/pauses/end/", {"number": 999, "outcome": "x"}).status_code == 404
    assert staff.get("/desk/pauses/end/").status_code == 302
    pause.refresh_from_db()
    assert pause.state == IncidentState.OPEN
    assert staff.post("/desk/pauses/end/", {"number": pause.pk, "outcome": "Pumped dry"}).status_code == 302
    pause.refresh_from_db()
    assert (pause.state, pause.outcome) == (IncidentState.ENDED, "Pumped dry")
    again = staff.post("/desk/pauses/end/", {"number": pause.pk, "outcome": "Again"})
    assert (again.status_code, "This pause has ended." in text_of(again)) == (400, True)
    assert "Pumped dry" in text_of(staff.get("/desk/pauses/"))


def test_p35_rates_are_read_from_a_file_and_faulty_lines_are_told() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    assert "No rate was read yet." in text_of(staff.get("/desk/rates/"))

    def sent(content: bytes, **more: str) -> Any:
        file = SimpleUploadedFile("rates.csv", content)
        return staff.post("/desk/rates/", {"text": file, "source": "НБРБ", **more})

    for content, words in ((b"x", "The first line must be"), (b"\x00", "no text in UTF-8"), (b"", "empty")):
        answer = sent(content)
        assert (answer.status_code, words in text_of(answer)) == (400, True), words
    assert sent(b"date;currency;units;rate\n", source="").status_code == 400
    assert not CurrencyRate.objects.exists()
    today = clock.today().isoformat()
    good = f"date;currency;units;rate\n{today};USD;1;3.2\n"
    assert sent(good.encode()).status_code == 302
    mixed = sent(good.encode() + f"{today};RUB;100;3.5\n{today};XYZ;1;1\n".encode())
    assert (mixed.status_code, [number for number, _text in mixed.context["faults"]]) == (200, [4])
    assert "3.2" in text_of(staff.get("/desk/rates/"))
    assert {(rate.currency, rate.rate) for rate in CurrencyRate.objects.all()} == {("USD", "3.2"), ("RUB", "3.5")}


def test_f1_payment_systems_are_shown_compared_and_booked_once(settings: Any) -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    assert "No payment system is set up" in text_of(staff.get("/desk/payment-systems/"))
    settings.PAYMENT_PROVIDERS = {"fake": {"url": "https://pay.example", "keys": ["k"], "currencies": ["BYN"]}}
    ahead = {"about": "prefunded", "provider": "fake", "amount": "40", "reference": "B-2"}
    for broken in ({"provider": "other"}, {"amount": "0"}, {"amount": "x"}, {"reference": ""}):
        assert staff.post("/desk/payment-systems/", ahead | broken).status_code == 400, broken
    assert staff.get("/desk/payment-systems/").context["systems"][0].holds == 0
    assert "It is booked." in text_of(staff.post("/desk/payment-systems/", ahead, follow=True))
    assert "nothing is booked twice" in text_of(staff.post("/desk/payment-systems/", ahead, follow=True))
    assert staff.get("/desk/payment-systems/").context["systems"][0].holds == 4_000
    over = {"about": "paid-over", "provider": "fake", "received": "39", "held": "40", "reference": "B-3"}
    assert "It is booked." in text_of(staff.post("/desk/payment-systems/", over, follow=True))
    assert (staff.get("/desk/payment-systems/").context["systems"][0].holds, broken_books()) == (0, [])
    report = {"about": "report", "provider": "fake", "day": clock.today().isoformat()}
    table = SimpleUploadedFile("report.csv", b"reference;kind;outcome;amount;currency\n")
    early = staff.post("/desk/payment-systems/", {**report, "text": table})
    assert (early.status_code, "This day is not over yet." in text_of(early)) == (400, True)
    table.seek(0)
    yesterday = (clock.today() - timedelta(days=1)).isoformat()
    done = staff.post("/desk/payment-systems/", {**report, "day": yesterday, "text": table}, follow=True)
    assert "0 lines are compared; new in the queue: 0; lines that cannot be read: 0." in text_of(done)
    assert staff.post("/desk/payment-systems/", {"about": "nothing"}).status_code == 200


def test_x6_the_operators_keys_are_shown() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    key = register_operator_key()
    shown = text_of(staff.get("/desk/operator-keys/"))
    assert (f"{key.key_id} in use" in shown, key.public in shown) == (True, True)


@pytest.mark.parametrize("language", ["ru", "be"])
def test_our_own_sources_are_texts_of_the_catalogue(language: str) -> None:
    shown = text_of(visitor(make_user(Role.ORGANIZER), language).get("/desk/numbers/"))
    with translation.override(language):
        assert translation.gettext("Age from which a person may take part") in shown
