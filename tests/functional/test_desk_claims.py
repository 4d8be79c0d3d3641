"""Lost, doubted and disputed tickets at the desk's pages: held, compared, told of, paid once granted (K4, M2)."""

import pytest

from accounts.models import Till
from payouts.models import ClaimState, Dispute, DisputeKind, LargePayment, Payment, TicketClaim
from payouts.services.disputes import answer, consider
from pools.services.printed_tickets import qr_text
from tests.claiming import approved, decided, make_central
from tests.desks import cash_in
from tests.functional.browsing import hidden, text_of, visitor
from tests.functional.test_desk_keyboard import Keyboard
from tests.functional.test_desk_scans import posted, ready
from tests.making import make_organizers, make_till
from totalizator.core import clock
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import LegalNumber

pytestmark = pytest.mark.django_db
PERSON = {"identity_number": "CLAIM00001", "birth_date": "1990-05-31"}
TOLD = {"mishap": "lost", "story": "Bought on Monday.", "full_name": "Янка Купала", "document": "MP1234567", **PERSON}


def taken(desk: Keyboard, **told: str) -> TicketClaim:
    desk.answer = desk.client.post("/till/claims/", {**TOLD, **told})
    assert desk.answer.status_code == 201, text_of(desk.answer)
    return TicketClaim.objects.latest("pk")


def test_k4_a_lost_ticket_is_claimed_held_granted_and_paid_to_the_claimant_alone() -> None:
    till, other = make_till(1_000), make_till(1_000)
    slip = ready(till)
    desk = Keyboard(till).presses("F4").presses("F1")
    claim = {**TOLD, "ticket": slip.bet.ticket.lower(), "check_code": slip.check_code}
    for change, field in (
        ({"ticket": "NO-SUCH"}, "ticket"),
        ({"check_code": "AAAAAAAAAAAAAA"}, "check_code"),
        ({"story": ""}, "story"),
        ({"birth_date": "2020-01-01"}, "birth_date"),
    ):
        refused = desk.client.post("/till/claims/", {**claim, **change})
        assert (refused.status_code >= 400, list(refused.context["form"].errors)) == (True, [field])
        assert 'value="MP1234567"' in refused.content.decode()  # what was typed is kept
    assert not TicketClaim.objects.exists()
    held = taken(desk, ticket=slip.bet.ticket.lower(), check_code=slip.check_code)
    assert f"CLAIM NO. {held.pk}" in text_of(desk.answer)
    assert "Two of the organizer's staff decide; until then nothing is paid on the ticket." in text_of(desk.answer)
    assert (taken(desk, ticket=slip.bet.ticket), TicketClaim.objects.count()) == (held, 1)
    scanned = Keyboard(other).types(qr_text(slip.bet, slip.check_code)).answer
    assert "NOT NOW" in text_of(scanned)
    assert f"Claim No. {held.pk}: to be decided. Open the claim" in text_of(scanned)
    page, pay = f"/till/claims/{held.pk}/", f"/till/claims/{held.pk}/pay/"
    assert visitor(other.cashier).get("/till/claims/", {"number": str(held.pk)})["Location"] == page
    early = desk.client.post(pay, {**PERSON, "token": "t" * 32})
    assert (early.status_code, "This claim is not granted." in text_of(early)) == (409, True)
    decided(held, grant=True)
    shown = visitor(other.cashier).get(page)
    assert "To be paid: BYN 0.70 before income tax." in text_of(shown)
    payment = {**PERSON, "token": hidden(shown, "token")}
    wrong = visitor(other.cashier).post(pay, {**payment, "identity_number": "CLAIM00002"})
    assert "Another person has made this claim." in text_of(wrong)
    assert not Payment.objects.exists()
    answers = [visitor(other.cashier).post(pay, payment) for _time in range(2)]
    assert ["Hand out BYN 0.66" in text_of(answer) for answer in answers] == [True, True]
    assert ["hand out nothing more" in text_of(answer) for answer in answers] == [False, True]
    assert (Payment.objects.count(), cash_in(other), cash_in(till)) == (1, 1_000 - 66, 1_000 + 200)
    assert "PAID: BYN 0.66" in text_of(visitor(other.cashier).get("/till/customer/"))
    held.refresh_from_db()
    assert (held.state, "Paid to the claimant" in text_of(desk.client.get(page))) == (ClaimState.PAID, True)


def test_k4_without_the_code_it_is_paid_later_and_two_claimants_are_a_dispute() -> None:
    till = make_till(1_000)
    slip = ready(till)
    desk = Keyboard(till)
    first = taken(desk, ticket=slip.bet.ticket)
    second = taken(desk, ticket=slip.bet.ticket, identity_number="CLAIM00002")
    assert "More than one person claims this ticket." in text_of(desk.answer)
    decided(second, grant=True)
    assert "only if nobody brings the ticket, from:" in text_of(desk.client.get(f"/till/claims/{second.pk}/"))
    assert "It was refused." in text_of(desk.client.get(f"/till/claims/{first.pk}/"))
    early = desk.client.post(
        f"/till/claims/{second.pk}/pay/", {**PERSON, "identity_number": "CLAIM00002", "token": "t" * 32}
    )
    assert (early.status_code, Payment.objects.exists(), cash_in(till)) == (409, False, 1_200)
    assert desk.client.get("/till/claims/999999/").status_code == 404
    assert desk.client.get(f"/till/claims/{'9' * 25}/").status_code == 404


