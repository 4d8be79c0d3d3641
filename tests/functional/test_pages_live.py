"""The figures of a pool page that is open: asked for again while they can change, and never after."""

import re
from datetime import timedelta

import pytest
from django.core.cache import caches

from pools.services.closing import close_pool
from tests.functional.browsing import text_of, visitor
from tests.making import make_organizers, make_pool
from tests.settling import sell
from totalizator.core import clock

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    caches["process"].clear()


def test_the_figures_alone_are_those_of_the_page() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100), ("1;X;1+2", 200))
    part = visitor().get(f"/pools/{pool.code}/figures/")
    assert text_of(part).startswith("BYN 2.10 winning fund BYN 3.00 staked 2 bets 3 lines")
    assert "<html" not in part.content.decode()
    page = visitor().get(f"/pools/{pool.code}/").content.decode()
    assert without_clock(part.content.decode()).strip() in without_clock(page)


def without_clock(page: str) -> str:
    """Leave out the server's clock of a countdown, which goes on between two answers."""
    return re.sub(r' data-now="[^"]*"', "", page)


def test_they_are_asked_for_every_half_minute_and_more_often_near_the_end() -> None:
    pool = make_pool()
    assert 'hx-trigger="every 30s"' in visitor().get(f"/pools/{pool.code}/figures/").content.decode()
    for left in (50, -3):  # and still, until the job has closed it
        clock.move_clock(pool.closes_at - clock.now() - timedelta(seconds=left))
        assert 'hx-trigger="every 5s"' in visitor().get(f"/pools/{pool.code}/figures/").content.decode()


def test_final_figures_are_asked_for_no_more() -> None:
    pool = make_pool()
    organizer, _other = make_organizers()
    close_pool(code=pool.code, actor=organizer.actor, early_by=organizer)
    for path in (f"/pools/{pool.code}/figures/", f"/pools/{pool.code}/"):
        page = visitor().get(path).content.decode()
        assert "hx-" not in page
        assert "htmx" not in page
