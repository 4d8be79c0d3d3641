"""What anybody may read over the API: filters, pages, ETags, and every public document of a settled pool."""

from typing import Any

import jsonschema
import pytest

from pools.models import PoolState, Settlement
from tests.functional.calling import Caller, told
from tests.making import make_pool, make_till
from tests.settling import sell, settle
from totalizator.core.api.schema import schema

PUBLIC = ("", "result", "statement", "commitment", "certificate")


def valid(path: str, answer: Any) -> Any:
    """The body of an answer that is as the schema says."""
    told_schema = schema()["paths"][f"/api/v1/{path}"]["get"]["responses"]["200"]["content"]["application/json"]
    whole = {**told_schema["schema"], "components": schema()["components"]}
    jsonschema.Draft202012Validator(whole).validate(answer.json())
    return answer.json()


@pytest.mark.django_db
def test_pools_are_filtered_by_state_game_and_closing() -> None:
    sporto, toto = make_pool(is_open=False), make_pool("totolot-position")
    caller = Caller()

    def found(query: str) -> set[str]:
        return {pool["code"] for pool in valid("pools/", caller.get(f"pools/?{query}"))["pools"]}

    assert found("") == {sporto.code, toto.code}
    assert found("game=totolot-position") == {toto.code}
    assert found("state=announced") == {sporto.code, toto.code}
    assert found("state=closed") == set()
    between = toto.closes_at.isoformat().replace("+00:00", "Z")
    assert found(f"closes_from={between}") == {toto.code} | ({sporto.code} & found(f"closes_from={between}"))
    assert toto.code not in found(f"closes_before={between}")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("state=draft", "state"),
        ("state=", "state"),
        ("game=chess", "game"),
        ("closes_from=2026-12-05T15:00:00", "closes_from"),
        ("closes_from=2026-12-05", "closes_from"),
        ("closes_from=0001-01-01T00:00:00%2B14:00", "closes_from"),
        ("page_size=0", "page_size"),
        ("page_size=201", "page_size"),
        ("cursor=nonsense", "cursor"),
        ("cursor=cD1ub25zZW5zZQ==", "cursor"),
        ("sate=open", "sate"),
        ("state=open&state=closed", "state"),
    ],
)
def test_a_query_that_is_not_understood_is_refused_and_not_passed_over(query: str, field: str) -> None:
    make_pool()
    answer = Caller().get(f"pools/?{query}")
    assert (told(answer), answer.json()["field"]) == ((400, "bad_value"), field)


@pytest.mark.django_db
def test_pages_follow_one_another_and_lose_nothing() -> None:
    codes = {make_pool(is_open=False).code for _ in range(3)}
    caller, path, seen = Caller(), "pools/?page_size=2", []
    while path:
        page = valid("pools/", caller.get(path))
        seen += [pool["code"] for pool in page["pools"]]
        path = (page["next"] or "").rpartition("/api/v1/")[2]
    assert len(seen) == 3
    assert set(seen) == codes


@pytest.mark.django_db
def test_a_page_of_many_pools_asks_the_database_no_more_often_than_one_of_few(
    django_assert_max_num_queries: Any,
) -> None:
    for _ in range(6):
        make_pool(is_open=False)
    with django_assert_max_num_queries(5):
        assert len(Caller().get("pools/").json()["pools"]) == 6


@pytest.mark.django_db
def test_every_public_document_of_a_settled_pool_has_an_etag() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100), ("1;1;1+2", 200))
    settle(pool, "1;X;2")
    caller = Caller()
    for part in PUBLIC:
        answer = caller.get(f"pools/{pool.code}/{part}")
        valid(f"pools/{{code}}/{part}", answer)
        again = caller.get(f"pools/{pool.code}/{part}", **{"If-None-Match": answer["ETag"]})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", answer["ETag"])
        other = caller.get(f"pools/{pool.code}/{part}", **{"If-None-Match": '"another"'})
        assert (other.status_code, other.content) == (200, answer.content)
    official_at = Settlement.objects.get(pool=pool).official_at
    statement = caller.get(f"pools/{pool.code}/statement")
    assert official_at is not None
    since = caller.get(f"pools/{pool.code}/statement", **{"If-Modified-Since": statement["Last-Modified"]})
    assert since.status_code == 304
    certificate = caller.get(f"pools/{pool.code}/certificate").json()
    assert (certificate["holds"], certificate["came_in"], certificate["left"]) == (True, "3.00", "0.00")


@pytest.mark.django_db
def test_the_bundle_is_sent_once_to_who_keeps_it() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    settle(pool, "1;X;2")
    caller = Caller()
    sent = caller.get(f"pools/{pool.code}/bundle")
    assert (sent.status_code, sent["Content-Type"]) == (200, "application/zip")
    assert b"".join(sent.streaming_content).startswith(b"PK")
    assert caller.get(f"pools/{pool.code}/bundle", **{"If-None-Match": sent["ETag"]}).status_code == 304


@pytest.mark.django_db
def test_keys_and_jackpots_are_public() -> None:
    pool = make_pool()
    sell(pool, ("1;X;2", 100))
    settle(pool, "2;1;1")
    caller = Caller()
    assert len(valid("keys", caller.get("keys"))) == 4
    held = {jackpot["game"]: jackpot["amount"] for jackpot in valid("jackpots", caller.get("jackpots"))["jackpots"]}
    assert held == {"sportloto": "0.70", "totolot": "0.00"}
    history = valid("jackpots/{game}", caller.get("jackpots/sportloto"))
    assert history["amount"] == "0.70"
    assert [(move["pool"], move["opening"], move["came_in"], move["closing"]) for move in history["moves"]] == [
        (pool.code, "0.00", "0.70", "0.70")
    ]
    assert told(caller.get("jackpots/chess")) == (404, "not_found")


@pytest.mark.django_db
def test_a_draft_and_what_is_not_there_yet_are_not_found() -> None:
    pool = make_pool()
    assert pool.state != PoolState.SETTLED
    for part in ("result", "statement", "commitment", "certificate", "bundle"):
        assert told(Caller().get(f"pools/{pool.code}/{part}")) == (404, "not_found")


@pytest.mark.django_db
def test_who_asks_too_often_waits(settings: Any) -> None:
    settings.API_RATES = {"terminal": "2/min", "user": "2/min", "network": "2/min"}
    settings.CACHES = {
        **settings.CACHES,
        "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "test_too_often"},
    }
    network, cashier = Caller(), Caller(make_till().cashier)
    answers = [network.get("keys", **{"X-Forwarded-For": f"192.0.2.{number}"}) for number in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["code"] == "throttled"
    assert 1 <= int(answers[2]["Retry-After"]) <= 60
    assert [cashier.get("till").status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.django_db
def test_the_page_of_the_api_is_made_of_the_schema_alone() -> None:
    page = Caller().client.get("/api/v1/").content.decode()
    for methods in schema()["paths"].values():
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in page
    assert "<script" not in page
    assert "https://" not in page
    assert schema()["openapi"].startswith("3.1")
