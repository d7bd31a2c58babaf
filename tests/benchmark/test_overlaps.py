"""Versions of one paper are one cluster, and duplicates are named; nothing is left out unless a rule says so."""

import io
import json
import random

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.conflicts.resolving import as_targets
from benchmark.models import Release
from benchmark.overlaps import MOST_NAMED, OverlapIndex, cluster_of
from benchmark.releases.actions import import_release
from benchmark.releases.repeated import overlaps_of
from reports.core.datasets import output_rows
from reports.core.measurements import asked_of
from reports.exclusions.actions import declare_rule
from reports.exclusions.objections import rules_document
from reports.labels.cells import StoredAnswer, StoredVerdict
from tests.benchmark.files import gap, write_lines
from tests.factories import InstanceFactory, OutputFactory, PaperFactory, ReleaseFactory, RunFactory
from tests.stats.real_data import real_file


@pytest.mark.parametrize(
    ("key", "cluster"),
    [
        ("2505.01049", "2505.01049"),
        ("2505.01049v2", "2505.01049"),
        ("arXiv:2505.01049v12", "2505.01049"),
        ("https://arxiv.org/abs/2505.01049v1", "2505.01049"),
        ("http://www.arxiv.org/pdf/2505.01049v1.pdf", "2505.01049"),
        ("export.arxiv.org/abs/0704.0001", "0704.0001"),
        ("arXiv:0704.0001v1 [math.AG]", "0704.0001"),
        ("math.AG/0601001v2", "math/0601001"),
        ("math/0601001", "math/0601001"),
        ("10.48550/arXiv.2505.01049", "2505.01049"),
        ("hep-th/9901001v3", "hep-th/9901001"),
        # no identifiers of arXiv: kept as they are
        ("2513.01049v2", "2513.01049v2"),  # there is no 13th month
        ("smith-2020-v2", "smith-2020-v2"),
        ("10.1000/182", "10.1000/182"),
    ],
)
def test_the_cluster_of_a_paper_is_its_arxiv_number_without_version(key, cluster):
    assert cluster_of(key) == cluster


def index_of(*instances, passage_of=None):
    with OverlapIndex(passage_of) as index:
        for instance in instances:
            index.add(*instance)
        return index.found()


def test_what_is_found_does_not_depend_on_the_order_of_the_records():
    rows = [(f"g{n}", f"2401.0000{n % 3}v{n}", {"passage": n % 4}) for n in range(1, 9)]
    expected = index_of(*rows, passage_of=lambda payload: payload["passage"])
    # 8 keys, 3 papers; passages 0 to 3 twice each
    assert (expected.papers, expected.clusters, expected.merged_count, expected.duplicate_count) == (
        8,
        3,
        3,
        4,
    )
    assert expected.duplicates == {"g1": ["g5"], "g2": ["g6"], "g3": ["g7"], "g4": ["g8"]}
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        assert index_of(*rows, passage_of=lambda payload: payload["passage"]) == expected


@pytest.mark.slow
def test_many_overlaps_are_counted_but_not_all_named():
    rows = [(f"g{n}", f"{2401 + n % 10}.{n // 20:05}v{n % 20}", {}) for n in range(40 * MOST_NAMED)]
    found = index_of(*rows)
    assert found.merged_count > MOST_NAMED
    assert len(found.merged) == MOST_NAMED


def test_an_instance_without_paper_or_passage_overlaps_with_nothing():
    found = index_of(("a", None, {}), ("b", None, {}), passage_of=lambda payload: None)
    assert (found.papers, found.clusters, found.duplicate_count) == (0, 0, 0)


@pytest.fixture
def twice(db, tmp_path) -> Release:
    """Three gaps of one paper in two versions, two of them from one passage, and one gap of another paper."""
    lines = [
        gap(1, paper__paper_id="2401.00001"),
        gap(2, paper__paper_id="2401.00001v2"),
        gap(3, paper__paper_id="2401.00001v2", x__local_context=["Another passage."]),
        gap(4, paper__paper_id="2402.00002"),
    ]
    import_release(
        actor=None, protocol="re2math", path=write_lines(tmp_path / "twice.jsonl", *lines), name="twice"
    )
    return Release.objects.select_related("benchmark").get(name="twice")


