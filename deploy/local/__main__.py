"""Start the command line: `python3 -m deploy.local COMMAND`."""

import sys

from deploy.local.front import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
