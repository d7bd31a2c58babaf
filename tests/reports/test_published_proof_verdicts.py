"""Published verdicts on whole proofs: DeepSeekMath-V2's verifier against human marks, by files that a user would write.

A verdict is yes where the verifier's score is 1.0; experts say yes where a proof has full marks. shared/data/README.md:
TP 65, FP 7, FN 0, TN 12, accuracy .91667, kappa .72626.
"""

import json
import random
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from benchmark.models import Release
from tests.benchmark.files import write_lines
from tests.stats.real_data import deepseek_proofs
from tests.walks.whole_proofs import human_marks, problems, proofs, table, verdicts

pytestmark = [pytest.mark.django_db, pytest.mark.real_data]
RELEASE = "olympiad-proofs"


@pytest.fixture(scope="module")
def _release(rows_of_the_module: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    with rows_of_the_module():
        _write(tmp_path_factory.mktemp("proofs"))


@pytest.fixture
def release(_release: None, db: None) -> Release:
    """84 problems with one proof each, and the verdicts of the verifier."""
    return Release.objects.get(name=RELEASE)


def _write(tmp_path: Path) -> None:
    rows = deepseek_proofs()
    run(
        "import_release", "proofs", write_lines(tmp_path / "problems.jsonl", *problems(rows)), release=RELEASE
    )
    outputs = write_lines(tmp_path / "proofs.jsonl", *proofs(rows))
    # Verdicts are about proofs that nobody looks at here: their formulas, 24 seconds of KaTeX, are not tried.
    run("import_outputs", outputs, release=RELEASE, system="deepseek-math-v2", no_render=True)
    run("import_labels", table(tmp_path / "verdicts.csv", verdicts(rows)), release=RELEASE)


def run(command: str, *arguments: object, **options: object) -> str:
    out = StringIO()
    call_command(command, *map(str, arguments), stdout=out, **options)
    return out.getvalue()


@pytest.mark.slow
def test_the_verifier_agrees_with_full_human_marks_as_published_on_page_rest_and_command(
    release, tmp_path, client, coordinator
):
    marks = table(tmp_path / "marks.csv", human_marks(deepseek_proofs()))
    run("import_labels", marks, release=RELEASE)
    client.force_login(coordinator)
    by_rest = client.get(reverse("api-score", args=[RELEASE])).json()
    by_command = json.loads(run("score", release=RELEASE, json=True))
    assert by_rest == by_command
    judge = by_rest["judge"]
    estimate = judge["systems"]["deepseek-math-v2"]["metrics"]["correct_proofs"]["estimate"]
    assert (estimate["k"], estimate["n"]) == (72, 84)  # TP + FP
    (audit,) = judge["audits"]
    found = audit["metrics"]["correct_proofs"]
    inside = found["in_sample"]
    assert [inside[cell] for cell in ("tp", "fp", "fn", "tn")] == [65, 7, 0, 12]
    assert inside["agreement"]["value"] == pytest.approx(0.91667, abs=5e-6)
    assert inside["kappa"]["value"] == pytest.approx(0.72626, abs=5e-6)
    # every proof has its mark, so the corrected score of these 84 is known: 65 / 84
    corrected = found["corrected"]["deepseek-math-v2"]["estimate"]
    assert corrected["value"] == pytest.approx(65 / 84)
    assert corrected["ci"] == pytest.approx([65 / 84, 65 / 84])
    page = client.get(reverse("score-numbers", args=[RELEASE])).content.decode()
    counts = "65 true positive, 7 false positive, 0 false negative, 12 true negative"
    assert all(shown in page for shown in (counts, "0.917", "0.726", "77.4"))
    audit_page = client.get(reverse("judge-audit", args=[RELEASE])).content.decode()
    assert all(shown in audit_page for shown in (counts, "91.7", "0.726"))
    printed = run("score", release=RELEASE)
    assert all(shown in printed for shown in ("85.7", "77.4", "0.726"))


def test_an_audit_of_a_sample_corrects_the_verifier_with_an_interval_that_has_the_truth(
    release, tmp_path, client, coordinator
):
    """24 of the 72 passed proofs and 6 of the 12 failed ones, drawn with a seed; the truth of all 84 is 65 / 84."""
    rows, rng = deepseek_proofs(), random.Random(20261123)
    passed = [row for row in rows if row["verifier"] == 1]
    failed = [row for row in rows if row["verifier"] != 1]
    design = {
        "deepseek-math-v2/correct": (len(passed), 24),
        "deepseek-math-v2/not_correct": (len(failed), 6),
    }
    drawn = human_marks([*rng.sample(passed, 24), *rng.sample(failed, 6)], design)
    run("import_labels", table(tmp_path / "marks.csv", drawn), release=RELEASE)
    client.force_login(coordinator)
    (audit,) = client.get(reverse("api-score", args=[RELEASE])).json()["judge"]["audits"]
    corrected = audit["metrics"]["correct_proofs"]["corrected"]["deepseek-math-v2"]
    low, high = corrected["estimate"]["ci"]
    assert low < 65 / 84 < high
    assert 0 < high - low < 0.4
    assert [(row["size"], row["sampled"]) for row in corrected["strata"]] == [(72, 24), (12, 6)]
    page = client.get(reverse("score-numbers", args=[RELEASE])).content.decode()
    assert f"{100 * low:.1f} to {100 * high:.1f}" in page
