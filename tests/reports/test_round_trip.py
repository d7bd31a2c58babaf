"""A study that is exported, imported on an empty site and exported again has the same bytes, whatever the order."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import transaction
from django.urls import reverse

from benchmark.importing.outputs import import_outputs
from benchmark.importing.survey import BadFile
from benchmark.models import Benchmark, Output, Release, Run
from benchmark.protocols import protocol_names
from benchmark.releases.actions import import_release
from benchmark.releases.instance_file import instance_lines, output_lines
from benchmark.releases.queries import arm_name
from reports.labels.exporting import csv_lines
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from tests.benchmark.files import example, write_lines
from tests.reports.conftest import SYSTEMS, write

pytestmark = pytest.mark.django_db


@contextmanager
def emptied_afterwards() -> Iterator[None]:
    """What is written within is gone again at the end."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def study(folder: Path, protocol: str) -> Release:
    """Three problems from the protocol's example, three runs of it, one with a state of every kind."""
    one = example(protocol)
    keys = ["b", "a", "ä"] if one.key == "instance_id" else [3, 1, 2]
    problems = [one.instance | {one.key: key} for key in keys]
    import_release(
        actor=None, protocol=protocol, path=write_lines(folder / "r.jsonl", *problems), name="study"
    )
    release = Release.objects.select_related("benchmark").get(name="study")
    outputs = [one.output | {one.key: key} for key in keys]
    quiet = {name: value for name, value in outputs[1].items() if name == one.key}
    failed = write_lines(folder / "o2.jsonl", outputs[0], quiet | {"state": "failed"}, outputs[2])
    path = write_lines(folder / "o1.jsonl", *outputs)
    import_outputs(actor=None, path=path, release=release, system="x")
    import_outputs(actor=None, path=path, release=release, system="y", track="other", condition="c")
    import_outputs(actor=None, path=failed, release=release, system="z")
    return release


def files_of(release: Release) -> dict[str, bytes]:
    """The export of a release: its problems, and the outputs of every run by its name."""
    runs = Run.objects.filter(release=release).select_related("system")
    return {
        "": b"".join(instance_lines(release)),
        **{arm_name(run): b"".join(output_lines(run)) for run in runs},
    }


