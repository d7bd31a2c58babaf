"""The endpoints that this deployment allows, read from the settings."""

from functools import cache

from django.conf import settings

from accounts.refusal import Refused
from llm import Endpoint, EndpointError, parse_endpoints

HOW_TO = (
    "No judge endpoint is configured. Set TOUCHSTONE_JUDGE_ENDPOINTS, for example to "
    '{"local": {"base_url": "http://127.0.0.1:8080/v1", "private": true}}, and restart; see docs/deploy.md.'
)


@cache
def declared_endpoints(source: str) -> dict[str, Endpoint]:
    """The allow-list by name. Raises Refused, without showing keys, when the declaration does not parse."""
    try:
        return parse_endpoints(source)
    except EndpointError as error:
        raise Refused(f"TOUCHSTONE_JUDGE_ENDPOINTS: {error}", code="bad_endpoints") from error


def check_endpoint(name: str, *, field: str = "endpoint") -> None:
    """Raises Refused for an endpoint that is not declared."""
    declared = declared_endpoints(settings.JUDGE_ENDPOINTS)
    if name not in declared:
        instead = f"There are {', '.join(sorted(declared))}." if declared else HOW_TO
        raise Refused(f"There is no endpoint {name!r}. {instead}", code="no_endpoint", field=field)


def no_endpoint_reason() -> str:
    """Why judges cannot be asked here, in words for people; "" when they can."""
    try:
        return "" if declared_endpoints(settings.JUDGE_ENDPOINTS) else HOW_TO
    except Refused as refusal:
        return str(refusal)
