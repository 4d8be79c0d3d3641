"""The organizer's pages of what is owed: refunds, unpaid winnings, claims, the guarantee (L1, K2)."""

from datetime import timedelta

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import GameEnd, GameEndProposal
from payouts.models import (
    Publication,
    PublicationConsent,
    ReceivablePayment,
    RefundLapse,
    RefundLapseProposal,
    ResultClaim,
    ResultClaimAnswer,
    TermExtended,
    TermExtension,
    UnpaidListCopy,
)
from payouts.queries.claim_terms import claim_end_of
from payouts.queries.jackpot import jackpot_balance
from payouts.services.jackpot import add_to_jackpot
from payouts.tasks import book_due_payables
from tests.cancelled_pools import cancel, go_past_the_limitation
from tests.claiming import won
from tests.desks import SCAN
from tests.functional.browsing import text_of, visitor
from tests.functional.pressing import a_file, has, pressed_in_vain, refused_at
from tests.integration.test_publishing_winners import PHOTO, shown
from tests.integration.test_publishing_winners import won as best_won
from tests.integration.test_receivables import owed_on, reclaimed
from tests.making import make_organizers, make_pool, make_till
from tests.paying import broken, payable_until, sell_slips
from tests.posting import bank
from tests.settling import jackpot_of
from totalizator.core import clock
from totalizator.core.filed_files import MOST_BYTES
from totalizator.core.models import JournalRecord
from totalizator.engine.deadlines import legal_day

pytestmark = pytest.mark.django_db


def test_l1_refunds_are_listed_the_register_agrees_and_what_lapses_is_decided_by_two() -> None:
    pool, (one, other) = make_pool("sportloto-variant"), make_organizers()
    (slip,) = sell_slips(pool, make_till(), ("1", 100))
    cancellation = cancel(pool)
    book_due_payables()
    first, second = visitor(one), visitor(other)
    ((row, _deadline, is_late),) = first.get("/desk/refunds/").context["shown"]
    assert (row["pool__code"], row["tickets"], row["amount"], row["in_cash"], is_late) == (
        pool.code,
        1,
        100,
        100,
        False,
    )
    here = f"/desk/refunds/{pool.code}/"
    assert first.get(f"/desk/refunds/?code={pool.code}")["Location"] == here
    assert first.get("/desk/refunds/?code=NONE").status_code == 404
    assert first.get("/desk/refunds/NONE/").status_code == 404
    page = first.get(here)
    assert page.context["register"].holds
    assert slip.bet.ticket in text_of(page)
    assert has(first, here, f"/api/v1/reports/refunds/{pool.code}.csv")
    assert slip.bet.ticket not in text_of(first.get(f"{here}?state=paid"))
    assert refused_at(first, here, {"document": "Order 5"}, None).startswith("No refund of this pool waits")
    go_past_the_limitation(cancellation)
    first, second = visitor(one), visitor(other)
    ((_row, _deadline, is_late),) = first.get("/desk/refunds/").context["shown"]
    assert is_late
    assert refused_at(first, here, {"document": " "}, "document")
    for _press in range(2):
        assert first.post(here, {"document": "Order 5"}).status_code == 302
    earlier, latest = RefundLapseProposal.objects.order_by("pk")
    approve = f"/desk/refunds/proposals/{latest.pk}/approve/"
    assert (has(first, here, approve), has(second, here, approve)) == (False, True)
    assert "Another person must approve it." in pressed_in_vain(first, approve)
    pressed_in_vain(second, f"/desk/refunds/proposals/{earlier.pk}/approve/")
    second.get(approve)
    assert (jackpot_of(pool.game), RefundLapse.objects.count()) == (0, 0)
    second.post(approve)
    assert (jackpot_of(pool.game), broken()) == (100, [])
    pressed_in_vain(second, approve)
    assert "No stake is to be returned." in text_of(first.get("/desk/refunds/"))


