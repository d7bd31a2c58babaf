"""`python -m tests.chaos.dies_while_writing NUMBER COMMAND ...`: a management command that is killed while it writes.

SIGKILL to its own process as soon as the statement with this number that writes was carried out, inside of the
transaction. A command that has fewer of them ends as usual, and the last line of its errors is their number.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import django
from django.core.management import call_command
from django.db import connection

WRITES = ("INSERT ", "UPDATE ", "DELETE ")


def main(number: int, arguments: list[str]) -> None:
    django.setup()
    written = 0

    def strike(execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        nonlocal written
        result = execute(sql, values, many, context)
        written += sql.startswith(WRITES)
        if written >= number:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    with connection.execute_wrapper(strike):
        call_command(*arguments)
    print(written, file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
