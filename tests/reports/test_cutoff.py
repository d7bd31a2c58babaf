"""The date cut-off of retrieval: sources younger than the citing paper are named, unknown years are counted."""

import pytest
from django.urls import reverse

from benchmark.models import Release
from benchmark.protocols import get_protocol
from tests.benchmark.files import gap
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
    SystemFactory,
)

pytestmark = pytest.mark.django_db
CANDIDATES = [
    {"title": "Old enough", "year": 2019},
    {"title": "Of the same year", "year": 2020},
    {"title": "Too young by its number", "identifier": "arXiv:2103.00001v2"},
    {"title": "Of the last century", "identifier": "math/9901001"},
    {"title": "Without a year"},
]


def paper(paper_id="2001.00001v2", date="2020-05-01"):
    return {"paper_id": paper_id, "title": "Gaps in proofs", "publication_date": date}


@pytest.fixture
def release() -> Release:
    benchmark = BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    row = ReleaseFactory(name="gaps", benchmark=benchmark)
    run = RunFactory(release=row, system=SystemFactory(slug="solver", name="Solver"))
    for number, (key, cites) in enumerate(
        {
            "dated": paper(),
            "numbered": paper(date="Unknown"),
            "undated": paper("journal-7", "Unknown"),
        }.items()
    ):
        instance = InstanceFactory(
            release=row, key=key, domain="algebra", payload=gap(number) | {"paper": cites}
        )
        payload = {"candidates": CANDIDATES, "selected_source": CANDIDATES[2]}
        OutputFactory(run=run, instance=instance, text="T", payload=payload)
    return row


def test_a_year_is_what_the_file_says_or_that_of_the_arxiv_number():
    dates_of = get_protocol("re2math").source_dates
    dates = dates_of(gap(0) | {"paper": paper(date="Unknown")}, {"candidates": CANDIDATES})
    assert dates.latest == 2020  # of 2001.00001
    assert [year for _, year in dates.candidates] == [2019, 2020, 2021, 1999, None]
    assert dates.selected is None
    assert dates_of(gap(0) | {"paper": paper("journal-7", "Unknown")}, {"candidates": None}).latest is None


def test_late_sources_are_named_and_unknown_years_counted_on_page_and_in_rest(release, client, coordinator):
    client.force_login(coordinator)
    found = client.get(reverse("api-sources", args=[release.name])).json()["cutoff"]
    # of three outputs with five candidates each, one has no limit: its five are unknown, and one of each other's is
    assert found["systems"] == [
        {
            "system": "solver",
            "candidates": {"in_time": 6, "late": 2, "unknown": 7},
            "selected": {"in_time": 0, "late": 2, "unknown": 1},
            "without_limit": 1,
        }
    ]
    assert found["late"] == 4
    assert [(row["instance"], row["selected"]) for row in found["named"]] == [
        ("dated", False),
        ("dated", True),
        ("numbered", False),
        ("numbered", True),
    ]
    page = client.get(reverse("output-sources", args=[release.name])).content.decode()
    assert "Too young by its number" in page
    assert "Old enough" not in page
