"""What no line of the log may hold: codes, passwords, addresses, bank accounts, the values of a refused row.

The log names people by their ids and never logs a form, a body or an address with its question. This is the second
line of defence, for what others put into their messages: a database's, a library's.
"""

import re

_CODE = "[0-9A-Z]"  # of tickets and of cards, as printed
_NAMES = "password|passphrase|secret|token|code|authorization|cookie|session|sessionid|csrftoken|email|name|iban|phone"
_HIDDEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        # A database tells the row that it refused, and the statement in which it stood.
        (r"(DETAIL|CONTEXT|LINE \d+):.*", r"\1: …"),
        (r'(invalid input [^:"]*:|value) "[^"]*"', r'\1 "…"'),
        (r"://[^/\s@]+@", "://…@"),
        (r"(?<=[\w/.=%-])\?[^\s\"'<>]+", "?…"),
        (r"(?i)\b(bearer|basic) [\w.+/=~-]+", r"\1 …"),
        (rf"(?i)\b((?:\w+[_-])?(?:{_NAMES}))(['\"]?\s*[:=]\s*)(?:'[^']*'|\"[^\"]*\"|[^\s,;&}})]+)", r"\1\2…"),
        # Messages are English: what is quoted in Cyrillic, or looks like a name and surname, is somebody's.
        (r"(['\"«])[^'\"»\n]*[а-яёўі][^'\"»\n]*(['\"»])", r"\1…\2"),
        (r"\b[А-ЯЁЎІ][а-яёўі’'-]+(?: [А-ЯЁЎІ][а-яёўі’'-]+)+", "…"),
        (r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+", "…@…"),
        (r"(?i)\b[A-Z]{2}\d{2} ?(?:[A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}\b", "…IBAN…"),
        (r"\+\d[\d ()-]{8,}\d", "+…"),
        (r"\b\d{7}[A-Z]\d{3}[A-Z]{2}\d\b", "…"),  # identity number
        (r"\b[A-Z]{2}\d{7}\b", "…"),  # passport
        (rf"\b(?=\w*\d)(?=\w*[A-Z]){_CODE}{{14}}\b", "…"),
        (rf"(?<![\w-]){_CODE}{{4,5}}(?:[- ]{_CODE}{{4,5}}){{1,2}}[- ]{_CODE}{{2,5}}(?![\w-])", "…"),
    )
)


def without_secrets(text: str) -> str:
    """Return a text with an ellipsis for whatever looks like a code, a password or somebody's own."""
    for pattern, to in _HIDDEN:
        text = pattern.sub(to, text)
    return text
