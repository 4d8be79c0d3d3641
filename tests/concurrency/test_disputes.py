"""A dispute against a till and the crediting job, at the same moment (¶45)."""

import pytest

from payouts.locks import BEFORE_ALL
from payouts.models import Dispute, Payable, Payment
from payouts.services import crediting
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.disputes import dispute_by_letter, dispute_own_bet
from tests.claiming import won
from tests.concurrency.racing import race
from tests.making import bet_from_account, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of, pay, payable_from
from tests.settling import settle
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_dispute_and_a_till_at_once_pay_before_it_or_not_at_all() -> None:
    till, (one, _other) = make_till(10_000), make_organizers()
    for _time in range(6):
        pool, slip = won(till)
        go_to(payable_from(pool))
        dispute, paid = race(
            [
                lambda slip=slip: dispute_by_letter(ticket=slip.bet.ticket, story="A letter", opened_by=one),  # type: ignore[misc]
                lambda slip=slip: pay(slip, till),  # type: ignore[misc]
            ]
        )
        assert isinstance(dispute, Dispute)
        if isinstance(paid, DomainError):
            assert paid.code == Refusal.TICKET_HELD
        else:
            assert isinstance(paid, Payment)
            assert paid.paid_at <= dispute.opened_at
    assert broken() == []


def test_negative_control_a_job_that_does_not_ask_again_credits_what_is_disputed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is disputed between finding the rows and paying them is only seen by asking once more."""
    player, pool = make_player(100), make_pool("sportloto-variant")
    ticket = bet_from_account(pool, player, "1", 100).bet.ticket
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    dispute_own_bet(ticket=ticket, story="Too little", opened_by=player)
    found = [list(Payable.objects.select_related("pay_to").filter(pool=pool)), []]
    monkeypatch.setattr(crediting, "lock_creditable", lambda *_args, **_named: found[0])
    assert crediting._credit_chunk(pool, 10, BEFORE_ALL, "test")[1] == 0
    assert money_of(player) == 0
    monkeypatch.setattr(crediting, "disputed_tickets", lambda *_args: frozenset())
    assert crediting._credit_chunk(pool, 10, BEFORE_ALL, "test")[1] == 1
    assert money_of(player) == 66
    monkeypatch.undo()
    assert credit_accounts(code=pool.code) == 0
