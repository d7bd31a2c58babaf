"""A declared endpoint for the local server, impatient enough for tests."""

from typing import Any

from llm.client import Client
from llm.endpoint import Endpoint
from llm.retries import Backoff

QUICK = Backoff(base=0.001, ceiling=0.002, patience=2.0)
KEY = "sk-local-4f8a1c"


def endpoint(url: str, **settings: Any) -> Endpoint:
    defaults = {"timeout": 5.0, "max_attempts": 3, "private": True, "api_key": KEY}
    return Endpoint(name="local", base_url=url, **{**defaults, **settings})


def client(url: str, **settings: Any) -> Client:
    return Client(endpoint(url, **settings), backoff=QUICK)
