"""Who bets in the benchmark, and the pool that they bet on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Role, TopUpWay, User, Verification, VerificationMethod
from accounts.services.consents import record_consent
from accounts.services.game_accounts import open_game_account
from accounts.services.identity import record_identity, verify_identity
from accounts.services.restricted_register import import_register
from accounts.services.topups import credit_transfer
from bench.game import CONDITIONS, PRICE, SHARES, SIGNS
from pools.models import CommissionKey, Pool
from pools.services.closing import open_pool
from pools.services.commission_keys import create_key
from pools.services.drafting import announce_pool, draft_pool
from pools.services.rules import publish_rules
from totalizator.core import clock

PASSPHRASE = "only for the benchmark"
A_LOT = 10**12  # kopecks


@dataclass(frozen=True, slots=True)
class Bettors:
    """Players and their accounts, numbered without gaps: player = account + `offset`."""

    first_account: int
    last_account: int
    offset: int
    pot: int


@dataclass(frozen=True, slots=True)
class Staff:
    """The people besides the players."""

    organizers: Sequence[User]
    members: Sequence[User]
    keys: Sequence[CommissionKey]


def make_staff() -> Staff:
    """Make two organizers and a commission of two."""
    organizers = [person(Role.ORGANIZER, number) for number in range(2)]
    members = [person(Role.COMMISSION, number) for number in range(2)]
    return Staff(organizers, members, [create_key(member=member, passphrase=PASSPHRASE) for member in members])


def make_players(count: int, staff: Staff) -> list[User]:
    """Make players with more money than they can stake."""
    players = [person(Role.PLAYER, number) for number in range(count)]
    accounts = [open_game_account(player=player) for player in players]
    import_register(text="identity_number;until\n", as_of=clock.now(), actor="bench")
    for account in accounts:
        credit_transfer(
            account=account,
            amount=A_LOT,
            method=TopUpWay.BANK_TRANSFER,
            reference=str(account.pk),
            received_at=clock.now(),
            by=staff.organizers[0],
        )
    return players


def admit(players: Sequence[User], staff: Staff, rules_version: str) -> None:
    """Let the players be known, of age, and agreed to the rules; who is already is left as he is."""
    known = set(Verification.objects.values_list("person__player_id", flat=True))
    for player in players:
        if player.pk in known:
            continue
        record_identity(
            player=player,
            full_name=f"Player {player.pk}",
            birth_date=date(1990, 5, 31),
            identity_number=f"BENCH{player.pk:06}",
            document=f"MP{player.pk:07}",
            actor=player.actor,
        )
        verify_identity(player=player, method=VerificationMethod.IN_PERSON, verified_by=staff.organizers[0])
        record_consent(player=player, rules_version=rules_version)


def numbered(players: Sequence[User], pool: Pool) -> Bettors:
    """Return how the players' accounts are numbered."""
    accounts = [player.game_account.ledger_account_id for player in players]
    offsets = {player.pk - account for player, account in zip(players, accounts, strict=True)}
    assert len(offsets) == 1, "players and accounts were made in one go, so their numbers run alike"
    return Bettors(accounts[0], accounts[-1], offsets.pop(), ledger_account(AccountKind.POOL_POT, pool.code).pk)


def make_open_pool(code: str, staff: Staff) -> Pool:
    """Announce a pool of 15 conditions and open it."""
    opens_at = (clock.now() + timedelta(minutes=1)).replace(microsecond=0)
    rules = publish_rules(text="Rules.", valid_from=datetime(2020, 1, 1, tzinfo=UTC), published_by=staff.organizers[0])
    document = _terms(code, opens_at, rules.version, [key.key_id for key in staff.keys])
    draft_pool(document=document, prepared_by=staff.organizers[0])
    announce_pool(code=code, announced_by=staff.organizers[1])
    clock.move_clock(timedelta(minutes=1, seconds=1))
    open_pool(code=code, actor="bench")
    return Pool.objects.get(code=code)


def _terms(code: str, opens_at: datetime, rules_version: str, key_ids: Sequence[str]) -> dict[str, Any]:
    levels = [
        {"code": str(right), "from": f"{right}/{CONDITIONS}", "to": f"{right}/{CONDITIONS}", "share": share}
        for right, share in SHARES.items()
    ]
    return {
        "format": 1,
        "game": "sportloto-position",
        "pool": {"code": code, "name": {"en": "Benchmark"}},
        "opens_at": f"{opens_at:%Y-%m-%dT%H:%M:%SZ}",
        "closes_at": f"{opens_at + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}",
        "rules_version": rules_version,
        "price": {"line": PRICE},
        "conditions": [
            {"code": str(number), "name": {"en": f"Match {number}"}, "outcomes": [{"code": sign} for sign in SIGNS]}
            for number in range(1, CONDITIONS + 1)
        ],
        "fund": "7/10",
        "levels": levels,
        "divide_by": "lines",
        "empty_level": "jackpot",
        "quorum": {"members": list(key_ids), "need": 2},
    }


def person(role: Role, number: int) -> User:
    """Make somebody of a role, who logs in with no password."""
    somebody = User(username=f"{role}{number}", email=f"{role}{number}@example.org", role=role)
    somebody.set_unusable_password()
    somebody.save()
    return somebody
