"""Parts of a copy: readers of PDFs ask for the bytes that they need first."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from benchmark.files.actions import attach
from tests.benchmark.pdfs import PARAGRAPH, paper
from tests.factories import OutputFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def copied(client: Client, coordinator: User) -> Any:
    """The address of a copy, and its bytes."""
    row = attach(actor=None, subject=OutputFactory(), name="p.pdf", data=paper(PARAGRAPH))  # type: ignore[arg-type]
    client.force_login(coordinator)
    return reverse("attachment", args=[row.output.run.release.name, row.pk]), bytes(row.copy.data)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-99", 0, 100),
        ("bytes=100-100", 100, 101),
        ("bytes=500-", 500, None),
        ("bytes=-7", -7, None),
        ("bytes=10-999999999999999", 10, None),
        ("bytes=-999999999", 0, None),
    ],
)
def test_the_part_that_is_asked_for_comes(
    client: Client, copied: Any, asked: str, start: int, end: int | None
) -> None:
    address, data = copied
    reply = client.get(address, headers={"Range": asked})
    assert (reply.status_code, reply.content) == (206, data[start:end])
    first = start % len(data)
    assert reply["Content-Range"] == f"bytes {first}-{first + len(reply.content) - 1}/{len(data)}"
    assert reply["Content-Type"] == "application/pdf"
    assert "sandbox" in reply["Content-Security-Policy"]


@pytest.mark.parametrize(
    "asked", ["", "bytes=-", "bytes=5-2", "bytes=0-1,4-5", "lines=1-2", "bytes=a-b", "bytes= 1-2"]
)
def test_what_is_no_range_gets_the_whole(client: Client, copied: Any, asked: str) -> None:
    address, data = copied
    reply = client.get(address, headers={"Range": asked})
    assert (reply.status_code, reply.content, reply["Accept-Ranges"]) == (200, data, "bytes")


@pytest.mark.parametrize("asked", ["bytes=99999999-", "bytes=-0"])
def test_a_part_that_is_not_there_is_refused_with_the_size(client: Client, copied: Any, asked: str) -> None:
    address, data = copied
    reply = client.get(address, headers={"Range": asked})
    assert (reply.status_code, reply.content, reply["Content-Range"]) == (416, b"", f"bytes */{len(data)}")


def test_a_part_of_something_else_is_not_sent(client: Client, copied: Any) -> None:
    address, data = copied
    tag = client.get(address)["ETag"]
    assert client.get(address, headers={"Range": "bytes=0-9", "If-Range": tag}).status_code == 206
    assert client.get(address, headers={"Range": "bytes=0-9", "If-Range": '"other"'}).content == data
