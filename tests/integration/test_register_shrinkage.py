"""A register that has shrunk is taken for a file cut short, until two people say that it is right (P2)."""

from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from accounts.models import RegisterImport, RestrictedPerson, Role, ShrunkenRegister
from accounts.services.register_shrinkage import approve_shrunken, propose_shrunken
from accounts.services.restricted_register import import_register
from tests.making import make_organizers, make_player, make_user
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def register(named: int, *, until: str = "") -> str:
    """A file that names so many persons."""
    return "\n".join(["identity_number;until", *(f"SHRINK{number:05};{until}" for number in range(named))])


def read(text: str) -> RegisterImport:
    return import_register(text=text, as_of=clock.now(), actor="test").record


def lifted() -> int:
    return RestrictedPerson.objects.filter(lifted_at__isnull=False).count()


def test_a_file_cut_short_is_refused_and_lets_nobody_go() -> None:
    read(register(40))
    refusal = refused(partial(read, register(37)))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "file")
    assert refusal.details == {"named": 37, "before": 40, "leaving": 3}


def test_a_twentieth_less_is_believed() -> None:
    read(register(40))
    read(register(38))
    assert lifted() == 2


def test_a_file_as_long_as_the_last_one_with_other_names_is_refused_too() -> None:
    read(register(40))
    others = register(0) + "\n" + "\n".join(f"OTHER{number:05};" for number in range(40))
    assert refused(partial(read, others)).details == {"named": 40, "before": 40, "leaving": 40}


def test_fewer_restrictions_with_a_set_end_are_a_file_cut_short_as_well() -> None:
    """It lets nobody go, but would pass for a fresh register without the names that were added at its end."""
    read(register(40, until="2040-01-01"))
    assert refused(partial(read, register(30, until="2040-01-01"))).details["leaving"] == 0


def test_two_people_confirm_the_very_file_and_only_until_another_one_is_read() -> None:
    one, other = make_organizers()
    read(register(40))
    propose_shrunken(text=register(10), reason="An amnesty.", proposed_by=one)
    assert refused(partial(read, register(10))).code is Refusal.BAD_VALUE
    assert refused(partial(approve_shrunken, text=register(10), approved_by=one)).code is Refusal.SAME_PERSON
    approve_shrunken(text=register(10), approved_by=other)
    assert refused(partial(read, register(9))).code is Refusal.BAD_VALUE  # another file
    assert refused(partial(approve_shrunken, text=register(10), approved_by=other)).code is Refusal.WRONG_STATE
    read(register(10))
    assert lifted() == 30
    read(register(40))
    assert refused(partial(read, register(10))).code is Refusal.BAD_VALUE
    acts = JournalRecord.objects.filter(subject__startswith="shrunken_register:").order_by("pk")
    assert [(record.act, record.actor) for record in acts] == [
        ("propose_shrunken_register", one.actor),
        ("approve_shrunken_register", other.actor),
    ]


def test_only_staff_confirm_with_a_reason_what_was_proposed() -> None:
    one, other = make_organizers()
    for person in (make_player(), make_user(Role.CASHIER), make_user(Role.COMMISSION)):
        proposal = partial(propose_shrunken, text=register(1), reason="So.", proposed_by=person)
        assert refused(proposal).code is Refusal.NOT_ALLOWED
        assert refused(partial(approve_shrunken, text=register(1), approved_by=person)).code is Refusal.NOT_ALLOWED
    assert refused(partial(propose_shrunken, text=register(1), reason=" ", proposed_by=one)).field == "reason"
    assert refused(partial(approve_shrunken, text=register(1), approved_by=other)).code is Refusal.NOT_FOUND


def test_the_database_wants_two_people() -> None:
    one, _other = make_organizers()
    propose_shrunken(text=register(1), reason="So.", proposed_by=one)
    for changes in ({"approved_by": one, "approved_at": clock.now()}, {"approved_at": clock.now()}):
        with pytest.raises(IntegrityError, match="accounts_register_shrunk_by_two"), transaction.atomic():
            ShrunkenRegister.objects.update(**changes)


def test_the_command_confirms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = make_organizers()
    earlier, now = ((clock.now() - timedelta(hours=hours)).isoformat() for hours in (2, 1))
    whole, short = tmp_path / "whole.csv", tmp_path / "short.csv"
    whole.write_text(register(40), encoding="utf-8")
    short.write_text(register(10), encoding="utf-8")
    call_command("import_restricted_persons", str(whole), "--as-of", earlier)
    with pytest.raises(CommandError, match="bad_value"):
        call_command("import_restricted_persons", str(short), "--as-of", now)
    call_command("confirm_restricted_persons", str(short), "--by", one.username, "--reason", "An amnesty.")
    with pytest.raises(CommandError, match="same_person"):
        call_command("confirm_restricted_persons", str(short), "--by", one.username, "--approve")
    with pytest.raises(CommandError, match="nobody called"):
        call_command("confirm_restricted_persons", str(short), "--by", "nobody", "--approve")
    call_command("confirm_restricted_persons", str(short), "--by", other.username, "--approve")
    call_command("import_restricted_persons", str(short), "--as-of", now)
    assert RegisterImport.objects.order_by("-as_of").values_list("lines", "as_of")[0] == (
        10,
        datetime.fromisoformat(now),
    )
    assert "10 persons, 0 faulty lines" in capsys.readouterr().out
