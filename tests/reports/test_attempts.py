"""Several attempts at one problem are not independent outputs: Avg@4 has an interval by problem."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from benchmark.models import Output
from benchmark.protocol import LabelledOutput
from benchmark.protocols.masked_steps.metrics import METRICS
from judging.runs.actions import PublishedVerdict, imported_judge, store_published
from reports.artifact.freezing import build
from reports.artifact.manifest import read_manifest
from reports.artifact.verification import verify_file
from reports.core.canonical import canonical
from reports.scores.document import score
from reports.scores.inputs import Inputs, collect
from reports.scores.judge_scores import count, share, wilson_estimate
from reports.scores.text import score_text
from tests.documents import metric_document, score_document
from tests.reports.conftest import load

[AVG] = METRICS


def outputs(*right_by_mask, attempts=4):
    """For every mask so many right attempts; two masks come from one paper."""
    return [
        LabelledOutput(
            system="a",
            instance=f"mask-{mask}",
            cluster=f"paper-{mask // 2}",
            domain="algebra",
            attempt=attempt + 1,
            state="answered",
            labels={"equivalent": "yes" if attempt < right else "no"},
            states={"equivalent": "answered"},
        )
        for mask, right in enumerate(right_by_mask)
        for attempt in range(attempts)
    ]


def test_attempts_that_agree_count_as_often_as_there_are_problems():
    # 40 masks, all four attempts alike, half of them right: 160 attempts say as much as 40. Design effect by hand:
    # e_c = 4(1) - .5(4) = +-2, se = sqrt(40/39 x 40 x 4) / 160 = .08006, independent .25/159, so deff 4.077 and
    # n_eff = m = 39.25. Wilson with p = .5: half = 1.96 sqrt(.25/m + 3.8415/(4 m^2)) / (1 + 3.8415/m) = .14930
    found = share(count(AVG, outputs(*[4, 0] * 20)))
    assert (found.k, found.n, found.clusters, found.method) == (80, 160, 40, "wilson_n_eff")
    assert found.ci == pytest.approx((0.5 - 0.14930, 0.5 + 0.14930), abs=1e-4)
    naive = wilson_estimate(count(AVG, outputs(*[4, 0] * 20)))
    assert naive.ci == pytest.approx((0.4234, 0.5766), abs=1e-4)  # Wilson of 80/160: what was shown before


@pytest.mark.parametrize(("right", "high"), [([0] * 10, 0.27753), ([0], 0.79346)])
def test_without_any_success_problems_are_counted_and_not_attempts(right, high):
    # Wilson of 0 of 10: z^2 / (10 + z^2); of 0 of 1: z^2 / (1 + z^2).
    found = share(count(AVG, outputs(*right)))
    assert found.ci == pytest.approx((0, high), abs=1e-4)


def test_one_attempt_each_is_wilson_as_before():
    counted = count(AVG, outputs(1, 0, 1, 1, 0, attempts=1))
    assert share(counted) == wilson_estimate(counted)


def test_domains_and_strata_are_by_problem_too_and_older_artifacts_are_not():
    rows = outputs(*[4, 0] * 20)
    strata = {"kind": {f"mask-{mask}": "x" for mask in range(40)}}
    now = metric_document(AVG, rows, seed=1, strata=strata, methods=4)
    then = metric_document(AVG, rows, seed=1, strata=strata, methods=3)
    for of in (now["estimate"], now["domains"]["algebra"], now["strata"]["kind"]["x"]):
        assert (of["method"], of["clusters"]) == ("wilson_n_eff", 40)
    for of in (then["estimate"], then["domains"]["algebra"], then["strata"]["kind"]["x"]):
        assert (of["method"], of["clusters"]) == ("wilson", None)


@pytest.mark.slow
@pytest.mark.django_db
def test_page_text_rest_and_artifact_say_that_attempts_are_taken_together(coordinator):
    release = load("masks", "masked_steps", {"aurora": "outputs-aurora.jsonl"})
    masks = release.instances.values_list("key", flat=True)
    judge = imported_judge(actor=None, slug="masks", protocol="masked_steps", published_as="masks")
    outputs = Output.objects.filter(run__release=release).select_related("instance")
    first = sorted(masks)[0]
    verdicts = [
        PublishedVerdict(
            output=output,
            predicate="equivalent",
            value="yes" if output.instance.key == first else "no",
            state="answered",
        )
        for output in outputs
    ]
    store_published(judge=judge, verdicts=verdicts)
    inputs = collect(release=release)
    found = score_document(inputs)
    system, part = next(iter(found["judge"]["systems"].items()))
    problems = part["metrics"]["avg_at_4"]["estimate"]["clusters"]
    assert problems == len({row.instance for row in inputs.outputs if row.system == system}) > 1
    words = f"attempts at {problems} problems taken together"
    client = Client()
    client.force_login(coordinator)
    assert words in client.get(reverse("score-numbers", args=[release.name])).content.decode()
    assert words in score_text(score(inputs))
    rest = client.get(reverse("api-score", args=[release.name])).json()
    estimate = rest["judge"]["systems"][system]["metrics"]["avg_at_4"]["estimate"]
    assert (estimate["method"], estimate["clusters"]) == ("wilson_n_eff", problems)
    older = Inputs.from_json({**inputs.as_json(), "methods": 3})
    for some in (inputs, older):
        document = build(some, read_manifest(release, "raw"))
        assert verify_file(canonical(document) + b"\n").verified
    methods = {
        json.dumps(score_document(some)["judge"]["systems"][system]["metrics"]) for some in (inputs, older)
    }
    assert len(methods) == 2
