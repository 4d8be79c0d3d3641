"""Every address, asked by each role and by nobody: a page, another address, or a plain no (R1); never unsafe."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import Role, User
from pools.models import CommissionKey, Pool
from pools.services.drafting import draft_pool
from tests.functional.browsing import visitor
from tests.functional.page_policy import refused
from tests.making import bet_from_account, make_commission, make_player, make_pool, make_till, make_user
from tests.settling import settle

pytestmark = pytest.mark.django_db

# Who may open what begins with this; every other address is everyone's. The rest gets 403, and nobody a log-in.
PRIVATE = {
    "/desk/": {Role.ORGANIZER},
    "/reports/": {Role.ORGANIZER, Role.REGULATOR},
    "/journal/": {Role.ORGANIZER, Role.REGULATOR},
    "/commission/": {Role.COMMISSION},
    "/till/": {Role.CASHIER},
    "/my/tokens/": {Role.PLAYER, Role.CASHIER},
    "/my/": {Role.PLAYER},
    "/design/": {Role.ORGANIZER, Role.COMMISSION, Role.CASHIER, Role.REGULATOR},
}
ACTS = ("/payments/webhooks/", "/appearance/")  # anybody's, and only by POST
OTHER = re.compile("<(?:int|slug|str|label):[a-z_]+>")
SELLERS = ("/coupon/", "/coupon/change/", "/pay/", "/ticket.pdf", "/upload/", "/upload/sell/")


def addresses(patterns: Any = None, prefix: str = "/") -> Iterator[tuple[str, str]]:
    """Every route of the site but the framework's own and those for machines (test_health.py), with its name."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if route.startswith("/health/"):
            continue
        if isinstance(pattern, URLResolver):
            if not route.startswith(("/account/", "/i18n/", "/desk/reference/")):
                yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route, str(pattern.name)


def filled(route: str, pool: Pool, ticket: str) -> str:
    values = {"code": pool.code, "ticket": ticket, "version": pool.terms.rules_version, "key_id": "member-none"}
    values |= {"game": "sportloto", "name": "sales"}
    for name, value in values.items():
        route = route.replace(f"<label:{name}>", value)
    route = OTHER.sub("1", route)
    assert "<" not in route
    return route


def people(keys: list[CommissionKey], player: User) -> dict[Role | None, User | None]:
    cashier = make_till(1_000).cashier
    return {
        None: None,
        Role.PLAYER: player,
        Role.CASHIER: cashier,
        Role.COMMISSION: keys[0].member,
        Role.ORGANIZER: make_user(Role.ORGANIZER),
        Role.REGULATOR: make_user(Role.REGULATOR),
    }


def expected(path: str, role: Role | None) -> set[int]:
    allowed = next((roles for start, roles in PRIVATE.items() if path.startswith(start)), None)
    if path.startswith("/pools/") and path.endswith(SELLERS):
        allowed = {Role.PLAYER, Role.CASHIER}
    if path.startswith("/pools/") and "/copy/" in path:
        allowed = {Role.PLAYER}
    if allowed is None:
        return {405} if path.startswith(ACTS) else {200, 404}
    if role is None:
        return {302}
    return {200, 302, 404, 405} if role in allowed else {403}


@pytest.mark.parametrize("settled", [False, True], ids=["open", "settled"])
def test_every_address_by_every_role(settled: bool) -> None:
    keys, player = make_commission(), make_player(10_000)
    pool = make_pool(keys=keys)
    ticket = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    if settled:
        settle(pool, "1;X;2")
    routes, pages = list(addresses()), 0
    assert len(routes) > 45
    for role, person in people(keys, player).items():
        client = visitor(person)
        client.raise_request_exception = True
        for route, name in routes:
            path = filled(route, pool, ticket)
            if not settled and not path.startswith(("/pools/", "/my/", "/commission/", "/t/")):
                continue  # of all other pages it is the same to what state a pool has come
            answer = client.get(path)
            status = answer.status_code
            if not path.startswith("/api/") or name == "docs":
                assert refused(answer) == [], path
                pages += status == 200 and answer["Content-Type"].startswith("text/html")
            wanted = expected(path, role)
            if path.startswith("/api/"):  # 400: a question without its parameters
                by_token_alone = path == "/api/v1/events"  # of a subscriber, who is no person
                wanted = {200, 400, 401 if role is None or by_token_alone else 403, 404, 405}
            assert status in wanted, (role, path, status)
    assert pages > (60 if settled else 30)


