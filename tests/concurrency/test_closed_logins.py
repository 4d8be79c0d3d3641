"""Log-ins of staff that are closed at the same moment: two of the staff stay, whoever closes whose (R1)."""

from functools import partial

import pytest

from accounts.models import LoginClosing, Role, User
from accounts.services.closing_logins import close_login
from tests.concurrency.racing import race
from tests.concurrency.test_approvals import linger
from tests.making import make_organizers, make_user
from totalizator.core.errors import DomainError

pytestmark = pytest.mark.django_db(transaction=True)


def test_r1_of_three_who_close_one_another_two_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    (one, other), third = make_organizers(), make_user(Role.ORGANIZER)
    for helper in User.objects.filter(role=Role.ORGANIZER).exclude(pk__in=(one.pk, other.pk, third.pk)):
        close_login(person=helper, reason="x", closed_by=one)
    before = LoginClosing.objects.count()
    linger(monkeypatch)
    acts = [
        partial(close_login, person=other, reason="x", closed_by=one),
        partial(close_login, person=third, reason="x", closed_by=other),
    ]
    assert sum(isinstance(answer, DomainError) for answer in race(acts)) == 1
    assert LoginClosing.objects.count() == before + 1
    assert User.objects.filter(role=Role.ORGANIZER, is_active=True).count() == 2
