"""A study that is exported, imported on an empty site and exported again has the same bytes, whatever the order."""

import csv
import io
import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import transaction
from django.urls import reverse

from annotation.models import Assignment
from benchmark.importing.outputs import import_outputs
from benchmark.importing.survey import BadFile
from benchmark.models import Benchmark, Output, Release, Run
from benchmark.protocols import protocol_names
from benchmark.releases.actions import import_release
from benchmark.releases.instance_file import instance_lines, output_lines, published_lines
from benchmark.releases.queries import arm_name
from reports.core.downloads import table_lines
from reports.labels.comments import comment_rows, comment_table
from reports.labels.exporting import csv_lines, jsonl_lines
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from stats.tables.labels import COLUMNS
from tests.benchmark.files import example, write_lines
from tests.reports.conftest import load_gaps

pytestmark = pytest.mark.django_db


@contextmanager
def emptied_afterwards() -> Iterator[None]:
    """What is written within is gone again at the end."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


# A "yes" needs a verdict that was shown: tests/reports/test_in_sight.py and annotation/test_informed.py.
SEEN_ELSEWHERE = {"informed", "verdict_seen"}


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


@pytest.mark.slow
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


def tables_of(release: Release) -> dict[str, bytes]:
    """All tables of labels and comments, by the name of their file."""
    comments = list(comment_rows(release, identities=True))
    return {
        "labels.csv": "".join(csv_lines(label_rows(release))).encode(),
        "labels.jsonl": "".join(jsonl_lines(label_rows(release))).encode(),
        "comments.csv": "".join(table_lines(comment_table(comments))).encode(),
        "comments.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in comments).encode(),
    }


def mixed(content: bytes, form: str, chance: random.Random) -> bytes:
    """The rows of a table in another order; a cell of CSV may hold line feeds."""
    if form == "jsonl":
        return shuffled(content, chance)
    head, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
    chance.shuffle(rows)
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\r\n").writerows([head, *rows])
    return written.getvalue().encode()


def label(question: str, value: str, rater: str, minute: int, **cells: str) -> dict[str, str]:
    """A row of the label table, answered unless it has no value."""
    when = datetime(2026, 10, 1, 12, minute, tzinfo=UTC).isoformat()
    state = "answered" if value else "abstain"
    common = {"question": question, "value": value, "state": state, "rater": rater, "created_at": when}
    return {**dict.fromkeys(COLUMNS, ""), "rater_kind": "expert", **common, **cells}


def labelled(folder: Path, release: Release) -> None:
    """Grades, steps, comparisons with their mirror images, decisions with an amendment, verdicts of two versions of a
    judge, and comments of which one has lost its place. Many things were said at the same time."""
    rows, comments = [], []
    round_ = {"campaign": "round", "rubric_version": "proofs-v1"}
    of_grade = {"seconds": "61", "confidence": "0.5", "verdict_seen": "no", "searches": "3"}
    drawn = {"stratum": "all", "stratum_size": "6", "sample_size": "5"}
    for key in ("b", "a", "ä"):
        for system in ("x", "z"):
            if (key, system) == ("a", "z"):  # it failed
                continue
            subject = f"{key}/{system}/1"
            for rater in ("Émile", "Zoë", "ann"):
                for question, value in (("correctness", "incorrect"), ("clarity", "4"), ("logic", "")):
                    about = {"subject": subject, "comment": "=1+1\nor “two”" if question == "clarity" else ""}
                    rows.append(label(question, value, rater, 1, **round_, **of_grade, **drawn, **about))
                rows += [
                    label("steps", "correct", rater, 2, campaign="read", subject=subject, step=step)
                    | {"rubric_version": "proofs-steps-v1"}
                    for step in ("b1", "b10", "b2")
                ]
                comments += [
                    {"campaign": "round", "subject": subject, "rater": rater, "quote": quote, "text": text}
                    for quote, text in (("Clear", "-1"), ("Clear", "a"), ("nobody wrote this", "A"))
                ]
            for version in ("reader-v2", "reader-v10"):
                rows += [
                    label("correct", value, "reader", 3, rater_kind="judge", vote=str(vote), subject=subject)
                    | {"judge_version": version}
                    for vote, value in enumerate(("yes", "no", ""), 1)
                ]
        for minute, (rater, order, value) in enumerate(
            [("Zoë", "2", "second"), ("Zoë", "1", "tie"), ("ann", "1", "first")] if key != "a" else []
        ):
            about = {"campaign": "pairs", "subject": f"{key}/x|z/1", "order": order}
            rows += [
                label("preference", value, rater, minute, rubric_version="proofs-pairs-v1", **about),
                label("sureness", "0.5", rater, minute, rubric_version="proofs-pairs-v1", **about),
            ]
            said = {"campaign": "pairs", "subject": about["subject"], "rater": rater, "text": f"On {value}."}
            comments += [{**said, "block": "second-b1"}] if rater == "ann" else []
        rows += [
            label("prefer", value, "reader", 3, rater_kind="judge", vote="1", order=order)
            | {"judge_version": "reader-v2", "subject": f"{key}/x|z/1"}
            for order, value in (("1", "first"), ("2", "tie"))
            if key != "a"
        ]
    decided = {**round_, "rater_kind": "adjudicator", "subject": "b/x/1", "informed": "no"}
    rows += [
        label("correctness", "correct", "judge Z", 5, **decided)
        | {"cause": "slip", "overrules": "yes", "amendment": "no", "comment": "Seen."},
        label("correctness", "incorrect", "judge Z", 4, **decided)
        | {"overrules": "no", "amendment": "yes", "comment": "Seen again."},
        label("clarity", "4", "judge A", 5, **decided) | {"overrules": "no", "amendment": "no"},
        label("preference", "first", "judge A", 5, campaign="pairs", subject="ä/x|z/1", order="1")
        | {"rater_kind": "adjudicator", "rubric_version": "proofs-pairs-v1"}
        | {"overrules": "no", "informed": "no", "amendment": "no"},
    ]
    paths = {"path": folder / "labels.jsonl", "comments": folder / "comments.jsonl"}
    paths["path"].write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths["comments"].write_text("".join(json.dumps(row) + "\n" for row in comments))
    import_labels(actor=None, release=release, **paths)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_labels_and_comments_come_back_in_any_order_of_rows(tmp_path, seed):
    """Out of one site, every file shuffled, into an empty one: every export has the bytes that it had."""
    with emptied_afterwards():
        release = study(tmp_path, "proofs")
        labelled(tmp_path, release)
        files, tables = files_of(release), tables_of(release)
        repeats = set(Assignment.objects.filter(repeat=True).values_list("item__instance__key", "swapped"))
    # grades: 5 outputs, 3 raters, 3 questions and 3 steps; comparisons: 2 problems, 3 presentations, 2 questions;
    # 4 decisions; verdicts: 5 outputs, 2 versions, 3 votes, and 2 comparisons in 2 orders
    assert tables["labels.jsonl"].count(b"\n") == 90 + 12 + 4 + 34
    # 5 outputs, 3 raters, 3 comments; one on each comparison
    assert tables["comments.jsonl"].count(b"\n") == 45 + 2
    assert tables["comments.jsonl"].count(b'"lost"') == 15
    assert len(repeats) == 2
    rows = [json.loads(line) for line in tables["labels.jsonl"].splitlines()]
    # an import that does not know a column leaves it empty, or "no" where it is never unknown
    unseen = {column for column in COLUMNS if not {row[column] for row in rows} - {"", "no"}} - SEEN_ELSEWHERE
    assert not unseen, "give them to labelled(), so that it is seen whether an import stores them"
    for form in ("csv", "jsonl"):
        with emptied_afterwards():
            chance = random.Random(seed)
            again = load(tmp_path, "proofs", files, chance)
            for name in (f"labels.{form}", f"comments.{form}"):
                (tmp_path / name).write_bytes(mixed(tables[name], form, chance))
            paths = {"path": tmp_path / f"labels.{form}", "comments": tmp_path / f"comments.{form}"}
            import_labels(actor=None, release=again, **paths)
            assert files_of(again) == files
            assert tables_of(again) == tables
            mirrored = Assignment.objects.filter(repeat=True)
            assert mirrored.count() == len(repeats)
            times = mirrored.values_list("grades__created_at__minute", flat=True)
            assert set(times) == {1}, "the one that was given later is the repetition"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_the_samples_labels_come_back_in_any_order_of_lines(tmp_path, seed):
    with emptied_afterwards():
        release = load_gaps()
        files, tables = files_of(release), tables_of(release)
    assert tables["labels.jsonl"].count(b"\n") > 400
    chance = random.Random(seed)
    again = load(tmp_path, "re2math", files, chance, "sample-re2math")
    (tmp_path / "labels.csv").write_bytes(mixed(tables["labels.csv"], "csv", chance))
    import_labels(actor=None, path=tmp_path / "labels.csv", release=again)
    assert files_of(again) == files
    assert tables_of(again) == tables


def test_a_release_in_the_format_of_its_benchmark_has_one_order_of_lines(tmp_path):
    """Numbers by their size, as the publishers have them."""
    one = example("masked_steps")
    lines = []
    for seed in range(3):
        rows = [one.instance | {one.key: number} for number in (1, 2, 10, 30, 101)]
        random.Random(seed).shuffle(rows)
        with emptied_afterwards():
            path = write_lines(tmp_path / "r.jsonl", *rows)
            import_release(actor=None, protocol="masked_steps", path=path, name="study")
            lines.append("".join(published_lines(Release.objects.get(name="study"))))
    assert [json.loads(line)["index"] for line in lines[0].splitlines()] == [1, 2, 10, 30, 101]
    assert len(set(lines)) == 1


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
