"""Every hostile log is refused with the reason and the place, and nothing of it is stored or written."""

import re
from pathlib import Path

import pytest

from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from benchmark.importing.survey import BadFile
from benchmark.models import Output, Release, Run, System
from benchmark.releases.actions import import_release
from tests.benchmark.files import PROBLEM, write_lines
from tests.benchmark.hostile_logs import HOSTILE

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(tmp_path: Path) -> Release:
    lines = [PROBLEM | {"instance_id": f"p{number}"} for number in (1, 2)]
    path = write_lines(tmp_path / "release.jsonl", *lines)
    import_release(actor=None, protocol="proofs", path=path, name="proofs")
    return Release.objects.select_related("benchmark").get(name="proofs")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_log_is_refused_with_reason_and_place(release: Release, tmp_path: Path, name: str) -> None:
    ending, content, reason, place = HOSTILE[name]
    folder = tmp_path / "sent"
    folder.mkdir()
    path = folder / f"log{ending}"
    path.write_bytes(content() if callable(content) else content)
    with pytest.raises(Refused) as caught:
        import_outputs(actor=None, path=path, release=release, system="mock")
    assert isinstance(caught.value, BadFile)
    told = caught.value.errors[0]
    assert re.search(reason, told.reason), told
    assert told.field in place.split("|"), told
    assert len(str(caught.value)) < 5_000
    assert [each.name for each in folder.iterdir()] == [path.name]
    assert [model.objects.exists() for model in (Output, Run, System)] == [False] * 3
