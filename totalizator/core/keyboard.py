"""What keys were pressed, read as a Latin keyboard writes them: scanners know no other (C65).

A scanner is a keyboard that presses the keys of a US layout. While the computer is in the Russian or Belarusian layout
(ЙЦУКЕН) it makes other letters and other signs of them; which keys they were can still be told.
"""

_KEYS = "`qwertyuiop[]asdfghjkl;'zxcvbnm,./"
_SHIFTED = '~QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>?'
_RUSSIAN = "ёйцукенгшщзхъфывапролджэячсмитьбю."
_RUSSIAN_SHIFTED = "ЁЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,"

# Signs over the digits that are others there; the Belarusian layout has two letters and a sign of its own.
_SIGNS = {'"': "@", "№": "#", ";": "$", ":": "^", "?": "&", "/": "|"}
_BELARUSIAN = {"ў": "o", "Ў": "O", "і": "b", "І": "B", "'": "]"}

_LATIN = str.maketrans(
    dict(zip(_RUSSIAN, _KEYS, strict=True)) | dict(zip(_RUSSIAN_SHIFTED, _SHIFTED, strict=True)) | _SIGNS | _BELARUSIAN
)


def latin_keys(text: str) -> str:
    """Return what the same keys write in a Latin layout; a text without Cyrillic letters stays as it is."""
    cyrillic = any("\u0400" <= char <= "\u04ff" or char == "№" for char in text)
    return text.translate(_LATIN) if cyrillic else text
