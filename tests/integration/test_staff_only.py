"""What only the organizer's staff do is refused to everybody else by the services themselves."""

from collections.abc import Callable
from functools import partial

import pytest

from accounts.models import Role
from accounts.services.bank_statements import enter_own_account
from accounts.services.equipment import register_certificate
from accounts.services.points import open_till
from tests.banking import OURS
from tests.desks import FIRST, LAST
from tests.making import make_till, make_user
from tests.refusals import refused
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ORGANIZER])
def test_equipment_and_accounts_of_ours_are_the_staffs(role: Role) -> None:
    till, cashier, who = make_till(), make_user(Role.CASHIER), make_user(role)
    acts: list[Callable[[], object]] = [
        partial(enter_own_account, iban=OURS, bank="AKBBBY2X", holder="Мы", by=who),
        partial(register_certificate, equipment=till, number="C-2", valid_from=FIRST, valid_until=LAST, by=who),
        partial(open_till, point=till.point, number=2, cashier=cashier, by=who),
    ]
    assert [refused(act).code for act in acts] == [Refusal.NOT_ALLOWED] * 3
