"""What begins with an empty database or with a release that nobody has judged; other files begin with labels."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from html import unescape

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.models import Release
from reports.audit.draw import plan_audit
from reports.core.cells import number_cell, percent_cell
from reports.core.choosing import choose
from reports.labels.importing import import_labels
from reports.scores.document import score
from reports.scores.inputs import collect, collect_chosen
from reports.scores.text import score_text
from stats.core.estimate import Estimate
from tests.documents import score_document
from tests.reports.conftest import SAMPLE, load
from tests.reports.test_pages import carl, olga, page
from tests.reports.test_results import page as results_page
from tests.reports.test_results import words

__all__ = ["carl", "olga"]
pytestmark = pytest.mark.django_db


def test_an_empty_site_says_how_to_begin(carl):
    _, text = page(carl, "scores")
    assert "Nothing to score yet" in text
    assert "import_release" in text


@pytest.mark.slow
def test_an_audit_that_missed_a_class_names_it_and_links_to_the_draw_that_completes_it(
    carl, unlabelled_gaps, tmp_path
):
    """The sample audit without its three ungrounded outputs of cobalt, of seven."""
    folder = SAMPLE / "re2math"
    header, *rows = (folder / "labels-experts.csv").read_text("utf-8").splitlines(keepends=True)
    audit = tmp_path / "audit.csv"
    audit.write_text(header + "".join(row for row in rows if ",cobalt/ungrounded," not in row), "utf-8")
    for file in (folder / "labels-judge.csv", audit):
        import_labels(actor=None, path=file, release=unlabelled_gaps)
    _, text = page(carl, "score-numbers", "sample-re2math")
    assert "No audited output of cobalt / ungrounded (7 outputs) counts" in text
    assert "if the judge errs as on the others" in text
    address = re.search(r'href="([^"]+)">Plan an audit of what is missing', text).group(1)
    plan = carl.get(unescape(address))
    assert plan.status_code == 200
    offered = {stratum.name: stratum.available for stratum in plan.context["plan"].strata}
    assert offered["cobalt/ungrounded"] == 7
    assert {name.split("/")[1] for name in offered} == {"ungrounded"}
    printed = score_text(score(collect(release=unlabelled_gaps)))
    line = "nothing drawn of cobalt/ungrounded (7 outputs); to draw them, POST audit-plan/ "
    terms, *_ = [end for _, found, end in (row.partition(line) for row in printed.splitlines()) if found]
    address = "/api/v1/releases/sample-re2math/audit-plan/"
    drawn = carl.post(address, json.loads(terms), content_type="application/json").json()["drawn"]
    assert {row["stratum"]: row["available"] for row in drawn} == offered


def test_without_a_judge_the_document_says_so(unlabelled_gaps):
    assert score_document(collect(release=unlabelled_gaps))["judge"] is None


@pytest.mark.slow
def test_without_verdicts_there_is_nothing_to_audit(unlabelled_gaps):
    with pytest.raises(Refused, match="no verdicts"):
        plan_audit(release=unlabelled_gaps)


@pytest.mark.slow
def test_without_runs_or_labels_the_page_says_what_is_missing(unlabelled_gaps, coordinator):
    client = Client()
    client.force_login(coordinator)
    address = reverse("conditions", args=[unlabelled_gaps.name])
    page = client.get(address).content.decode()
    assert "none has given a verdict" in page
    assert "not judged" in page
    assert "nothing can be paired yet" in page
    empty = load("no-runs", "re2math", {})
    page = client.get(reverse("conditions", args=[empty.name])).content.decode()
    assert "No system has a run in any column of this table yet" in page


@pytest.mark.slow
def test_without_any_grade_the_page_says_so(olga, unlabelled_gaps):
    text = words(results_page(olga, unlabelled_gaps))
    assert "No proof has been graded yet" in text
    assert "AI judge" not in text


# Where every number of the former score page is, by the part of the score that it is from.
WHERE = {
    "measured": "score-numbers",
    "judge": "score-numbers",
    "experts": "score-numbers",
    "exclusions": "score-numbers",
    "in_sight": "score-numbers",
    "systems": "score-numbers",
}


def estimates(part, path=()):
    """Every estimate of a document with where it is."""
    if isinstance(part, Estimate):
        yield path, part
    elif is_dataclass(part):
        for field in fields(part):
            yield from estimates(getattr(part, field.name), (*path, field.name))
    elif isinstance(part, Mapping):
        for key, value in part.items():
            yield from estimates(value, (*path, key))
    elif isinstance(part, list | tuple):
        for number, value in enumerate(part):
            yield from estimates(value, (*path, number))


@pytest.mark.slow
def test_every_number_of_the_demos_scores_is_where_the_table_says(client, db, capsys):
    call_command("seed_demo")
    client.force_login(get_user_model().objects.get(email="owner@demo.test"))
    seen, counted = set(), 0
    for release in Release.objects.all():
        document = score(collect_chosen(choose(release, {})))
        pages = {
            name: client.get(reverse(name, args=[release.name])).content.decode()
            for name in set(WHERE.values())
        }
        for path, estimate in estimates(document):
            text = pages[WHERE[path[0]]]
            shown = {percent_cell(estimate).value, *(number_cell(estimate, places=n).value for n in (2, 3))}
            if estimate.value is not None:
                assert any(value and value in text for value in shown), (release.name, path, shown)
                counted += 1
            seen.add(path[0])
        for states in document.systems.values():
            assert f">{states.outputs}</td>" in pages[WHERE["systems"]]
        assert document.release_sha256 in pages["score-numbers"]
    assert {"measured", "judge", "experts"} <= seen
    assert counted > 300
