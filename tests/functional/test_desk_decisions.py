"""The organizer's pages on which two people decide: disputes, ¶29, lost tickets, withdrawals, dated numbers, events."""

from datetime import timedelta

import pytest

from accounts.models import NumberProposal, Role, WithdrawalState
from payouts.models import ClaimProposal, ClaimState, Dispute, DisputeState, LargeApproval
from payouts.queries.reports.significant import significant_events
from payouts.services.disputes import consider, dispute_by_letter
from pools.models import BetCancellation, BetCancellationProposal
from tests.approving import APPROVALS
from tests.claiming import claimed, won
from tests.disputing import proposed
from tests.functional.browsing import text_of, visitor
from tests.making import bet_in_cash, make_organizers, make_player, make_pool, make_till, make_user
from tests.paying import money_of
from tests.topping_up import ask_back, named_bank
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.legal_words import NAMES
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def a_ticket() -> str:
    return bet_in_cash(make_pool(), make_till(), "1;X;2", 100).bet.ticket


def test_p45_a_dispute_is_entered_considered_by_one_and_answered_by_another() -> None:
    (one, other), ticket = make_organizers(), a_ticket()
    first, second = visitor(one), visitor(other)
    assert "No disputes." in text_of(first.get("/desk/disputes/"))
    entered = first.post("/desk/disputes/", {"ticket": ticket, "story": "I had X,\nnot 1."})
    dispute = Dispute.objects.get()
    here = f"/desk/disputes/{dispute.pk}/"
    assert (entered.status_code, entered["Location"]) == (302, here)
    assert ticket in text_of(first.get("/desk/disputes/"))
    page = first.get(here)
    assert "I had X,<br>not 1." in page.content.decode()
    assert f'href="/api/v1/staff/disputes/{dispute.pk}/evidence"' in page.content.decode()
    assert first.post(here, {"words": " "}).status_code == 400
    assert first.post(here, {"words": "The till's tape"}).status_code == 302
    page = first.get(here)
    assert "Another person than the one who considered it must answer." in text_of(page)
    assert "The till's tape" in text_of(page).replace("&#x27;", "'")
    alone = first.post(here, {"upheld": "no", "words": "No"})
    assert alone.status_code == 400
    dispute.refresh_from_db()
    assert (dispute.state, dispute.steps.count()) == (DisputeState.CONSIDERED, 2)
    unclear = second.post(here, {"words": "So it is"})
    assert (unclear.status_code, "This field is required." in text_of(unclear)) == (400, True)
    assert second.post(here, {"upheld": "yes", "words": "You are right"}).status_code == 302
    dispute.refresh_from_db()
    assert dispute.state == DisputeState.UPHELD
    assert second.post(here, {"upheld": "no", "words": "Or not"}).status_code == 200  # nothing is taken any more
    dispute.refresh_from_db()
    assert dispute.state == DisputeState.UPHELD
    assert ticket not in text_of(first.get("/desk/disputes/"))
    assert ticket in text_of(first.get("/desk/disputes/?state=upheld"))


def test_p45_what_somebody_else_has_taken_up_meanwhile_is_not_answered_by_the_form_for_it() -> None:
    (one, other), ticket = make_organizers(), a_ticket()
    dispute = dispute_by_letter(ticket=ticket, story="Why?", opened_by=one)
    consider(dispute=dispute, words="The tape", considered_by=one)
    assert visitor(other).post(f"/desk/disputes/{dispute.pk}/", {"words": "The register"}).status_code == 400
    dispute.refresh_from_db()
    assert (dispute.state, dispute.steps.count()) == (DisputeState.CONSIDERED, 2)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"ticket": "T-0", "story": "Why?"}, "There is no such ticket."),
        ({"ticket": "", "story": "Why?"}, "This field is required."),
        ({"ticket": "x" * 61, "story": "Why?"}, "at most 60 characters"),
    ],
)
def test_a_dispute_that_cannot_be_entered_is_told_beside_its_field(written: dict[str, str], words: str) -> None:
    page = visitor(make_user(Role.ORGANIZER)).post("/desk/disputes/", written)
    assert page.status_code == 400
    assert words in str(page.context["form"].errors["ticket"])
    assert not Dispute.objects.exists()


