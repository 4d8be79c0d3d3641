"""A bet by transfer: ordered first, a bet when its money has come in full and in time, never otherwise (¶9.8-9.14)."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils.translation import override

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import OrderState, PaymentOrder, Person, Placement, Receipt, TraitKind, WhyOpen
from accounts.services.exclusion import cool_off
from accounts.services.payment_files import export_payment_orders
from accounts.services.payment_orders import note_returned
from accounts.services.traits import note_trait
from accounts.services.transfer_references import ReferenceKind, TransferReference
from payouts.models import Payment, PaymentMethod
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools import tasks
from pools.models import Bet, BetOrder, BetOrderState, Channel, Pool
from pools.services.bet_orders import Payer, make_bet_order, reference_of
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.receipt_matching import match_receipt, match_receipts
from tests.banking import (
    PAYER,
    bank_file,
    csv_line,
    in_bank,
    in_suspense,
    order_bet,
    own_account,
    pay_for,
    take_in,
    transfer,
)
from tests.desks import keeper
from tests.making import account_of, make_organizers, make_player, make_pool
from tests.paying import broken, go_to, money_of, payable_from
from tests.refusals import refused
from tests.settling import pot_of, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def test_the_payment_makes_the_order_a_bet_in_the_pot() -> None:
    pool = make_pool("sportloto-variant")
    order = order_bet(pool, "X")
    assert not Bet.objects.exists()
    receipt = pay_for(order)
    bet = Bet.objects.get()
    order.refresh_from_db()
    assert (bet.channel, bet.stake, bet.player, bet.till) == (Channel.TRANSFER, 100, None, None)
    assert (order.state, order.ticket, order.paid_by_id) == (BetOrderState.REGISTERED, bet.ticket, receipt.pk)
    assert (receipt.why, receipt.open_amount) == (WhyOpen.PLACED, 0)
    assert (pot_of(pool), in_suspense(), in_bank()) == (100, 0, 100)
    assert broken() == []


def test_what_it_wins_goes_back_to_the_payers_bank_by_a_payment_order() -> None:
    pool = make_pool("sportloto-variant")
    pay_for(order_bet(pool))
    pay_for(order_bet(pool, "X"))
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    payment, order = Payment.objects.get(), PaymentOrder.objects.get()
    assert (payment.method, payment.gross, payment.tax) == (PaymentMethod.TRANSFER, 140, 7)
    assert (order.amount, order.payee_account, order.payee_name) == (133, PAYER, "Иванова Анна")
    assert balance(ledger_account(AccountKind.ORDERS_DUE)) == 133
    export_payment_orders(account=own_account(), made_by=make_organizers()[0])
    assert in_bank() == 200
    take_in(csv_line(133, "выплата", debit=True, document=order.number))
    order.refresh_from_db()
    assert order.state == OrderState.EXECUTED
    assert in_bank() == 67
    assert balance(ledger_account(AccountKind.ORDERS_DUE)) == 0
    assert broken() == []


def test_a_cancelled_pool_gives_the_stake_back_by_a_payment_order() -> None:
    pool = make_pool("sportloto-variant")
    pay_for(order_bet(pool))
    cancel(pool)
    book_payables(code=pool.code)
    credit_accounts(code=pool.code)
    assert [order.amount for order in PaymentOrder.objects.all()] == [100]
    assert broken() == []


def test_p2_who_is_known_by_the_bank_account_and_stays_away_from_play_places_no_bet_by_transfer() -> None:
    pool, player = make_pool("sportloto-variant"), make_player()
    person = Person.objects.get(player=player)
    note_trait(person=person, kind=TraitKind.BANK_ACCOUNT, text=PAYER, at=clock.now())
    pay_for(order_bet(pool))
    assert Bet.objects.get().person == person
    cool_off(person=person, days=7, actor=player.actor)
    receipt = pay_for(order_bet(pool))
    assert (receipt.why, receipt.open_amount, receipt.refusal) == (WhyOpen.REFUSED, 100, "may_not_play")
    assert (Bet.objects.count(), pot_of(pool), in_suspense()) == (1, 100, 100)


@pytest.mark.parametrize("amount", [1, 99])
def test_a_part_of_the_stake_is_no_bet(amount: int) -> None:
    pool = make_pool("sportloto-variant")
    receipt = pay_for(order_bet(pool), amount)
    assert (receipt.why, receipt.open_amount) == (WhyOpen.PART_PAID, amount)
    assert not Bet.objects.exists()
    assert (pot_of(pool), in_suspense()) == (0, amount)


def test_two_parts_are_no_whole() -> None:
    pool = make_pool("sportloto-variant")
    order = order_bet(pool)
    assert [pay_for(order, 50).why, pay_for(order, 50).why] == [WhyOpen.PART_PAID, WhyOpen.PART_PAID]
    assert not Bet.objects.exists()


def test_what_is_paid_too_much_waits_on() -> None:
    receipt = pay_for(order_bet(make_pool("sportloto-variant")), 130)
    assert (receipt.why, receipt.open_amount) == (WhyOpen.OVERPAID, 30)
    assert [(p.outcome, p.amount) for p in Placement.objects.all()] == [("bet", 100)]
    assert in_suspense() == 30
    assert broken() == []


def test_an_order_is_paid_once() -> None:
    order = order_bet(make_pool("sportloto-variant"))
    pay_for(order)
    assert pay_for(order).why == WhyOpen.PAID_BEFORE
    assert Bet.objects.count() == 1
    assert in_suspense() == 100


def test_at_the_closing_instant_it_is_too_late() -> None:
    pool = make_pool("sportloto-variant")
    early, late = order_bet(pool), order_bet(pool)
    clock.move_clock(pool.closes_at - clock.now() - timedelta(minutes=1))
    assert pay_for(early).why == WhyOpen.PLACED
    clock.move_clock(pool.closes_at - clock.now())
    receipt = pay_for(late)
    assert (receipt.why, receipt.refusal) == (WhyOpen.LATE, "pool_closed")
    assert Bet.objects.count() == 1


def test_a_payment_for_a_cancelled_pool_is_not_late() -> None:
    pool = make_pool("sportloto-variant")
    order = order_bet(pool)
    cancel(pool)
    assert pay_for(order).why == WhyOpen.REFUSED


def test_a_payment_before_the_opening_waits_for_it() -> None:
    pool = make_pool("sportloto-variant", is_open=False)
    receipt = pay_for(order_bet(pool))
    assert receipt.why == WhyOpen.NEW
    assert match_receipts() == 0
    go_to(pool.opens_at)
    assert match_receipts() == 1
    assert Bet.objects.count() == 1


def test_matching_again_does_nothing() -> None:
    pay_for(order_bet(make_pool("sportloto-variant")))
    before = Receipt.objects.values_list("looked_at", flat=True)[0]
    assert match_receipts() == 0
    assert Receipt.objects.values_list("looked_at", flat=True)[0] == before


def test_a_transfer_for_a_game_account_is_on_it() -> None:
    player = make_player()
    receipt = transfer(2_500, f"пополнение {reference(account_of(player).pk)}")
    assert receipt.why == WhyOpen.PLACED
    assert (money_of(player), in_suspense()) == (2_500, 0)
    assert broken() == []


def test_a_transfer_for_no_account_waits() -> None:
    assert transfer(2_500, reference(999)).why == WhyOpen.NOBODYS
    assert in_suspense() == 2_500


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"consent": False}, Refusal.CONSENT_NEEDED, None),
        ({"selections": "7"}, Refusal.BAD_SELECTION, "selections"),
        ({"stake": 50}, Refusal.BAD_STAKE, "stake"),
        ({"payer": Payer("", PAYER)}, Refusal.BAD_VALUE, "payer_name"),
        ({"payer": Payer("Анна", "BY18ALFA30140000000000000042")}, Refusal.BAD_VALUE, "payer_account"),
        ({"pool_code": "nowhere"}, Refusal.NOT_FOUND, "pool"),
    ],
)
def test_an_order_that_could_be_no_bet_is_refused(changes: dict[str, object], code: Refusal, field: str) -> None:
    pool = make_pool("sportloto-variant")
    order = {
        "pool_code": pool.code,
        "selections": "1",
        "stake": 100,
        "payer": Payer("Анна", PAYER),
        "consent": True,
        "actor": "user:1",
        "idempotency_key": "k",
    } | changes
    refusal = refused(lambda: make_bet_order(**order))  # type: ignore[arg-type]
    assert (refusal.code, refusal.field) == (code, field)


def test_an_order_for_a_closed_pool_is_refused() -> None:
    pool = make_pool("sportloto-variant")
    go_to(pool.closes_at)
    assert refused(lambda: order_bet(pool)).code == Refusal.POOL_CLOSED


def test_the_same_order_twice_is_one() -> None:
    pool = make_pool("sportloto-variant")
    assert order_bet(pool, key="k") == order_bet(pool, key="k")
    assert BetOrder.objects.count() == 1
    assert refused(lambda: order_bet(pool, "X", key="k")).code == Refusal.KEY_REUSED


def test_an_order_that_the_bank_gave_back_stays_owed() -> None:
    pool = make_pool("sportloto-variant")
    pay_for(order_bet(pool))
    cancel(pool)
    book_payables(code=pool.code)
    credit_accounts(code=pool.code)
    export_payment_orders(account=own_account(), made_by=make_organizers()[0])
    note_returned(order=PaymentOrder.objects.get(), reason="Счёт закрыт", by=keeper())
    assert entries_balance(ledger_account(AccountKind.ORDERS_DUE)) == 100
    assert broken() == []


def reference(account: int) -> str:
    return str(TransferReference(ReferenceKind.GAME_ACCOUNT, account))


def cancel(pool: Pool) -> None:
    one, other = make_organizers()
    propose_cancellation(code=pool.code, reason="The cup is off.", document="Letter 7", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)


def test_the_job_looks_at_every_transfer_and_one_that_fails_never_stops_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = make_pool("sportloto-variant")
    take_in(*(csv_line(100, f"Ставка {reference_of(order_bet(pool))}") for _ in range(3)))
    first = Receipt.objects.order_by("pk")[0]

    def failing(line_id: int) -> bool:
        if line_id == first.pk:
            raise RuntimeError("a bad receipt")
        return match_receipt(line_id)

    monkeypatch.setattr(tasks, "match_receipt", failing)
    for _tick in range(2):
        tasks.match_new_receipts()
    assert Bet.objects.count() == 2
    reports = JournalRecord.objects.filter(act="match_receipt_failed")
    assert list(reports.values_list("subject", "reason")) == [(f"receipt:{first.pk}", "RuntimeError: a bad receipt")]


def test_the_command_books_matches_and_tells_what_waits(tmp_path: Path) -> None:
    own_account()
    order, file, said = order_bet(make_pool("sportloto-variant")), tmp_path / "bank.csv", StringIO()
    file.write_bytes(bank_file(csv_line(100, str(reference_of(order))), csv_line(5, "иное")))
    for _time in range(2):
        call_command("import_bank_statement", str(file), stdout=said)
    assert said.getvalue().splitlines() == [
        "2 lines booked, 0 known before, 0 maybe; 1 placed, 1 wait for people.",
        "0 lines booked, 2 known before, 0 maybe; 0 placed, 1 wait for people.",
    ]
    file.write_bytes(b"nothing")
    said = StringIO()
    with pytest.raises(SystemExit) as ended, override("en"):
        call_command("import_bank_statement", str(file), stdout=said)
    assert (ended.value.code, said.getvalue()) == (1, "Line 1, account: the heading must name this column once.\n")
