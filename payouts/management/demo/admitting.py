"""Making the players of the demonstration ones who may bet: known, of age, agreed to the rules, in no register."""

from collections.abc import Sequence
from datetime import date

from schwifty import IBAN

from accounts.models import User, Verification, VerificationMethod
from accounts.services.consents import record_consent
from accounts.services.identity import record_identity, verify_identity
from accounts.services.restricted_register import import_register
from totalizator.core import clock

FIRST_NAMES = ("Алесь", "Янка", "Змицер", "Максим", "Франциск", "Евфросиния", "Алаіза", "Зоська")
LAST_NAMES = ("Шыпшына", "Каваль", "Багдановіч", "Ластоўка", "Грынюк", "Ярашэвіч", "Цётка")
BORN = date(1980, 1, 1)
EMPTY_REGISTER = "identity_number;until\n"


def admit(players: Sequence[User], verified_by: User, rules_version: str) -> None:
    """Record and verify who each player is, and their consent to the rules (E1, ¶9.9); done once for each."""
    known = set(Verification.objects.filter(person__player__in=players).values_list("person__player", flat=True))
    for number, player in enumerate(players, start=1):
        if player.pk not in known:
            _introduce(player, number, verified_by)
        record_consent(player=player, rules_version=rules_version)


def read_register() -> None:
    """Read the register of restricted persons, which names nobody here, as it stands now (P2)."""
    import_register(text=EMPTY_REGISTER, as_of=clock.now(), actor="command:demo")


def bank_account_no(number: int) -> str:
    """Return the bank account of a made-up person: an IBAN with right check digits."""
    return str(IBAN.generate("BY", bank_code="OLMP", account_code=f"30130000{number:012}"))


def _introduce(player: User, number: int, verified_by: User) -> None:
    first, last = FIRST_NAMES[number % len(FIRST_NAMES)], LAST_NAMES[number % len(LAST_NAMES)]
    record_identity(
        player=player,
        full_name=f"{last} {first} {number}",
        birth_date=BORN,
        identity_number=f"3{BORN:%d%m%y}A{number:03}PB{number % 10}",
        document=f"MP{number:07}",
        bank_account=bank_account_no(number),
        actor=player.actor,
    )
    verify_identity(player=player, method=VerificationMethod.IN_PERSON, verified_by=verified_by)
