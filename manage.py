#!/usr/bin/env python
"""Django's command line for Touchstone."""

import os
import secrets
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] == ["analyse"] and "TOUCHSTONE_DEMO" not in os.environ:
        # It reads a file and signs nothing, so a key that nobody keeps will do.
        os.environ.setdefault("TOUCHSTONE_SECRET_KEY", secrets.token_urlsafe(50))
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
