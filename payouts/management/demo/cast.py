"""The people of the demonstration, with their points, tills and accounts. A second run finds them again."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings
from django.core.management.base import CommandError

from accounts.models import GameAccount, Role, Till, User
from accounts.services.game_accounts import open_game_account
from accounts.services.points import open_till
from payouts.management.demo.points import make_ready, standing_point
from pools.models import CommissionKey
from pools.services.commission_keys import create_key, revoke_key, unlock_key
from pools.services.sources import BetSource, from_game_account, from_till
from totalizator.core.errors import DomainError

POINTS = (
    ("MINSK-1", "Минск, проспект Победителей", "Минск, пр-т Победителей, 4"),
    ("HRODNA-1", "Гродно, Советская", "Гродно, ул. Советская, 18"),
)
TILLS_A_POINT = 2
MEMBERS = 3
MOST_PLAYERS = 200


@dataclass(frozen=True, slots=True)
class Cast:
    """Who takes part. The two organizers are the one who drafts and the one who announces."""

    drafter: User
    announcer: User
    members: Sequence[User]
    keys: Sequence[CommissionKey]
    cashiers: Sequence[User]
    tills: Sequence[Till]
    """Each cashier's own."""
    accounts: Sequence[GameAccount]
    at_tills: Sequence[BetSource]
    from_accounts: Sequence[BetSource]


def gather_cast(players: int) -> Cast:
    """Find or make everyone; `players` is how many bet from game accounts."""
    drafter, announcer = (_person(Role.ORGANIZER, number) for number in (1, 2))
    members = [_person(Role.COMMISSION, number) for number in range(1, MEMBERS + 1)]
    cashiers = [_person(Role.CASHIER, number) for number in range(1, len(POINTS) * TILLS_A_POINT + 1)]
    tills = [_till(number, cashier, announcer) for number, cashier in enumerate(cashiers)]
    people = [_person(Role.PLAYER, number) for number in range(1, players + 1)]
    return Cast(
        drafter=drafter,
        announcer=announcer,
        members=members,
        keys=[_key(member, announcer) for member in members],
        cashiers=cashiers,
        tills=tills,
        accounts=[open_game_account(player=person) for person in people],
        at_tills=[from_till(cashier) for cashier in cashiers],
        from_accounts=[from_game_account(person) for person in people],
    )


def secret_of(username: str) -> str:
    """Return someone's password, and a commission member's passphrase: another one on each installation."""
    mac = hmac.new(settings.SECRET_KEY.encode(), f"demo:{username}".encode(), sha256).hexdigest()
    return "-".join(mac[place : place + 4] for place in (0, 4, 8))


def _person(role: Role, number: int) -> User:
    username = f"{role}{number}"
    person = User.objects.filter(username=username).first()
    if person is not None and person.role != role:
        raise CommandError(f"Here {username} is a {person.role}: the demonstration wants a database of its own.")
    if person is not None:
        return person
    person = User(username=username, email=f"{username}@example.org", role=role)
    # Hashing takes long on purpose; of the players only the first one logs in.
    if role == Role.PLAYER and number > 1:
        person.set_unusable_password()
    else:
        person.set_password(secret_of(username))
    person.save()
    return person


def _till(number: int, cashier: User, organizer: User) -> Till:
    standing = Till.objects.filter(cashier=cashier).first()
    place, number_at_point = divmod(number, TILLS_A_POINT)
    code, name, address = POINTS[place]
    if standing is None:
        point = standing_point(code, name, address, organizer)
        standing = open_till(point=point, number=number_at_point + 1, cashier=cashier, actor=organizer.actor)
    make_ready(standing, organizer)
    return standing


def _key(member: User, replaced_by: User) -> CommissionKey:
    """Return the member's key in force; one made under another SECRET_KEY opens no more, and is replaced."""
    passphrase = secret_of(member.username)
    key = CommissionKey.objects.filter(member=member, revoked_at__isnull=True).first()
    if key is None:
        return create_key(member=member, passphrase=passphrase)
    try:
        unlock_key(key, passphrase)
    except DomainError:
        revoke_key(key_id=key.key_id, reason="The demonstration's passphrases changed.", revoked_by=replaced_by)
        return create_key(member=member, passphrase=passphrase)
    return key
