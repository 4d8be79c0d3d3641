"""Bets on paper: entered before closing, approved by another person, refused afterwards, a number once (¶9.10)."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.ledger.balances import balance
from accounts.ledger.kinds import TransferKind
from accounts.models import Entry, Role, Till, User
from payouts.services.booking import book_payables
from pools.models import Bet, Channel, FormState, PaperForm, WhyRefused
from pools.queries.paper import forms_to_approve, forms_to_return, missing_forms
from pools.services.paper_forms import (
    approve_form,
    enter_faulty_form,
    enter_form,
    note_form_returned,
    record_spoiled_form,
    reject_form,
)
from pools.services.paper_jackpot import approve_form_to_jackpot, propose_form_to_jackpot
from pools.services.paper_registers import issue_register
from pools.tasks import report_missing_paper_forms
from tests.making import (
    bet_in_cash,
    make_organizers,
    make_pool,
    make_till,
    make_user,
)
from tests.paper import enter, issue, sell_on_paper
from tests.paying import broken, go_to, pay, payable_from
from tests.refusals import refused
from tests.settling import jackpot_of, pot_of, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def cashier_of(till: Till) -> User:
    assert till.cashier is not None
    return till.cashier


def faulty(till: Till, number: int, why: WhyRefused = WhyRefused.UNREADABLE) -> PaperForm:
    return enter_faulty_form(
        number=number, why=why, stake=200, written_at=None, note="Залито водой", cashier=cashier_of(till)
    )


def test_an_approved_form_is_a_bet_paid_at_the_till() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    number = issue(till).first
    written_at = clock.now() - timedelta(minutes=40)
    form = enter_form(
        number=number,
        pool_code=pool.code,
        selections="X",
        stake=100,
        written_at=written_at,
        cashier=cashier_of(till),
    )
    assert (form.state, list(forms_to_approve()), Bet.objects.count()) == (FormState.ENTERED, [form], 0)
    approved = approve_form(number=number, approved_by=make_organizers()[0])
    bet = Bet.objects.get()
    assert approved.placed is not None
    assert (bet.ticket, bet.channel, bet.till, bet.sold_by) == (
        approved.form.ticket,
        Channel.PAPER,
        till,
        cashier_of(till),
    )
    form.refresh_from_db()
    # What counts is the database's time; the paper's is kept beside it.
    assert form.written_at == written_at < form.entered_at < bet.registered_at
    assert (form.state, pot_of(pool), balance(till.ledger_account)) == (FormState.REGISTERED, 100, 100)
    assert broken() == []


def test_its_winning_is_paid_in_cash() -> None:
    pool, till = make_pool("sportloto-variant"), make_till(1_000)
    placed = sell_on_paper(pool, till).placed
    assert placed is not None
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    assert pay(placed, till).gross == 70


def test_c8_a_form_entered_after_closing_is_listed_to_be_returned_and_never_a_bet() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    number = issue(till).first
    go_to(pool.closes_at)
    form = enter(pool, till, number)
    assert (form.state, form.why) == (FormState.TO_RETURN, WhyRefused.LATE)
    assert list(forms_to_return()) == [form]
    one = make_organizers()[0]
    assert refused(lambda: approve_form(number=number, approved_by=one)).code == Refusal.WRONG_STATE
    note_form_returned(number=number, document="Расписка 3", returned_by=cashier_of(till))
    assert (list(forms_to_return()), Bet.objects.count(), balance(till.ledger_account)) == ([], 0, 0)
    assert refused(
        lambda: note_form_returned(number=number, document="Расписка 3", returned_by=cashier_of(till))
    ).code == (Refusal.WRONG_STATE)


def test_a_form_approved_after_closing_is_to_be_returned() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    number = issue(till).first
    enter(pool, till, number)
    go_to(pool.closes_at)
    approved = approve_form(number=number, approved_by=make_organizers()[0])
    assert (approved.placed, approved.form.state, approved.form.why) == (None, FormState.TO_RETURN, WhyRefused.LATE)
    assert not Bet.objects.exists()


def test_a_form_is_used_once_and_approved_once() -> None:
    pool, till, (one, _other) = make_pool("sportloto-variant"), make_till(), make_organizers()
    number = issue(till).first
    enter(pool, till, number)
    assert refused(lambda: enter(pool, till, number, "X")).code == Refusal.WRONG_STATE
    first, again = (approve_form(number=number, approved_by=one) for _ in range(2))
    assert first.placed is not None
    assert again.placed is not None
    assert (again.placed.bet.ticket, again.placed.check_code) == (first.placed.bet.ticket, first.placed.check_code)
    assert Bet.objects.count() == 1


def test_another_person_approves() -> None:
    pool, till, stranger = make_pool("sportloto-variant"), make_till(), make_till().cashier
    number = issue(till).first
    enter(pool, till, number)
    assert stranger is not None
    for person, code in (
        (cashier_of(till), Refusal.SAME_PERSON),
        (stranger, Refusal.NOT_ALLOWED),
        (make_user(Role.PLAYER), Refusal.NOT_ALLOWED),
    ):
        assert refused(partial(approve_form, number=number, approved_by=person)).code == code


def test_a_bet_that_the_cashier_made_under_a_forms_key_is_not_the_forms_bet() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    number = issue(till).first
    enter(pool, till, number, "X")
    own = bet_in_cash(pool, till, "X", 100, key=f"paper form {number}").bet
    approved = approve_form(number=number, approved_by=make_organizers()[0])
    assert approved.placed is not None
    assert approved.placed.bet.ticket != own.ticket
    assert (Bet.objects.count(), balance(till.ledger_account)) == (2, 200)


def test_a_form_that_is_not_as_on_the_paper_is_rejected() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    number = issue(till).first
    enter(pool, till, number)
    form = reject_form(number=number, reason="На бланке X", rejected_by=make_organizers()[0])
    assert (form.state, form.why, form.note) == (FormState.TO_RETURN, WhyRefused.REJECTED, "На бланке X")


def test_a_sale_that_the_till_may_not_make_leaves_the_form_as_it_is() -> None:
    pool, till, (one, _other) = make_pool("sportloto-variant"), make_till(shift=False), make_organizers()
    number = issue(till).first
    enter(pool, till, number)
    assert refused(lambda: approve_form(number=number, approved_by=one)).code == Refusal.NO_OPEN_SHIFT


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"selections": "7"}, Refusal.BAD_SELECTION, "selections"),
        ({"stake": 50}, Refusal.BAD_STAKE, "stake"),
        ({"pool_code": "nowhere"}, Refusal.NOT_FOUND, "pool"),
        ({"number": 5}, Refusal.NOT_FOUND, "number"),
        ({"written_at": timedelta(minutes=1)}, Refusal.BAD_VALUE, "written_at"),
    ],
)
def test_what_is_entered_wrong_is_refused(change: dict[str, object], code: Refusal, field: str) -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    words: dict[str, object] = {
        "number": issue(till).first,
        "pool_code": pool.code,
        "selections": "1",
        "stake": 100,
        "written_at": clock.now(),
        "cashier": cashier_of(till),
    } | change
    if isinstance(words["written_at"], timedelta):
        words["written_at"] = clock.now() + words["written_at"]
    refusal = refused(lambda: enter_form(**words))  # type: ignore[arg-type]
    assert (refusal.code, refusal.field) == (code, field)


def test_a_form_of_another_game_or_point_is_refused() -> None:
    totolot, sportloto = make_pool("totolot-variant"), make_pool("sportloto-variant")
    till, other = make_till(), make_till()
    number = issue(till).first
    assert refused(lambda: enter(totolot, till, number)).field == "number"
    assert refused(lambda: enter(sportloto, other, number)).code == Refusal.NOT_FOUND


def test_no_form_is_issued_twice() -> None:
    till, (one, _other) = make_till(), make_organizers()
    register = issue(till)
    for first, last in ((register.first, register.first), (register.last, register.last + 5), (0, 3), (5, 4)):
        refusal = refused(
            partial(issue_register, point=till.point, game="sportloto", first=first, last=last, issued_by=one)
        )
        assert refusal.code == Refusal.BAD_VALUE
    cashier = cashier_of(till)
    refusal = refused(lambda: issue_register(point=till.point, game="sportloto", first=1, last=2, issued_by=cashier))
    assert refusal.code == Refusal.NOT_ALLOWED


def test_a_gap_in_the_numbers_is_reported_once_a_day() -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    register = issue(till)
    first = register.first
    assert missing_forms(register) == []
    for number in (first + 1, first + 4):
        enter(pool, till, number)
    record_spoiled_form(number=first + 5, note="Порван", cashier=cashier_of(till))
    assert missing_forms(register) == [(first, first), (first + 2, first + 3)]
    for _hour in range(2):
        report_missing_paper_forms()
    records = JournalRecord.objects.filter(act="report_missing_forms")
    assert list(records.values_list("after__missing", flat=True)) == [[f"{first}-{first}", f"{first + 2}-{first + 3}"]]
    clock.move_clock(timedelta(days=1))
    report_missing_paper_forms()
    assert records.count() == 2


@pytest.mark.parametrize(
    ("why", "kind"),
    [
        (WhyRefused.MISSING, TransferKind.JACKPOT_REQUISITES),
        (WhyRefused.UNREADABLE, TransferKind.JACKPOT_UNREADABLE),
    ],
)
def test_17_1_and_17_2_the_money_of_a_faulty_form_goes_to_the_jackpot_by_two(
    why: WhyRefused, kind: TransferKind
) -> None:
    till, (one, other) = make_till(), make_organizers()
    number = issue(till).first
    faulty(till, number, why)
    assert refused(lambda: approve_form_to_jackpot(number=number, approved_by=other)).code == Refusal.WRONG_STATE
    propose_form_to_jackpot(number=number, reason="Владелец не найден", proposed_by=one)
    assert refused(lambda: approve_form_to_jackpot(number=number, approved_by=one)).code == Refusal.SAME_PERSON
    form = approve_form_to_jackpot(number=number, approved_by=other)
    assert (form.state, jackpot_of("sportloto-variant"), balance(till.ledger_account)) == (FormState.JACKPOT, 200, 200)
    assert Entry.objects.get(transfer__kind=kind).amount == 200
    assert refused(lambda: approve_form_to_jackpot(number=number, approved_by=other)).code == Refusal.WRONG_STATE
    assert broken() == []


def test_late_forms_and_totolot_go_back_instead() -> None:
    pool, till, (one, _other) = make_pool("sportloto-variant"), make_till(), make_organizers()
    late, totolot = issue(till).first, issue(till, game="totolot").first
    go_to(pool.closes_at)
    enter(pool, till, late)
    faulty(till, totolot)
    for number in (late, totolot):
        refusal = refused(partial(propose_form_to_jackpot, number=number, reason="Так", proposed_by=one))
        assert refusal.code == Refusal.WRONG_STATE


@pytest.mark.parametrize(
    "statement",
    ["UPDATE pools_paperform SET stake = 1", "DELETE FROM pools_paperform", "DELETE FROM pools_paperregister"],
)
def test_the_database_keeps_what_was_entered(statement: str) -> None:
    pool, till = make_pool("sportloto-variant"), make_till()
    enter(pool, till, issue(till).first)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert PaperForm.objects.get().stake == 100
