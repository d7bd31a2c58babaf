"""`make demo`: from a bare clone to a running site with the sample project, until Ctrl-C."""

import fcntl
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.console import ROOT, RUNTIME, Refused, run_main, say
from tools.debian import ensure_pango_or_say
from tools.environment import LOGS, PYTHON, ensure_environment
from tools.processes import Family, Parent

FIRST_PORT, FIRST_MODEL_PORT = 8000, 8200
ANSWER_SECONDS = 60.0
ADDRESS = RUNTIME / "demo.address"
NOT_FOR_THE_DEMO = {"DATABASE_URL", "CELERY_BROKER_URL", "PYTHONPATH", "PYTHONHOME", "TOUCHSTONE_SECRET_KEY"}


def main() -> int:
    """Runs until it is interrupted; 0 after a clean stop."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    parent = Parent()
    LOGS.mkdir(parents=True, exist_ok=True)
    with _only_demo():
        ensure_environment("run")
        ensure_pango_or_say()
        port, model_port = free_port(FIRST_PORT), free_port(FIRST_MODEL_PORT)
        environment = demo_environment(dict(os.environ), port, model_port)
        say("Preparing the database and the sample project ...")
        log = LOGS / "prepare.log"
        with log.open("wb") as errors:
            done = subprocess.run(  # nosec B603 # our own module
                [PYTHON, "-m", "tools.prepare"],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                check=False,
            )
        if done.returncode != 0:
            tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-8:])
            raise Refused(f"{tail}\nThe demo's data could not be prepared; all of it is in {log}")
        accounts = done.stdout.decode("utf-8").strip()
        address = environment["TOUCHSTONE_SITE_URL"]
        model = {"model": ["reports.scripted_model", "--port", str(model_port)]}
        words = f"{accounts}\n\nCtrl-C stops it."
        return serve(environment, {**programs(address), **model}, address, LOGS, parent, words)


def demo_environment(outer: dict[str, str], port: int, model_port: int) -> dict[str, str]:
    """The environment of the demo's processes: SQLite, the file-system broker, loopback, never what `outer` names.

    A model by fixed rules answers as the endpoint `scripted`, next to those that `outer` declares.
    """
    kept = {name: value for name, value in outer.items() if name not in NOT_FOR_THE_DEMO}
    endpoints = {
        **json.loads(outer.get("TOUCHSTONE_JUDGE_ENDPOINTS") or "{}"),
        "scripted": {"base_url": f"http://127.0.0.1:{model_port}/v1", "private": True},
    }
    return kept | {
        "TOUCHSTONE_JUDGE_ENDPOINTS": json.dumps(endpoints),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONUNBUFFERED": "1",
        "TOUCHSTONE_DEMO": "1",
        "TOUCHSTONE_RUNTIME_DIR": str(RUNTIME),
        "TOUCHSTONE_SITE_URL": f"http://127.0.0.1:{port}",
        # hashed names as in production, but nothing gained by compressing for loopback
        "TOUCHSTONE_STATIC_STORAGE": "config.static_files.HashedFiles",
    }


def free_port(first: int) -> int:
    """`first` or the next loopback port that nobody listens on. Raises Refused after a hundred."""
    for port in range(first, first + 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise Refused(f"No free port between {first} and {first + 99}.")


@contextmanager
def _only_demo() -> Iterator[None]:
    """Holds the lock of this folder's demo. The kernel lets go of it with the process, however that ends."""
    with (RUNTIME / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            where = f" at {ADDRESS.read_text()}" if ADDRESS.is_file() else ""
            raise Refused(
                f"The demo of this folder is already running{where}; Ctrl-C there stops it."
            ) from None
        ADDRESS.unlink(missing_ok=True)
        try:
            yield
        finally:
            ADDRESS.unlink(missing_ok=True)


def serve(
    environment: dict[str, str],
    modules: dict[str, list[str]],
    address: str,
    logs: Path,
    parent: Parent,
    words: str,
    often: Callable[[], object] = bool,
) -> int:
    """Python modules that run next to one another, started again whenever one ends, until Ctrl-C.

    Says `words` once the site at `address` answers, and calls `often` about twice a second.
    """
    family = Family(ROOT, environment)
    try:
        for name, arguments in modules.items():
            family.start(name, [str(PYTHON), "-m", *arguments], logs / f"{name}.log")
        deadline = time.monotonic() + ANSWER_SECONDS
        while not _answers(address):
            if time.monotonic() > deadline:
                raise Refused(
                    f"The site did not answer within {ANSWER_SECONDS:.0f} s; see {logs / 'web.log'}"
                )
            if parent.has_given_up():
                raise KeyboardInterrupt
            family.revive()
            time.sleep(0.2)
        if logs == LOGS:
            ADDRESS.write_text(address, encoding="ascii")
        place = logs.relative_to(ROOT) if logs.is_relative_to(ROOT) else logs
        say(f"\nTouchstone runs at {environment['TOUCHSTONE_SITE_URL']}/\n\n{words} Logs: {place}")
        while not parent.has_given_up():
            time.sleep(0.5)
            family.revive()
            often()
    except KeyboardInterrupt:
        pass
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        family.stop()
    say("\nStopped.")
    return 0


def programs(address: str) -> dict[str, list[str]]:
    """Name -> what follows `python -m`."""
    web = [
        "gunicorn",
        "config.wsgi:application",
        "--bind",
        address.removeprefix("http://"),
        "--no-control-socket",
    ]
    web += ["--workers", "1", "--threads", "8", "--graceful-timeout", "2", "--access-logfile", "-"]
    worker = ["celery", "--app", "config", "worker", "--concurrency", "2", "--loglevel", "INFO"]
    # Judging may hold the other worker for long; a text that a reviewer waits for is rendered meanwhile.
    renderer = [*worker[:4], "--queues", "rendering", "--concurrency", "1", "--loglevel", "INFO"]
    beat = ["celery", "--app", "config", "beat", "--pidfile", "", "--loglevel", "INFO"]
    return {"web": web, "worker": worker, "renderer": renderer, "beat": beat}


def _answers(address: str) -> bool:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=5)
    try:
        connection.request("GET", "/health/", headers={"X-Forwarded-Proto": "https"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    run_main(main)
