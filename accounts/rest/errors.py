"""One shape for every refusal of the REST interface: {"code", "reason", "line", "field"}, and "problems"."""

from collections.abc import Iterator
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import exception_handler

from accounts.refusal import NotAllowed, Refused

_STATUS = {"idempotency_mismatch": 422, "too_many_attempts": 429}


class RefusalOut(serializers.Serializer[Any]):
    """Why nothing was written or shown."""

    code = serializers.CharField(help_text="A stable word for programs, such as `invalid` or `not_found`.")
    reason = serializers.CharField(help_text="A sentence for people.")
    line = serializers.IntegerField(allow_null=True, help_text="The line of an imported file.")
    field = serializers.CharField(
        allow_blank=True, help_text="The field with the error, if it is a single one."
    )
    problems = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="Each field with an error, and the reason."
    )


REFUSED = {409: RefusalOut, 422: RefusalOut}  # what a writing operation may answer, for `extend_schema`


def explain(error: Exception, context: dict[str, object]) -> Response | None:
    """DRF's exception handler: our refusals and DRF's own errors get the same shape."""
    if isinstance(error, Refused):
        told = {"code": error.code, "reason": error.reason, "line": error.line, "field": error.field}
        return Response({**told, **error.further()}, status=refusal_status(error))
    response = exception_handler(error, context)
    if response is None:
        return None
    detail = response.data.get("detail") if isinstance(response.data, dict) else None
    body: dict[str, object] = {"code": "invalid", "reason": "", "line": None, "field": ""}
    if isinstance(detail, str):
        body |= {"code": getattr(detail, "code", "error"), "reason": str(detail)}
    else:
        problems: dict[str, str] = {}
        for field, reason in _flat(response.data, ""):
            problems.setdefault(field, reason)
        field, reason = next(iter(problems.items()))
        body |= {"reason": reason, "field": field, "problems": problems}
    response.data = body
    return response


def refusal_status(refusal: Refused) -> int:
    """403: not this person. 409: not in this state, unless the code has a status of its own."""
    if isinstance(refusal, NotAllowed):
        return 403
    return _STATUS.get(refusal.code, 409)


def _flat(data: Any, path: str) -> Iterator[tuple[str, str]]:
    """Nested validation errors as (dotted field, reason)."""
    if isinstance(data, dict):
        for name, inner in data.items():
            below = path if name == "non_field_errors" else f"{path}.{name}".lstrip(".")
            yield from _flat(inner, below)
    elif isinstance(data, list):
        for inner in data:
            yield from _flat(inner, path)
    else:
        yield path, str(data)
