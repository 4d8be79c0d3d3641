"""Bring the database and the static files to the state of the code.

Run by the environment's python as the owner of the database, in one process, because starting Django is most of it.
"""

import os
import sys

import django
from django.core.management import call_command


def main() -> None:
    """Migrate, give the roles their privileges, enter the legal calendar, collect static files, register the release.

    The owner itself needs no privileges.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "totalizator.settings")
    django.setup()
    call_command("migrate", verbosity=0)
    if "--grant" in sys.argv:
        call_command("grant_app_role")
        call_command("grant_auditor_role")
    call_command("load_legal_calendar")
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("register_release", change="a checkout on its own machine", by="deploy.local", verbosity=0)


if __name__ == "__main__":
    main()
