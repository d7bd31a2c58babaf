"""Unforeseen errors go to an error tracker, if the deployment names one; texts and people do not go along.

What remains of an event is what a developer needs: the exception's kind, the frames with their lines of code,
the name of the address, the release of the code. The exception's own words may quote a proof or a person, so
they stay in this machine's log.
"""

from typing import Any


def start(dsn: str, transport: Any = None) -> None:
    """Send errors to `dsn`; `transport` takes the place of the network in tests."""
    import sentry_sdk  # a tenth of a second that a deployment without a tracker need not wait

    sentry_sdk.init(
        dsn=dsn,
        transport=transport,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        traces_sample_rate=None,
        auto_session_tracking=False,
        send_client_reports=False,
        server_name="touchstone",
        before_send=anonymous,
    )


def anonymous(event: Any, hint: Any) -> Any:
    """The event without request, person, log line and the exception's own words."""
    for name in ("request", "user", "breadcrumbs", "extra", "logentry", "message", "modules"):
        event.pop(name, None)
    for exception in event.get("exception", {}).get("values", []):
        exception["value"] = ""
    return event