def test_an_import_names_versions_and_duplicates_and_keeps_everything(twice, tmp_path):
    assert (twice.instances.count(), twice.papers.count()) == (4, 3)
    found = overlaps_of(twice)
    assert (found.papers, found.clusters) == (3, 2)
    assert found.merged == {"2401.00001": ["2401.00001", "2401.00001v2"]}
    assert found.duplicates == {"2401.00001_gap_1": ["2401.00001_gap_2"]}
    out = io.StringIO()
    call_command("import_release", "re2math", str(tmp_path / "twice.jsonl"), "--release", "again", stdout=out)
    assert "4 instances from 3 papers (2 clusters: versions of one arXiv paper are one)" in out.getvalue()
    assert "one paper: 2401.00001, 2401.00001v2" in out.getvalue()
    assert "one passage: 2401.00001_gap_1, 2401.00001_gap_2" in out.getvalue()


def test_gaps_at_the_beginning_of_a_proof_are_no_duplicates(db, tmp_path):
    lines = [gap(number, x__local_context=[]) for number in (1, 2)]
    path = write_lines(tmp_path / "bare.jsonl", *lines)
    report = import_release(actor=None, protocol="re2math", path=path, name="bare")
    assert report.overlaps.duplicate_count == 0


def test_the_page_of_a_release_names_versions_and_duplicates(twice, client, coordinator):
    client.force_login(coordinator)
    text = client.get(reverse("release", args=["twice"])).content.decode()
    assert "3, 2 when versions count as one" in text
    assert "<li>2401.00001, 2401.00001v2</li>" in text
    assert "<li>2401.00001_gap_2, like 2401.00001_gap_1</li>" in text


def test_a_rule_can_exclude_the_duplicates_and_only_those(twice, coordinator):
    terms = {"at_least": 25, "reason": "One passage counts once."}
    declare_rule(actor=coordinator, release=twice, name="once", grounds=["duplicate"], **terms)
    declare_rule(actor=coordinator, release=twice, name="leaks", grounds=["leak"], **terms)
    excluded = {rule["name"]: rule["excluded"] for rule in rules_document(twice)["rules"]}
    assert excluded == {"once": ["2401.00001_gap_2"], "leaks": []}


def test_every_row_of_the_statistics_has_the_cluster_and_not_the_version(db):
    release = ReleaseFactory()
    run = RunFactory(release=release, track="raw")
    for version in (1, 2):
        paper = PaperFactory(release=release, key=f"2401.00001v{version}")
        OutputFactory(run=run, instance=InstanceFactory(release=release, paper=paper))
    alone = InstanceFactory(release=release, paper=None)
    assert [row.cluster for row in output_rows(release, "raw")] == ["2401.00001"] * 2
    assert {row.cluster for row in asked_of(release)} == {"2401.00001", alone.key}
    for label in (StoredAnswer, StoredVerdict):
        fields = dict.fromkeys(label._fields) | {"instance": "i", "system": "s", "attempt": 1}
        fields |= {"paper": "2401.00001v2", "created_at": release.created_at}
        assert label(**fields).row("r")["cluster"] == "2401.00001"


def test_a_conflict_with_one_version_of_a_paper_is_one_with_all():
    targets = as_targets([("paper", "2401.00001v3"), ("paper", "smith-2020")], "re2math")
    assert targets.papers == {"2401.00001", "smith-2020"}


# data/re2math/README.md, last paragraph: 631 and 162 papers after versions are merged, 24 and 3 duplicates
@pytest.mark.real_data
@pytest.mark.parametrize(
    ("file", "papers", "clusters", "duplicates"),
    [("benchmark_dataset_full.jsonl", 653, 631, 24), ("benchmark_dataset_eval200.jsonl", 167, 162, 3)],
)
def test_the_published_files_have_their_published_clusters_and_duplicates(
    db, capsys, file, papers, clusters, duplicates
):
    call_command(
        "import_release", "re2math", str(real_file("re2math", file)), "--release", "r", "--dry-run", "--json"
    )
    found = json.loads(capsys.readouterr().out)["overlaps"]
    assert (found["papers"], found["clusters"], found["duplicate_count"]) == (papers, clusters, duplicates)
    if file == "benchmark_dataset_eval200.jsonl":
        assert list(found["merged"]) == ["1710.00668", "1807.07409", "1809.09151", "2005.14610", "2007.06882"]