def test_p29_a_bet_is_proposed_by_one_and_cancelled_by_another() -> None:
    (one, other), ticket = make_organizers(), a_ticket()
    first, second = visitor(one), visitor(other)
    written = {"ticket": ticket, "reason": "Made by a member of the commission.", "document": "Act 1"}
    for broken in ({"ticket": "T-0"}, {"reason": ""}, {"document": " "}):
        assert first.post("/desk/cancelled-bets/", {**written, **broken}).status_code == 400
    assert not BetCancellationProposal.objects.exists()
    assert first.post("/desk/cancelled-bets/", written).status_code == 302
    proposal = BetCancellationProposal.objects.get()
    approve = f"/desk/cancelled-bets/{proposal.pk}/approve/"
    mine, theirs = first.get("/desk/cancelled-bets/"), second.get("/desk/cancelled-bets/")
    assert (approve in mine.content.decode(), approve in theirs.content.decode()) == (False, True)
    assert "BYN 1.00, cash at a betting point" in text_of(theirs)
    second.get(approve)  # reading decides nothing
    alone = first.post(approve, follow=True)
    assert "Another person must approve it." in text_of(alone)
    assert not BetCancellation.objects.exists()
    done = second.post(approve, follow=True)
    assert "The bet is cancelled; its stake is returned." in text_of(done)
    assert (BetCancellation.objects.get().ticket, BetCancellation.objects.get().approved_by) == (ticket, other)
    assert "This bet is cancelled already." in text_of(first.post("/desk/cancelled-bets/", written))


def test_p29_only_the_latest_proposal_is_shown_and_an_earlier_one_cannot_be_approved() -> None:
    (one, other), ticket = make_organizers(), a_ticket()
    earlier, later = proposed(ticket, one), proposed(ticket, other)
    page = visitor(make_user(Role.ORGANIZER)).get("/desk/cancelled-bets/").content.decode()
    assert (f"/{earlier.pk}/approve/" in page, f"/{later.pk}/approve/" in page) == (False, True)
    answer = visitor(other).post(f"/desk/cancelled-bets/{earlier.pk}/approve/", follow=True)
    assert "Another proposal has been made meanwhile" in text_of(answer)
    assert not BetCancellation.objects.exists()


def test_k4_a_claim_to_a_lost_ticket_is_decided_by_two() -> None:
    till, (one, other) = make_till(1_000), make_organizers()
    _pool, slip = won(till)
    claim, rival = claimed(slip, till), claimed(slip, till, "CLAIM00002")
    first, second = visitor(one), visitor(other)
    here = f"/desk/ticket-claims/{claim.pk}/"
    listed = first.get("/desk/ticket-claims/").content.decode()
    assert here in listed
    page = text_of(first.get(here))
    assert "Bought on Monday." in page
    assert f"Others claim it too No. {rival.pk}" in page
    assert "CLAIM00001" not in page  # who it is stays with the desk
    assert first.post(here, {"grant": "", "reason": "As the tape shows"}).status_code == 400
    assert first.post(here, {"grant": "yes", "reason": "x" * 501}).status_code == 400
    assert not ClaimProposal.objects.exists()
    assert first.post(here, {"grant": "yes", "reason": "As the tape shows"}).status_code == 302
    approve = f"/desk/ticket-claims/proposals/{ClaimProposal.objects.get().pk}/approve/"
    assert (approve in first.get(here).content.decode(), approve in second.get(here).content.decode()) == (False, True)
    assert "Another person must approve it." in text_of(first.post(approve, follow=True))
    claim.refresh_from_db()
    assert claim.state == ClaimState.DISPUTED
    assert "The claim is decided." in text_of(second.post(approve, follow=True))
    claim.refresh_from_db()
    rival.refresh_from_db()
    assert (claim.state, rival.state) == (ClaimState.GRANTED, ClaimState.REFUSED)
    assert f"Decided Pay the claimant: As the tape shows {one.username}" in text_of(second.get(here))
    refused_one = f"/desk/ticket-claims/{rival.pk}/"
    assert second.post(refused_one, {"grant": "yes", "reason": "Again"}).status_code == 200
    assert ClaimProposal.objects.count() == 1


