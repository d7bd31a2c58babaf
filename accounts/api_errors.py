"""One shape for every refusal of the REST interface: {"code", "reason", "line", "field"}."""

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler

from accounts.refusal import NotAllowed, Refused


def explain(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler; a Refused becomes 403 (not allowed) or 409 (not in this state)."""
    if not isinstance(error, Refused):
        return exception_handler(error, context)
    status = 403 if isinstance(error, NotAllowed) else 409
    body = {"code": error.code, "reason": error.reason, "line": error.line, "field": error.field}
    return Response(body, status=status)
