"""What judges say about steps, next to what experts say: the label table, its pages, agreement, and coming back."""

import json
import random
from pathlib import Path

import pytest
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from benchmark.models import Release
from benchmark.releases.actions import import_release
from judging.models import StepVerdict, Verdict
from reports.analysing.stored import stored_document
from reports.core.choosing import choose
from reports.labels.exporting import csv_lines, jsonl_lines
from reports.labels.filters import LabelFilter
from reports.labels.importing import import_labels
from reports.labels.pages import chosen_page
from reports.labels.rows import blinded, label_rows
from stats.analyses.options import Options
from stats.analyses.running import Request
from tests.benchmark.files import LEMMA, STEPS, write_lines
from tests.reports.test_round_trip import emptied_afterwards, label, mixed

pytestmark = pytest.mark.django_db
# Step to what the expert and the judge said; p has three steps, q two.
SAID = {
    ("p", "b1"): ("correct", "correct"),
    ("p", "b2"): ("incorrect", "incorrect"),
    ("p", "b3"): ("correct", "incorrect"),
    ("q", "b1"): ("correct", "correct"),
    ("q", "b2"): ("incorrect", "correct"),
}
JUDGE = {"rater_kind": "judge", "judge_version": "reader-v2", "vote": "1"}


def rows() -> list[dict[str, str]]:
    """An expert's labels of all steps, and a judge's, whose verdict on the whole comes last."""
    found = []
    for (proof, step), (expert, judge) in SAID.items():
        subject = f"{proof}/a/1"
        common = {"subject": subject, "step": step}
        found.append(
            label("steps", expert, "ann", 1, campaign="read", rubric_version="lemmas-steps-v1", **common)
        )
        found.append(label("steps", judge, "reader", 2, **JUDGE, **common, comment=f"On {step}."))
    for proof, value in (("p", "no"), ("q", "yes")):
        found.append(label("every_step", value, "reader", 2, **JUDGE, subject=f"{proof}/a/1"))
    return found


@pytest.fixture
def lemmas(db, tmp_path) -> Release:
    return released(tmp_path)


def released(folder: Path) -> Release:
    """Two lemmas of two papers, with proofs of three and of two steps."""
    problems = [
        LEMMA | {"instance_id": key, "paper": {"key": f"paper-{key}", "title": "T", "year": 2024}}
        for key in "pq"
    ]
    import_release(
        actor=None, protocol="lemmas", path=write_lines(folder / "r.jsonl", *problems), name="study"
    )
    release = Release.objects.select_related("benchmark").get(name="study")
    proofs = [
        STEPS | {"instance_id": "p", "steps": ["One.", "Two.", "Three."]},
        STEPS | {"instance_id": "q", "steps": ["One.", "Two."]},
    ]
    import_outputs(actor=None, path=write_lines(folder / "o.jsonl", *proofs), release=release, system="a")
    return release


def loaded(release: Release, folder: Path, *given: dict[str, str]) -> None:
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in given or rows()))
    import_labels(actor=None, path=path, release=release)


def test_expert_and_judge_label_the_same_question_subject_and_step(lemmas, tmp_path):
    loaded(lemmas, tmp_path)
    found = list(label_rows(lemmas))
    places = {
        kind: [
            (row["question"], row["subject"], row["step"], row["cluster"])
            for row in found
            if row["rater_kind"] == kind and row.get("step")
        ]
        for kind in ("expert", "judge")
    }
    assert places["expert"] == places["judge"]
    assert places["judge"] == [("steps", f"{proof}/a/1", step, f"paper-{proof}") for proof, step in SAID]
    assert [row["value"] for row in found if row["rater_kind"] == "judge"] == [
        *("no", "yes"),  # on the whole
        *(judge for _, judge in SAID.values()),
    ]
    last = found[-1]
    assert (last["state"], last["confidence"], last["comment"], last["judge_version"], last["vote"]) == (
        "answered", "", "On b2.", "reader-v2", "1",
    )  # fmt: skip


def test_filters_and_pages_of_the_table_have_verdicts_on_steps(client, coordinator, lemmas, tmp_path):
    loaded(lemmas, tmp_path)

    client.force_login(coordinator)

    def steps_with(**wanted: str) -> int:
        asked = LabelFilter({name: {value} for name, value in wanted.items()} | {"rater_kind": {"judge"}})
        return sum(bool(row.get("step")) for row in label_rows(lemmas, wanted=asked))

    assert steps_with(question="steps") == steps_with(judge="reader-v2") == steps_with(track="raw") == 5
    assert steps_with(value="incorrect") == 2
    assert steps_with(instance="q", state="answered") == 2
    assert steps_with(question="every_step") == steps_with(judge="other") == steps_with(state="abstain") == 0
    found, after = [], ""
    for _ in range(4):  # 12 rows, three a page
        page = chosen_page(lemmas, {"identities": "1"}, after=after, size=3)
        found, after = found + page.rows, page.next
    assert after == ""
    assert sorted(map(str, found)) == sorted(map(str, label_rows(lemmas)))
    answer = client.get(reverse("api-labels", args=["study"]), {"identities": "1", "value": "incorrect"})
    assert [row["step"] for row in answer.json()["results"]] == ["b2", "b2", "b2", "b3"]


