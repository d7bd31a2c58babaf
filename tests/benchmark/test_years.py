"""The year after which a problem may be given no source: counted, and the problems without one are named."""

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from benchmark.citations.identifiers import arxiv_year
from benchmark.models import Release
from benchmark.releases.actions import import_release
from benchmark.releases.years import years_of
from tests.benchmark.files import gap, write_lines
from tests.stats.real_data import real_file

PAPERS = [
    ("2001.00001v2", "2019-12-30"),  # the date counts
    ("2101.00002v1", "Unknown"),
    ("math/9901001", "Unknown"),
    ("journal-7", "Unknown"),
    ("9999.00001", "Unknown"),  # no month 99: not a number of arXiv
]


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("2001.00001v2", 2020),
        ("math/9901001", 1999),
        ("math.AG/0601001", 2006),
        ("hep-th/9108001", 1991),
        ("0704.0001", 2007),
        ("https://arxiv.org/abs/1501.00001", 2015),
        ("9999.00001", None),
        ("journal-7", None),
        ("", None),
        ("\0" * 1_000, None),
    ],
)
def test_an_arxiv_number_says_its_year(text: str, year: int | None) -> None:
    assert arxiv_year(text) == year


@pytest.fixture
def release(db: None, tmp_path: Path) -> Release:
    lines = []
    for number, (paper, day) in enumerate(PAPERS):
        line = gap(number)
        lines.append(line | {"paper": {**line["paper"], "paper_id": paper, "publication_date": day}})
    import_release(
        actor=None, path=write_lines(tmp_path / "g.jsonl", *lines), protocol="re2math", name="gaps"
    )
    return Release.objects.get(name="gaps")


def test_years_are_counted_by_where_they_are_from_and_problems_without_one_are_named(
    release: Release, client: Client, coordinator: User, algebraist: User
) -> None:
    keys = [gap(number)["instance_id"] for number in range(5)]
    client.force_login(coordinator)
    rest = client.get(reverse("api-release-years", args=["gaps"])).json()
    assert rest == {"problems": 5, "by_date": 1, "by_number": 2, "without": keys[3:]}
    page = client.get(reverse("release-tuples", args=["gaps"])).content.decode()
    assert "2 of 5 problems have no year, so nothing is cut off for them." in page
    assert "publication date for 1, and of the arXiv number for 2 without a date" in page
    shown = [key for key in keys if reverse("instance", args=["gaps", key]) in page]
    assert shown == keys[3:]
    client.force_login(algebraist)
    for route in ("api-release-years", "release-tuples"):
        assert client.get(reverse(route, args=["gaps"])).status_code == 403


def test_an_artifact_decides_by_the_years_that_it_was_made_with(release: Release) -> None:
    keys = [gap(number)["instance_id"] for number in range(5)]
    found = years_of(release.instances.all(), {keys[0]: 2019, keys[1]: 2021, keys[3]: None})
    assert (found.problems, found.by_date, found.by_number, list(found.without)) == (5, 1, 1, keys[2:])


@pytest.mark.real_data
def test_126_of_the_200_published_problems_have_no_date_and_all_of_these_an_arxiv_number(db: None) -> None:
    """The released code goes by dates and cuts nothing off for 126 of Eval-200. By their numbers all have a year."""
    path = real_file("re2math", "benchmark_dataset_eval200.jsonl")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert sum(line["paper"]["publication_date"] == "Unknown" for line in lines) == 126
    import_release(actor=None, path=path, protocol="re2math", name="eval-200")
    release = Release.objects.get(name="eval-200")
    found = years_of(release.instances.all())
    assert (found.problems, found.by_date, found.by_number, list(found.without)) == (200, 74, 126, [])
    by_date_alone = {
        one.key: one.paper.year for one in release.instances.select_related("paper") if one.paper
    }
    assert len(years_of(release.instances.all(), by_date_alone).without) == 126
