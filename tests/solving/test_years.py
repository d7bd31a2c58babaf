"""A run says for how many of its problems its artifact bounds the years of sources, and names the others."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from benchmark.models import FrozenTuple, Release
from benchmark.tuples.actions import declare_tuple
from retrieval.artifact import EXTERNAL, Artifact, Limits, Terms, packed
from tests.llm.server import Server
from tests.solving import site

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with site.world_server(settings) as running:
        yield running


def frozen(release: Release, **limits: Limits) -> FrozenTuple:
    terms = Terms(release=release.sha256, provider=EXTERNAL, settings={"service": "a library"}, limits=limits)
    return declare_tuple(
        actor=None, release=release, name="frozen", split="all", retrieval="r", materialisation="m", scoring="s",
        evaluated_on=dt.date(2026, 11, 1), files={"retrieval": ContentFile(packed(Artifact(terms, ())), "r.zip")},
    )  # fmt: skip


def test_pages_and_rest_count_the_problems_for_which_nothing_is_cut_off(
    server: Server, client: Client, owner: User
) -> None:
    release = site.problems(3)
    by = site.solver("single")
    artifact = frozen(release, p1=Limits(year_to=2020), p2=Limits(excluded=("own",)))
    run = site.start(by, release, artifact=artifact, attempts=2)
    client.force_login(owner)
    rest = client.get(f"/api/v1/solving/runs/{run.pk}/").json()
    # p2 has its own paper kept away and no year; p3 has no limits at all
    assert rest["years"] == {"problems": 3, "by_date": 0, "by_number": 1, "without": ["p2", "p3"]}
    sentence = "2 of 3 problems have no year in the artifact, so nothing is cut off for them."
    links = [reverse("instance", args=[release.name, key]) for key in ("p1", "p2", "p3")]
    page = client.get(reverse("solve-run", args=[run.pk])).content.decode()
    section = page.partition('id="years-title"')[2].partition("</section>")[0]
    assert sentence in section
    assert [link in section for link in links] == [False, True, True]
    order = {
        "solver": by.pk, "release": release.name, "track": "raw", "attempts": 1, "attempt_tokens": 100_000,
        "rule": "published", "artifact": artifact.pk, "seed": 1, "draft": 100,
    }  # fmt: skip
    assert sentence in client.post(reverse("new-solve-run"), order).content.decode()
    one = client.post(reverse("new-solve-run"), {**order, "keys": "p3"}).content.decode()
    assert "1 of 1 problem has no year in the artifact, so nothing is cut off for it." in one
    without = site.start(by, release)
    assert client.get(f"/api/v1/solving/runs/{without.pk}/").json()["years"] is None
    assert "years-title" not in client.get(reverse("solve-run", args=[without.pk])).content.decode()
