"""Personal data is erased when its term is over, and not a day before; what was done stays (Q1)."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import connection

from accounts.models import Ending, GameAccount, Identity, PaymentInstrument, Person, Trait, User
from accounts.services.api_tokens import create_token
from accounts.services.ending import end_registration, finish
from accounts.services.exclusion import exclude_oneself
from accounts.services.persons import person_of
from payouts.models import FormerRecipient, Recipient
from payouts.services.erasing import erase_due
from payouts.tasks import erase_personal_data_nightly
from tests.functional.browsing import visitor
from tests.functional.test_logging_in import log_in
from tests.making import make_player
from tests.paying import broken, go_to
from tests.refusals import every_row
from tests.topping_up import named_bank
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def ended(player: User) -> GameAccount:
    """A player's account whose registration has ended."""
    account = GameAccount.objects.get(player=player)
    end_registration(account=account, asked_by=player)
    account.refresh_from_db()
    assert finish(account, actor="test")
    return account


def everything() -> str:
    """All that the database holds, as text."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'core_journalseal'"
        )
        tables = [name for (name,) in cursor.fetchall()]
        texts = []
        for table in tables:
            cursor.execute(f'SELECT t::text FROM "{table}" t')
            texts += [row for (row,) in cursor.fetchall()]
    return "\n".join(texts)


def test_who_ended_the_registration_is_erased_after_the_term_and_not_before() -> None:
    player, other = make_player(), make_player()
    named_bank(player)
    EmailAddress.objects.create(user=player, email=player.email, verified=True, primary=True)
    create_token(user=player, name="mine")
    person, login, email = person_of(player), player.username, player.email
    account = ended(player)
    term = Ending.objects.get(account=account).ended_at
    assert term is not None
    go_to(term + timedelta(days=5 * 365 - 1))
    before = every_row()
    assert erase_due(actor="test").registrations == 0
    assert every_row() == before
    go_to(term + timedelta(days=5 * 366 + 2))
    assert erase_due(actor="test").registrations == 1
    player.refresh_from_db()
    assert (player.username, player.email, player.is_active) == (f"erased-{player.pk}", "", False)
    assert not player.has_usable_password()
    assert not Identity.objects.filter(person=person).exists()
    assert not Trait.objects.filter(person=person).exists()
    assert Person.objects.get(pk=person.pk).number_digest is None
    assert {(one.token, one.label) for one in PaymentInstrument.objects.filter(account=account)} == {("", "")}
    held = everything()
    assert email not in held
    assert login not in held
    assert JournalRecord.objects.get(act="erase_person").subject == person.subject
    assert log_in(visitor(), other).status_code == 302  # nobody else was touched
    assert Identity.objects.filter(person=person_of(other)).exists()
    assert erase_due(actor="test").registrations == 0
    assert broken() == []


def test_who_is_still_barred_stays_known_by_the_digest_alone() -> None:
    player = make_player()
    person = person_of(player)
    account = ended(player)
    at = Ending.objects.get(account=account).ended_at
    assert at is not None
    go_to(at + timedelta(days=5 * 366))
    exclude_oneself(person=person, months=6, actor="test")
    go_to(clock.now() + timedelta(days=3))
    erase_personal_data_nightly()
    assert Person.objects.get(pk=person.pk).number_digest is not None
    assert not Identity.objects.filter(person=person).exists()


def recipient_of(person: Person) -> dict[str, Any]:
    told = {"full_name": "Янка Купала", "identity_number": "3310590A001PB5", "document": "MP 1"}
    return {"person": person, **told, "recorded_at": clock.now(), "recorded_by": "user:1"}


def test_who_was_paid_at_a_desk_is_erased_after_the_term() -> None:
    person = Person.objects.create()
    Recipient.objects.create(**recipient_of(person))
    former = FormerRecipient.objects.create(**recipient_of(person), replaced_at=clock.now())
    assert erase_due(actor="test").recipients == 0
    go_to(clock.now() + timedelta(days=5 * 366 + 2))
    assert erase_due(actor="test").recipients == 1
    former.refresh_from_db()
    assert (former.full_name, former.identity_number, former.document) == ("", "", "")
    assert not Recipient.objects.exists()
    assert erase_due(actor="test").recipients == 0
