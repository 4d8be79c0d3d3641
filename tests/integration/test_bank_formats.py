"""One payment told in several formats is credited once, whatever each leaves out; and none is lost (¶35.5)."""

from collections.abc import Sequence

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.ledger.balances import balance
from accounts.models import BankLine, BankLineDecision, BankLineProposal, Receipt
from accounts.services.bank_doubts import approve_doubt, doubtful_lines, propose_doubt
from accounts.services.bank_statements import import_bank_file
from accounts.services.transfer_references import ReferenceKind, TransferReference
from pools.services.receipt_matching import match_receipts
from tests.banking import in_bank, in_suspense, own_account
from tests.making import account_of, make_organizers, make_player
from tests.paying import broken
from tests.refusals import refused
from tests.telling import DAY, NEXT, TELLINGS, Payment, camt, mt940, summed, table
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
OTHER_PAYER = "BY13NBRB3600900000002Z00AB00"

one_payment = st.tuples(st.sampled_from([1_250, 500]), st.sampled_from(["за участие", "пополнение"]))
one_day = st.lists(one_payment, min_size=1, max_size=4)
files = st.lists(st.sampled_from(sorted(TELLINGS)), min_size=1, max_size=5)


def read(content: bytes) -> tuple[int, int, int]:
    """Import a file; return how many lines were new, known, and maybe known."""
    done = import_bank_file(content=content, actor="test")
    return done.new, done.known, done.maybe


def decide(same: bool) -> None:
    """Let two people say of every doubtful line that it is the same payment, or another."""
    one, other = make_organizers()
    for line in list(doubtful_lines()):
        approve_doubt(
            proposal=propose_doubt(line=line, same=same, document="Letter 9", proposed_by=one), approved_by=other
        )


def numbered(told: Sequence[tuple[int, str]]) -> list[Payment]:
    return [
        Payment(amount, f"2026113000000{number:02d}ABCDE", purpose) for number, (amount, purpose) in enumerate(told)
    ]


@given(told=one_day, how=files)
@settings(max_examples=15, deadline=None)
def test_one_day_in_any_formats_in_any_order_however_often_is_booked_once(
    told: list[tuple[int, str]], how: list[str]
) -> None:
    with transaction.atomic():
        own_account()
        payments = numbered(told)
        total = sum(payment.amount for payment in payments)
        for way in how * 2:
            import_bank_file(content=TELLINGS[way](payments), actor="test")
            assert (in_bank(), in_suspense()) == (total, total)
        assert Receipt.objects.count() == BankLine.objects.filter(resembles=None).count()
        decide(same=True)
        for way in reversed(how):
            import_bank_file(content=TELLINGS[way](payments), actor="test")
        decide(same=True)
        assert (in_bank(), in_suspense(), broken()) == (total, total, [])
        transaction.set_rollback(True)


def test_a_value_day_instead_of_the_booking_day_credits_nothing_twice() -> None:
    player = make_player()
    purpose = str(TransferReference(ReferenceKind.GAME_ACCOUNT, account_of(player).pk))
    payment = Payment(1_250, "REF1", purpose)
    own_account()
    for opening in (100_000, 7):  # the same statement, and one of other balances
        read(camt([payment]))
        match_receipts()
        assert balance(account_of(player).ledger_account) == 1_250
        read(mt940([payment], entry_day=False, opening=opening))
        match_receipts()
        assert balance(account_of(player).ledger_account) == 1_250
    (doubt,) = doubtful_lines()
    assert (doubt.booked_on, doubt.amount, doubt.resembles) == (NEXT, 1_250, BankLine.objects.get(resembles=None))
    decide(same=False)
    match_receipts()
    assert (balance(account_of(player).ledger_account), broken()) == (2_500, [])


@pytest.mark.parametrize("first", sorted(TELLINGS))
def test_of_two_tellings_the_second_books_nothing(first: str) -> None:
    own_account()
    payments = numbered([(1_250, "за участие"), (1_250, "за участие"), (500, "пополнение")])
    lines = read(TELLINGS[first](payments))
    assert (lines[0], lines[1:]) == (3, (0, 0))
    for second in sorted(TELLINGS):
        with transaction.atomic():
            again = read(TELLINGS[second](payments))
            assert (again[0], again[1] + again[2], in_bank(), in_suspense()) == (0, 3, 3_000, 3_000), second
            transaction.set_rollback(True)


def test_a_statement_of_the_same_balances_is_the_same_and_asks_nobody() -> None:
    own_account()
    payments = numbered([(1_250, "за участие"), (500, "пополнение")])
    assert read(camt(payments)) == (2, 0, 0)
    assert read(mt940(payments, entry_day=False, cut=True)) == (0, 2, 0)
    other = [Payment(1_250, "X1", "иное"), Payment(500, "X2", "другое")]
    assert read(mt940(other)) == (0, 0, 2)  # the balances leave no room, and nothing else tells which is which
    assert in_bank() == 1_750


def test_a_sum_of_the_same_balances_told_in_other_parts_is_held() -> None:
    own_account()
    assert read(mt940([Payment(1_750, "SUM", "реестр")])) == (1, 0, 0)
    assert read(camt(numbered([(1_250, "а"), (500, "б")]))) == (0, 0, 2)
    assert in_bank() == 1_750


