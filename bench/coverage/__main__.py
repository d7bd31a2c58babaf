"""Print one Markdown table per family. Exit code 1 when an estimate lies outside its interval, 2 for wrong usage."""

import argparse
import sys
import time
from importlib import import_module

from bench.coverage.frame import HEADER

FAMILIES = (
    "corrected",
    "per_system",
    "coefficients",
    "superpopulation",
    "uneven",
    "means",
    "shares",
    "paired",
    "alpha",
    "strengths",
    "others",
)


def main(arguments: list[str]) -> int:
    """Measure the chosen families, all when none is named."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--draws", type=int, default=1_000, help="simulated audits per cell")
    parser.add_argument("family", nargs="*", help=", ".join(FAMILIES))
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.family) - set(FAMILIES))
    if unknown or asked.draws < 1:
        wrong = f"no family {', '.join(unknown)}" if unknown else "needs at least one draw"
        print(f"{wrong}; there are: {', '.join(FAMILIES)}", file=sys.stderr)
        return 2
    outside = 0
    for name in asked.family or FAMILIES:
        module = import_module(f"bench.coverage.{name}")
        start = time.perf_counter()
        title = (module.__doc__ or name).partition("\n")[0].rstrip(".")
        print(f"\n### {title} (`{name}`)\n\n| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
        marks = []
        for cell in module.cells(asked.draws):
            print(cell.row, flush=True)
            marks.append(cell.mark)
        outside += marks.count("VALUE OUTSIDE")
        below, above = marks.count("low"), marks.count("high")
        took = time.perf_counter() - start
        print(f"\n{len(marks)} cells, {below} below .93, {above} above .99; {took:.0f} s.")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
