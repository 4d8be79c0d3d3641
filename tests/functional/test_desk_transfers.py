"""The organizer's pages of transfers without a place, and of one told by a document (¶9.13, ¶17, ¶35.5)."""

from typing import Any

import pytest

from accounts.models import Outcome, PaymentOrder, TopUp, TraitKind
from accounts.services.persons import person_of
from accounts.services.traits import note_trait
from pools.models import Bet, ReceiptDecision, ReceiptProposal
from pools.services.bet_orders import reference_of
from tests.banking import PAYER, csv_line, in_bank, in_suspense, order_bet, transfer, transfers
from tests.functional.browsing import text_of, visitor
from tests.functional.pressing import has, pressed_in_vain, refused_at
from tests.making import account_of, make_organizers, make_player, make_pool
from tests.paying import broken, money_of
from tests.settling import jackpot_of, pot_of
from totalizator.core import clock

pytestmark = pytest.mark.django_db
LIST = "/desk/transfers/"
TOLD = {"reason": "The payer wrote to us.", "document": "Letter 7"}


def test_p17_money_without_a_place_is_found_proposed_by_one_and_placed_by_another() -> None:
    player, (one, other) = make_player(), make_organizers()
    note_trait(person=person_of(player), kind=TraitKind.BANK_ACCOUNT, text=PAYER, at=clock.now())
    mine, strange = transfers(
        csv_line(1_250, "no words"), csv_line(99, "нет", payer="Чужой Пётр", account="BY13NBRB3600900000002Z00AB00")
    )
    first, second = visitor(one), visitor(other)
    here = f"{LIST}{mine.pk}/"
    page = first.get(LIST)
    assert page.context["total"] == 1_349
    assert "BYN 13.49" in text_of(page)
    for asked, found in (
        ("?q=12.50", [mine]),
        ("?q=петр+ЧУЖОЙ", []),
        ("?q=чужой+петр", [strange]),
        ("?why=no_reference", [mine, strange]),
        ("?why=odd&q=", [mine, strange]),
        ("?q=%00", [mine, strange]),
    ):
        assert [receipt for receipt, _proposed in first.get(LIST + asked).context["shown"]] == found, asked
    assert [account.player for account in first.get(here).context["candidates"].accounts] == [player]
    named = first.get(f"{here}?q={player.username[:-1]}").context["candidates"].accounts
    assert player in [account.player for account in named]
    assert "Nothing was found." in text_of(first.get(f"{here}?q=nobody-such"))
    filled = first.get(f"{here}?outcome=account&account={player.username}")
    assert f'value="{player.username}"' in filled.content.decode()
    form = {"outcome": "account", "account": player.username, **TOLD}
    for field, value in (
        ("outcome", ""),
        ("outcome", "register"),
        ("account", ""),
        ("account", "nobody"),
        ("reason", " "),
        ("document", "x" * 201),
    ):
        assert refused_at(first, here, {**form, field: value}, field)
    assert refused_at(first, here, {**form, "outcome": "bet"}, "order") == "This field is required."
    assert refused_at(first, here, {**form, "outcome": "bet", "order": 10**18}, "order")
    wrong = {**form, "outcome": "returned", "payee_account": "BY00"}
    assert refused_at(first, here, wrong, "payee_account")
    for _press in range(2):
        assert first.post(here, form).status_code == 302
    earlier, latest = ReceiptProposal.objects.order_by("pk")
    approve = f"{LIST}proposals/{latest.pk}/approve/"
    assert (has(first, here, approve), has(second, here, approve)) == (False, True)
    assert "Another person must approve it." in pressed_in_vain(first, approve)
    assert "Another proposal" in pressed_in_vain(second, f"{LIST}proposals/{earlier.pk}/approve/")
    second.get(approve)
    assert (money_of(player), in_suspense(), ReceiptDecision.objects.count()) == (0, 1_349, 0)
    assert "The money has its place." in text_of(second.post(approve, follow=True))
    assert (money_of(player), in_suspense(), broken()) == (1_250, 99, [])
    pressed_in_vain(second, approve)  # pressed twice, booked once
    assert money_of(player) == 1_250
    placed = first.get(here)
    assert (placed.context["form"], placed.context["candidates"]) == (None, None)
    assert [receipt for receipt, _proposed in first.get(LIST).context["shown"]] == [strange]