def test_a_blinded_table_has_no_verdicts_on_steps(lemmas, tmp_path):
    loaded(lemmas, tmp_path)
    assert [row["value"] for row in blinded(label_rows(lemmas))].count("incorrect") == 2  # the expert's
    assert len(list(blinded(label_rows(lemmas)))) == 5


def test_agreement_of_expert_and_judge_is_about_steps(lemmas, tmp_path):
    """They agree on 3 of 5 steps; both say correct of 3, so by chance on .6 * .6 + .4 * .4 = .52 of them, and kappa is
    (.6 - .52) / .48 = 1/6. Taking correct for a success: TP 2, FP 1, FN 1, TN 1. Two papers are two clusters."""
    loaded(lemmas, tmp_path)
    chosen = choose(lemmas, {"judge": "reader-v2"})
    about = Options(question="steps")
    audit = stored_document(chosen, "read", Request("audit", options=about, positive="correct"))
    cells = json.loads(json.dumps(audit, default=vars))
    assert cells["eligible"] == 5
    assert [cells["in_sample"][cell] for cell in ("tp", "fp", "fn", "tn")] == [2, 1, 1, 1]
    agreement = stored_document(chosen, "read", Request("agreement", options=about))
    kappa = agreement["questions"]["steps"]
    assert "0.1666" in json.dumps(kappa, default=vars)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_verdicts_on_steps_come_back_in_any_order_of_rows(tmp_path, form, seed):
    def tables(release: Release) -> dict[str, bytes]:
        return {
            "csv": "".join(csv_lines(label_rows(release))).encode(),
            "jsonl": "".join(jsonl_lines(label_rows(release))).encode(),
        }

    with emptied_afterwards():
        release = released(tmp_path)
        loaded(release, tmp_path)
        before = tables(release)
    release = released(tmp_path)
    path = tmp_path / f"again.{form}"
    path.write_bytes(mixed(before[form], form, random.Random(seed)))
    report = import_labels(actor=None, path=path, release=release)
    assert (report.judge_labels, report.new_verdicts) == (7, 7)
    assert tables(release) == before
    assert import_labels(actor=None, path=path, release=release).new_verdicts == 0


def test_steps_may_follow_a_verdict_on_the_whole_that_is_stored(lemmas, tmp_path):
    whole, steps = [row for row in rows() if not row["step"]], [row for row in rows() if row["step"]]
    loaded(lemmas, tmp_path, *whole)
    loaded(lemmas, tmp_path, *steps)
    assert (Verdict.objects.count(), StepVerdict.objects.count()) == (2, 5)


@pytest.mark.parametrize(
    ("at", "change", "said"),
    [
        (
            -1,
            None,
            r"line 8, field step: vote 1 of this judge on 'every_step', of the whole output, is missing",
        ),
        (1, {"vote": "2"}, r"line 2, field step: vote 2 of this judge on 'every_step'"),
        (1, {"judge_version": "reader-v3"}, r"line 2, field step: vote 1 of this judge"),
        (1, {"value": "yes"}, r"line 2, field value: steps: 'yes'"),
        (1, {"question": "accepted"}, r"line 2, field question: .* no 'accepted' about steps: steps"),
        (1, {"state": "abstain", "value": ""}, r"line 2, field state: a verdict on a step has a value"),
        (1, {"confidence": "0.5"}, r"line 2, field confidence: a verdict on a step has none"),
        (1, {"subject": "p/a/9"}, r"line 2, field subject"),
        (1, {"step": ""}, r"line 2, field question: 'steps' is not a predicate"),
        (
            3,
            {"step": "b1"},
            r"line 4, field value: .*already in line 2 and says 'correct'; here it says 'incorrect'",
        ),
    ],
)
def test_a_verdict_on_a_step_that_does_not_fit_is_refused_with_its_line(lemmas, tmp_path, at, change, said):
    given = rows()
    if change is None:
        del given[at]
    else:
        given[at] |= change
    with pytest.raises(Refused, match=said):
        loaded(lemmas, tmp_path, *given)
    assert not Verdict.objects.exists()
    assert not StepVerdict.objects.exists()
