"""Terms that the engine can settle and people could not use are refused when they are drafted (A1)."""

from datetime import timedelta
from typing import Any

import pytest

from pools.models import Pool
from pools.services.drafting import draft_pool, redraft_pool
from tests.making import make_commission, make_organizers, make_rules, make_terms
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db

ILLEGIBLE = ["", " ", ";;", "\u200b", "a\x00b", "a\nb", "\u202eABC", "\u2066ABC"]


def a_draft() -> tuple[dict[str, Any], Any]:
    maker, _checker = make_organizers()
    opens_at = clock.now() + timedelta(hours=1)
    terms = make_terms(
        opens_at=opens_at,
        closes_at=opens_at + timedelta(hours=1),
        rules_version=make_rules(maker),
        keys=make_commission(),
    )
    return terms, maker


def refusal_of(terms: dict[str, Any], maker: Any) -> DomainError:
    refusal = refused(lambda: draft_pool(document=terms, prepared_by=maker))
    assert refusal.code == Refusal.BAD_TERMS
    return refusal


@pytest.mark.parametrize("name", [{}, *({"ru": text} for text in ILLEGIBLE), {"ru": "Пул", "en": "\u200b"}], ids=repr)
def test_a_name_that_nobody_can_read_is_refused_wherever_it_stands(name: dict[str, str]) -> None:
    terms, maker = a_draft()
    pool = {**terms, "pool": {**terms["pool"], "name": name}}
    assert refusal_of(pool, maker).field == "terms.json, pool.name"
    first, *rest = terms["conditions"]
    condition = {**terms, "conditions": [{**first, "name": name}, *rest]}
    assert refusal_of(condition, maker).field == "terms.json, conditions[0].name"
    if name:
        outcomes = [first["outcomes"][0], {**first["outcomes"][1], "name": name}]
        outcome = {**terms, "conditions": [{**first, "outcomes": outcomes}, *rest]}
        assert refusal_of(outcome, maker).field == "terms.json, conditions[0].outcomes[1].name"


@pytest.mark.parametrize("name", ["«Динамо» – Брест", "U-21", "サッカー", "1", "Δ!"])
def test_a_name_in_any_script_is_taken(name: str) -> None:
    terms, maker = a_draft()
    pool = draft_pool(document={**terms, "pool": {**terms["pool"], "name": {"ru": name}}}, prepared_by=maker)
    assert pool.terms.pool.name == {"ru": name}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"opens_at": "0001-01-01T00:00:00Z"}, "opens_at"),
        ({"opens_at": "1999-12-31T23:59:59Z"}, "opens_at"),
        ({"closes_at": "2200-01-01T00:00:00Z"}, "closes_at"),
        ({"closes_at": "9999-12-31T23:59:59Z"}, "closes_at"),
    ],
)
def test_a_time_at_the_end_of_the_calendar_is_refused(changes: dict[str, str], field: str) -> None:
    terms, maker = a_draft()
    assert refusal_of({**terms, **changes}, maker).field == f"terms.json, {field}"


def test_a_draft_stays_as_it_was_when_the_new_terms_are_illegible() -> None:
    terms, maker = a_draft()
    pool = draft_pool(document=terms, prepared_by=maker)
    worse = {**terms, "closes_at": "9999-12-31T23:59:59Z"}
    refusal = refused(lambda: redraft_pool(code=pool.code, document=worse, prepared_by=maker))
    assert (refusal.code, refusal.field) == (Refusal.BAD_TERMS, "terms.json, closes_at")
    assert Pool.objects.get(code=pool.code).terms_digest == pool.terms_digest
