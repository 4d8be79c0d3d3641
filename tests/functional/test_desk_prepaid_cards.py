"""The organizer's pages of prepaid cards: batches by two people, stock, ranges, replacements (¶35.2, D1-D4)."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import BatchState, CardBatch, CardReplacement, CardState, PrepaidCard, Role
from tests.carding import PRINTER, approved_batch, at_point, printed, sell
from tests.functional.browsing import text_of, visitor
from tests.making import make_organizers, make_till, make_user
from totalizator.core import clock
from totalizator.core.sealed import open_sealed

pytestmark = pytest.mark.django_db


def refused(answer: Any, *fields: str) -> bool:
    return (answer.status_code, list(answer.context["form"].errors)) == (400, list(fields))


def states(*numbers: str) -> list[str]:
    cards = PrepaidCard.objects.in_bulk(numbers, field_name="number")
    return [cards[number].state for number in numbers]


def test_d1_a_batch_is_proposed_by_one_approved_by_another_and_handed_out_once() -> None:
    one, other = make_organizers()
    first, second = visitor(one), visitor(other)
    day = clock.today() + timedelta(days=400)
    written = {"series": "AB", "quantity": "3", "face_value": "10", "valid_until": day.isoformat()}
    for broken, field in (
        ({"series": "---"}, "series"),
        ({"series": "ABCDEFG"}, "series"),
        ({"quantity": "0"}, "quantity"),
        ({"quantity": "100001"}, "quantity"),
        ({"face_value": "0"}, "face_value"),
        ({"valid_until": clock.today().isoformat()}, "valid_until"),
    ):
        assert refused(first.post("/desk/cards/batches/new/", {**written, **broken}), field), broken
    assert not CardBatch.objects.exists()
    assert first.post("/desk/cards/batches/new/", written).status_code == 302
    batch = CardBatch.objects.get()
    here = f"/desk/cards/batches/{batch.pk}/"
    mine, theirs = first.get(here).content.decode(), second.get(here).content.decode()
    assert (f"{here}approve/" in mine, f"{here}approve/" in theirs) == (False, True)
    seal = {"passphrase": PRINTER, "again": PRINTER}
    assert refused(second.post(f"{here}export/", seal), "__all__")
    second.get(f"{here}approve/")
    assert "Another person must approve what you proposed." in text_of(first.post(f"{here}approve/", follow=True))
    batch.refresh_from_db()
    assert (batch.state, PrepaidCard.objects.count()) == (BatchState.PROPOSED, 0)
    assert "It can be handed to the printer now" in text_of(second.post(f"{here}approve/", follow=True))
    for broken, field in (({"again": "another"}, "again"), ({"passphrase": "short", "again": "short"}, "passphrase")):
        assert refused(first.post(f"{here}export/", {**seal, **broken}), field), broken
    assert not PrepaidCard.objects.exists()
    file = first.post(f"{here}export/", seal)
    assert "no-store" in file["Cache-Control"]
    assert file["Content-Disposition"].startswith('attachment; filename="cards-AB-')
    rows = open_sealed(file.content, PRINTER).decode().splitlines()
    code = rows[1].split(",")[2]
    assert (len(rows), len(code)) == (4, 16)
    assert refused(first.post(f"{here}export/", seal), "__all__")
    page = first.get(here)
    assert [(state, count) for state, _label, count in page.context["by_state"]] == [("printed", 3)]
    assert code not in page.content.decode()
    listed = first.get("/desk/cards/?state=exported")
    assert [one.pk for one in listed.context["page"]] == [batch.pk]
    assert not first.get("/desk/cards/?state=proposed").context["page"].object_list


def test_d1_a_small_batch_is_given_as_sheets_and_a_large_one_is_not() -> None:
    client, batch = visitor(make_user(Role.ORGANIZER)), approved_batch(2)
    large = approved_batch(501)
    assert client.get(f"/desk/cards/batches/{batch.pk}/sheets/").status_code == 200
    assert refused(client.post(f"/desk/cards/batches/{large.pk}/sheets/"), "__all__")
    assert not PrepaidCard.objects.exists()
    given = client.post(f"/desk/cards/batches/{batch.pk}/sheets/")
    assert (given["Content-Type"], given.content[:5]) == ("application/pdf", b"%PDF-")
    assert "/sheets/" not in client.get(f"/desk/cards/batches/{large.pk}/").content.decode()


def test_d2_d4_cards_are_sent_blocked_and_opened_again_by_another() -> None:
    one, other = make_organizers()
    first, second, till = visitor(one), visitor(other), make_till()
    cards = printed(approved_batch(3))
    numbers = [card.number for card in cards]
    written = {"series": "AB", "first": numbers[0], "last": numbers[1]}
    sent = {**written, "point": till.point.code, "document": "Waybill 1"}
    for broken, field in (
        ({"point": "none"}, "point"),
        ({"first": numbers[0][:-1] + "x"}, "first"),
        ({"last": numbers[0], "first": numbers[1]}, "last"),
        ({"series": "ZZ"}, "first"),
        ({"document": ""}, "document"),
    ):
        assert refused(first.post("/desk/cards/send/", {**sent, **broken}), field), broken
    assert states(*numbers) == ["printed"] * 3
    assert "2 cards are on their way." in text_of(first.post("/desk/cards/send/", sent, follow=True))
    assert states(*numbers) == ["shipped", "shipped", "printed"]
    assert refused(first.post("/desk/cards/send/", sent), "__all__")
    stock = first.get(f"/desk/cards/stock/?point={till.point.code}")
    ((point, (line,)),) = stock.context["shown"]
    assert (point, line["quantity"], line["first"], line["last"]) == (till.point, 2, numbers[0], numbers[1])
    assert "No point has unsold cards." in text_of(first.get("/desk/cards/stock/?point=none"))
    block = {**written, "reason": "Stolen"}
    assert refused(first.post("/desk/cards/block/", {**block, "reason": " "}), "reason")
    assert "2 cards are blocked." in text_of(first.post("/desk/cards/block/", block, follow=True))
    assert states(*numbers) == ["blocked", "blocked", "printed"]
    assert refused(first.post("/desk/cards/unblock/", block), "__all__")
    assert states(*numbers) == ["blocked", "blocked", "printed"]
    opened = second.post("/desk/cards/unblock/", {**block, "last": numbers[0], "reason": "Found"}, follow=True)
    assert "1 card is open again." in text_of(opened)
    assert states(*numbers) == ["shipped", "blocked", "printed"]


def test_d4_a_damaged_card_is_found_by_its_number_and_replaced_by_two() -> None:
    one, other = make_organizers()
    first, second, till = visitor(one), visitor(other), make_till()
    old, new = at_point(till, 2)
    sell(till, old)
    assert refused(first.get("/desk/cards/find/?number=123"), "number")
    assert refused(first.get("/desk/cards/find/?number=000000000000"), "number")
    page = first.get(f"/desk/cards/find/?number={old.number[:6]}+{old.number[6:]}")
    assert (page.context["card"].number, page.context["balance"]) == (old.number, 1_000)
    assert old.code not in page.content.decode()
    assert old.code.replace("-", "") not in page.content.decode()
    here, written = "/desk/cards/replacements/", {"damaged": old.number, "replacement": new.number, "proof": "Torn"}
    assert f"{here}?damaged={old.number}" in page.content.decode()
    for broken, field in (
        ({"damaged": "1"}, "damaged"),
        ({"proof": " "}, "proof"),
        ({"replacement": "000000000000"}, "replacement"),
        ({"damaged": new.number, "replacement": old.number}, "__all__"),
    ):
        assert refused(first.post(here, {**written, **broken}), field), broken
    assert not CardReplacement.objects.exists()
    assert first.post(here, written).status_code == 302
    approve = f"{here}{CardReplacement.objects.get().pk}/approve/"
    assert (approve in first.get(here).content.decode(), approve in second.get(here).content.decode()) == (False, True)
    assert second.get("/desk/cards/").context["replacements"] == 1
    assert "Another person must approve what you proposed." in text_of(first.post(approve, follow=True))
    second.get(approve)
    assert states(old.number, new.number) == [CardState.ACTIVE, CardState.AT_POINT]
    assert "The card is replaced" in text_of(second.post(approve, follow=True))
    assert states(old.number, new.number) == [CardState.REPLACED, CardState.ACTIVE]
    assert first.get("/desk/cards/").context["replacements"] == 0
    found = first.get(f"/desk/cards/find/?number={new.number}")
    assert (found.context["balance"], found.context["replaces"].damaged.number) == (1_000, old.number)
    assert first.get("/desk/cards/").context["owed"] == 1_000


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION, Role.REGULATOR])
def test_r1_nobody_else_opens_these_pages(role: Role) -> None:
    client, batch = visitor(make_user(role)), approved_batch()
    for path in (
        "",
        f"batches/{batch.pk}/",
        f"batches/{batch.pk}/export/",
        "send/",
        "block/",
        "replacements/",
        "find/",
    ):
        assert client.get(f"/desk/cards/{path}").status_code == 403
        assert client.post(f"/desk/cards/{path}", {"passphrase": PRINTER, "again": PRINTER}).status_code == 403
    assert not PrepaidCard.objects.exists()
