"""Ending a game: two people, a document, and nothing left in its jackpot (J3)."""

from datetime import date, timedelta
from functools import partial
from hashlib import sha256

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.kinds import TransferKind
from accounts.models import GameEnd, GameEndProposal, Transfer, User
from accounts.queries.jackpots import heir_of
from accounts.services.card_expiry import expire_cards
from payouts.queries import jackpot_balance, jackpot_history
from payouts.services.game_ends import approve_game_end, propose_game_end, read_end_document
from payouts.services.jackpot import add_to_jackpot
from payouts.tasks import book_due_payables, expire_due_winnings
from pools.queries.day_totals import untold
from pools.services.drafting import announce_pool, draft_pool
from pools.tasks import number_events
from tests.cancelled_pools import cancel, deciders, go_past_the_limitation, lapsed, proposed_lapse
from tests.carding import bought
from tests.desks import SCAN
from tests.ending_games import ended, proposed
from tests.functional.calling import Caller, told
from tests.functional.uploading import upload
from tests.making import make_commission, make_organizers, make_player, make_pool, make_rules, make_terms, make_till
from tests.paying import broken, go_to, payable_until, sell_slips
from tests.refusals import every_row, refused
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def fill(game: str, amount: int) -> None:
    add_to_jackpot(game=game, amount=amount, document=f"Order {game}", actor=deciders()[0])


def held() -> tuple[int, int]:
    return jackpot_balance("sportloto"), jackpot_balance("totolot")


def test_j3_a_game_does_not_end_while_its_jackpot_holds_money_that_no_document_moves() -> None:
    fill("totolot", 5_000)
    proposal = proposed(to="")
    refusal = refused(partial(ended, proposal))
    assert (refusal.code, refusal.details) == (Refusal.WRONG_STATE, {"amount": 5_000})
    assert (held(), GameEnd.objects.count()) == ((0, 5_000), 0)


def test_j3_two_people_move_the_jackpot_by_a_document_and_not_a_kopeck_is_lost() -> None:
    fill("sportloto", 700)
    fill("totolot", 5_000)
    one, other = make_organizers()
    proposal = proposed(by=one)
    assert held() == (700, 5_000)  # nothing changes by a proposal
    assert refused(partial(approve_game_end, proposal=proposal, approved_by=one)).code == Refusal.SAME_PERSON
    end = approve_game_end(proposal=proposal, approved_by=other)
    assert (end.game, end.jackpot_to, end.moved) == ("totolot", "sportloto", 5_000)
    assert held() == (5_700, 0)
    kind = TransferKind.JACKPOT_GAME_ENDED
    added = TransferKind.JACKPOT_ORGANIZER
    assert [dict(jackpot_history(game)[-1].parts) for game in ("sportloto", "totolot")] == [
        {added: 700, kind: 5_000},
        {added: 5_000, kind: -5_000},
    ]
    assert Transfer.objects.get(kind=kind).cause == f"game_end:{proposal.pk}"
    record = JournalRecord.objects.get(act="approve_game_end")
    assert (record.subject, record.reason) == ("game:totolot", "Nobody plays it.")
    assert record.after == {
        "moved": 5_000,
        "proposed_by": one.actor,
        "jackpot_to": "sportloto",
        "document": "17-A",
        "dated": clock.today().isoformat(),
        "digest": f"sha256:{sha256(SCAN).hexdigest()}",
    }
    assert read_end_document(proposal) == SCAN
    assert broken() == []
    number_events()
    assert untold(clock.today()) == []
    again = every_row()
    assert approve_game_end(proposal=proposal, approved_by=other) == end
    assert every_row() == again


def test_nothing_of_a_game_that_ended_begins_again() -> None:
    ended(proposed())
    one, other = deciders()
    opens_at = (clock.now() + timedelta(hours=1)).replace(microsecond=0)
    document = make_terms(
        "totolot-variant",
        opens_at=opens_at,
        closes_at=opens_at + timedelta(days=1),
        rules_version=make_rules(one),
        keys=make_commission(),
    )
    pool = draft_pool(document=document, prepared_by=one)
    refusal = refused(partial(announce_pool, code=pool.code, announced_by=other))
    assert (refusal.code, refusal.field) == (Refusal.WRONG_STATE, "game")
    assert refused(partial(fill, "totolot", 1)).code == Refusal.WRONG_STATE
    assert refused(proposed).code == Refusal.WRONG_STATE
    assert refused(partial(proposed, "sportloto", "totolot")).code == Refusal.WRONG_STATE
    assert make_pool("sportloto-variant").announced_at is not None  # the other game goes on


