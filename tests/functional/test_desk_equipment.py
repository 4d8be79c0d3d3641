"""The organizer's pages of tills, terminals and shifts (¶7, ¶9.5, C1-C3, G5)."""

import re
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import EquipmentCertificate, KeyKind, Role, Shift, Terminal, Till
from accounts.services.terminals import synchronise
from tests.desks import begin_shift, cash_in, end_shift, make_point, make_terminal
from tests.functional.browsing import text_of, visitor
from tests.functional.calling import Caller, told
from tests.making import bet_in_cash, make_pool, make_till, make_user

pytestmark = pytest.mark.django_db
TERM = {"number": "C-7", "valid_from": "2020-01-01", "valid_until": "2049-12-31"}


def staff() -> Any:
    return visitor(make_user(Role.ORGANIZER))


def at(till: Till) -> str:
    return f"/desk/points/{till.point.code}/tills/{till.number}/"


def refused(answer: Any, *fields: str) -> bool:
    return (answer.status_code, list(answer.context["form"].errors)) == (400, list(fields))


def test_c1_a_till_is_set_up_certified_given_cash_and_closed() -> None:
    client, point = staff(), make_point("S1")
    cashier, other = make_user(Role.CASHIER), make_user(Role.CASHIER)
    here, written = "/desk/points/S1/new-till/", {"number": "1", "cashier": cashier.username}
    for broken, field in (
        ({"cashier": "nobody"}, "cashier"),
        ({"cashier": make_user(Role.PLAYER).username}, "cashier"),
        ({"number": "0"}, "number"),
        ({"number": "99999"}, "number"),
    ):
        assert refused(client.post(here, {**written, **broken}), field), broken
    assert not Till.objects.exists()
    done = client.post(here, written)
    assert done["Location"] == "/desk/points/S1/tills/1/"
    till = Till.objects.get()
    assert (till.point, till.cashier) == (point, cashier)
    busy = client.post(here, {**written, "number": "2"})
    assert (refused(busy, "cashier"), "works at till S1/1" in text_of(busy)) == (True, True)
    taken = client.post(here, {**written, "cashier": other.username})
    assert (refused(taken, "number"), "Point S1 has a till with number 1." in text_of(taken)) == (True, True)
    assert Till.objects.count() == 1
    assert "No certificate is registered" in text_of(client.get(at(till)))
    assert refused(client.post(f"{at(till)}certificate/", {**TERM, "valid_until": "2019-01-01"}), "valid_until")
    assert not EquipmentCertificate.objects.exists()
    assert client.post(f"{at(till)}certificate/", TERM).status_code == 302
    assert EquipmentCertificate.objects.get().till == till
    cash = {"amount": "12.50", "document": "Slip 1"}
    assert refused(client.post(f"{at(till)}cash/", {**cash, "amount": "0"}), "amount")
    assert client.post(f"{at(till)}cash/", cash).status_code == 302
    assert refused(client.post(f"{at(till)}cash/", cash), "document")
    assert cash_in(till) == 1_250
    assert client.post(f"{at(till)}cashier/", {"cashier": other.username}).status_code == 302
    till.refresh_from_db()
    assert till.cashier == other
    assert refused(client.post(f"{at(till)}close/"), "__all__")  # there is cash in it
    for on in ("no", "no", "yes"):
        assert client.post(f"{at(till)}switch/", {"on": on, "reason": "The lock"}).status_code == 302
        till.refresh_from_db()
        assert till.enabled == (on == "yes")
    assert client.post(f"{at(till)}cashier/", {"cashier": ""}).status_code == 302
    till.refresh_from_db()
    assert till.cashier_id is None
    assert till.closed_at is None
    assert client.get("/desk/points/S1/tills/9/").status_code == 404
    empty = make_till(shift=False)
    client.get(f"{at(empty)}close/")
    empty.refresh_from_db()
    assert empty.closed_at is None
    assert client.post(f"{at(empty)}close/").status_code == 302
    empty.refresh_from_db()
    assert empty.closed_at is not None
    assert "closed for good" in text_of(client.get(at(empty)))
    assert refused(client.post(f"{at(empty)}switch/", {"on": "yes", "reason": "Again"}), "__all__")


def test_c2_a_shift_is_listed_closed_by_staff_and_its_report_is_given() -> None:
    client, till = staff(), make_till(10_000)
    bet_in_cash(make_pool(), till, "1;X;2", 100)
    shift = Shift.objects.get()
    report, close = f"/desk/shifts/{shift.pk}/report/", f"/desk/shifts/{shift.pk}/close/"
    assert [one.pk for one, _difference in client.get("/desk/shifts/?show=open").context["shifts"]] == [shift.pk]
    assert client.get(report).status_code == 404
    assert refused(client.post(close, {"counted": "100.90"}), "reason")
    assert refused(client.post(close, {"counted": "-1"}), "counted")
    shift.refresh_from_db()
    assert shift.closed_at is None
    assert client.post(close, {"counted": "100.90", "reason": "Given as change"}).status_code == 302
    shift.refresh_from_db()
    assert (shift.expected, shift.counted) == (10_100, 10_090)
    assert refused(client.post(close, {"counted": "100.90"}), "__all__")
    pdf = client.get(report)
    assert (pdf["Content-Type"], pdf.content[:5]) == ("application/pdf", b"%PDF-")
    for page in (client.get("/desk/shifts/?show=differ"), client.get(at(till))):
        assert [(one.pk, difference) for one, difference in page.context["shifts"]] == [(shift.pk, -10)]
        assert "Given as change" in text_of(page)
        assert report in page.content.decode()
    assert not client.get("/desk/shifts/?show=open").context["shifts"]
    begin_shift(till)
    end_shift(till)
    both = client.get(f"/desk/shifts/?point={till.point.code}")
    assert [one.number for one, _difference in both.context["shifts"]] == [2, 1]
    assert [one.number for one, _difference in client.get("/desk/shifts/?show=differ").context["shifts"]] == [1]
    earlier = client.get(f"/desk/shifts/?before={Shift.objects.latest('pk').pk}")
    assert [one.number for one, _difference in earlier.context["shifts"]] == [1]
    for strange in ("?before=x", "?before=99999999999999999999", "?point=none", "?show=what"):
        assert client.get(f"/desk/shifts/{strange}").status_code == 200


