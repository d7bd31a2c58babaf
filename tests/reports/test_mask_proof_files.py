"""Mask-Proof's own files as they are: a release with the six core fields, and what its script writes."""

import io
import json

import pytest
from django.core.management import call_command

from benchmark.importing.outputs import import_outputs
from benchmark.importing.survey import BadFile
from benchmark.models import Output, Release
from benchmark.protocols import get_protocol
from benchmark.releases.instance_file import published_lines
from judging.models import Verdict
from reports.labels.importing import import_labels
from reports.scores.inputs import collect
from tests.benchmark.files import MASK, write_lines
from tests.documents import score_document

pytestmark = pytest.mark.django_db
PROTOCOL = get_protocol("masked_steps")
# the six fields of the benchmark's description (data/mask-proof/README.upstream.md), in its order
CORE = ["index", "problem", "reference_solution", "mask_text", "mask_content", "arxiv_id"]


def mask(index: int, **changes):
    return {name: (MASK | {"index": index, **changes})[name] for name in CORE}


@pytest.fixture
def path(tmp_path):
    rows = [mask(1), mask(2, arxiv_id="2401.00003v2"), mask(3, arxiv_id="math/0601001")]
    return write_lines(tmp_path / "MaskProof-Bench.jsonl", *rows)


@pytest.fixture
def release(path) -> Release:
    call_command("import_release", "masked_steps", str(path), "--release", "masks", stdout=io.StringIO())
    return Release.objects.select_related("benchmark").get(name="masks")


def evaluated(index: int, formulas, decisions):
    """A line of the script's last file: the mask, its responses, the formulas found and what the judge decided."""
    return {
        **mask(index),
        "original_index": index - 1,
        "input": MASK["mask_text"],
        "answers": [{"content": MASK["mask_content"], "source": "mask_content"}],
        "model_responses": [
            {"response": f"**[MASK] Restoration:** $${formula}$$", "reasoning": "", "success": True}
            if formula
            else {"response": "", "success": False, "error_type": "timeout", "http_status": None}
            for formula in formulas
        ],
        "extract_answers": [
            {"mask_id": "0", "formula": formula} if formula else None for formula in formulas
        ],
        "eval_results": [
            {"attempt_idx": place, "is_correct": bool(said), "error_type": kind, "explanation": "Made up."}
            for place, (said, kind) in enumerate(decisions)
        ],
    }


YES, NO = (True, "model_decision"), (False, "model_decision")
LOST, BROKEN = (False, "extraction_failed"), (False, "judge_api_failed")


@pytest.fixture
def results(tmp_path):
    return write_lines(
        tmp_path / "run_evaluation.jsonl",
        evaluated(1, ["1+1", "2", "1+1", None], [YES, NO, YES, LOST]),
        evaluated(2, ["1+1", "1+1"], [YES, BROKEN]),
        evaluated(3, ["0", "0", "0", "0"], [NO] * 4),
    )


def test_a_release_with_the_six_core_fields_is_imported_and_comes_back_byte_for_byte(release, path):
    assert release.instances.count() == 3
    assert set(release.instances.get(key="1").payload) == set(CORE)
    assert (
        "".join(published_lines(release))
        == "\n".join(
            json.dumps(json.loads(line), ensure_ascii=False) for line in path.read_text().splitlines()
        )
        + "\n"
    )


def test_without_proof_numbers_a_variant_belongs_to_the_proof_with_the_same_text(tmp_path):
    variant = {"variant": "random", "variant_of": 1}
    rows = [mask(1), mask(2) | variant, mask(3, reference_solution="Another proof.") | variant]
    faults = list(PROTOCOL.read_release(write_lines(tmp_path / "m.jsonl", *rows)))
    assert [getattr(found, "field", "") for found in faults] == ["", "", "variant_of"]
    twice = PROTOCOL.compare_releases([mask(1), mask(2)], [mask(1)], ())
    assert twice["proofs"] == {"shared": 1, "first_only": 0, "second_only": 0}


def test_attempts_of_the_script_are_outputs_and_its_decisions_verdicts(release, results):
    report = import_outputs(actor=None, path=results, release=release, system="a")
    # mask 1 has a failed response, mask 2 lacks two attempts
    assert report.states == {"answered": 9, "failed": 3}
    first = Output.objects.get(instance__key="1", attempt=1)
    assert first.text == r"\[1+1\]"
    assert first.payload == {"reasoning": "**[MASK] Restoration:** $$1+1$$"}
    assert import_labels(actor=None, path=results, release=release).new_verdicts == 8
    said = Verdict.objects.order_by("output__instance__key", "output__attempt")
    assert [verdict.value for verdict in said] == ["yes", "no", "yes", "yes", "no", "no", "no", "no"]
    assert {verdict.judge.slug for verdict in said} == {"mask-proof-judge"}


def test_avg_at_4_is_the_share_that_the_script_counts(release, results):
    import_outputs(actor=None, path=results, release=release, system="a")
    import_labels(actor=None, path=results, release=release)
    metrics = score_document(collect(release=release))["judge"]["systems"]["a"]["metrics"]
    # 3 correct; of 12 attempts one has no verdict because the judge failed, and leaves the denominator
    assert metrics["avg_at_4"]["estimate"]["value"] == pytest.approx(3 / 11)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"index": "1"}, "index"),
        ({"model_responses": [{}] * 5}, "model_responses"),
        ({"eval_results": [{"attempt_idx": 0, "is_correct": "yes"}]}, "eval_results.0.is_correct"),
    ],
)
def test_a_line_of_another_shape_is_named(release, tmp_path, changes, field):
    lines = [evaluated(1, ["1"], [YES]), evaluated(2, ["1"], [YES]) | changes]
    with pytest.raises(BadFile) as caught:
        import_outputs(
            actor=None, path=write_lines(tmp_path / "r.jsonl", *lines), release=release, system="a"
        )
    assert [(error.line, error.field) for error in caught.value.errors] == [(2, field)]