def test_k1_a_large_claim_is_prepared_at_a_central_desk_and_paid_once_approved() -> None:
    LegalNumber.objects.create(name="large_winning_from", valid_from=clock.today(), value="700", source="A test's")
    forget_legal_numbers()
    till, central = make_till(), make_central(make_till(1_000))
    slip = ready(till, 1_000)
    held = taken(Keyboard(till), ticket=slip.bet.ticket, check_code=slip.check_code)
    decided(held, grant=True)
    page = f"/till/claims/{held.pk}/"
    assert "It is paid only at a central desk" in text_of(visitor(till.cashier).get(page))
    client = visitor(central.cashier)
    form = {"full_name": "Янка Купала", "document": "MP1234567", **PERSON, "token": hidden(client.get(page), "token")}
    assert client.post(f"{page}large/", {**form, "document": ""}).status_code == 400
    stranger = client.post(f"{page}large/", {**form, "identity_number": "CLAIM00002", "token": "u" * 32})
    assert (stranger.status_code, LargePayment.objects.count()) == (403, 0)
    for _time in range(2):
        waits = client.post(f"{page}large/", form)
        assert "then open the claim again and pay" in text_of(waits)
    approved(LargePayment.objects.get())
    paid = client.post(f"{page}pay/", {**PERSON, "token": hidden(client.get(page), "token")})
    assert "Hand out BYN 6.65" in text_of(paid)


def compared(till: Till, desk: Keyboard, **told: str) -> str:
    desk.answer = posted(desk, "/till/compare/", **told)
    return text_of(desk.answer)


def test_m2_what_a_ticket_shows_is_compared_and_a_difference_is_a_case_only_when_it_is_sure() -> None:
    till = make_till(1_000)
    slip = ready(till)
    desk = Keyboard(till).types(qr_text(slip.bet, slip.check_code))
    assert 'data-key="F1"' in desk.answer.content.decode()
    assert "Coupon and stake are as registered." in compared(till, desk, coupon="1", stake="1,00")
    assert "Pay in cash" in text_of(desk.answer)
    for wrong in ({"coupon": "9", "stake": "1"}, {"coupon": "1", "stake": "many"}, {"coupon": "", "stake": "1"}):
        compared(till, desk, **wrong)
        assert desk.answer.status_code == 400
        assert desk.answer.context["compare_form"].errors
    assert "IT DIFFERS" in compared(till, desk, coupon="Ч", stake="1")  # X in a Russian layout
    assert "On the ticket, as you typed it X BYN 1.00 In the register 1 BYN 1.00" in text_of(desk.answer)
    assert not Dispute.objects.exists()
    told = {name: hidden(desk.answer, name) for name in ("ticket", "check_code", "token", "coupon", "stake")}
    guessed = desk.client.post("/till/compare/", {**told, "check_code": "AAAAAAAAAAAAAA", "sure": "1"})
    assert (guessed.status_code, Dispute.objects.count()) == (400, 0)
    answers = [desk.client.post("/till/compare/", {**told, "sure": "1"}) for _time in range(2)]
    case = Dispute.objects.get()
    assert [f"DISPUTE NO. {case.pk}" in text_of(answer) for answer in answers] == [True, True]
    assert "What is registered counts, not what the paper shows." in text_of(answers[0])
    assert (case.kind, case.shown["printed"]) == (DisputeKind.DISCREPANCY, {"selections": "X", "stake": 100})
    assert not Payment.objects.exists()


def test_p45_a_ticket_in_dispute_says_so_when_it_is_scanned_again_and_what_awaits() -> None:
    till = make_till(1_000)
    slip = ready(till)
    text = qr_text(slip.bet, slip.check_code)
    desk = Keyboard(till).types(text)
    posted(desk, "/till/dispute/", story="It won more.")
    case = Dispute.objects.get()
    told = text_of(desk.types(text).answer)
    assert "IN DISPUTE Nothing is paid on this ticket until the dispute is answered." in told
    assert f"Dispute No. {case.pk}" in told
    assert "takes it up, then another one answers it. It is to be answered before:" in told
    assert ("The customer disputes this" in told, "Pay in cash" in told) == (False, False)
    assert "IN DISPUTE" in text_of(visitor(till.cashier).get("/till/customer/"))
    one, two = make_organizers()
    consider(dispute=case, words="Looked at.", considered_by=one)
    assert "has taken it up; another one answers it." in text_of(desk.types(text).answer)
    answer(dispute=Dispute.objects.get(), upheld=False, words="It is right.", answered_by=two)
    told = text_of(desk.types(text).answer)
    assert ("IN DISPUTE" in told, "TO BE PAID: BYN 0.70" in told) == (False, True)