@pytest.mark.parametrize("parts_first", [True, False])
def test_a_collective_entry_and_its_sum_of_another_day_and_a_cut_reference_are_one(parts_first: bool) -> None:
    own_account()
    payments = numbered([(1_250, "а"), (500, "б")])
    parts = camt(payments, collective=True, opening=None)
    whole = mt940([summed(payments)], entry_day=False, cut=True)
    first, second = (parts, whole) if parts_first else (whole, parts)
    lines = 2 if parts_first else 1
    assert read(first) == (lines, 0, 0)
    assert read(second) == (0, 0, 3 - lines)
    assert in_bank() == 1_750


def test_what_begins_where_another_format_ended_is_another_payment() -> None:
    own_account()
    assert read(camt([Payment(1_250, "A1", "один")])) == (1, 0, 0)
    assert read(mt940([Payment(1_250, "B1", "два")], opening=101_250, booked=NEXT)) == (1, 0, 0)
    same = Payment(1_250, "A1", "один")
    assert read(mt940([same], opening=101_250, booked=NEXT, entry_day=False)) == (0, 0, 1)
    assert in_bank() == 2_500


def test_a_line_that_is_told_as_itself_lends_no_doubt_to_another() -> None:
    own_account()
    one, other = numbered([(1_250, "а"), (1_250, "б")])
    assert read(camt([one], opening=None)) == (1, 0, 0)
    assert read(table([one, other])) == (1, 1, 0)
    assert in_bank() == 2_500


def test_another_payer_another_amount_and_another_week_are_another_payment() -> None:
    own_account()
    assert read(camt([Payment(1_250, "A1")], opening=None)) == (1, 0, 0)
    assert read(table([Payment(1_250, "B1", account=OTHER_PAYER)])) == (1, 0, 0)
    assert read(table([Payment(1_251, "B2")])) == (1, 0, 0)
    assert read(table([Payment(1_250, "B3")], booked=DAY.replace(day=22))) == (1, 0, 0)
    assert read(table([Payment(1_250, "B4")], booked=DAY.replace(day=23))) == (0, 0, 1)


def test_an_account_in_mt940s_free_text_is_no_other_payer() -> None:
    """A payer can write anybody's account into the purpose."""
    own_account()
    assert read(camt([Payment(1_250, "A1")], opening=None)) == (1, 0, 0)
    assert read(mt940([Payment(1_250, "B1", f"за {OTHER_PAYER}")])) == (0, 0, 1)


def test_one_format_alone_is_never_in_doubt() -> None:
    own_account()
    for number in range(3):
        assert read(table([Payment(1_250, f"R{number}")])) == (1, 0, 0)
    assert read(table([Payment(1_250, "R0"), Payment(1_250, "R9")])) == (1, 1, 0)
    assert in_bank() == 5_000


def test_in_one_format_the_same_reference_on_another_day_is_the_same_or_asked_about() -> None:
    """MT940 with the booking day, and the same without it; where the balances go on, numbers may begin anew."""
    own_account()
    payment = Payment(1_250, "REF1")
    assert read(mt940([payment])) == (1, 0, 0)
    assert read(mt940([payment], entry_day=False)) == (0, 0, 1)
    opening = 101_250
    for day in (NEXT.replace(day=2), NEXT.replace(day=3)):
        assert read(mt940([payment], opening=opening, booked=day, valued=day)) == (1, 0, 0)
        opening += 1_250
    assert in_bank() == 3_750


def test_two_people_decide_once_and_nobody_alone() -> None:
    own_account()
    one, other = make_organizers()
    read(camt([Payment(1_250, "A1")]))
    read(table([Payment(1_250, "A1")], references=False))
    (line,) = doubtful_lines()
    booked = BankLine.objects.get(resembles=None)
    assert refused(lambda: propose_doubt(line=booked, same=True, document="x", proposed_by=one)).code is (
        Refusal.WRONG_STATE
    )
    assert refused(lambda: propose_doubt(line=line, same=True, document=" ", proposed_by=one)).field == "document"
    player = make_player()
    assert refused(lambda: propose_doubt(line=line, same=True, document="x", proposed_by=player)).code is (
        Refusal.NOT_ALLOWED
    )
    early = propose_doubt(line=line, same=True, document="Letter 1", proposed_by=one)
    latest = propose_doubt(line=line, same=False, document="Letter 2", proposed_by=one)
    assert refused(lambda: approve_doubt(proposal=latest, approved_by=one)).code is Refusal.SAME_PERSON
    assert refused(lambda: approve_doubt(proposal=early, approved_by=other)).code is Refusal.WRONG_STATE
    assert (in_bank(), BankLineDecision.objects.count()) == (1_250, 0)
    decision = approve_doubt(proposal=latest, approved_by=other)
    assert approve_doubt(proposal=latest, approved_by=other) == decision
    assert (in_bank(), in_suspense(), broken()) == (2_500, 2_500, [])
    assert refused(lambda: propose_doubt(line=line, same=True, document="x", proposed_by=other)).code is (
        Refusal.WRONG_STATE
    )
    acts = JournalRecord.objects.filter(subject=f"bank_line:{line.pk}").order_by("pk")
    assert [record.act for record in acts] == ["propose_bank_line", "propose_bank_line", "approve_bank_line"]


def test_the_database_lets_nobody_decide_alone() -> None:
    own_account()
    one, _other = make_organizers()
    read(camt([Payment(1_250, "A1")]))
    read(table([Payment(1_250, "A1")], references=False))
    proposal = propose_doubt(line=doubtful_lines().get(), same=False, document="Letter", proposed_by=one)
    with pytest.raises(IntegrityError), transaction.atomic():
        BankLineDecision.objects.create(proposal=proposal, proposed_by=one, approved_by=one, decided_at=clock.now())
    assert (BankLineProposal.objects.count(), BankLineDecision.objects.count()) == (1, 0)
