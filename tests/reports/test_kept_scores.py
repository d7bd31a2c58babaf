"""Scores are computed once and read until something changes that they depend on (ADR 0037)."""

import gzip
import json
from pathlib import Path

import pytest
from django.urls import reverse

from benchmark.protocols import protocol_names
from canonical.documents import as_json, from_json
from judging.models import Verdict
from reports.artifact.code_version import code_version
from reports.models import KeptScore
from reports.scores import kept
from reports.scores.document import score
from reports.scores.inputs import collect
from reports.scores.shape import Score

pytestmark = pytest.mark.django_db
FIRST = sorted((Path(__file__).parent / "data" / "first_artifacts").glob("*.json.gz"))


@pytest.fixture
def computed(monkeypatch):
    """How often a score was computed, as a list that grows."""
    found = []
    monkeypatch.setattr(kept, "score", lambda inputs: found.append(inputs) or score(inputs))
    return found


@pytest.fixture
def seen(client, coordinator, gaps):
    """What each view of the score shows."""
    client.force_login(coordinator)
    page, file = (reverse(name, args=[gaps.name]) for name in ("score", "score-json"))
    rest = f"/api/v1/releases/{gaps.name}/score/"

    def look(**query):
        # Tokens against forgery differ from page to page.
        html = client.get(page, query).content.decode()
        lines = [line for line in html.splitlines() if "csrfmiddlewaretoken" not in line]
        return lines, client.get(file, query).content, client.get(rest, query).content

    return look


@pytest.mark.slow
def test_page_file_and_rest_compute_a_score_once_and_show_the_same_afterwards(seen, computed, gaps):
    first = seen()
    assert len(computed) == 1
    assert seen() == first
    assert len(computed) == 1
    assert json.loads(first[1]) == as_json(score(collect(release=gaps)))


@pytest.mark.slow
def test_a_changed_label_has_the_score_computed_again_and_the_old_one_is_not_kept(seen, computed):
    before = seen()
    verdict = Verdict.objects.filter(value="yes").order_by("pk").first()
    verdict.pk, verdict.vote, verdict.value = None, 2, "no"  # a second vote disagrees
    verdict.save(force_insert=True)
    after = seen()
    assert len(computed) == 2
    assert json.loads(after[1]) != json.loads(before[1])
    assert KeptScore.objects.count() == 1


@pytest.mark.slow
def test_other_code_computes_it_again(seen, computed, monkeypatch):
    seen()
    monkeypatch.setattr(kept, "code", lambda: "0" * 64)
    seen()
    assert len(computed) == 2


@pytest.mark.parametrize("protocol", protocol_names())
def test_every_package_of_which_an_artifact_names_a_file_is_hashed(protocol):
    assert {path.split("/")[0] for path in code_version(protocol)["code"]} <= set(kept.PACKAGES)


@pytest.mark.slow
def test_each_choice_is_kept_by_itself(seen, computed, gaps):
    judge = Verdict.objects.filter(output__run__release=gaps).first().judge.label
    seen()
    seen(track="raw", judge=judge)  # what was chosen without being named
    assert len(computed) == 1
    KeptScore.objects.update(choice="track=assisted")
    seen()
    assert len(computed) == 2
    assert KeptScore.objects.count() == 2


@pytest.mark.parametrize("path", FIRST, ids=lambda path: path.name)
def test_every_score_of_the_sample_project_is_read_back_as_it_was_written(path):
    document = json.loads(gzip.decompress(path.read_bytes()))["score"]
    assert as_json(from_json(Score, document)) == document