def test_a_pool_that_is_not_settled_keeps_its_game() -> None:
    pool = make_pool("totolot-variant")
    proposal = proposed()
    refusal = refused(partial(ended, proposal))
    assert (refusal.code, refusal.details) == (Refusal.WRONG_STATE, {"pools": [pool.code]})
    cancel(pool)
    assert ended(proposal).moved == 0


def test_what_still_comes_for_an_ended_game_goes_to_the_other_jackpot() -> None:
    till = make_till(10_000)
    (card,) = bought(till, face_value=1_000)
    won, off = make_pool("totolot-variant"), make_pool("totolot-variant")
    sell(won, ("1", 100))
    sell_slips(off, till, ("1", 100))
    cancellation = cancel(off)
    settle(won, "1")
    book_due_payables()
    # What nobody collects will still come into a jackpot: there must be one.
    unmoved = proposed(to="")
    assert refused(partial(ended, unmoved)).code == Refusal.WRONG_STATE
    ended(proposed())
    go_to(payable_until(won))
    expire_due_winnings()
    assert held() == (60, 0)
    go_to(card.card.expires_at)
    expire_cards()
    assert held() == (1_060, 0)
    go_past_the_limitation(cancellation)
    lapsed(proposed_lapse(off))
    assert held() == (1_160, 0)
    assert (heir_of("totolot"), heir_of("sportloto")) == ("sportloto", "sportloto")
    assert broken() == []


def test_what_is_refused_changes_nothing() -> None:
    act = partial(
        propose_game_end,
        game="totolot",
        jackpot_to="sportloto",
        reason="x",
        number="1",
        dated=date(2026, 1, 1),
        content=SCAN,
        proposed_by=make_organizers()[0],
    )
    for stranger in (make_player(), make_till().cashier):
        assert refused(partial(act, proposed_by=stranger)).code == Refusal.NOT_ALLOWED
    for wrong in (
        {"game": "chess"},
        {"jackpot_to": "totolot"},
        {"jackpot_to": "chess"},
        {"reason": " "},
        {"number": ""},
        {"dated": clock.today() + timedelta(days=1)},
    ):
        refusal = refused(partial(act, **wrong))
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, next(iter(wrong)))
    assert refused(partial(act, content=b"no scan")).field == "file"
    first, _second = act(), act()
    deciders()
    assert refused(partial(ended, first)).code == Refusal.WRONG_STATE
    player = make_player()
    assert refused(partial(approve_game_end, proposal=first, approved_by=player)).code == Refusal.NOT_ALLOWED


def test_the_rows_never_change_and_the_database_keeps_an_end_without_its_money_out() -> None:
    fill("totolot", 100)
    end = ended(proposed())
    for table in ("accounts_gameend", "accounts_gameendproposal"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")
    one, other = make_organizers()
    proposal = proposed_row(one)
    with pytest.raises(IntegrityError, match="no_jackpot_left_behind"), transaction.atomic():
        GameEnd.objects.create(
            game="sportloto",
            moved=1,
            proposal=proposal,
            proposed_by=one,
            approved_by=other,
            ended_at=end.ended_at,
        )


def proposed_row(by: User) -> GameEndProposal:
    """A proposal about the other game, written past the service."""
    return GameEndProposal.objects.create(
        game="sportloto",
        reason="x",
        document_number="1",
        document_date=clock.today(),
        size=1,
        proposed_by=by,
        proposed_at=clock.now(),
    )


def test_two_of_the_staff_end_a_game_over_the_api() -> None:
    fill("totolot", 5_000)
    one, other = (Caller(person) for person in make_organizers())
    day = clock.today().isoformat()
    fields = {"game": "totolot", "jackpot_to": "sportloto", "reason": "x", "number": "17-A", "dated": day}
    answer = upload(one, "game-end-proposals", SCAN, **fields)
    assert answer.status_code == 201, answer.json()
    proposal = answer.json()
    assert {name: proposal[name] for name in ("game", "jackpot_to", "document", "dated", "approved")} == {
        "game": "totolot",
        "jackpot_to": "sportloto",
        "document": "17-A",
        "dated": day,
        "approved": False,
    }
    path = f"staff/game-end-proposals/{proposal['number']}"
    assert one.get(f"{path}/document").content == SCAN
    assert told(one.post(f"{path}/approval", {})) == (403, "same_person")
    end = other.post(f"{path}/approval", {}).json()
    assert (end["game"], end["jackpot_to"], end["moved"]) == ("totolot", "sportloto", "50.00")
    assert one.get("staff/game-end-proposals").json()["proposals"][0]["approved"] is True
