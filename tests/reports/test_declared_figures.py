"""A figure that its class declares as ShownAs is a column of the score page and a part of the text by that alone."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

import pytest
from django.template.loader import render_to_string

from canonical.documents import Maybe, as_json
from reports.core.wording import DEFINITIONS
from reports.scores.document import score
from reports.scores.inputs import collect
from reports.scores.page import score_sections
from reports.scores.shape import Choices, Means, MetricScore, Score, ShownAs, columns, columns_of
from reports.scores.text import score_text
from stats.core.estimate import Estimate

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, kw_only=True)
class WithDoubt(MetricScore):
    doubted: Annotated[
        Maybe[Estimate], "Share of the outputs that two judges doubt.", ShownAs("Doubted <twice>", places=2)
    ] = None


DOUBT = Estimate(value=0.25, n=8, method="wilson", ci=(0.125, 0.5))


def with_doubt(whole: Score, doubts: Mapping[str, Estimate | None]) -> Score:
    """The score with one more figure of every system by every metric."""
    assert whole.judge
    systems = {}
    for system, found in whole.judge.systems.items():
        metrics: dict[str, MetricScore] = {}
        for key, one in found.metrics.items():
            values: dict[str, Any] = {field.name: getattr(one, field.name) for field in fields(one)}
            metrics[key] = WithDoubt(**values, doubted=doubts.get(system))
        systems[system] = replace(found, metrics=metrics)
    return replace(whole, judge=replace(whole.judge, systems=systems))


def page(whole: Score) -> str:
    context = {"chosen": {"release": {"name": whole.release}}, "document": whole, **score_sections(whole)}
    return " ".join(render_to_string("reports/scores/_sections.html", context).split())


@pytest.mark.slow
def test_a_new_figure_is_a_column_of_the_page_and_in_the_text(gaps):
    found = with_doubt(score(collect(release=gaps, track="raw")), {"aurora": DOUBT})
    html = page(found)
    assert '<a href="#def-doubted">Doubted &lt;twice&gt;</a>' in html
    assert '<span class="value">0.25</span> <span class="interval">0.13 to 0.50</span>' in html
    assert "<td>–</td>" in html, "the systems without this figure"
    lines = [line for line in score_text(found).splitlines() if "Doubted" in line]
    assert lines, "one for each metric of aurora"
    assert all(line.endswith("; Doubted <twice> 0.250 [0.125, 0.500]") for line in lines)
    metrics = as_json(found)["judge"]["systems"]["aurora"]["metrics"]
    assert {metric["doubted"]["value"] for metric in metrics.values()} == {0.25}


def test_a_figure_that_no_system_has_is_no_column(gaps):
    whole = score(collect(release=gaps, track="raw"))
    without = with_doubt(whole, {})
    assert page(without) == page(whole)
    assert score_text(without) == score_text(whole)
    assert as_json(without) == as_json(whole)


def test_a_table_of_no_system_has_no_columns():
    assert columns([]) == []


@pytest.mark.parametrize("kind", [MetricScore, Choices, Means])
def test_the_foot_of_the_page_explains_every_column(kind):
    for column in columns_of(kind):
        words = column.key.words
        if column.shown.definition:
            words = DEFINITIONS[column.shown.definition].text
            assert "score" in DEFINITIONS[column.shown.definition].pages
        assert words, f"{column.key.field} needs a definition, or words of its own in Annotated"


def test_a_column_without_a_definition_of_its_own_is_explained_by_the_words_of_its_field(gaps, monkeypatch):
    monkeypatch.setattr("reports.scores.shape.MetricScore", WithDoubt)
    html = page(with_doubt(score(collect(release=gaps, track="raw")), {"aurora": DOUBT}))
    explained = (
        '<dt id="def-doubted">Doubted &lt;twice&gt;</dt> <dd>Share of the outputs that two judges doubt.</dd>'
    )
    assert explained in html
