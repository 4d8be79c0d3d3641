"""Whatever is one person's own is not there for another, at whatever address its number is tried (ASVS V8.2.2)."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from accounts.models import User
from accounts.services.api_tokens import create_token
from payouts.models import Dispute, DisputeDocument, PublicationConsent, WinnerNotice
from payouts.services.booking import book_payables
from payouts.services.notices import tell_players
from payouts.services.publishing_winners import Agreed, consent_from_account
from tests.fakes.provider import running, settings_of
from tests.functional.browsing import visitor
from tests.functional.calling import Caller
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.refusals import every_row
from tests.security.routes import routes
from tests.settling import settle
from tests.topping_up import ask_back, begin, named_bank

pytestmark = pytest.mark.django_db
NOBODYS = ("year", "version", "act")
"""What stands in an address and is no object of anybody's."""


def own_addresses() -> set[str]:
    """Every route of a player's own part of the site that names an object."""
    found = set()
    for route, _view in routes():
        if route.startswith(("/my/", "/api/v1/me/")) or "/copy/<label:ticket>" in route:
            names = [part.partition(":")[2].rstrip(">/") for part in route.split("<")[1:]]
            if any(not name.startswith(NOBODYS) for name in names) and not route.startswith("/till/"):
                found.add(route)
    return found


def test_what_is_anothers_is_not_there() -> None:
    player, other = make_player(100_000), make_player(100_000)
    settled, pool = make_pool(), make_pool()
    won = bet_from_account(settled, player, "1;X;2", 100).bet.ticket
    ticket = bet_from_account(pool, player, "1;X;2", 100).bet.ticket
    settle(settled, "1;X;2")
    book_payables(code=settled.code)
    tell_players(code=settled.code)
    browser = visitor(player)
    scan = SimpleUploadedFile("a.pdf", b"%PDF-1.7")
    assert browser.post("/my/disputes/", {"ticket": ticket, "story": "Wrong.", "file": scan}).status_code == 302
    withdrawal = ask_back(player, 100, named_bank(player))
    consent_from_account(ticket=won, agreed=Agreed(name="Янка"), player=player, stepped_up=True)
    with running() as provider, override_settings(PAYMENT_PROVIDERS=settings_of(provider)):
        begin(player, 500)
        mine, theirs = Caller(player), Caller(other)
        numbers: dict[str, dict[str, Any]] = {
            "/my/bets/<label:ticket>/": {"ticket": ticket},
            "/my/bets/<label:ticket>/receipt/": {"ticket": ticket},
            "/my/disputes/<int:number>/": {"number": Dispute.objects.get().pk},
            "/my/disputes/<int:number>/documents/<int:document>/": {
                "number": Dispute.objects.get().pk,
                "document": DisputeDocument.objects.get().pk,
            },
            "/my/publications/<int:number>/withdraw/": {"number": PublicationConsent.objects.get().pk},
            "/my/top-ups/<int:number>/": {"number": deposit_of(player)},
            "/my/withdrawals/<int:number>/cancel/": {"number": withdrawal.pk},
            "/my/tokens/<int:number>/revoke/": {"number": create_token(user=player, name="another").token.pk},
            "/pools/<label:code>/copy/<label:ticket>/": {"code": pool.code, "ticket": ticket},
            "/api/v1/me/notices/<int:number>/read": {"number": WinnerNotice.objects.get(player=player).pk},
            "/api/v1/me/publication-consents/<int:number>/withdrawal": {"number": PublicationConsent.objects.get().pk},
            "/api/v1/me/withdrawals/<int:number>/cancellation": {"number": withdrawal.pk},
        }
        assert set(numbers) == own_addresses()
        stranger = visitor(other)
        assert theirs.get("me").status_code == 200  # so that its use is noted already
        before = every_row()
        for route, values in numbers.items():
            assert ask(route, values, theirs, stranger) == 404, route
        assert every_row() == before
        for route, values in numbers.items():  # the control: for whose they are, they are there
            assert ask(route, values, mine, browser) in (200, 201, 204, 302, 400, 409), route


def deposit_of(player: User) -> int:
    from accounts.models import ProviderDeposit

    return ProviderDeposit.objects.get(account__player=player).pk


def ask(route: str, values: dict[str, Any], caller: Caller, browser: Client) -> int:
    path = route
    for name, value in values.items():
        path = path.replace(f"<int:{name}>", str(value)).replace(f"<label:{name}>", str(value))
    acts = path.endswith(("/withdraw/", "/cancel/", "/revoke/"))
    if path.startswith("/api/v1/"):
        body = {"reason": "why"} if path.endswith("cancellation") else {}
        status: int = caller.post(path.removeprefix("/api/v1/"), body).status_code
    else:
        status = (browser.post(path) if acts else browser.get(path)).status_code
    return status


def test_a_cashier_sees_no_sale_of_another_point() -> None:
    here, there, pool = make_till(1_000), make_till(1_000), make_pool()
    sold = bet_in_cash(pool, here, "1;X;2", 100)
    assert there.cashier is not None
    assert here.cashier is not None
    path = f"/till/sales/{sold.bet.ticket}/copy/"
    stranger = visitor(there.cashier)
    before = every_row()
    assert stranger.post(path).status_code == 404
    assert every_row() == before
    assert visitor(here.cashier).post(path).status_code in (200, 201, 302)
