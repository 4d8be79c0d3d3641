"""`python -m totalizator.engine`: the engine on a bare Python."""

import sys

from totalizator.engine.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
