"""Re2Math's Tables 2 and 7, from outputs and labels with the published counts, as the page prints them."""

import pytest

from benchmark.models import Instance, Output, Paper, Run
from judging.models import Judge, Verdict
from reports.conditions.document import conditions
from reports.conditions.page import condition_sections
from tests.documents import condition_document
from tests.factories import JudgeFactory, SystemFactory
from tests.reports.conftest import load

pytestmark = pytest.mark.django_db
SIZE = 200
# End to end, with the cited source, materialised, through another source (Table 2); the gap as printed there.
TABLE_2 = {
    "claude": (14, 9, 71, 13, "+5.7 pp"),
    "grok": (7, 2, 74, 7, "−0.8 pp"),
    "kimi": (7, 1, 74, 7, "−2.1 pp"),
    "gpt": (6, 5, 71, 5, "+4.0 pp"),
    "deepseek": (5, 2, 74, 5, "+0.2 pp"),
    "gemini": (4, 5, 67, 3, "+5.5 pp"),
    "qwen": (2, 2, 74, 2, "+1.7 pp"),
}
ALT_SHARES = ["92.9 %", "100.0 %", "100.0 %", "83.3 %", "100.0 %", "75.0 %", "100.0 %"]
# Grok's row of Table 7: local only, m = 1, 3, 5, and the assisted queries; (matches, judgments that were made).
GROK = {
    ("raw", "local-only"): (48, 197),
    ("raw", "window-1"): (54, 200),
    ("raw", "window-3"): (55, 200),
    ("raw", ""): (53, 200),
    ("assisted", ""): (110, 198),
}
GAP = "sample-2402.00107_gap_0"  # it cites this work, which the matcher tells by title, author and year
CITED = {
    "selected_source": {
        "title": "Compact sets in the space $L^p(0,T;B)$",
        "authors": "J. Simon",
        "year": 1987,
    }
}
ELSEWHERE = {"selected_source": {"title": "A monograph on something else entirely", "authors": "N. N. Other"}}


@pytest.fixture
def release(db):
    """200 copies of one gap of the sample, of 167 papers: 33 papers have two."""
    found = load("eval", "re2math", {})
    original = found.instances.get(key=GAP)
    found.instances.exclude(pk=original.pk).delete()
    papers = Paper.objects.bulk_create(Paper(release=found, key=f"paper-{n}") for n in range(167))
    payload = original.payload
    original.delete()
    Instance.objects.bulk_create(
        Instance(release=found, key=f"gap-{n:03}", paper=papers[n % 167], domain="d", payload=payload)
        for n in range(SIZE)
    )
    return found


def enter(
    judge: Judge, run: Run, payloads: list[dict], labels: list[dict[str, str]], *, lost: int = 0
) -> None:
    """The outputs of a run for the first instances, with their labels; of the last `lost` the judgment failed."""
    instances = list(run.release.instances.order_by("key")[: len(payloads)])
    outputs = Output.objects.bulk_create(
        Output(run=run, instance=instance, text="Statement.", payload=payload)
        for instance, payload in zip(instances, payloads, strict=True)
    )
    Verdict.objects.bulk_create(
        Verdict(
            judge=judge,
            output=output,
            predicate=predicate,
            order=1,
            vote=1,
            value="" if at >= len(outputs) - lost else value,
            state="unavailable" if at >= len(outputs) - lost else "answered",
        )
        for at, (output, said) in enumerate(zip(outputs, labels, strict=True))
        for predicate, value in said.items()
    )


def successes(k: int, n: int) -> list[dict[str, str]]:
    return [{"ground": "yes", "suff": "yes" if at < k else "no"} for at in range(n)]


def run_of(release, system, track="raw", condition="") -> Run:
    return Run.objects.create(release=release, system=system, track=track, condition=condition)


@pytest.mark.slow
def test_table_2_oracle_coverage_gap_and_alternative_sources(release):
    judge = JudgeFactory()
    for name, (won, given, materialised, other, _) in TABLE_2.items():
        system = SystemFactory(slug=name, name=name)
        payloads = [ELSEWHERE if at < other else CITED for at in range(SIZE)]
        enter(judge, run_of(release, system), payloads, successes(won, SIZE))
        oracle = run_of(release, system, condition="oracle")
        enter(judge, oracle, [ELSEWHERE] * materialised, successes(given, materialised))
    document = condition_document(release)
    [table, _] = condition_sections(conditions(release))["tables"]
    rows = {row["name"]: [figure.cell or figure.words for figure in row["cells"]] for row in table["rows"]}
    gaps = {row["name"]: row["unpaired"] for row in table["differences"]}
    for (name, (won, given, materialised, other, gap)), share in zip(
        TABLE_2.items(), ALT_SHARES, strict=True
    ):
        usual, coverage, oracle, rate, of_successes = rows[name]
        assert usual.counts == f"{won}/200"
        assert coverage.endswith(f"({materialised}/200)")
        assert oracle.counts == f"{given}/{materialised}"
        assert gaps[name] == gap
        assert (rate.counts, of_successes.counts) == (f"{other}/200", f"{other}/{won}")
        assert of_successes.value == share
    # Wilson of Claude's Oracle ToolAcc, 9/71: [6.81, 22.37] in STATISTICS 2A.
    ends = [
        round(100 * end, 2)
        for end in document["tables"][0]["systems"][0]["cells"]["oracle"]["estimate"]["ci"]
    ]
    assert ends == [6.81, 22.37]
    # Table 6 counts 74 for any and 66 for every run; here the runs are nested, so every run has the smallest's 67.
    assert document["tables"][0]["columns"][1]["coverage"] == {
        "title": "OracleCoverage",
        "any": 74,
        "every": 67,
        "of": 200,
    }


def test_table_7_leaves_lost_judgments_out_and_bounds_the_value(release):
    judge, system = JudgeFactory(), SystemFactory(slug="grok", name="grok")
    for (track, condition), (k, n) in GROK.items():
        predicate = "query_match" if track == "assisted" else "anchor_match"
        labels = [{predicate: "yes" if at < k else "uncertain"} for at in range(SIZE)]
        run = run_of(release, system, track, condition)
        enter(judge, run, [ELSEWHERE] * SIZE, labels, lost=SIZE - n)
    [_, table] = condition_sections(conditions(release))["tables"]
    [row] = table["rows"]
    shown = [(figure.cell.value, figure.cell.counts, figure.bounds) for figure in row["cells"]]
    assert shown == [
        ("24.4 %", "48/197", "24.0 and 25.5 %"),  # 48/200 and 51/200
        ("27.0 %", "54/200", ""),
        ("27.5 %", "55/200", ""),
        ("26.5 %", "53/200", ""),
        ("55.6 %", "110/198", "55.0 and 56.0 %"),  # 110/200 and 112/200
    ]
