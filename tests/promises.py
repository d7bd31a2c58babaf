"""`python -m tests.promises P1`: run the tests of one row of docs/trust.md, which tests/promises.toml lists."""

import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROMISES: dict[str, list[str]] = tomllib.loads((HERE / "promises.toml").read_text(encoding="utf-8"))

if __name__ == "__main__":
    if not sys.argv[1:] or sys.argv[1] not in PROMISES:
        raise SystemExit(f"usage: python -m tests.promises ROW\nrows: {', '.join(PROMISES)}")
    sys.exit(pytest.main([f"tests/{test}" for test in PROMISES[sys.argv[1]]]))