def test_k2_unpaid_winnings_are_shown_by_their_term_which_two_people_make_longer() -> None:
    (pool, slip), (one, other) = won(make_till(1_000)), make_organizers()
    first, second = visitor(one), visitor(other)
    ((row, is_soon),) = first.get("/desk/unpaid/").context["shown"]
    assert (row["pool__code"], row["tickets"], row["amount"], is_soon) == (pool.code, 2, 140, False)
    assert first.get("/desk/unpaid/?soon=yes").context["shown"] == []
    here = f"/desk/unpaid/{pool.code}/"
    page = text_of(first.get(here))
    assert (slip.bet.ticket in page, f"…{slip.bet.ticket[-3:]}" in page, slip.check_code in page) == (
        False,
        True,
        False,
    )
    assert JournalRecord.objects.filter(act="view_unpaid", actor=one.actor).count() == 1
    first.get(f"{here}copy/")
    assert not UnpaidListCopy.objects.exists()
    given = first.post(f"{here}copy/")
    assert given["Content-Disposition"].startswith(f'attachment; filename="unpaid-{pool.code}-')
    assert slip.bet.ticket not in given.content.decode()
    for _press in range(2):
        first.post(f"{here}copy/")
    last = first.post(f"{here}copy/")
    assert (last.status_code, last["Location"]) == (302, here)
    assert "copies of this list are made" in text_of(first.get(here))

    term, end = f"{here}term/", legal_day(payable_until(pool))
    form = {"last_day": end + timedelta(days=4), "reason": "The points were shut", "document": "Order 7"}
    assert refused_at(first, term, {**form, "last_day": end - timedelta(days=9)}, "last_day")
    assert refused_at(first, term, {**form, "document": " "}, "document")
    for _press in range(2):
        assert first.post(term, form).status_code == 302
    earlier, latest = TermExtension.objects.order_by("pk")
    approve = f"/desk/unpaid/terms/{latest.pk}/approve/"
    assert (has(first, term, approve), has(second, term, approve)) == (False, True)
    assert "Another person must approve it." in pressed_in_vain(first, approve)
    pressed_in_vain(second, f"/desk/unpaid/terms/{earlier.pk}/approve/")
    second.get(approve)
    assert not TermExtended.objects.exists()
    second.post(approve)
    assert claim_end_of(pool) == latest.payable_until
    pressed_in_vain(second, approve)
    assert first.get("/desk/unpaid/NONE/").status_code == 404


def test_p33_a_claim_comes_with_its_document_and_is_answered_by_another_person() -> None:
    (pool, _slip), (one, other) = won(make_till(1_000)), make_organizers()
    first, second = visitor(one), visitor(other)
    here = "/desk/result-claims/"
    ((code, _until),) = first.get(here).context["terms"]
    assert code == pool.code

    def form(**changes: object) -> dict[str, object]:
        told = {"code": pool.code, "claimant": "A. Player", "story": "It was 2:1.", "issuer": "The federation"}
        return {**told, "file": a_file(SCAN, "letter.pdf"), **changes}

    assert refused_at(first, here, form(code="NONE"), None)
    assert refused_at(first, here, form(file=a_file(b"GIF89a", "letter.pdf")), "file")
    assert refused_at(first, here, form(file=a_file(SCAN + b"x" * MOST_BYTES)), "file")
    assert refused_at(first, here, form(file=""), "file")
    assert refused_at(first, here, form(issuer=" "), "issuer")
    assert first.post(here, form()).status_code == 302
    claim = ResultClaim.objects.get()
    one_claim = f"{here}{claim.pk}/"
    assert has(second, one_claim, f"/api/v1/staff/result-claims/{claim.pk}/document")
    assert refused_at(first, one_claim, {"upheld": "no", "words": "It stands"}, None)
    assert "Another person than the one who entered it must answer." in text_of(first.get(one_claim))
    assert refused_at(second, one_claim, {"upheld": "", "words": "It stands"}, "upheld")
    for _press in range(2):
        second.post(one_claim, {"upheld": "no", "words": "It stands"})
    assert ResultClaimAnswer.objects.get().answered_by == other
    assert list(first.get(f"{here}?answered=yes").context["page"]) == [claim]
    assert list(first.get(here).context["page"]) == []
    pool.refresh_from_db()
    clock.move_clock(timedelta(days=12))
    assert "within ten days" in refused_at(visitor(one), here, form(), None)


def test_d3_what_was_given_back_is_booked_once_for_its_document() -> None:
    ticket, staff = reclaimed(make_till(1_000)), visitor(make_organizers()[0])
    here, before = "/desk/receivables/", balance(bank())
    assert staff.get(here).context["shown"] == [(ticket, 66)]
    form = {"ticket": ticket, "amount": "0,40", "document": "PO 12"}
    for field, value in (("ticket", "NONE"), ("amount", "0"), ("amount", "0,67"), ("amount", "x"), ("document", " ")):
        assert refused_at(staff, here, {**form, field: value}, field)
    assert "Booked: BYN 0.40." in text_of(staff.post(here, form, follow=True))
    assert "nothing has changed" in text_of(staff.post(here, form, follow=True))
    assert (owed_on(ticket), balance(bank()) - before, ReceivablePayment.objects.count()) == (26, 40, 1)
    assert refused_at(staff, here, {**form, "amount": "0,26"}, "document")
    assert f'value="{ticket}"' in staff.get(f"{here}?ticket={ticket}").content.decode()


