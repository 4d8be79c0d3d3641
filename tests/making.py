"""Makers of what tests need: plain functions, called in the test's body, through the same services as the desks."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any

from accounts.models import (
    Agent,
    GameAccount,
    Person,
    PointKind,
    RegisterImport,
    Role,
    Till,
    TopUp,
    TopUpWay,
    User,
    VerificationMethod,
)
from accounts.services.consents import record_consent
from accounts.services.game_accounts import open_game_account
from accounts.services.identity import record_identity, verify_identity
from accounts.services.persons import person_at_desk
from accounts.services.points import give_float, open_till
from accounts.services.restricted_register import import_register
from accounts.services.topups import credit_transfer
from pools.models import CommissionKey, Pool
from pools.services.betting import PlacedBet, place_bet
from pools.services.commission_keys import create_key
from pools.services.drafting import announce_pool, draft_pool
from pools.services.rules import publish_rules
from pools.services.sources import from_game_account, from_till
from tests.desks import begin_shift, certify, keeper, make_point
from totalizator.core import clock

PASSPHRASE = "a passphrase of the test commission"
_number = count(1)


def make_user(role: Role, username: str | None = None) -> User:
    name = username or f"{role}{next(_number)}"
    return User.objects.create_user(
        username=name, password="correct horse battery", email=f"{name}@example.com", role=role
    )


def make_player(balance: int = 0, *, may_bet: bool = True) -> User:
    """A player with a game account holding `balance` kopecks; unless told otherwise a verified adult who agreed."""
    player = make_user(Role.PLAYER)
    keeper()  # who credits transfers is there before a refusal is looked at
    account = open_game_account(player=player)
    if may_bet:
        admit(player)
    if balance:
        keep_register_fresh()
        put_on_account(account, balance, reference=f"opening-{player.pk}")
    return player


def put_on_account(account: GameAccount, amount: int, *, reference: str) -> TopUp:
    """Credit a bank transfer of `amount` kopecks, once for each reference."""
    return credit_transfer(
        account=account,
        amount=amount,
        method=TopUpWay.BANK_TRANSFER,
        reference=reference,
        received_at=clock.now(),
        by=keeper(),
    )


def admit(player: User, *, identity_number: str | None = None, birth_date: date = date(1990, 5, 31)) -> None:
    """Record and verify who the player is, and the consent to the rules that `make_pool` announces."""
    staff = User.objects.filter(username="verifier").first() or make_user(Role.ORGANIZER, "verifier")
    record_identity(
        player=player,
        full_name=f"Name {player.pk}",
        birth_date=birth_date,
        identity_number=identity_number or f"TEST{player.pk:06}",
        document=f"MP{player.pk:07}",
        actor=player.actor,
    )
    verify_identity(player=player, method=VerificationMethod.IN_PERSON, verified_by=staff)
    record_consent(player=player, rules_version=make_rules(staff))
    keep_register_fresh()


def keep_register_fresh() -> None:
    """Read an empty register of restricted persons, where none was read in the last day."""
    if not RegisterImport.objects.filter(faults=0, as_of__gt=clock.now() - timedelta(days=1)).exists():
        import_register(text="identity_number;until\n", as_of=clock.now(), actor="test")


def account_of(player: User) -> GameAccount:
    return GameAccount.objects.select_related("ledger_account").get(player=player)


def make_till(
    cash: int = 0,
    *,
    time_zone: str = "Europe/Minsk",
    kind: PointKind = PointKind.OWN,
    agent: Agent | None = None,
    shift: bool = True,
) -> Till:
    """A till with its cashier (`till.cashier`) at a new point that may sell, holding `cash` kopecks, its shift open."""
    number = next(_number)
    point = make_point(f"P{number}", kind=kind, agent=agent, time_zone=time_zone)
    till = open_till(point=point, number=1, cashier=make_user(Role.CASHIER), by=keeper())
    certify(till)
    if cash:
        give_float(till=till, amount=cash, document=f"float-{till.pk}", by=keeper())
    if shift:
        begin_shift(till)
    return till


def make_organizers() -> tuple[User, User]:
    """Two people of the organizer's staff: one prepares, the other announces."""
    return make_user(Role.ORGANIZER), make_user(Role.ORGANIZER)


def make_commission(members: int = 3) -> list[CommissionKey]:
    """The keys of `members` commission members, each under PASSPHRASE."""
    return [create_key(member=make_user(Role.COMMISSION), passphrase=PASSPHRASE) for _ in range(members)]


