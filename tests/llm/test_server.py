"""The local server as a program of its own, as measurements and fault tests use it."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from llm import Unavailable
from tests.llm.local import client

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def address() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.llm.server", "--port", "0", "--latency", "0.01"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        yield program.stdout.readline().strip()
        program.terminate()


def test_it_prints_its_address_and_is_steered_over_http(address: str) -> None:
    control = address.removesuffix("/v1") + "/control"
    with httpx2.Client(trust_env=False) as http:
        order = {"text": "fine", "mood": {"kind": "error", "status": 500}, "every": 3}
        assert http.post(control, json=order).status_code == 200
        assert http.post(control, json={"mood": {"kind": "sulk"}}).status_code == 400
        texts, failures = asyncio.run(_ask(address, 6))
        assert (texts, failures) == (["fine"] * 4, 2)
        counts = http.get(control).json()
        assert (counts["calls"], counts["distinct"], counts["most_per_key"]) == (6, 6, 1)
        assert len(http.get(control + "/requests").json()) == 6
        assert http.delete(control).json()["calls"] == 0


async def _ask(address: str, times: int) -> tuple[list[str], int]:
    texts: list[str] = []
    async with client(address, max_attempts=1) as opened:
        for number in range(times):
            try:
                texts.append((await opened.complete(f"question {number}", model="m")).text)
            except Unavailable:
                continue
    return texts, times - len(texts)
