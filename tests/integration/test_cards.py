"""Batches and the life of a prepaid card: two people, one export, no code in the database, one table (D1-D5)."""

import math
import re
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import BatchState, CardBatch, CardState, PrepaidCard, Role, User
from accounts.models.cards import MOVES, move_card
from accounts.services.card_batches import (
    approve_card_batch,
    export_card_batch,
    print_card_batch,
    propose_card_batch,
)
from accounts.services.card_blocking import block_cards
from accounts.services.card_numbers import (
    ALPHABET,
    CODE_LENGTH,
    card_number,
    check_digit,
    code_matches,
    new_code,
    normal_letters,
    read_number,
)
from accounts.services.card_stock import ship_cards
from tests.carding import PRINTER, approved_batch, at_point, bought, printed, range_of
from tests.making import make_organizers, make_till, make_user
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord


def propose(person: User, **changes: object) -> CardBatch:
    wanted: dict[str, object] = {
        "series": "AB",
        "quantity": 2,
        "face_value": 1_000,
        "valid_until": clock.today() + timedelta(days=400),
        "proposed_by": person,
        **changes,
    }
    return propose_card_batch(**wanted)  # type: ignore[arg-type]


@pytest.mark.django_db
def test_d1_a_batch_needs_two_people_and_is_exported_once() -> None:
    one, other = make_organizers()
    batch = propose(one)
    export = partial(export_card_batch, batch=batch, passphrase=PRINTER, exported_by=one)
    assert refused(export).code is Refusal.WRONG_STATE
    assert refused(lambda: approve_card_batch(batch=batch, approved_by=one)).code is Refusal.SAME_PERSON
    approve_card_batch(batch=batch, approved_by=other)
    assert refused(lambda: approve_card_batch(batch=batch, approved_by=other)).code is Refusal.WRONG_STATE
    assert PrepaidCard.objects.count() == 0
    first = export()
    assert refused(export).code is Refusal.WRONG_STATE
    assert refused(lambda: print_card_batch(batch=batch, exported_by=other)).code is Refusal.WRONG_STATE
    batch.refresh_from_db()
    assert batch.state == BatchState.EXPORTED
    acts = JournalRecord.objects.filter(subject=batch.subject).order_by("pk").values_list("act", flat=True)
    assert list(acts) == ["propose_card_batch", "approve_card_batch", "export_card_batch"]
    record = JournalRecord.objects.get(act="export_card_batch")
    assert record.after is not None
    assert (record.after["rows"], record.after["sum"], record.after["digest"]) == (2, 2_000, batch.export_digest)
    assert len(first.content) > 100


@pytest.mark.django_db
def test_d1_no_code_is_anywhere_in_the_database() -> None:
    cards = printed(approved_batch(3))
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT t::text FROM "{table}" t')
            rows = "\n".join(row for (row,) in cursor.fetchall()).upper()
            for card in cards:
                code = normal_letters(card.code)
                assert code not in rows.replace("-", ""), table
                assert code.encode().hex().upper() not in rows, table
    assert all(code_matches(card.card, card.number, card.code) for card in cards)


@pytest.mark.django_db
def test_d1_the_database_itself_wants_two_people_and_a_possible_size() -> None:
    one, _other = make_organizers()
    batch = propose(one)
    for change in ("approved_by_id = proposed_by_id, state = 'approved'", "state = 'exported'", "quantity = 0"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE accounts_cardbatch SET {change} WHERE id = {batch.pk}")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"series": ""}, "series"),
        ({"series": "ABCDEFG"}, "series"),
        ({"quantity": 0}, "quantity"),
        ({"quantity": 100_001}, "quantity"),
        ({"face_value": 0}, "face_value"),
        ({"valid_until": date(2020, 1, 1)}, "valid_until"),
    ],
)
def test_a_batch_that_cannot_be_is_refused(changes: dict[str, object], field: str) -> None:
    one, _other = make_organizers()
    refusal = refused(lambda: propose(one, **changes))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION])
def test_only_the_organizers_staff_make_cards(role: Role) -> None:
    person, batch = make_user(role), approved_batch()
    assert refused(lambda: propose(person)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: approve_card_batch(batch=batch, approved_by=person)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: print_card_batch(batch=batch, exported_by=person)).code is Refusal.NOT_ALLOWED


@pytest.mark.django_db
def test_numbers_run_on_from_batch_to_batch_and_check_themselves() -> None:
    first, second = printed(approved_batch(2)), printed(approved_batch(2, series="ВС"))
    numbers = [card.number for card in first + second]
    assert numbers == sorted(numbers)
    serials = [int(number[:-1]) for number in numbers]
    assert serials == list(range(serials[0], serials[0] + 4))
    assert second[0].series == "BC"  # typed in Cyrillic, printed in Latin letters
    assert all(read_number(number) == number for number in numbers)


def test_every_single_wrong_digit_is_found() -> None:
    assert card_number(7_992_739_871) == "079927398713"  # the example of the standard: 7992739871-3
    number = card_number(123_456)
    for place, right in enumerate(number):
        for wrong in set("0123456789") - {right}:
            with pytest.raises(DomainError):
                read_number(number[:place] + wrong + number[place + 1 :])
    with pytest.raises(DomainError):
        read_number(number[:-1])
    assert check_digit(number[:-1]) == number[-1]


