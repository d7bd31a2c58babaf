"""Brings the demo's data up to date; runs inside `.venv`. Safe to repeat. Prints the demo accounts."""

import sys

import django
from django.conf import settings
from django.core.management import CommandError, call_command


def main() -> None:
    """Tables, cache, static files, sample project: each step does nothing where nothing is to be done."""
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("createcachetable", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework"])
    from search.sample import load_library  # after setup: their models need it
    from solving.sample import load_runs

    try:
        call_command("seed_demo", verbosity=0, answer=True)
    except CommandError as refusal:
        sys.exit(f"The sample project could not be loaded: {refusal}")
    load_library(settings.SAMPLE_DIR)
    load_runs(say=lambda line: None)


if __name__ == "__main__":
    main()