def instant(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def make_terms(
    game: str = "sportloto-position",
    *,
    opens_at: datetime,
    closes_at: datetime,
    rules_version: str,
    keys: Sequence[CommissionKey],
    conditions: int = 3,
    outcomes: Sequence[str] = ("1", "X", "2"),
    code: str | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """A terms.json document that the law allows; `changes` replace top-level keys."""
    variant, sportloto = game.endswith("variant"), game.startswith("sportloto")
    count_of_conditions = 1 if variant else conditions
    levels: list[dict[str, str]] = [{"code": "all", "from": "1", "to": "1", "share": "1"}]
    if not variant and count_of_conditions > 1:
        below = f"{count_of_conditions - 1}/{count_of_conditions}"
        levels = [
            {"code": "all", "from": "1", "to": "1", "share": "3/5"},
            {"code": "but-one", "from": below, "to": below, "share": "2/5"},
        ]
    document: dict[str, Any] = {
        "format": 1,
        "game": game,
        "pool": {"code": code or f"T-{next(_number)}", "name": {"ru": "Пул", "be": "Пул", "en": "Pool"}},
        "opens_at": instant(opens_at),
        "closes_at": instant(closes_at),
        "rules_version": rules_version,
        "price": {"line": 100} if sportloto else {"min": 100, "max": 100_000_000},
        "max_lines": 10_000,
        "conditions": [
            {
                "code": str(number),
                "name": {"ru": f"Матч {number}", "be": f"Матч {number}", "en": f"Match {number}"},
                "outcomes": [{"code": outcome} for outcome in outcomes],
            }
            for number in range(1, count_of_conditions + 1)
        ],
        "fund": "7/10" if sportloto else "3/5",
        "levels": levels,
        "divide_by": "lines" if sportloto else "stakes",
        "empty_level": "jackpot",
        "void_condition": "refund",
        "quorum": {"members": [key.key_id for key in keys], "need": 2},
    }
    return {**document, **changes}


def make_rules(organizer: User, text: str = "The acceptance conditions.") -> str:
    """The version of a published rules text that has been in force since long ago."""
    valid_from = datetime.fromisoformat("2020-01-01T00:00:00+00:00")
    return publish_rules(text=text, valid_from=valid_from, published_by=organizer).version


def make_pool(
    game: str = "sportloto-position",
    *,
    is_open: bool = True,
    keys: Sequence[CommissionKey] | None = None,
    opens_in: timedelta = timedelta(hours=1),
    lasts: timedelta = timedelta(days=1),
    terms: Mapping[str, Any] | None = None,
    rules_version: str | None = None,
    **shape: Any,
) -> Pool:
    """An announced pool; `is_open` moves the clock past its opening. `terms` replace keys of the document."""
    maker, checker = make_organizers()
    opens_at = (clock.now() + opens_in).replace(microsecond=0)
    document = make_terms(
        game,
        opens_at=opens_at,
        closes_at=opens_at + lasts,
        rules_version=rules_version or make_rules(maker),
        keys=keys if keys is not None else make_commission(),
        **shape,
        **(terms or {}),
    )
    pool = draft_pool(document=document, prepared_by=maker)
    pool = announce_pool(code=pool.code, announced_by=checker)
    if is_open:
        clock.move_clock(opens_in + timedelta(seconds=1))
    keep_register_fresh()
    return pool


def bet_from_account(pool: Pool, player: User, selections: str, stake: int, key: str | None = None) -> PlacedBet:
    return place_bet(
        pool_code=pool.code,
        selections=selections,
        stake=stake,
        source=from_game_account(player),
        idempotency_key=key or f"key-{next(_number)}",
    )


def somebody(number: str = "DESK000001") -> Person:
    """Who shows a document at a desk."""
    return person_at_desk(identity_number=number, birth_date=date(1990, 5, 31))


def bet_in_cash(
    pool: Pool, till: Till, selections: str, stake: int, key: str | None = None, *, person: Person | None = None
) -> PlacedBet:
    """A bet in cash at the till; `person` is who shows a document."""
    assert till.cashier is not None
    return place_bet(
        pool_code=pool.code,
        selections=selections,
        stake=stake,
        source=from_till(till.cashier, person),
        idempotency_key=key or f"key-{next(_number)}",
    )
