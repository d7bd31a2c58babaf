"""`make chaos`: every fault that docs/trust.md speaks of, in real processes, and one summary.

    python -m tests.chaos [--seed N] [--writers N] [--labels N] [--judgments N] [--outage SECONDS] [PART ...]

PostgreSQL with durable settings and Redis are started for it and gone afterwards. Exit code 1 when anything that
was acknowledged is lost or there twice, when a rule of `check_invariants` is broken, or when judging took more
than 1.05 calls per verdict. Without PART all parts run.
"""

import argparse
import datetime as dt
import os
import random
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable

from tests.chaos import away, deploying, embedded, grading, importing, judging, slowness
from tests.chaos.plan import Findings
from tests.chaos.services import Servers, own_servers

Part = Callable[[Servers], Findings]


def parts(options: argparse.Namespace) -> dict[str, Part]:
    """Name -> what to run."""
    writing = grading.Size(writers=options.writers, labels=options.labels)
    asking = judging.Size(judgments=options.judgments, outage=options.outage)
    later = slowness.Size(judgments=max(100, options.judgments * 2 // 5))
    return {
        "grades": lambda servers: grading.grade_under_fire(servers, writing),
        "outage": lambda servers: away.grade_without_database(servers, away.Size(away=options.outage)),
        "embedded": lambda servers: embedded.embedded_under_fire(embedded.Size()),
        "deployment": lambda servers: deploying.deploy_under_load(deploying.Size()),
        "imports": lambda servers: importing.import_under_fire(kills=3),
        "judgments": lambda servers: judging.judge_under_fire(servers, asking),
        "slowness": lambda servers: slowness.judge_slowly(servers, later),
    }


def attempted(name: str, part: Part) -> Findings:
    """What the part found; one that breaks off is a finding too. Each part has servers of its own."""
    print(f"== {name}", flush=True)
    try:
        with own_servers() as servers:
            return part(servers)
    except Exception as error:  # noqa: BLE001 - the other parts still run
        traceback.print_exc()
        return Findings(name, wrong=[f"broke off: {error!r}"[:2000]])


def summary(found: list[Findings]) -> str:
    """What was done and what is missing, in a few lines; the same figures for each part and for all."""
    lines = [_line(each.part, [each]) for each in found] + [_line("all", found)]
    for each in found:
        lines += [f"  {each.part}: {note}" for note in each.notes]
        lines += [f"  {each.part}: WRONG: {fault}" for fault in each.wrong]
    faults = sum((each.faults for each in found), Counter[str]())
    struck = "\n".join(f"  {count:3} x {kind}" for kind, count in sorted(faults.items()))
    return "\n".join(
        [*lines, "faults:", struck, f"load of the machine: {os.getloadavg()[1]:.1f} in five minutes"]
    )


def table(found: list[Findings], now: dt.datetime) -> str:
    """The rows of docs/trust.md, to be pasted as they are, under the day and what the machine was like."""
    load = os.getloadavg()[2]
    lines = [
        f"Measured on {now:%Y-%m-%d} on {os.cpu_count()} cores (load {load:.1f} in the last fifteen minutes):",
        "",
        "| part | faults | acknowledged | lost | doubled | seconds | good |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in found:
        struck = ", ".join(f"{count} x {kind}" for kind, count in sorted(each.faults.items()))
        lines.append(
            f"| `{each.part}`: {struck or 'none'} | {each.faults.total()} | {each.acknowledged:,} | {each.lost} "
            f"| {each.doubled} | {each.seconds:.0f} | {'yes' if each.is_good else 'no'} |"
        )
    return "\n".join(lines)


def _line(name: str, found: list[Findings]) -> str:
    faults = sum(sum(each.faults.values()) for each in found)
    told, lost, doubled = (
        sum(getattr(each, key) for each in found) for key in ("acknowledged", "lost", "doubled")
    )
    seconds = sum(each.seconds for each in found)
    verdict = "good" if all(each.is_good for each in found) else "NOT GOOD"
    return f"{name}: {faults} faults, {told} acknowledged, {lost} lost, {doubled} doubled, {seconds:.0f} s: {verdict}"


def main() -> int:
    """0 when every part was good; else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="which parts; all without")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writers", type=int, default=12)
    parser.add_argument("--labels", type=int, default=150, help="grades of each writer")
    parser.add_argument("--judgments", type=int, default=1_000)
    parser.add_argument(
        "--outage", type=float, default=60.0, help="seconds without broker, or without database"
    )
    options = parser.parse_args()
    known = parts(options)
    if unknown := set(options.parts) - set(known):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    random.seed(options.seed)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that servers are stopped then too
    found = [attempted(name, part) for name, part in known.items() if name in (options.parts or known)]
    print(summary(found))
    print(f"\n{table(found, dt.datetime.now(dt.UTC))}")
    return 0 if all(each.is_good for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