def test_c61_codes_are_random_enough_and_have_no_look_alikes() -> None:
    assert len(ALPHABET) == len(set(ALPHABET)) == 31
    assert not set(ALPHABET) & set("01OIL")
    assert CODE_LENGTH * math.log2(len(ALPHABET)) >= 64
    codes = {new_code() for _ in range(2_000)}
    assert len(codes) == 2_000
    assert {len(code) for code in codes} == {14}
    assert set("".join(codes)) == set(ALPHABET)


@pytest.mark.parametrize("typed", ["abeh-kmxy-2345", " ABEH KMXY 2345 ", "ABEHKMXY2345", "АВЕН-КМХУ-2345"])
def test_d3_a_code_may_be_typed_with_dashes_spaces_small_and_cyrillic_letters(typed: str) -> None:
    assert normal_letters(typed) == "ABEHKMXY2345"


UNSOLD = (CardState.PRINTED, CardState.SHIPPED, CardState.AT_POINT)


def card_in(state: CardState, *, sold: bool) -> PrepaidCard:
    """A card that came to `state` through the desks, after its sale or before it."""
    till, (staff, _other) = make_till(), make_organizers()
    if state == CardState.PRINTED:
        (held,) = printed(approved_batch())
    elif state == CardState.SHIPPED:
        (held,) = printed(approved_batch())
        ship_cards(cards=range_of([held]), point=till.point, document="Waybill 1", shipped_by=staff)
    else:
        (held,) = bought(till) if sold else at_point(till)
    if state == CardState.BLOCKED:
        block_cards(cards=range_of([held]), reason="Lost.", blocked_by=staff)
    elif state in (CardState.EXPIRED, CardState.REPLACED):
        PrepaidCard.objects.filter(number=held.number).update(state=state)
    assert held.card.state == state
    return held.card


@pytest.mark.django_db
@pytest.mark.parametrize("came_from", CardState)
@pytest.mark.parametrize("to", CardState)
def test_a_card_moves_as_the_table_says_and_no_other_way(came_from: CardState, to: CardState) -> None:
    sold = came_from in (CardState.ACTIVE, CardState.REPLACED) or to not in UNSOLD
    card = card_in(came_from, sold=sold and came_from != CardState.AT_POINT)
    changes: dict[str, object] = {"blocked_from": "", "blocked_by": None}
    if to == CardState.BLOCKED:
        changes = {"blocked_from": came_from, "blocked_by": make_organizers()[0]}
    if to == CardState.ACTIVE and came_from == CardState.AT_POINT:
        changes["ledger_account"] = ledger_account(AccountKind.PREPAID_CARD, card.number)
    if to in MOVES[came_from]:
        move_card(card, to, **changes)
        assert (card.state, PrepaidCard.objects.get(pk=card.pk).state) == (to, to)
    else:
        refusal = refused(lambda: move_card(card, to, **changes))
        assert (refusal.code, refusal.details["state"]) == (Refusal.WRONG_STATE, came_from)
        assert card.state == came_from


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE accounts_prepaidcard SET code_hash = '\\x00'",
        "UPDATE accounts_prepaidcard SET number = '000000009997'",
        "UPDATE accounts_prepaidcard SET ledger_account_id = NULL",
        "UPDATE accounts_prepaidcard SET expires_at = expires_at - interval '1 second'",
        "DELETE FROM accounts_prepaidcard",
    ],
)
def test_the_database_lets_no_card_become_another_one(change: str) -> None:
    bought(make_till())
    with pytest.raises(IntegrityError, match="card"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)


@pytest.mark.django_db
@pytest.mark.parametrize("end", [CardState.EXPIRED, CardState.REPLACED])
def test_the_database_revives_no_dead_card(end: CardState) -> None:
    card = card_in(end, sold=True)
    with pytest.raises(IntegrityError, match="stays what it is"), transaction.atomic():
        PrepaidCard.objects.filter(pk=card.pk).update(state=CardState.ACTIVE)


@pytest.mark.django_db
def test_a_card_that_moved_on_meanwhile_is_not_moved_again() -> None:
    card = card_in(CardState.ACTIVE, sold=True)
    stale = PrepaidCard.objects.get(pk=card.pk)
    move_card(card, CardState.EXPIRED)
    assert refused(lambda: move_card(stale, CardState.EXPIRED)).code is Refusal.WRONG_STATE


def test_the_page_tells_the_cards_moves() -> None:
    page = Path("docs/states.md").read_text(encoding="utf-8")
    section = page.partition("\n## Prepaid card\n")[2].partition("\n## ")[0]
    labels = {state.value.replace("_", " "): state for state in CardState}
    rows = re.findall(r"^\| ([a-z ]+) \| ([a-z ]+) \|", section, flags=re.MULTILINE)
    told = {(labels[a], labels[b]) for a, b in rows if a != "from"}
    assert told == {(came_from, to) for came_from, ends in MOVES.items() for to in ends}
