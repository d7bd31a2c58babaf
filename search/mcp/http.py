"""One request of MCP over HTTP: stateless, answered with JSON, in the thread that asks.

A server is made for each request, with the schemas of the tools that the process keeps: nothing else outlives the
request, no thread waits for another, and tools use the request's own connection to the database with the sight that it
has (ADR 0057).
"""

from dataclasses import dataclass, field
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from search.mcp.tools import server_for
from search.searching.limits import too_many


@dataclass
class _Reply:
    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""


def answer(request: HttpRequest) -> HttpResponse:
    """The reply of MCP to a request whose sender is known. Every tool answers for `request.user`."""
    host, scheme = request.get_host(), request.scheme or "http"
    security = TransportSecuritySettings(
        allowed_hosts=[host], allowed_origins=[f"{scheme}://{host}", *settings.CSRF_TRUSTED_ORIGINS]
    )
    headers = {**request.headers, "Host": host}
    scope: dict[str, object] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
            for name, value in headers.items()
        ],
        "client": None,
        "server": None,
    }
    server = server_for(request.user, before_call=lambda: None, too_many=lambda: too_many(request))
    reply = async_to_sync(_reply)(server, security, scope, request.body)
    response = HttpResponse(reply.body, status=reply.status)
    for name, value in reply.headers:
        response.headers[name.decode("latin-1")] = value.decode("latin-1")
    return response


async def _reply(
    server: MCPServer[Any], security: TransportSecuritySettings, scope: dict[str, object], body: bytes
) -> _Reply:
    reply = _Reply()

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            reply.status, reply.headers = message["status"], list(message["headers"])
        else:
            reply.body += message.get("body", b"")

    server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        transport_security=security,
    )
    manager = server.session_manager
    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return reply
