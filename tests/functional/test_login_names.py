"""Log-in names that nobody takes for another one's, and what the sign-up asks (¶35.3, D-17)."""

from datetime import date
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import PlayLimit, Role, User
from tests.functional.browsing import text_of, visitor
from tests.making import make_user
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import LegalNumber

pytestmark = pytest.mark.django_db


def sign_up(name: str, **changes: str) -> Any:
    form = {
        "username": name,
        "email": f"{User.objects.count()}@example.com",
        "password1": "correct horse battery",
        "password2": "correct horse battery",
        "of_age": "on",
        "consent": "on",
    } | changes
    return visitor().post("/account/signup/", {key: value for key, value in form.items() if value})


@pytest.mark.parametrize("name", ["pаvel", "Иvан", "ﬁne", "ｐavel", "παβελ"])
def test_a_name_of_two_alphabets_or_of_unusual_letters_is_refused(name: str) -> None:
    answer = sign_up(name)
    assert (answer.status_code, User.objects.count()) == (200, 0)
    assert "Latin letters only" in text_of(answer)


@pytest.mark.parametrize("name", ["pavel", "Иван_1985", "q.1-2", "ўладзіслаў"])
def test_other_names_are_taken(name: str) -> None:
    assert sign_up(name).status_code == 302
    assert User.objects.get().username == name


@pytest.mark.parametrize(("known", "like"), [("coxa", "соха"), ("ТОМ", "tom"), ("Boris", "boris")])
def test_a_name_that_looks_like_a_known_one_is_refused(known: str, like: str) -> None:
    make_user(Role.PLAYER, known)
    answer = sign_up(like)
    assert (answer.status_code, User.objects.count()) == (200, 1)
    with pytest.raises(IntegrityError, match="accounts_user_looks_like_no_other"), transaction.atomic():
        make_user(Role.PLAYER, like)


def test_the_age_that_is_asked_for_is_the_one_of_the_day() -> None:
    assert "at least 21 years old" in text_of(visitor().get("/account/signup/"))
    LegalNumber.objects.create(name="minimum_age", valid_from=date(2024, 1, 1), value="23", source="test")
    forget_legal_numbers()
    assert "at least 23 years old" in text_of(visitor().get("/account/signup/"))
    assert "at least 23 years may take part" in text_of(sign_up("pavel", of_age=""))
    assert not User.objects.exists()


def test_p1_limits_are_offered_at_sign_up_and_hold_from_then_on() -> None:
    assert sign_up("pavel", deposit_day="50,00", deposit_month="300").status_code == 302
    limits = PlayLimit.objects.values_list("person__player__username", "kind", "period", "amount").order_by("amount")
    assert list(limits) == [("pavel", "deposit", "day", 5_000), ("pavel", "deposit", "month", 30_000)]


def test_p1_a_limit_that_is_no_amount_is_told_and_nobody_is_signed_up() -> None:
    answer = sign_up("pavel", deposit_week="much")
    assert (answer.status_code, User.objects.count(), PlayLimit.objects.count()) == (200, 0, 0)
    assert "I want to pay in at most so much in 7 days" in text_of(answer)
    assert 'name="deposit_week" value="much"' in answer.content.decode()
