"""How time grows when a hostile text doubles: python -m bench.latex_growth [characters]

Prints, for each flood and format, the seconds at n and 2n characters and their ratio. Linear work has ratio 2;
the limit is 2.5 (docs/latex.md).
"""

import sys
import time

from latex import render
from tests.latex.hostile import FLOODS


def seconds(text: str, format: str) -> float:
    start = time.process_time()
    render(text, format)  # type: ignore[arg-type]
    return time.process_time() - start


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for name, flood in FLOODS.items():
        for format in ("latex", "markdown"):
            once = min(seconds(flood(size), format) for _ in range(2))
            twice = min(seconds(flood(2 * size), format) for _ in range(2))
            ratio = twice / once if once > 0.02 else 0
            print(f"{name:14} {format:9} {once:8.3f} {twice:8.3f} {ratio:6.2f}{'  !' if ratio > 2.5 else ''}")


if __name__ == "__main__":
    main()