def test_p17_money_pays_the_bet_that_it_was_meant_for_goes_back_or_to_the_jackpot() -> None:
    pool, (one, other) = make_pool("sportloto-variant"), make_organizers()
    order = order_bet(pool)
    first, second = visitor(one), visitor(other)

    def decided(number: int, **form: object) -> None:
        assert first.post(f"{LIST}{number}/", {**TOLD, **form}).status_code == 302
        proposal = ReceiptProposal.objects.latest("pk")
        second.post(f"{LIST}proposals/{proposal.pk}/approve/")

    paid = transfer(100, "ставка, номер потерян")
    candidates = first.get(f"{LIST}{paid.pk}/").context["candidates"]
    assert candidates.orders == [order]
    for words in (str(order.pk), str(reference_of(order)), "иванова"):
        assert first.get(f"{LIST}{paid.pk}/", {"q": words}).context["candidates"].orders == [order], words
    decided(paid.pk, outcome=Outcome.BET, order=order.pk)
    assert (Bet.objects.get().stake, pot_of(pool), in_suspense()) == (100, 100, 0)
    back = transfer(250, "за участие")
    decided(back.pk, outcome=Outcome.RETURNED)
    sent = PaymentOrder.objects.get()
    assert (sent.amount, sent.payee_account, in_suspense()) == (250, PAYER, 0)
    lost = transfer(40, "за участие")
    decided(lost.pk, outcome=Outcome.JACKPOT)
    assert (jackpot_of(pool.game), in_suspense(), in_bank(), broken()) == (40, 0, 390, [])
    late = transfer(90, str(reference_of(order)))
    refusal = refused_at(first, f"{LIST}{late.pk}/", {**TOLD, "outcome": Outcome.JACKPOT}, None)
    assert "goes back to its payer" in refusal


def test_p35_a_document_credits_a_transfer_once() -> None:
    staff, player = visitor(make_organizers()[0]), make_player()
    here = f"{LIST}by-document/"
    form = {
        "account": player.username,
        "amount": "12,50",
        "method": "bank",
        "reference": "PO 77",
        "received_at_0": f"{clock.today()}T10:00",
        "received_at_1": "Europe/Minsk",
    }
    for field, value in (("account", "nobody"), ("amount", "0,001"), ("method", "cash"), ("reference", "")):
        assert refused_at(staff, here, {**form, field: value}, field)
    assert refused_at(staff, here, {**form, "received_at_0": "soon"}, "received_at")
    before = in_bank()
    assert "is on the account of" in text_of(staff.post(here, form, follow=True))
    assert "nothing has changed" in text_of(staff.post(here, form, follow=True))
    assert (money_of(player), in_bank() - before, TopUp.objects.filter(reference="PO 77").count()) == (1_250, 1_250, 1)
    assert refused_at(staff, here, {**form, "amount": "12,51"}, "reference")
    assert (account_of(player).player, broken()) == (player, [])


def test_a_long_queue_is_read_by_a_few_questions_page_by_page(django_assert_max_num_queries: Any) -> None:
    staff = visitor(make_organizers()[0])
    transfers(*(csv_line(100 + number, "нет") for number in range(61)))
    staff.get(LIST)  # the first page after a log-in notes the log-in
    with django_assert_max_num_queries(15):
        page = staff.get(f"{LIST}?q=иванова")
    assert (len(page.context["shown"]), page.context["page"].paginator.num_pages) == (50, 2)
    assert 'href="?why=&amp;q=%D0%B8%D0%B2%D0%B0%D0%BD%D0%BE%D0%B2%D0%B0&amp;page=2"' in page.content.decode()
    assert len(staff.get(f"{LIST}?q=иванова&page=2").context["shown"]) == 11
