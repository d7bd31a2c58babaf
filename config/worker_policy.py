"""The policy of the script that reads PDFs. A worker has that of its own response, and static files are sent before the
middleware of policies: without this the worker would have none."""

from typing import Any

POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"


def add_headers(headers: Any, path: str, url: str) -> None:
    """Called by WhiteNoise for each static file that it sends."""
    if "/pdf.worker." in url:
        headers["Content-Security-Policy"] = POLICY
