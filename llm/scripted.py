"""A chat-completion server on this machine whose replies come from rules: for the demo and for measurements.

It keeps the protocol that `llm.client.Client` speaks, so that everything but the model itself is as in a study.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any

Rules = Callable[[Mapping[str, Any]], str | None]
MAX_BODY = 32 * 1024 * 1024


class ScriptedServer(ThreadingHTTPServer):
    """Answers POST requests under /v1 by the rules; a request that they have no answer for is a bad one."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, rules: Rules, *, port: int = 0, seconds: float = 0.0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.rules = rules
        self.seconds = seconds

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error: workers are killed on purpose."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def serving(rules: Rules, *, port: int = 0, seconds: float = 0.0) -> Iterator[ScriptedServer]:
    """The server in a thread of its own; every reply takes that many seconds."""
    with ScriptedServer(rules, port=port, seconds=seconds) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 < size <= MAX_BODY:
            self.close_connection = True
            return self._send(413, {"error": {"message": "The body is empty or too long."}})
        try:
            # The key of a question tells apart those that have the same words.
            request = {"idempotency_key": self.headers.get("Idempotency-Key"), **json.loads(self.rfile.read(size))}
            text = self.server.rules(request)
        except (ValueError, KeyError, TypeError) as error:
            return self._send(400, {"error": {"message": f"The scripted model cannot read this: {error}"}})
        if text is None:
            return self._send(
                400, {"error": {"message": "The scripted model has no rule for this question."}}
            )
        sleep(self.server.seconds)
        sent = sum(len(str(message.get("content", ""))) for message in request["messages"])
        used = {"prompt_tokens": sent // 4 + 1, "completion_tokens": len(text) // 4 + 1}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return self._send(
            200,
            {
                "id": "scripted",
                "object": "chat.completion",
                "model": request.get("model", ""),
                "choices": [choice],
                "usage": {**used, "total_tokens": sum(used.values())},
            },
        )

    def _send(self, status: int, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged; the site stores every call."""