def test_k1_a_large_payment_is_approved_by_another_person() -> None:
    APPROVALS["payouts.services.large_payments.approve_large_payment"](None)  # type: ignore[arg-type]
    staff = visitor(make_user(Role.ORGANIZER))
    page = staff.get("/desk/large-payments/")
    (payment,) = page.context["page"]
    assert "BYN 7.00" in text_of(page)
    approve = f"/desk/large-payments/{payment.pk}/approve/"
    staff.get(approve)
    assert not LargeApproval.objects.exists()
    assert "the desk can pay it now" in text_of(staff.post(approve, follow=True))
    assert LargeApproval.objects.get().payment == payment
    assert "No large payment waits." in text_of(staff.get("/desk/large-payments/"))


def test_f2_a_withdrawal_is_approved_or_refused() -> None:
    staff = visitor(make_user(Role.ORGANIZER))
    players = [make_player(500_000) for _ in range(2)]
    kept, given_back = (ask_back(player, 400_000, named_bank(player)) for player in players)
    page = text_of(staff.get("/desk/withdrawals/"))
    assert page.count("BYN 4,000.00") == 2
    assert players[0].username in page
    wrong = staff.post("/desk/withdrawals/", {"number": given_back.pk, "reason": ""})
    assert (wrong.status_code, text_of(wrong).count("This field is required.")) == (400, 1)
    assert money_of(players[1]) == 100_000
    assert staff.post("/desk/withdrawals/", {"number": given_back.pk, "reason": "Another name"}).status_code == 302
    assert money_of(players[1]) == 500_000
    approve = f"/desk/withdrawals/{kept.pk}/approve/"
    staff.get(approve)
    kept.refresh_from_db()
    assert kept.state == WithdrawalState.REQUESTED
    assert "The withdrawal is approved." in text_of(staff.post(approve, follow=True))
    kept.refresh_from_db()
    assert (kept.state, money_of(players[0])) == (WithdrawalState.APPROVED, 100_000)
    for late in (
        staff.post(approve, follow=True),
        staff.post("/desk/withdrawals/", {"number": kept.pk, "reason": "Too late"}),
    ):
        assert "it cannot become" in text_of(late)
    assert staff.post("/desk/withdrawals/", {"number": 10**15, "reason": "None"}).status_code == 404
    assert staff.post("/desk/withdrawals/", {"number": "x", "reason": "None"}).status_code == 400


