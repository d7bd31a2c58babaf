"""Management commands that are killed while they write: SIGKILL to their own process as soon as the statement with a
number that writes was carried out, inside of the transaction.

A line of standard input, `[NUMBER, [COMMAND, ...]]`, runs one in a copy of a process that has imported everything. Its
line of output has the exit status, and how many statements wrote where the command had fewer.
"""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection

WRITES = ("INSERT ", "UPDATE ", "DELETE ")


def run(number: int, arguments: list[str]) -> int:
    """How many statements of the command wrote, if it lived."""
    written = 0

    def strike(execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        nonlocal written
        result = execute(sql, values, many, context)
        written += sql.startswith(WRITES)
        if written >= number:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    with connection.execute_wrapper(strike), contextlib.redirect_stdout(sys.stderr):
        call_command(*arguments)
    return written


def main() -> None:
    django.setup()
    import_module(settings.ROOT_URLCONF)
    for line in sys.stdin:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.write(writer, str(run(*json.loads(line))).encode())
            finally:
                fault = sys.exc_info()
                if fault[0]:
                    sys.excepthook(*fault)
                os._exit(1 if fault[0] else 0)
        os.close(writer)
        with os.fdopen(reader) as told:
            written = int(told.read() or 0)
        print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), written]), flush=True)


if __name__ == "__main__":
    main()
