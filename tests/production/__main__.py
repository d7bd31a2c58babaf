"""`make production`: the production of docs/deploy.md from Debian's packages, used, attacked a little, and rolled.

    python -m tests.production [--writers N] [--labels N] [--judgments N]

Brings nginx, PgBouncer, PostgreSQL and Redis if it runs as root on Debian; says what is missing and ends with 1
otherwise. Also 1 if a submission is lost, a request is answered by an error of the server, or anything else is wrong.
"""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CalledProcessError, TimeoutExpired
from typing import Any

from tests.chaos.deploying import NEXT, judge_versions
from tests.chaos.grading import conclude, seeded, started_at
from tests.chaos.judging import settings as endpoint_settings
from tests.chaos.plan import Findings
from tests.chaos.writers import Client, Writer
from tests.deployment import ROOT
from tests.judging.many import ask_many, count_verdicts, distinct_verdicts
from tests.llm.server import Server, serving
from tests.production.asking import Pages, forwarding_faults, header_faults, pooler_faults, roles_in_sessions
from tests.production.site import Production, production, wait
from tools.console import run_main, say
from tools.debian import ensure_servers

CHANGED = "css/base.css"  # the static file that the next version changes


def main() -> int:
    """0 when nothing was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--labels", type=int, default=10, help="of all writers, between two steps")
    parser.add_argument("--judgments", type=int, default=1500)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that servers are stopped then too
    ensure_servers()
    grades, judgments = Findings("grades through nginx, rolled"), Findings("judgments, rolled")
    others = Findings("proxy, pooler, static files")
    findings = [grades, judgments, others]
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        serving(latency=1.0) as judge,
        production(Path(folder), **endpoint_settings(judge)) as site,
    ):
        begin = time.monotonic()
        seed = _started(site, options)
        pages = _roll_while_people_submit(site, judge, options, seed, grades, judgments)
        others.wrong += pages.wrong
        others.acknowledged += sum(pages.statuses.values())
        for name, check in _checks(site, seed["password"]).items():
            say(f"  {time.monotonic() - begin:6.1f} s  {name}")
            try:
                others.wrong += check()
            except (CalledProcessError, TimeoutExpired) as error:
                others.wrong.append(f"{name}: {error}\n{str(error.stderr)[-2000:]}")
            others.acknowledged += 1
        others.seconds = time.monotonic() - begin
    for part in findings:
        for note in part.notes:
            say(f"  {part.part}: {note}")
        for fault in part.wrong:
            say(f"  {part.part}: WRONG: {fault}")
    say("\n".join(table(findings)))
    return 0 if all(part.is_good for part in findings) else 1


def _checks(site: Production, password: str) -> dict[str, Callable[[], list[str]]]:
    return {
        "cookies, HSTS and redirects": lambda: header_faults(site, password),
        "limits on sign-in count the real address": lambda: forwarding_faults(site, password),
        "roles, where the pooler pools sessions": lambda: roles_in_sessions(site),
        "a pooler that was not declared is refused": lambda: pooler_faults(site),
    }


def _started(site: Production, options: argparse.Namespace) -> dict[str, Any]:
    """Start everything; a campaign that is open, and questions that wait for a judge."""
    for name in ("web1", "web2"):
        site.start_web(site.ports[name])
    seed = seeded(site.commands, options.writers, 60 * options.labels)
    ask_many(site.commands, options.judgments)
    for worker in ("worker-1", "worker-2"):
        site.start(worker, "touchstone-worker")
    site.start("rendering", "touchstone-rendering")
    site.start("beat", "touchstone-beat")
    return seed


def _roll_while_people_submit(
    site: Production,
    judge: Server,
    options: argparse.Namespace,
    seed: dict[str, Any],
    grades: Findings,
    judgments: Findings,
) -> Pages:
    """Write and judge, bring the next version step by step, count."""
    begin = time.monotonic()
    writers = started_at(site.url, seed, 60 * options.labels, pause=0.5, tls=site.tls)
    pages = Pages(site)
    pages.start()

    def step(kind: str, do: Callable[[], object]) -> None:
        goal = _told(writers) + options.labels
        wait(
            lambda: _told(writers) >= goal or not all(each.is_alive() for each in writers),
            "grades",
            site.logs,
        )
        done = f"{_told(writers)} grades, {count_verdicts(site.commands)} verdicts"
        say(f"  {time.monotonic() - begin:6.1f} s  {done}: {kind}")
        do()
        grades.faults[kind] += 1

    changed = site.folder / "changed"
    (changed / CHANGED).parent.mkdir(parents=True)
    (changed / CHANGED).write_text((ROOT / "static" / CHANGED).read_text("utf-8") + "\n/* next */\n", "utf-8")
    new = site.process("commands", DJANGO_SETTINGS_MODULE=NEXT, NEXT_STATIC=str(changed))
    step("migration that adds", lambda: new.manage("migrate", "next_version", "0002", "--verbosity", "0"))
    step(
        "static files of the next version",
        lambda: new.manage("collectstatic", "--noinput", "--verbosity", "0"),
    )
    site.environment |= {"DJANGO_SETTINGS_MODULE": NEXT, "NEXT_STATIC": str(changed)}
    web = [site.ports["web1"], site.ports["web2"]]
    for port in web:
        step(
            f"web process {web.index(port) + 1} taken out, restarted, put back",
            lambda port=port: site.roll_web(port),
        )
    for worker in ("worker-1", "worker-2"):
        step(
            f"{worker} restarted",
            lambda name=worker: (site.stop(name), site.start(name, "touchstone-worker")),
        )
    step(
        "rendering worker restarted",
        lambda: (site.stop("rendering"), site.start("rendering", "touchstone-rendering")),
    )
    step("beat restarted", lambda: (site.stop("beat"), site.start("beat", "touchstone-beat")))
    step("migration that takes away", lambda: new.manage("migrate", "--verbosity", "0"))
    step("the end", lambda: None)
    del grades.faults["the end"]
    for writer in writers:
        writer.enough.set()
    for writer in writers:
        writer.join()
    pages.end()
    grades.seconds = time.monotonic() - begin
    conclude(grades, new, writers)
    clients = [writer.client for writer in writers]
    grades.wrong += judge_versions(clients)
    grades.notes.append(_requests(clients))
    if unsettled := sum(client.unsettled for client in clients):
        grades.wrong.append(f"{unsettled} requests had no answer or one from 500 on")
    wait(lambda: count_verdicts(site.commands) >= options.judgments, "judgments", site.logs, seconds=180)
    judgments.seconds = time.monotonic() - begin
    judgments.acknowledged = count_verdicts(site.commands)
    judgments.lost = options.judgments - distinct_verdicts(site.commands)
    judgments.doubled = judgments.acknowledged - distinct_verdicts(site.commands)
    judgments.notes.append(f"{judge.calls} calls for {options.judgments} verdicts")
    waiting = "SELECT count(*) FROM benchmark_rendereddocument WHERE version = ''"
    wait(lambda: site.commands.query(waiting) == [(0,)], "rendered texts", site.logs, seconds=60)
    rendered = site.commands.query("SELECT count(*) FROM benchmark_rendereddocument")[0][0]
    grades.notes.append(f"{rendered} texts rendered, none waits")
    if judge.calls > options.judgments:
        judgments.wrong.append("workers that were asked to end lost calls")
    return pages


def _told(writers: list[Writer]) -> int:
    return sum(len(writer.acknowledged) for writer in writers)


def _requests(clients: list[Client]) -> str:
    replies = sum((client.replies for client in clients), clients[0].replies.__class__())
    return f"{replies.total()} requests over HTTPS: {dict(sorted(replies.items()))}"


def table(findings: list[Findings]) -> list[str]:
    """What was done and lost, for docs/deploy.md."""
    lines = ["", "| part | done | lost | doubled | wrong | seconds |", "|---|---|---|---|---|---|"]
    for part in findings:
        counts = f"{part.acknowledged:,} | {part.lost} | {part.doubled} | {len(part.wrong)}"
        lines.append(f"| {part.part} | {counts} | {part.seconds:.0f} |")
    return lines


if __name__ == "__main__":
    sys.exit(run_main(main))
