"""One local server for the area, emptied before each test."""

from collections.abc import Iterator

import pytest

from tests.llm.double import answer_by_hash
from tests.llm.server import Server, serving


@pytest.fixture(scope="session")
def _running() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def server(_running: Server) -> Server:
    _running.reset()
    _running.rule = answer_by_hash
    _running.latency = 0.0
    return _running