def test_the_lists_of_shifts_and_terminals_ask_few_questions(django_assert_max_num_queries: Any) -> None:
    client, tills = staff(), [make_till() for _ in range(3)]
    for till in tills:
        make_terminal(till)
        end_shift(till)
    now, first = timezone.now(), tills[0]
    assert first.cashier is not None
    shift = {"opened_at": now, "opening_debits": 0, "opening_credits": 0, "closed_at": now, "expected": 0, "counted": 0}
    many = [Shift(till=first, number=number, cashier=first.cashier, **shift) for number in range(2, 60)]
    Shift.objects.bulk_create(many)
    for path, count in (("shifts/", 50), ("terminals/", 3), (at(first).removeprefix("/desk/"), 25)):
        client.get(f"/desk/{path}")
        with django_assert_max_num_queries(10):
            page = client.get(f"/desk/{path}")
        assert len(page.context["shifts" if "shifts" in page.context else "page"]) == count, path
    older = re.search(r'href="\?(show=[^"]+)"[^>]*>Older', client.get("/desk/shifts/").content.decode())
    assert older is not None
    assert len(client.get(f"/desk/shifts/?{older.group(1).replace('&amp;', '&')}").context["shifts"]) == 11


def test_g5_a_terminals_key_is_shown_once_and_renewed() -> None:
    client, till = staff(), make_till(1_000)
    here = f"{at(till)}new-terminal/"
    assert refused(client.post(here, {"serial": " "}), "serial")
    assert refused(client.post(here, {"serial": "T-1", "public_key": "xyz"}), "public_key")
    assert not Terminal.objects.exists()
    made = client.post(here, {"serial": "T-1"})
    terminal = Terminal.objects.get()
    assert terminal.secret is not None
    assert (made.status_code, "no-store" in made["Cache-Control"]) == (200, True)
    assert made.content.decode().count(terminal.secret) == 1
    page = f"/desk/terminals/{terminal.pk}/"
    shown = client.get(page)
    assert terminal.secret not in shown.content.decode()
    assert "never synchronised" in text_of(shown)
    assert refused(client.post(here, {"serial": "T-1"}), "serial")
    assert client.post(f"{page}certificate/", TERM).status_code == 302
    assert EquipmentCertificate.objects.get(terminal=terminal).number == "C-7"
    synchronise(terminal=terminal)
    assert "in touch" in text_of(client.get(page))
    key, secret = terminal.key_id, terminal.secret
    client.get(f"{page}key/")
    terminal.refresh_from_db()
    assert terminal.key_id == key
    renewed = client.post(f"{page}key/")
    terminal.refresh_from_db()
    assert terminal.secret not in (None, secret)
    assert str(terminal.secret) in renewed.content.decode()
    public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert public in client.post(f"{page}key/", {"public_key": public}).content.decode()
    terminal.refresh_from_db()
    assert (terminal.key_kind, terminal.secret) == (KeyKind.ED25519, None)


def test_c1_a_terminal_that_is_switched_off_fails_at_its_next_request_and_is_found_by_its_state() -> None:
    client, made = staff(), make_terminal(make_till(1_000))
    other = make_terminal(make_till())
    caller, page = Caller(made), f"/desk/terminals/{made.terminal.pk}/"
    assert caller.post("terminal/heartbeats").status_code == 200
    assert refused(client.post(f"{page}switch/", {"on": "no", "reason": ""}), "reason")
    assert client.post(f"{page}switch/", {"on": "no", "reason": "Stolen"}).status_code == 302
    assert told(caller.post("terminal/heartbeats")) == (403, "switched_off")

    def found(asked: str) -> list[str]:
        return [terminal.serial for terminal in client.get(f"/desk/terminals/?{asked}").context["page"]]

    serial, rest = made.terminal.serial, other.terminal.serial
    assert found("state=off") == [serial]
    assert found("state=on") == [rest]
    assert found(f"q={rest}") == [rest]
    assert found(f"q={made.terminal.till.point.code}") == [serial]
    assert found("state=closed") == []
    assert client.post(f"{page}switch/", {"on": "yes", "reason": "Found"}).status_code == 302
    assert caller.post("terminal/heartbeats").status_code == 200


def test_a_number_that_nothing_can_have_names_nothing() -> None:
    client, till = staff(), make_till()
    huge = 10**25
    for path in (
        f"points/{till.point.code}/tills/{huge}/",
        f"points/{till.point.code}/pauses/{huge}/end/",
        f"terminals/{huge}/",
        f"shifts/{huge}/report/",
        f"shifts/{huge}/close/",
        f"cash/{huge}/",
        f"agents/{huge}/",
        f"cards/batches/{huge}/",
        f"cards/replacements/{huge}/approve/",
        f"paper-forms/{huge}/",
        f"paper-forms/{huge}/reject/",
    ):
        assert client.get(f"/desk/{path}").status_code == 404, path