def shuffled(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def load(
    folder: Path, protocol: str, files: Mapping[str, bytes], chance: random.Random, name: str = "study"
) -> Release:
    """Import the files into an empty site, runs and lines in any order."""
    assert not Benchmark.objects.exists()
    (folder / "problems.jsonl").write_bytes(shuffled(files[""], chance))
    import_release(actor=None, protocol=protocol, path=folder / "problems.jsonl", name=name)
    release = Release.objects.select_related("benchmark").get(name=name)
    arms = [name for name in files if name]
    chance.shuffle(arms)
    for number, arm in enumerate(arms):
        path = folder / f"{number}.jsonl"
        path.write_bytes(shuffled(files[arm], chance))
        system, _, place = arm.partition("@")
        track, _, condition = place.partition("+")
        import_outputs(
            actor=None,
            path=path,
            release=release,
            system=system,
            track=track or "raw",
            condition=condition,
        )
    return release


@pytest.mark.parametrize("protocol", protocol_names())
def test_problems_and_outputs_come_back_in_any_order_of_files_and_lines(tmp_path, protocol):
    with emptied_afterwards():
        release = study(tmp_path, protocol)
        files, sha256 = files_of(release), release.sha256
        runs = {arm_name(run): run.sha256 for run in Run.objects.select_related("system")}
    assert set(files) == {"", "x", "y@other+c", "z"}
    for seed in range(5):
        with emptied_afterwards():
            again = load(tmp_path, protocol, files, random.Random(seed))
            assert files_of(again) == files
            assert again.sha256 == sha256
            assert {arm_name(run): run.sha256 for run in Run.objects.select_related("system")} == runs


def test_what_was_not_released_comes_back(tmp_path):
    with emptied_afterwards():
        release = study(tmp_path, "proofs")
        path = write_lines(tmp_path / "n.jsonl", {"instance_id": "a", "state": "not_released"})
        import_outputs(actor=None, path=path, release=release, system="w")
        files = files_of(release)
    assert b'"state":"not_released"' in files["w"]
    again = load(tmp_path, "proofs", files, random.Random(1))
    assert files_of(again) == files
    assert Run.objects.get(system__slug="w").unreleased.count() == 1


def test_labels_come_back_after_them(tmp_path):
    """The sample's labels, of judges and of experts, with their lines in the order in which they were exported."""
    with emptied_afterwards():
        outputs = {system: f"outputs-{system}.jsonl" for system in SYSTEMS}
        write("sample-re2math", "re2math", outputs, "labels-judge.csv", "labels-experts.csv")
        release = Release.objects.get(name="sample-re2math")
        files, labels = files_of(release), "".join(csv_lines(label_rows(release)))
    assert len(labels.splitlines()) > 100
    again = load(tmp_path, "re2math", files, random.Random(1), "sample-re2math")
    (tmp_path / "labels.csv").write_text(labels, "utf-8", newline="")
    import_labels(actor=None, path=tmp_path / "labels.csv", release=again)
    assert files_of(again) == files
    assert "".join(csv_lines(label_rows(again))) == labels


def test_verdicts_come_back_in_any_order_of_lines(tmp_path):
    with emptied_afterwards():
        outputs = {system: f"outputs-{system}.jsonl" for system in SYSTEMS}
        write("sample-re2math", "re2math", outputs, "labels-judge.csv")
        release = Release.objects.get(name="sample-re2math")
        files, (head, *rows) = files_of(release), "".join(csv_lines(label_rows(release))).splitlines(True)
    assert len(rows) > 100
    again = load(tmp_path, "re2math", files, random.Random(2), "sample-re2math")
    mixed = random.Random(3).sample(rows, len(rows))
    (tmp_path / "labels.csv").write_text("".join([head, *mixed]), "utf-8", newline="")
    import_labels(actor=None, path=tmp_path / "labels.csv", release=again)
    assert "".join(csv_lines(label_rows(again))) == "".join([head, *rows])


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"attempt": 0}, "attempt"),
        ({"state": "lost"}, "state"),
        ({"instance": "nobody"}, "instance_id"),
        ({"payload": {"unknown": 1}}, "payload.unknown"),
        ({"text_format": "html"}, "text_format"),
    ],
)
def test_a_spoilt_line_of_an_export_is_named(tmp_path, changes, field):
    release = study(tmp_path, "re2math")
    line = {"instance": "a", "attempt": 1, "state": "answered", "text": "x", "text_format": "latex"}
    line |= {"payload": {"selected_source": {"title": "T"}}}
    path = write_lines(tmp_path / "spoilt.jsonl", line, line | {"instance": "b"} | changes)
    with pytest.raises(BadFile) as caught:
        import_outputs(actor=None, path=path, release=release, system="s")
    assert [(error.line, error.field) for error in caught.value.errors] == [(2, field)]
    assert not Output.objects.filter(run__system__slug="s").exists()


def test_the_page_and_rest_give_the_same_file(tmp_path, client, coordinator, algebraist):
    release = study(tmp_path, "proofs")
    expected = files_of(release)["y@other+c"]
    client.force_login(coordinator)
    for route in ("release-outputs-file", "api-release-outputs-file"):
        reply = client.get(reverse(route, args=["study"]), {"run": "y@other+c"})
        assert b"".join(reply.streaming_content) == expected
        assert "study.y.other.c.jsonl" in reply["Content-Disposition"]
        assert client.get(reverse(route, args=["study"]), {"run": "nobody"}).status_code in (404, 409)
    assert (
        "outputs.jsonl?run=y%40other%2Bc" in client.get(reverse("release", args=["study"])).content.decode()
    )
    client.force_login(algebraist)
    assert client.get(reverse("release-outputs-file", args=["study"]), {"run": "x"}).status_code == 403
