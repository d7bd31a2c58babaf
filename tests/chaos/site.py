"""The web server as in production, under a supervisor that starts it again when it has ended."""

import os
import random
import signal
import time
import urllib.request

from tests.chaos.services import children
from tests.deployment import Deployment
from tools.servers import free_port

WORKERS, THREADS = 2, 4


class Site:
    """Gunicorn with two workers of four threads; `restarts` counts what the supervisor did."""

    def __init__(self, deployment: Deployment, *options: str) -> None:
        self.deployment, self.options = deployment, options
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.restarts = 0
        self._start()
        self.wait_until_it_answers()

    def _start(self) -> None:
        bound = ["--bind", f"127.0.0.1:{self.port}", "--workers", str(WORKERS), "--threads", str(THREADS)]
        self.server = self.deployment.start(
            "gunicorn", "config.wsgi", *bound, "--no-control-socket", *self.options
        )

    def wait_until_it_answers(self, seconds: float = 60) -> None:
        """Until it says that it can read its database; raises TimeoutError with the end of the logs."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/health/", timeout=20).close()
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError(self.deployment.logs()[-3000:])

    def supervise(self) -> None:
        if self.server.poll() is not None:
            self._start()
            self.restarts += 1

    def kill_a_worker(self) -> None:
        """SIGKILL to one worker, which the master replaces; waits for a worker if there is none just now."""
        while not (workers := children(self.server.pid)):
            self.supervise()
            time.sleep(0.1)
        os.kill(random.choice(workers), signal.SIGKILL)

    def kill(self) -> None:
        """SIGKILL to the master and its workers."""
        self.deployment.kill(self.server)
