"""Start the command line: `python3 -m deploy.local COMMAND`."""

import sys

# Before anything is imported that an older Python could not even read.
if sys.version_info < (3, 11):  # noqa: UP036 - this may be run by any python3
    sys.exit("Python 3.11 or newer is needed, and %s is %d.%d." % (sys.executable, *sys.version_info[:2]))  # noqa: UP031

from deploy.local.front import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
