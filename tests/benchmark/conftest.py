"""A small release that was really imported, so that its hashes are true."""

from pathlib import Path

import pytest

from benchmark.models import Release
from benchmark.releases.actions import import_release
from tests.benchmark.files import PROBLEM, write_lines


@pytest.fixture
def small_release(db: None, tmp_path: Path) -> Release:
    """Three problems of protocol proofs: p1, p2 and p3."""
    lines = [PROBLEM | {"instance_id": f"p{number}"} for number in (1, 2, 3)]
    path = write_lines(tmp_path / "small.jsonl", *lines)
    import_release(actor=None, protocol="proofs", path=path, name="small")
    return Release.objects.select_related("benchmark").get(name="small")
