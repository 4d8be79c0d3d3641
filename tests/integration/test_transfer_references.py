"""The reference of a transfer is found however a payer or a bank spells it, and never mistaken for another."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.services.transfer_references import ReferenceKind, TransferReference, read_reference

ACCOUNT_17 = TransferReference(ReferenceKind.GAME_ACCOUNT, 17)


def test_it_is_written_with_its_check_digits() -> None:
    assert str(ACCOUNT_17) == "ACC-00000017-53"
    assert str(TransferReference(ReferenceKind.BET_ORDER, 1)) == "BET-00000001-89"


@pytest.mark.parametrize(
    "text",
    [
        "Пополнение ACC-00000017-53 от 30.11.2026",
        "acc0000001753",
        "АСС-00000017-53 (кириллицей)",
        "ACC 0000 0017 53",
        "ACC-000\n00017-53",
        "ACC-00000017-53, повторно ACC-00000017-53",
    ],
)
def test_it_is_found(text: str) -> None:
    assert read_reference(text).reference == ACCOUNT_17


@pytest.mark.parametrize(
    ("text", "looks_like_one"),
    [
        ("Пополнение счёта", False),
        ("", False),
        ("XACC-00000017-53", False),
        ("ACC-00000017-54", True),
        ("ACC-17", True),
        ("ACC-00000017-53 и BET-00000001-89", True),
        ("ACC-00000017-531", True),
    ],
)
def test_it_is_missing_or_unreadable(text: str, looks_like_one: bool) -> None:
    read = read_reference(text)
    assert (read.reference, read.looks_like_one) == (None, looks_like_one)


@given(st.sampled_from(ReferenceKind), st.integers(0, 10**8 - 1), st.data())
def test_one_wrong_digit_or_two_exchanged_never_make_another(
    kind: ReferenceKind, number: int, data: st.DataObject
) -> None:
    reference = TransferReference(kind, number)
    written = str(reference)
    assert read_reference(written).reference == reference
    places = [place for place, sign in enumerate(written) if sign.isdigit()]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from("0123456789").filter(lambda sign: sign != written[place]))
    assert read_reference(written[:place] + digit + written[place + 1 :]).reference is None
    one, other = data.draw(st.sampled_from(list(pairwise(places))))
    if written[one] != written[other]:
        swapped = list(written)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        assert read_reference("".join(swapped)).reference is None
