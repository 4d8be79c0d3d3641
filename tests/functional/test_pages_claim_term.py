"""The last day of the term for payment, wherever people look for it, and the longer one once it was extended (K2)."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import translation

from accounts.models import Role
from payouts.services.extending import approve_extension, propose_extension
from pools.models import Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.printing import print_copy, print_ticket
from tests.claiming import won
from tests.functional.browsing import text_of, visitor
from tests.integration.test_ticket import text_of as text_of_pdf
from tests.making import bet_in_cash, make_organizers, make_pool, make_till, make_user
from tests.paying import payable_from, payable_until
from totalizator.core.legal import non_working_days
from totalizator.engine.deadlines import claim_term, legal_day

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("game", "term"), [("sportloto-variant", "12 weeks"), ("totolot-variant", "three months")])
def test_k2_a_ticket_and_the_pages_say_the_last_day_before_there_is_a_result(game: str, term: str) -> None:
    pool = make_pool(game)
    closing = legal_day(pool.closes_at)
    last = claim_term(game, pool.closes_at, non_working_days(closing, closing + timedelta(days=366))).last_day
    placed = bet_in_cash(pool, make_till(), "1", 100)
    words = f"If the result is known on {shown(closing)}, the last day is {shown(last)}."
    ticket = " ".join(text_of_pdf(print_ticket(placed, language="en")).split())
    assert f"for {term}" in ticket
    assert words in ticket
    assert words in text_of(visitor().get(f"/pools/{pool.code}/"))
    held = visitor().post(f"/t/{placed.bet.ticket}/", {"check_code": placed.check_code})
    assert words in text_of(held)


def test_k2_every_page_shows_the_longer_term_once_two_people_have_extended_it() -> None:
    pool, slip = won(make_till())
    first, old = legal_day(payable_from(pool)), legal_day(payable_until(pool)) - timedelta(days=1)
    day = old + timedelta(days=10)
    asked = propose_extension(
        code=pool.code, last_day=day, reason="Shut", document="Order 7", proposed_by=make_user(Role.ORGANIZER)
    )
    pages = partial(pages_of, pool, slip.bet.ticket, slip.check_code)
    for text in pages():
        assert f"{shown(first)} – {shown(old)}" in text
    approve_extension(extension=asked, approved_by=make_user(Role.ORGANIZER))
    for text in pages():
        assert f"{shown(first)} – {shown(day)}" in text
        assert shown(old) not in text
    copy = print_copy(slip.bet, actor="test", language="en", paid_until=payable_until(pool))
    assert f"Winnings are paid to {shown(old)} inclusive." in " ".join(text_of_pdf(copy).split())


def test_a_cancelled_pool_has_no_term() -> None:
    pool = make_pool("sportloto-variant")
    one, other = make_organizers()
    propose_cancellation(code=pool.code, reason="Rain", document="Order 1", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)
    assert "12 weeks" not in text_of(visitor().get(f"/pools/{pool.code}/"))


def pages_of(pool: Pool, ticket: str, check_code: str) -> list[str]:
    """The pool's page, its result, and the ticket's page with and without its check code."""
    browser = visitor()
    answers = [browser.get(path) for path in (f"/pools/{pool.code}/", f"/pools/{pool.code}/result/", f"/t/{ticket}/")]
    answers.append(browser.post(f"/t/{ticket}/", {"check_code": check_code}))
    return [text_of(answer) for answer in answers]


def shown(day: object) -> str:
    """A day as English pages write it."""
    with translation.override("en"):
        return f"{day:%-d %b %Y}"
