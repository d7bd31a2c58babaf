"""A reviewer takes items while a worker renders hostile texts of 2 MB; the other number is without the worker.

The processes are those of web_requests. The third number of a spread is the 95th percentile.
"""

import json
import subprocess
import sys
from collections.abc import Iterator

from bench.frame import Figure
from bench.web_requests import Site, Times, measured, p95, reviewer, site

ROUNDS = 60
WAITING = """
from benchmark.rendering.stored import ask_for
from tests.latex.hostile import FLOODS
names = ("tables", "dollar_par", "emph", "item")
ask_for((f"% {number}" + chr(10) + FLOODS[name](2_000_000), "latex") for number in range(4) for name in names)
"""


def figures() -> Iterator[Figure]:
    """`next` of one client and of four."""
    with site() as made:
        seed = json.loads(made.run("bench/_many_labels.py", "1000", "20"))
        made.run("manage.py", "shell", "-v0", "-c", WAITING)
        with made.serving("config.wsgi", "/health/") as (port, server):
            sessions = seed["sessions"]
            measured(
                [reviewer(port, session, seed, 3) for session in sessions[:2]], server
            )  # warms both workers
            for clients in (1, 4):
                chosen = sessions[2 : 2 + clients]
                alone = measured([reviewer(port, session, seed, ROUNDS) for session in chosen], server)
                beside = _while_rendering(made, port, server, chosen, seed)
                task = f"next item, {clients} client{'s' * (clients > 1)}, a worker renders 2 MB"
                yield Figure(task, p95(beside.next), p95(alone.next), "no worker renders", 0.100)


def _while_rendering(
    made: Site, port: int, server: int, sessions: list[str], seed: dict[str, object]
) -> Times:
    renderer = subprocess.Popen([sys.executable, "manage.py", "render_documents"], env=made.environment)
    try:
        times = measured([reviewer(port, session, seed, ROUNDS) for session in sessions], server)
        if renderer.poll() is not None:
            raise RuntimeError("the worker was done before the reviewers; give it more to do")
    finally:
        renderer.kill()
        renderer.wait(timeout=30)
    return times
