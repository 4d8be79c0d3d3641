"""The jackpot: whose money came in, what was drawn, and the warning of ¶16."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import ledger_account
from payouts.queries import JackpotMove, jackpot_balance, jackpot_history, jackpot_undrawn_this_year
from payouts.services.booking import book_payables
from payouts.services.expiring import expire_winnings
from payouts.services.jackpot import add_to_jackpot
from payouts.tasks import warn_undrawn_jackpot
from pools.models import Pool
from tests.making import make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, payable_until, sell_slips
from tests.refusals import every_row, refused
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def add(amount: int, document: str = "Order 1", game: str = "sportloto") -> bool:
    return add_to_jackpot(game=game, amount=amount, document=document, actor=make_organizers()[0])


def drawing(**terms: object) -> Pool:
    return make_pool("sportloto-variant", terms={"jackpot": {"level": "all", "share": "1"}, **terms})


def test_the_organizer_adds_once_by_each_document() -> None:
    assert add(5_000) is True
    before = every_row()
    organizer = make_organizers()[0]
    assert add_to_jackpot(game="sportloto-position", amount=5_000, document="Order 1", actor=organizer) is False
    assert every_row()["accounts_entry"] == before["accounts_entry"]
    assert (jackpot_balance("sportloto"), jackpot_balance("totolot")) == (5_000, 0)
    assert entries_balance(ledger_account(AccountKind.ORGANIZER)) == -5_000
    record = JournalRecord.objects.get(act="add_to_jackpot")
    assert (record.subject, record.after) == ("jackpot:sportloto", {"amount": 5_000, "document": "Order 1"})


def test_what_cannot_be_added_is_refused() -> None:
    organizer, player = make_organizers()[0], make_player()
    act = partial(add_to_jackpot, game="totolot", amount=1, document="Order 1", actor=organizer)
    assert refused(partial(act, actor=player)).code == Refusal.NOT_ALLOWED
    for wrong in ({"game": "chess"}, {"amount": 0}, {"amount": -1}, {"document": " "}, {"document": "x" * 51}):
        refusal = refused(partial(act, **wrong))
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, next(iter(wrong)))


def test_j1_the_history_opens_each_time_with_what_closed_before() -> None:
    add(5_000)
    rolled = make_pool("sportloto-variant")
    sell(rolled, ("X", 100), ("2", 100))
    settle(rolled, "1")  # nobody won: 140
    drawn, till = drawing(), make_till()
    sell_slips(drawn, till, *[("1", 100)] * 3)
    settle(drawn, "1")  # 210 + 5,140 for three: 1,783 each, 1 left
    book_payables(code=drawn.code)
    go_to(payable_until(drawn))
    expire_winnings(code=drawn.code, chunk=2)
    unclaimed = 3 * 1_783
    moves = jackpot_history("sportloto")
    assert [(move.pool, move.opening, dict(move.parts), move.closing) for move in moves] == [
        ("", 0, {TransferKind.JACKPOT_ORGANIZER: 5_000}, 5_000),
        (rolled.code, 5_000, {TransferKind.JACKPOT_NO_WINNER: 140}, 5_140),
        (
            drawn.code,
            5_140,
            {
                TransferKind.JACKPOT_DRAWN: -5_140,
                TransferKind.JACKPOT_REMAINDER: 1,
                TransferKind.JACKPOT_UNCLAIMED: unclaimed,
            },
            unclaimed + 1,
        ),
    ]
    assert all(move.opening + move.came_in - move.went_out == move.closing for move in moves)
    assert moves[-1].closing == jackpot_balance("sportloto")
    assert jackpot_history("totolot") == []
    assert broken() == []


def test_a_move_tells_what_came_in_and_what_went_out() -> None:
    move = JackpotMove("P-1", clock.now(), 100, {"jackpot_drawn": -100, "jackpot_undrawn": 30, "jackpot_cap": 5}, 35)
    assert (move.came_in, move.went_out) == (35, 100)


def test_p16_a_jackpot_not_drawn_is_warned_of_from_october_once_a_day() -> None:
    go_to(datetime(2027, 9, 30, 20, 59, 30, tzinfo=UTC))  # the last half minute of September in Minsk
    add(5_000)
    warn_undrawn_jackpot()
    assert not JournalRecord.objects.filter(act="warn_undrawn_jackpot").exists()
    clock.move_clock(timedelta(minutes=1))
    for _ in range(3):
        warn_undrawn_jackpot()
    (record,) = JournalRecord.objects.filter(act="warn_undrawn_jackpot")  # totolot's is empty: nothing to draw
    assert (record.subject, record.after) == ("jackpot:sportloto", {"amount": 5_000, "day": "2027-10-01"})
    clock.move_clock(timedelta(days=1))
    warn_undrawn_jackpot()
    assert JournalRecord.objects.filter(act="warn_undrawn_jackpot").count() == 2


@pytest.mark.parametrize(
    ("result", "event_void", "undrawn"), [("1", False, False), ("X", False, False), ("1", True, True)]
)
def test_p16_a_draw_that_nobody_won_counts_and_a_returned_one_does_not(
    result: str, event_void: bool, undrawn: bool
) -> None:
    go_to(datetime(2027, 10, 1, tzinfo=UTC))
    add(5_000)
    pool = drawing()
    sell(pool, ("1", 100))
    settle(pool, result, event_void=event_void)
    assert jackpot_undrawn_this_year("sportloto", on=clock.today()) is undrawn
    assert jackpot_undrawn_this_year("totolot", on=clock.today()) is True
    assert jackpot_undrawn_this_year("sportloto", on=clock.today() + timedelta(days=365)) is True
