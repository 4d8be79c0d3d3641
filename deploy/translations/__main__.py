"""`python -m deploy.translations update` brings the catalogues up to date; `check` exits 1 when they are not."""

import sys

from deploy.translations.catalogue import LANGUAGES, faults, update
from deploy.translations.source import source_catalogue


def main(arguments: list[str]) -> int:
    """Run one of the two commands."""
    source = source_catalogue()
    if arguments == ["update"]:
        for language in LANGUAGES:
            update(language, source)
    elif arguments != ["check"]:
        print("Usage: python -m deploy.translations update|check", file=sys.stderr)
        return 2
    found = [fault for language in LANGUAGES for fault in faults(language, source)]
    for fault in found:
        print(fault)
    return 1 if found and arguments == ["check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
