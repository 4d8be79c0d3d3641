"""One form of a top-up sent twice at the same moment begins one top-up; the own data is taken in turns (C36)."""

import pytest
from django.test import override_settings

from accounts.models import Currency, ProviderDeposit
from accounts.services.provider_deposits import open_deposit
from payouts.services.own_data import EXPORTS_A_DAY, export_own_data
from tests.concurrency.racing import race
from tests.fakes.provider import FakeProvider, settings_of
from tests.making import account_of, make_player
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)
CLICKS = 4


@pytest.mark.parametrize(
    ("keys", "begun"), [(["one form"] * CLICKS, 1), ([f"form {n}" for n in range(CLICKS)], CLICKS)]
)
def test_c36_one_form_begins_one_top_up_and_as_many_forms_as_many(keys: list[str], begun: int) -> None:
    account = account_of(make_player())

    def click(key: str) -> ProviderDeposit:
        return open_deposit(account=account, provider="fake", amount=500, currency=Currency.BYN, idempotency_key=key)

    with override_settings(PAYMENT_PROVIDERS=settings_of(FakeProvider("http://127.0.0.1:9"))):
        found = race([lambda key=key: click(key) for key in keys])  # type: ignore[misc]
    assert not [refusal for refusal in found if isinstance(refusal, DomainError)]
    assert len({deposit.pk for deposit in found if isinstance(deposit, ProviderDeposit)}) == begun
    assert ProviderDeposit.objects.count() == begun


def test_own_data_asked_for_at_once_is_not_taken_more_often_than_allowed() -> None:
    player = make_player()
    answers = race([lambda: export_own_data(player=player)] * (EXPORTS_A_DAY + 2))
    refused = [answer.code for answer in answers if isinstance(answer, DomainError)]
    assert refused == [Refusal.THROTTLED] * 2
