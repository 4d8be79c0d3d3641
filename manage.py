#!/usr/bin/env python
"""Run a management command of the totalizator."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "totalizator.settings")
    execute_from_command_line(sys.argv)
