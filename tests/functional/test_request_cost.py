"""What a request of the API asks the database before its act, and that nothing of it is believed a moment too long."""

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AccountState, ApiToken, GameAccount, User
from tests.functional.calling import JSON, Caller
from tests.making import make_player, make_pool
from totalizator.core.sessions import SessionStore

pytestmark = pytest.mark.django_db


def browser(player: User) -> Client:
    """A browser with a log-in that has been in use."""
    client = Client(headers={"accept-language": "en"})
    client.force_login(player)
    assert client.get("/api/v1/me").status_code == 200
    return client


def bet(client: Client, pool: Any, key: str) -> int:
    body = {"selections": "1;X;2", "stake": "1.00"}
    address = f"/api/v1/pools/{pool.code}/bets"
    answer = client.post(address, body, content_type=JSON, headers={"Idempotency-Key": key})
    return answer.status_code


def asked_before_the_act(ask: Any) -> int:
    """How many statements came before the transaction of the act, of a request like one that was answered before."""
    with CaptureQueriesContext(connection) as asked:
        assert ask() == 201
    texts = [query["sql"] or "" for query in asked.captured_queries]
    return next(place for place, text in enumerate(texts) if text.startswith("SAVEPOINT"))


def executed_of(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(generic_plans + custom_plans) FROM pg_prepared_statements WHERE statement LIKE %s",
            [f"%FROM {table}%"],
        )
        return int(cursor.fetchone()[0] or 0)


def test_a_bet_asks_for_the_session_and_for_who_it_is_and_both_stay_prepared() -> None:
    pool, player = make_pool(), make_player(10_000)
    client = browser(player)
    bet(client, pool, "first")
    tables = ('"django_session"', '"accounts_user"')
    before = [executed_of(table) for table in tables]
    assert asked_before_the_act(lambda: bet(client, pool, "second")) == 2
    assert [executed_of(table) for table in tables] == [times + 1 for times in before]


def test_a_bet_with_a_token_asks_for_the_token_alone() -> None:
    pool, player = make_pool(), make_player(10_000)
    caller = Caller(player)
    body = {"selections": "1;X;2", "stake": "1.00"}
    caller.post(f"pools/{pool.code}/bets", body)
    before = executed_of('"accounts_apitoken"')
    assert asked_before_the_act(lambda: caller.post(f"pools/{pool.code}/bets", body).status_code) == 1
    assert executed_of('"accounts_apitoken"') == before + 1
    ApiToken.objects.update(revoked_at=timezone.now())
    assert caller.get("me").status_code == 401


def test_a_log_in_that_was_ended_elsewhere_or_has_run_out_stops_at_once() -> None:
    pool, player = make_pool(), make_player(10_000)
    ended, expired = browser(player), browser(player)
    SessionStore(ended.cookies[settings.SESSION_COOKIE_NAME].value).delete()
    Session.objects.filter(pk=expired.cookies[settings.SESSION_COOKIE_NAME].value).update(expire_date=timezone.now())
    assert [bet(client, pool, "key") for client in (ended, expired, browser(player))] == [401, 401, 201]


@pytest.mark.parametrize("change", ["closed", "password"])
def test_who_may_not_log_in_any_more_stops_at_once(change: str) -> None:
    pool, player = make_pool(), make_player(10_000)
    client = browser(player)
    if change == "closed":
        User.objects.filter(pk=player.pk).update(is_active=False)
    else:
        player.set_password("another word altogether")
        player.save()
    assert bet(client, pool, "key") == 401


def test_a_blocked_account_and_an_ended_one_stop_at_once() -> None:
    pool, player = make_pool(), make_player(10_000)
    client = browser(player)
    for state in (AccountState.BLOCKED, AccountState.ENDED):
        GameAccount.objects.filter(player=player).update(state=state)
        assert bet(client, pool, state) == 403
    GameAccount.objects.filter(player=player).update(state=AccountState.ACTIVE)
    assert bet(client, pool, "key") == 201


def test_log_ins_of_the_release_before_go_on() -> None:
    client = browser(make_player())
    session = SessionStore(client.cookies[settings.SESSION_COOKIE_NAME].value)
    assert session[BACKEND_SESSION_KEY] == settings.AUTHENTICATION_BACKENDS[0]
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session.save()
    assert client.get("/api/v1/me").status_code == 200
