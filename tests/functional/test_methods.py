"""Methods of HTTP that no page needs are refused before any page sees them."""

import pytest

from tests.functional.browsing import visitor

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND"])
@pytest.mark.parametrize("address", ["/", "/account/login/", "/api/v1/pools/", "/nothing/"])
def test_405(method: str, address: str) -> None:
    answer = visitor().generic(method, address)
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE"


def test_get_is_answered() -> None:
    assert visitor().get("/").status_code == 200
