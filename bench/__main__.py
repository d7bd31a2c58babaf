"""Measure families of figures and print a Markdown table: python -m bench [family ...]

Without names every family runs. Exit code 1 when a median misses its target, 2 for an unknown family.
"""

import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import bench
from bench.frame import as_row, machine, markdown


def families() -> list[str]:
    """Names of the modules here that define `figures`, found without importing them."""
    folder = Path(bench.__path__[0])
    names = (module.name for module in pkgutil.iter_modules(bench.__path__) if not module.ispkg)
    return sorted(name for name in names if "\ndef figures(" in (folder / f"{name}.py").read_text("utf-8"))


def run(name: str) -> bool:
    """Measure one family, print its table, and say whether every target was kept."""
    module = import_module(f"bench.{name}")
    title = (module.__doc__ or name).partition("\n")[0].rstrip(".")
    figures = []
    for figure in module.figures():
        print(f"  measured: {figure.task}", file=sys.stderr, flush=True)
        figures.append(figure)
    print(f"\n### {title} (`{name}`)\n", *markdown([as_row(figure) for figure in figures]), sep="\n")
    return all(figure.met is not False for figure in figures)


def main(chosen: list[str]) -> int:
    """Measure the chosen families, all when none is named."""
    unknown = set(chosen) - set(families())
    if unknown:
        print(f"no family {', '.join(sorted(unknown))}; there are: {', '.join(families())}", file=sys.stderr)
        return 2
    print(f"{machine()}\n\nA star marks a naive time scaled up from a part of the work.")
    kept = [run(name) for name in chosen or families()]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
