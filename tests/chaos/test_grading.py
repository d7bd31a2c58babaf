"""The short forms of `make chaos` for grades, and that its count would notice a loss."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from tests.chaos.grading import Size, grade_under_fire
from tests.chaos.services import own_servers
from tests.chaos.writers import Client, Difference, Label, compare

pytestmark = pytest.mark.no_database  # what starts servers of its own is the same in either run
ONE, TWO, THREE = (Label(key, "correct", f"note {key}") for key in "123")


def test_the_count_names_what_is_lost_doubled_altered_and_unheard_of():
    altered = Label("2", "incorrect", "note 2")
    assert compare([ONE, TWO, THREE], [ONE, TWO, THREE]) == Difference((), (), (), ())
    assert compare([ONE, TWO], [ONE, ONE, altered, THREE]) == Difference((), ("1",), ("2",), ("3",))
    assert compare([ONE, TWO], [TWO]) == Difference(("1",), (), (), ())


class Faltering(BaseHTTPRequestHandler):
    """Breaks off in the middle of its first reply, is out of order for the second, refuses with the third."""

    replies: Iterator[tuple[int, bytes, int]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        status, body, length = next(self.replies)
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


def test_a_writer_sends_again_what_was_not_answered_and_takes_a_refusal_for_an_answer():
    Faltering.replies = iter([(200, b"{", 100), (503, b"", 0), (409, b"{}", 2)])
    with HTTPServer(("127.0.0.1", 0), Faltering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        client = Client(f"http://127.0.0.1:{server.server_port}", "token")
        assert client.ask("POST", "queue/", {}, "key") == (409, {})
        server.shutdown()
    assert client.replies == {0: 1, 503: 1, 409: 1}
    assert (client.server_errors, client.unsettled) == (1, 2)


@pytest.mark.slow
def test_no_acknowledged_grade_is_lost_or_doubled_while_postgresql_and_web_workers_die():
    size = Size(writers=4, labels=20, restarts=1, worker_kills=1, site_kills=0, patience=300)
    with own_servers() as servers:
        findings = grade_under_fire(servers, size)
    assert (findings.lost, findings.doubled, findings.wrong) == (0, 0, [])
    assert findings.acknowledged == 4 * 20
    assert sum(findings.faults.values()) == 3
