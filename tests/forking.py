"""Management commands as forks of one process that has loaded the site: they begin in milliseconds, not in seconds.

A fork is a process like any other: it has connections of its own, can be killed, and ends with an exit code.
`python -m tests.forking --serve ADDRESS` is the process that forks. `python tests/forking.py ADDRESS ARGUMENTS` asks
it to run a command in the environment and folder, and with the input and output, of the process that asks.
"""

import json
import os
import socket
import sys

LONGEST_MESSAGE = 100_000


def ask(address: str, arguments: list[str]) -> int:
    """Have a command run and wait for its end; returns its exit code."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        asking.connect(address)
        message = json.dumps([arguments, os.getcwd(), dict(os.environ)]).encode()
        socket.send_fds(asking, [message], [0, 1, 2])
        code = asking.recv(10)
        asking.recv(1)  # nothing more comes: the process has ended, with all that it does on leaving
        return int(code) if code else 128 + 9


def serve(address: str) -> None:
    import gc
    import signal

    import django
    from django.core.management import execute_from_command_line

    before = set(os.environ)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    import config.urls  # noqa: F401 # and with it all that pages and commands need

    set_by_loading = {name: value for name, value in os.environ.items() if name not in before}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(address)
        listening.listen()
        gc.collect()
        gc.freeze()  # a fork that collects garbage copies no page of what was loaded
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a fork but who asked for it
        while True:
            asked, _ = listening.accept()
            if os.fork():
                asked.close()
                continue
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            message, files, _, _ = socket.recv_fds(asked, LONGEST_MESSAGE, 3)
            arguments, folder, environment = json.loads(message)
            for number, file in enumerate(files):
                os.dup2(file, number)
                os.close(file)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(set_by_loading | environment)
            code: object = 1
            try:
                execute_from_command_line(["manage.py", *arguments])
                code = 0
            except SystemExit as end:
                code = end.code or 0
                raise
            finally:
                sys.stdout.flush()
                asked.send(b"%d" % (code if isinstance(code, int) else 1))
            return


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