def test_n4_a_dated_number_is_proposed_by_one_and_approved_by_another() -> None:
    one, other = make_organizers()
    first, second = visitor(one), visitor(other)
    day = clock.today() + timedelta(days=3)
    written = {
        "name": "refused_scans",
        "value": "7",
        "valid_from": day.isoformat(),
        "source": "Order 9",
        "reason": "Few",
    }
    for field, value, words in (
        ("name", "no_such", "Select a valid choice."),
        ("value", "0.5", "The number cannot have this value."),
        ("valid_from", clock.today().isoformat(), "A number changes on"),
        ("valid_from", "soon", "Enter a valid date."),
        ("source", " ", "This field is required."),
    ):
        page = first.post("/desk/numbers/", {**written, field: value})
        assert (page.status_code, words in str(page.context["form"].errors[field])) == (400, True), field
    assert not NumberProposal.objects.exists()
    assert first.post("/desk/numbers/", written).status_code == 302
    approve = f"/desk/numbers/{NumberProposal.objects.get().pk}/approve/"
    mine, theirs = first.get("/desk/numbers/"), second.get("/desk/numbers/")
    assert (approve in mine.content.decode(), approve in theirs.content.decode()) == (False, True)
    assert "Another person must approve it." in text_of(first.post(approve, follow=True))
    second.get(approve)
    assert int(legal_number("refused_scans", day)) == 5
    assert "it holds from its day on" in text_of(second.post(approve, follow=True))
    assert (int(legal_number("refused_scans", day)), int(legal_number("refused_scans", clock.today()))) == (7, 5)
    assert "approved already" in text_of(second.post(approve, follow=True))
    shown = text_of(first.get("/desk/numbers/?name=refused_scans"))
    assert "Wrong check codes a day that are no forgery yet 5" in shown
    for text in (shown, text_of(second.get("/desk/"))):
        assert not [name for name in NAMES if name in text]
    for name, typed, kept in (
        ("large_winning_from", "12 000,50", "1200050"),
        ("winning_tax_rate", "13", "13/100"),
        ("winning_tax_rate", "1/8", "1/8"),
        ("stake_is_taxed", "no", "0"),
        ("notice_from_hour", "10:00", "10"),
        ("dispute_days", "31", "31"),
    ):
        assert first.post("/desk/numbers/", {**written, "name": name, "value": typed}).status_code == 302, typed
        assert NumberProposal.objects.latest("pk").value == kept
    proposed = NumberProposal.objects.count()
    for name, typed in (("large_winning_from", "1.505"), ("winning_tax_rate", "a lot"), ("winning_tax_rate", "101")):
        page = first.post("/desk/numbers/", {**written, "name": name, "value": typed})
        assert (page.status_code, list(page.context["form"].errors)) == (400, ["value"]), typed
    assert NumberProposal.objects.count() == proposed
    shown = text_of(second.get("/desk/numbers/"))
    for words in ("central desk by two, from: BYN 12,000.50", "Income tax on winnings: 12.5 %", "taxed: no", "31 days"):
        assert words in shown.replace("\u00a0", " "), words
    assert approve not in first.get("/desk/numbers/").content.decode()


def test_n4_somebody_says_what_was_done_about_an_event_once() -> None:
    staff, other = (visitor(person) for person in make_organizers())
    write_journal(at=clock.now(), actor="test", act="pause_sales", subject="incident:1", reason="Flood")
    key = f"journal:{JournalRecord.objects.get(act='pause_sales').pk}"
    assert "Flood" in text_of(staff.get("/desk/events/"))
    assert staff.post("/desk/events/", {"key": key, "words": " "}).status_code == 400
    assert staff.post("/desk/events/", {"key": "journal:0", "words": "Done"}).status_code == 400
    assert staff.post("/desk/events/", {"key": key, "words": "The pump runs"}).status_code == 302
    again = other.post("/desk/events/", {"key": key, "words": "Me too"})
    assert (again.status_code, "Somebody has seen to this event already." in text_of(again)) == (400, True)
    now = clock.now() + timedelta(seconds=1)
    words = {event.key: event.words for event in significant_events(now - timedelta(days=1), now)}
    assert words[key] == "The pump runs"


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION, Role.REGULATOR])
def test_r1_nobody_else_reads_or_decides(role: Role) -> None:
    client, ticket = visitor(make_user(role)), a_ticket()
    proposal = proposed(ticket)
    for path in (
        "disputes/",
        "cancelled-bets/",
        "ticket-claims/",
        "large-payments/",
        "withdrawals/",
        "numbers/",
        "events/",
    ):
        assert client.get(f"/desk/{path}").status_code == 403
        assert client.post(f"/desk/{path}", {"ticket": ticket}).status_code == 403
    assert client.post(f"/desk/cancelled-bets/{proposal.pk}/approve/").status_code == 403
    assert not BetCancellation.objects.exists()