def test_j3_a_game_ends_by_two_people_and_its_jackpot_moves() -> None:
    one, other = make_organizers()
    first, second = visitor(one), visitor(other)
    add_to_jackpot(game="totolot", amount=5_000, document="Order 1", actor=one)
    here = "/desk/games-ending/"

    def form(**changes: object) -> dict[str, object]:
        told = {"game": "totolot", "jackpot_to": "sportloto", "reason": "Nobody plays it.", "number": "17-A"}
        return {**told, "dated": clock.today(), "file": a_file(SCAN, "order.pdf"), **changes}

    assert "BYN 50.00" in text_of(first.get(here))
    assert refused_at(first, here, form(game=""), "game")
    assert refused_at(first, here, form(jackpot_to="totolot"), "jackpot_to")
    assert refused_at(first, here, form(dated=clock.today() + timedelta(days=1)), "dated")
    assert refused_at(first, here, form(file=a_file(b"text")), "file")
    assert refused_at(first, here, form(reason=" "), "reason")
    for _press in range(2):
        assert first.post(here, form()).status_code == 302
    earlier, latest = GameEndProposal.objects.order_by("pk")
    approve = f"{here}{latest.pk}/approve/"
    assert (has(first, here, approve), has(second, here, approve)) == (False, True)
    assert "Another person must approve it." in pressed_in_vain(first, approve)
    pressed_in_vain(second, f"{here}{earlier.pk}/approve/")
    second.get(approve)
    assert (jackpot_balance("totolot"), GameEnd.objects.count()) == (5_000, 0)
    second.post(approve)
    assert (jackpot_balance("totolot"), jackpot_balance("sportloto"), broken()) == (0, 5_000, [])
    pressed_in_vain(second, approve)
    assert refused_at(first, here, form(), "game") == "This game has ended."


def test_p14_a_winner_is_published_by_two_as_far_as_was_agreed_and_no_longer() -> None:
    (_pool, best, second_best), (one, other) = best_won(), make_organizers()
    first, second = visitor(one), visitor(other)
    here = "/desk/winners/"

    def form(**changes: object) -> dict[str, object]:
        told = {"ticket": best.bet.ticket, "name": "Янка К.", "words": "", "amount": "on"}
        return {**told, "photo": a_file(PHOTO, "me.jpg"), "file": a_file(SCAN, "paper.pdf"), **changes}

    assert refused_at(first, here, form(ticket="NONE"), "ticket")
    assert refused_at(first, here, form(ticket=second_best.bet.ticket), "ticket")
    assert refused_at(first, here, form(photo=a_file(SCAN)), "photo")
    assert refused_at(first, here, form(file=a_file(b"GIF89a")), "file")
    assert refused_at(first, here, form(name="", amount="", photo=""), "name")
    assert first.post(here, form()).status_code == 302
    consent = PublicationConsent.objects.get()
    one_consent, photo = f"{here}{consent.pk}/", f"{here}{consent.pk}/photo/"
    given = first.get(photo)
    assert (given["Content-Type"], given.content, given["X-Content-Type-Options"]) == ("image/jpeg", PHOTO, "nosniff")
    propose = f"{one_consent}propose/"
    assert has(first, one_consent, propose)
    first.post(propose)
    proposal = consent.proposals.get()
    approve = f"{here}proposals/{proposal.pk}/approve/"
    assert (has(first, one_consent, approve), has(second, one_consent, approve)) == (False, True)
    assert "Another person must approve it." in pressed_in_vain(first, approve)
    second.get(approve)
    assert not Publication.objects.exists()
    second.post(approve)
    assert [winner["name"] for winner in shown()] == ["Янка К."]
    pressed_in_vain(second, approve)
    assert "This is published already." in pressed_in_vain(first, propose)
    assert refused_at(first, one_consent, {"reason": " "}, "reason")
    assert first.post(one_consent, {"reason": "Letter of the winner"}).status_code == 302
    assert (shown(), first.get(one_consent).context["form"]) == ([], None)


def test_f3_the_guarantee_sum_is_shown_part_by_part_and_computed_when_asked() -> None:
    staff = visitor(make_organizers()[0])
    here = "/desk/guarantee/"
    assert "The sum was not computed lately." in text_of(staff.get(here))
    staff.get(f"{here}compute/")
    assert not JournalRecord.objects.filter(act="check_guarantee").exists()
    sell_slips(make_pool("sportloto-variant"), make_till(), ("1", 100), ("X", 100))
    staff = visitor(make_organizers()[0])
    assert staff.post(f"{here}compute/").status_code == 302
    page = staff.get(here)
    required = page.context["told"]["required"]
    parts = {name: sums for name, *sums in page.context["parts"]}
    assert (required, parts["pool's pot"]) == (200, [200, 200])
    assert balance(ledger_account(AccountKind.BANK)) == 0
    assert "The bank falls short of what players could ask for: BYN 2.00." in text_of(page)
