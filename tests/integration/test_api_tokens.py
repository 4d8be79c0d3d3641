"""The name of a token is text that its owner can read again."""

from functools import partial

import pytest

from accounts.models import ApiToken
from accounts.services.api_tokens import create_token
from tests.functional.browsing import visitor
from tests.making import make_player
from tests.refusals import refused
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["", " ", "\x00", "a\x00b", "a\nb", "\u202eabc", "x" * 61], ids=repr)
def test_a_name_that_cannot_be_read_is_refused(name: str) -> None:
    player = make_player()
    refusal = refused(partial(create_token, user=player, name=name))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "name")
    assert visitor(player).post("/my/tokens/", {"name": name}).status_code == 400
    assert not ApiToken.objects.exists()


def test_a_name_in_any_script_is_kept() -> None:
    assert create_token(user=make_player(), name=" Мой бот № 1 ").token.name == "Мой бот № 1"
