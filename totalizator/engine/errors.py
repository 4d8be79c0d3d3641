"""What is said when an input is wrong: one code, one place, one expectation."""

CODES = frozenset(
    {
        "MISSING_FILE",
        "BAD_JSON",
        "BAD_CSV",
        "UNKNOWN_KEY",
        "MISSING_KEY",
        "BAD_VALUE",
        "LAW",
        "BAD_ORDER",
        "BAD_STAKE",
        "BAD_SELECTION",
        "OUT_OF_TIME",
        "TOO_MANY_LINES",
        "UNKNOWN_TICKET",
    }
)

SHOWN_CHARACTERS = 60
SHOWN_BITS = 128


class EngineError(Exception):
    """Say that an input is wrong: `CODE: file, line, field: what was expected`."""

    def __init__(self, code: str, where: str, expected: str) -> None:
        if code not in CODES:
            raise ValueError(f"{code} is not a code of the engine")
        super().__init__(code, where, expected)
        self.code = code
        self.where = where
        self.expected = expected

    def __str__(self) -> str:
        return f"{self.code}: {self.where}: {self.expected}"


def shown(value: object) -> str:
    """Show a wrong value in one short line, whatever it is: control characters escaped, length cut."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        cut = value if len(value) <= SHOWN_CHARACTERS else value[:SHOWN_CHARACTERS] + "…"
        return repr(cut)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() <= SHOWN_BITS:
        return str(value)
    return f"a value of type {type(value).__name__}"
