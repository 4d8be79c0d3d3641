"""A claim to a lost ticket against a till, the sweep and another claimant, at the same moment (K4, C57)."""

import pytest

from payouts.locks import lock_unclaimed
from payouts.models import ClaimState, Payable, PayableState, Payment, TicketClaim
from payouts.services import expiring
from payouts.services.expiring import expire_winnings
from payouts.services.ticket_claims import pay_claim
from tests.claiming import claimed, decided, person, won
from tests.concurrency.racing import race
from tests.making import make_till
from tests.paying import broken, go_to, pay, payable_from, payable_until, states_of
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_claim_and_a_till_at_once_either_holds_the_ticket_or_finds_it_paid() -> None:
    till = make_till(10_000)
    for _time in range(10):
        pool, slip = won(till)
        go_to(payable_from(pool))
        claim, payment = race([lambda slip=slip: claimed(slip, till), lambda slip=slip: pay(slip, till)])  # type: ignore[misc]
        if isinstance(claim, DomainError):
            assert claim.code == Refusal.ALREADY_PAID
            assert isinstance(payment, Payment)
        else:
            assert isinstance(payment, DomainError)
            assert payment.code == Refusal.TICKET_HELD
    assert broken() == []


def test_two_claimants_at_once_are_always_told_of_one_another() -> None:
    till = make_till(10_000)
    pool, slip = won(till)
    race([lambda number=number: claimed(slip, till, f"CLAIM0000{number}") for number in range(4)])  # type: ignore[misc]
    assert list(TicketClaim.objects.values_list("state", flat=True)) == [ClaimState.DISPUTED] * 4
    assert pool.ticket_claims.count() == 4


def test_two_tills_pay_a_granted_claim_once() -> None:
    tills = [make_till(10_000), make_till(10_000)]
    pool, slip = won(tills[0])
    go_to(payable_from(pool))
    claim = decided(claimed(slip, tills[0], with_code=True), grant=True)
    who = person()

    def paying(number: int) -> Payment:
        cashier = tills[number].cashier
        assert cashier is not None
        return pay_claim(claim=claim, cashier=cashier, idempotency_key=f"k{number}", person=who)

    outcomes = race([lambda: paying(0), lambda: paying(1)])
    assert sorted(str(getattr(outcome, "code", "paid")) for outcome in outcomes) == ["already_paid", "paid"]
    assert (Payment.objects.count(), broken()) == (1, [])


def test_c57_negative_control_a_sweep_that_does_not_ask_again_takes_what_is_claimed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was claimed while the sweep waited for the row is only seen by asking once more after the lock."""
    till = make_till(1_000)
    pool, slip = won(till)
    go_to(payable_until(pool))
    lock = lock_unclaimed
    assert till.cashier is not None
    cashier = till.cashier

    def lock_then_claimed(*args: object, **named: object) -> list[Payable]:
        """Let the claim come in, as it would have while the sweep waited."""
        found = lock(*args, **named)  # type: ignore[arg-type]
        TicketClaim.objects.get_or_create(
            pool=pool,
            ticket=slip.bet.ticket,
            person=who,
            defaults={
                "mishap": "lost",
                "story": "x",
                "code_shown": False,
                "opened_by": cashier,
                "opened_at": payable_from(pool),
                "moved_at": payable_from(pool),
            },
        )
        return found

    who = person()
    monkeypatch.setattr(expiring, "lock_unclaimed", lock_then_claimed)
    assert expire_winnings(code=pool.code) == 1
    assert states_of(pool)[slip.bet.ticket] == PayableState.DUE
    monkeypatch.setattr(expiring, "lock_unclaimed", lambda *_args, **_named: list(Payable.objects.filter(state="due")))
    monkeypatch.setattr(expiring, "claimed_tickets", lambda *_args: frozenset())
    assert expiring._expire_chunk(pool, 10, "test") == 1
    assert states_of(pool)[slip.bet.ticket] == PayableState.EXPIRED
