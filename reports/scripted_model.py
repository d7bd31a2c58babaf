"""The demo's model: `python -m reports.scripted_model --port N` answers by fixed rules until it is stopped."""

import argparse
import threading
from collections.abc import Mapping
from typing import Any

from construction.scripted import reply as about_construction
from llm.scripted import serving
from solvers.scripted import reply as about_solving


def rules(request: Mapping[str, Any]) -> str | None:
    """What the scripted model says; None to a question that it has no rule for."""
    said = about_construction(request)
    return about_solving(request) if said is None else said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=0.3, help="how long every reply takes")
    options = parser.parse_args()
    with serving(rules, port=options.port, seconds=options.seconds):
        threading.Event().wait()


if __name__ == "__main__":
    main()
