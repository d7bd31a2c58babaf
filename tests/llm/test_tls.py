"""Over TLS the certificate must be that of the declared host, although the connection goes to an address."""

import asyncio
from pathlib import Path

import pytest

from llm import Client, Completion, Unavailable
from tests.llm.certificates import self_signed
from tests.llm.local import KEY, QUICK, endpoint
from tests.llm.server import Server, serving


def ask(server: Server, host: str) -> Completion:
    async def run() -> Completion:
        settings = endpoint(server.url.replace("127.0.0.1", host), max_attempts=1)
        async with Client(settings, backoff=QUICK, resolver=lambda name, port: ["127.0.0.1"]) as opened:
            return await opened.complete("question", model="m")

    return asyncio.run(run())


def test_the_declared_host_is_what_the_certificate_is_checked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls, trusted = self_signed("models.test", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with serving(tls=tls) as server:
        assert ask(server, "models.test").attempts == 1
        with pytest.raises(Unavailable, match="SSLCertVerificationError"):
            ask(server, "other.test")
        assert [headers["authorization"] for headers in server.headers] == [f"Bearer {KEY}"]


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    tls, _ = self_signed("models.test", tmp_path)
    with serving(tls=tls) as server:
        with pytest.raises(Unavailable, match="SSLCertVerificationError"):
            ask(server, "models.test")
        assert server.calls == 0
