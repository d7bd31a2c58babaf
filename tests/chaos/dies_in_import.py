"""`python -m tests.chaos.dies_in_import ROW COMMAND ...`: a management command that is killed while it writes outputs.

SIGKILL to its own process as soon as the INSERT with output number ROW was carried out, inside of the transaction.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import django
from django.core.management import call_command
from django.db import connection

TABLE = "benchmark_output"


def main(row: int, arguments: list[str]) -> None:
    django.setup()
    written = 0

    def strike(execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        nonlocal written
        result = execute(sql, values, many, context)
        if sql.startswith(f'INSERT INTO "{TABLE}"'):
            columns = sql.partition(")")[0].count(",") + 1
            # PostgreSQL gets a list for each column and says how many rows it wrote; SQLite gets every value.
            written += max(context["cursor"].rowcount, len(values) // columns)
            if written >= row:
                os.kill(os.getpid(), signal.SIGKILL)
        return result

    with connection.execute_wrapper(strike):
        call_command(*arguments)
    sys.exit(f"{written} outputs were written, fewer than {row}: nothing was killed")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
