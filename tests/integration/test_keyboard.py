"""What a scanner presses is told whatever the layout, for every key (C65)."""

import string

import pytest

from totalizator.core.keyboard import latin_keys

# The keys of a US keyboard as the Russian layout writes them, row by row, from the layout's own table.
LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,./QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>?@#$^&|"
RUSSIAN = 'йцукенгшщзхъфывапролджэячсмитьбю.ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,"№;:?/'


def written(text: str, layout: str) -> str:
    """What the computer makes of the keys that write `text` in a US layout."""
    table = dict(zip(LATIN, layout, strict=True))
    return "".join(table.get(char, char) for char in text)


def test_every_printable_sign_comes_back() -> None:
    signs = "".join(char for char in string.printable if char.isprintable() and char not in "`~")
    assert latin_keys(written(signs, RUSSIAN)) == signs


@pytest.mark.parametrize("text", ["2411-1-7K3M9QX2RA", "123456789012345678", "1X2", "https://t.by/t/A-1/#T3&C&1;X", ""])
def test_what_is_latin_already_stays(text: str) -> None:
    assert latin_keys(text) == text


def test_the_belarusian_layout_has_letters_of_its_own() -> None:
    assert latin_keys("ІЎіў Ы") == "BObo S"