def test_who_is_not_logged_in_gets_to_a_page_that_asks_for_it() -> None:
    for path in PRIVATE:
        answer = visitor().get(path, follow=True)
        assert answer.redirect_chain == [(f"/account/login/?next={path}", 302)]
        assert answer.status_code == 200


def test_what_is_not_there_is_never_a_fault_of_ours() -> None:
    player = make_player()
    for role, person in people(make_commission(), player).items():
        client = visitor(person)
        for route, _name in addresses():
            path = re.sub("<label:[a-z_]+>", "NO-SUCH", OTHER.sub("999999999999999999999", route))
            if expected(path, role) <= {302, 403}:
                continue  # the door is before what is behind it: the test above
            for answer in (client.get(path), client.post(path)):
                assert answer.status_code < 500, (role, path, answer.status_code)


@pytest.mark.parametrize("odd", ["%00", "x%00y", "%F0%9F%8E%B2", "..%2F..", "'--", "%25s", "a" * 500])
def test_an_odd_name_in_an_address_names_nothing(odd: str) -> None:
    player = visitor(make_player())
    for path in (f"/pools/{odd}/", f"/api/v1/pools/{odd}/", f"/my/bets/{odd}/", f"/rules/{odd}/"):
        assert player.get(path).status_code == 404, path
    assert player.post("/check/", {"ticket": "\x00", "check_code": "\x00"}).status_code == 400


def test_an_act_of_another_role_is_refused_by_post_too() -> None:
    pool, player = make_pool(), make_player()
    for path in (
        "/desk/draft/",
        f"/desk/pools/{pool.code}/close/",
        "/till/pay/",
        "/desk/jackpots/",
        "/commission/key/",
    ):
        assert visitor(player).post(path, {}).status_code == 403
    pool.refresh_from_db()
    assert pool.closed_at is None


def test_a_draft_is_the_organizers_own() -> None:
    draft = draft_of(make_pool())
    assert visitor().get(f"/pools/{draft}/").status_code == 404
    assert visitor(make_player()).get(f"/pools/{draft}/").status_code == 404
    assert visitor().get(f"/api/v1/pools/{draft}/").status_code == 404
    assert visitor(make_user(Role.ORGANIZER)).get(f"/desk/pools/{draft}/").status_code == 200


def draft_of(pool: Pool) -> str:
    document = json.loads(pool.terms_text)
    document["pool"]["code"] = "DRAFT-1"
    return draft_pool(document=document, prepared_by=make_user(Role.ORGANIZER)).code


def test_a_form_without_its_token_is_refused_in_words() -> None:
    client = Client(enforce_csrf_checks=True, headers={"accept-language": "ru"})
    answer = client.post("/check/", {"ticket": "x", "check_code": "y"})
    assert answer.status_code == 403
    assert "Страница была открыта слишком долго" in answer.content.decode()


@pytest.mark.parametrize(
    ("language", "words"), [("ru", "По этому адресу"), ("be", "Па гэтым адрасе"), ("en", "nothing at")]
)
def test_what_is_not_there_is_said_in_each_language(language: str, words: str) -> None:
    answer = visitor(language=language).get("/nowhere/")
    assert answer.status_code == 404
    assert words in answer.content.decode()


def test_an_unknown_address_of_the_api_is_a_problem_document() -> None:
    answer = visitor().get("/api/v1/nowhere")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["code"] == "not_found"
