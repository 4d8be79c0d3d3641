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
from accounts.services.terminals import NewKey
from payouts.management.demo.points import Place, make_ready, standing_point, standing_terminal
from pools.models import CommissionKey
from pools.services.commission_keys import create_key, revoke_key, unlock_key
from totalizator.core.errors import DomainError

# Each own point has a till with a cashier and one under a terminal; the agent's has one till.
DESKS = (
    Place(("MINSK-1", "Минск, проспект Победителей", "Минск, пр-т Победителей, 4"), 1),
    Place(("MINSK-1", "Минск, проспект Победителей", "Минск, пр-т Победителей, 4"), 2, terminal=True),
    Place(("HRODNA-1", "Гродно, Советская", "Гродно, ул. Советская, 18"), 1),
    Place(("HRODNA-1", "Гродно, Советская", "Гродно, ул. Советская, 18"), 2, terminal=True),
    Place(("BREST-A", "Брест, агент", "Брест, ул. Ленина, 7"), 1, agent=True),
)
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
    terminals: Sequence[NewKey]
    accounts: Sequence[GameAccount]

    def cashiers_of(self, *, agent: bool) -> Sequence[User]:
        """Return who sells by hand: at the organizer's own points, or at the agent's."""
        desks = zip(DESKS, self.cashiers, strict=True)
        return [cashier for place, cashier in desks if not place.terminal and place.agent == agent]


def gather_cast(players: int) -> Cast:
    """Find or make everyone; `players` is how many bet from game accounts."""
    drafter, announcer = (_person(Role.ORGANIZER, number) for number in (1, 2))
    members = [_person(Role.COMMISSION, number) for number in range(1, MEMBERS + 1)]
    cashiers = [_person(Role.CASHIER, number) for number in range(1, len(DESKS) + 1)]
    tills = [_till(place, cashier, announcer) for place, cashier in zip(DESKS, cashiers, strict=True)]
    people = [_person(Role.PLAYER, number) for number in range(1, players + 1)]
    return Cast(
        drafter=drafter,
        announcer=announcer,
        members=members,
        keys=[_key(member) for member in members],
        cashiers=cashiers,
        tills=tills,
        terminals=[
            standing_terminal(till, announcer) for place, till in zip(DESKS, tills, strict=True) if place.terminal
        ],
        accounts=[open_game_account(player=person) for person in people],
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


def _till(place: Place, cashier: User, organizer: User) -> Till:
    standing = Till.objects.select_related("point").filter(cashier=cashier).first()
    if standing is None:
        point = standing_point(place, organizer)
        standing = open_till(point=point, number=place.number, cashier=cashier, by=organizer)
    make_ready(standing, organizer)
    return standing


def _key(member: User) -> CommissionKey:
    """Return the member's key in force; one made under another SECRET_KEY opens no more, and is replaced."""
    passphrase = secret_of(member.username)
    key = CommissionKey.objects.filter(member=member, revoked_at__isnull=True).first()
    if key is None:
        return create_key(member=member, passphrase=passphrase)
    try:
        unlock_key(key, passphrase)
    except DomainError:
        revoke_key(key_id=key.key_id, reason="The demonstration's passphrases changed.", revoked_by=member)
        return create_key(member=member, passphrase=passphrase)
    return key
