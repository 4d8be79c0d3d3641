"""Tokens of the API that are made at once: no more than ten are ever in force."""

from functools import partial

import pytest

from accounts.models import ApiToken
from accounts.services.api_tokens import MOST_TOKENS, create_token
from tests.concurrency.racing import race
from tests.making import make_player
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_many_tokens_made_at_once_ten_are_in_force() -> None:
    player = make_player()
    made = race([partial(create_token, user=player, name="a program")] * (MOST_TOKENS + 5))
    refusals = [each.code for each in made if isinstance(each, DomainError)]
    assert (refusals, ApiToken.objects.count()) == ([Refusal.WRONG_STATE] * 5, MOST_TOKENS)
