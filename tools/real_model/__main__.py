"""python -m tools.real_model: a site of its own, a real model, and one problem for every recipe; exit 1 for a fault."""

import json
import os
import tempfile
from pathlib import Path

import django
from django.core.management import call_command

from tools.console import run_main, say
from tools.debian import ensure_pango_or_say
from tools.real_model.fetching import check_machine, fetch_engine, fetch_model, serving


def main() -> int:
    """0 if every question was answered, stored and shown."""
    node = check_machine()
    engine, model = fetch_engine(), fetch_model()
    ensure_pango_or_say()
    with tempfile.TemporaryDirectory() as place, serving(node, engine, model) as address:
        os.environ.pop("DATABASE_URL", None)
        os.environ.pop("CELERY_BROKER_URL", None)
        local = {"base_url": address, "private": True, "max_concurrency": 1, "structured_output": True}
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "TOUCHSTONE_DEMO": "1",
            "TOUCHSTONE_RUNTIME_DIR": place,
            "TOUCHSTONE_STATIC_STORAGE": "config.static_files.HashedFiles",
            "TOUCHSTONE_JUDGE_ENDPOINTS": json.dumps({"local": {**local, "timeout": 600}}),
        }
        django.setup()
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework"])
        from tools.real_model.trying import tried  # after setup: its models need it

        faults = tried(Path(place), address)
    for fault in faults:
        say(f"FAULT: {fault}")
    say(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    run_main(main)
