"""Published counts as files of labels: imported like anybody's, they give the published tables with denominators.

RMA Table 1 (44 judgments of each system on First Proof) and LemmaBench Tables 2 to 4.
"""

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.refusal import Refused
from annotation.models import Campaign
from benchmark.importing.outputs import import_outputs
from benchmark.models import Release
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from benchmark.releases.queries import runs_with_states
from benchmark.tuples.actions import declare_tuple
from reports.artifact.freezing import freeze_artifact
from reports.artifact.verification import verify
from reports.core.choosing import choose
from reports.labels.exporting import csv_lines
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from reports.scores.document import score
from reports.scores.inputs import Inputs, collect
from reports.scores.text import score_text
from reports.scores.views import page_context
from stats.core.display import rounded_percent
from tests.benchmark.files import CONTEXT, LEMMA, PROBLEM, PROOF, STEPS, write_lines
from tests.documents import judge_audit_document, matrix_document, score_document

pytestmark = pytest.mark.django_db
Row = dict[str, str]
VALUES = ("correct", "inconclusive", "incorrect")
WITHHELD = {"state": "not_released", "text": ""}
ALL_WRONG = "003 003 005 005 004 005 004 005 005 005"
# RMA Table 1 (STATISTICS.md 2A): correct, inconclusive and incorrect judgments of problems 1 to 10; - not released.
TABLE_1 = {
    "gpt-52r": "120 210 005 500 400 230 004 005 140 500",
    "aletheia": "- 300 - - 400 - 400 320 500 500",
    "gpt-dr": ALL_WRONG,
    "gemini-dr": ALL_WRONG,
    "opus-46": "003 003 005 005 004 005 004 005 005 320",
    "agenticr": "003 003 005 032 400 023 004 005 500 500",
    "rma": "300 300 005 500 400 500 400 230 500 500",
}


def imported(protocol: str, name: str, instances: Path, outputs: dict[str, Path]) -> Release:
    import_release(actor=None, protocol=protocol, path=instances, name=name)
    release = Release.objects.select_related("benchmark").get(name=name)
    for system, path in outputs.items():
        import_outputs(actor=None, path=path, release=release, system=system)
    return release


def table(path: Path, rows: Iterable[Row]) -> Path:
    rows = list(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def judgments(system: str) -> Iterator[Row]:
    """A row for each judgment of Table 1: three to five experts read a problem."""
    for problem, counts in enumerate(TABLE_1[system].split(), start=1):
        digits = [] if counts == "-" else map(int, counts)
        said = [value for value, n in zip(VALUES, digits, strict=False) for _ in range(n)]
        for expert, value in enumerate(said, start=1):
            yield {
                "campaign": "table-1",
                "rater_kind": "expert",
                "rater": f"expert {expert} of problem {problem}",
                "question": "correctness",
                "subject": f"p{problem:02}/{system}/1",
                "value": value,
            }


@pytest.fixture
def first_proof(tmp_path) -> Release:
    problems = [PROBLEM | {"instance_id": f"p{number:02}"} for number in range(1, 11)]
    outputs = {}
    for system, counts in TABLE_1.items():
        lines = [
            PROOF | {"instance_id": f"p{at:02}"} | (WITHHELD if count == "-" else {})
            for at, count in enumerate(counts.split(), start=1)
        ]
        outputs[system] = write_lines(tmp_path / f"{system}.jsonl", *lines)
    path = write_lines(tmp_path / "problems.jsonl", *problems)
    release = imported("proofs", "first-proof", path, outputs)
    rows = (row for system in TABLE_1 for row in judgments(system))
    import_labels(actor=None, path=table(tmp_path / "labels.csv", rows), release=release)
    return release


@pytest.mark.parametrize(
    ("system", "labels", "conservative", "majority"),
    [
        ("gpt-52r", (20, 10, 14), (3, 4, 3), (4, 3, 3)),
        ("aletheia", (24, 2, 0), (5, 1, 0), (6, 0, 0)),
        ("gpt-dr", (0, 0, 44), (0, 0, 10), (0, 0, 10)),
        ("gemini-dr", (0, 0, 44), (0, 0, 10), (0, 0, 10)),
        ("opus-46", (3, 2, 39), (0, 1, 9), (1, 0, 9)),
        ("agenticr", (14, 5, 25), (3, 2, 5), (3, 1, 6)),
        ("rma", (36, 3, 5), (8, 1, 1), (8, 1, 1)),
    ],
)
def test_rma_table_1_from_imported_labels_by_both_aggregations(
    first_proof, system, labels, conservative, majority
):
    """Totals and conservative rows as printed, less Aletheia's four without a release; majority by STATISTICS.md 2A."""
    (campaign,) = score_document(collect(release=first_proof))["experts"]
    found = campaign["questions"]["correctness"]["systems"][system]
    assert tuple(found["labels"].values()) == labels
    for name, counts in (("conservative", conservative), ("majority", majority)):
        assert tuple(found[name]["counts"].values()) == counts
        estimate = found[name]["estimate"]
        assert (estimate["k"], estimate["n"]) == (counts[0], sum(counts))


def test_every_system_but_the_partly_released_one_has_44_judgments(first_proof):
    totals = {system: len(list(judgments(system))) for system in TABLE_1}
    assert totals == {**dict.fromkeys(TABLE_1, 44), "aletheia": 26}
    assert len(list(label_rows(first_proof))) == 290


@pytest.mark.slow
def test_what_aletheia_did_not_release_is_a_state_of_its_own_and_nowhere_wrong(
    first_proof, client, coordinator
):
    """Table 1 marks four problems with a dash: they have no judgment and no place in a denominator."""
    marked = {run.system.slug: (run.not_released, run.missing) for run in runs_with_states(first_proof)}
    assert marked == {**dict.fromkeys(TABLE_1, (0, 0)), "aletheia": (4, 0)}
    inputs = collect(release=first_proof)
    found = score_document(inputs)
    six = {"outputs": 6, "answered": 6, "abstained": 0, "failed": 0}
    assert found["systems"]["aletheia"] == {**six, "not_released": 4}
    assert "not_released" not in found["systems"]["rma"]
    assert score_document(Inputs.from_json(json.loads(json.dumps(inputs.as_json())))) == found
    assert "aletheia: 4 not released, in no denominator" in score_text(score(inputs))
    client.force_login(coordinator)
    assert "Not released" in client.get(reverse("score-numbers", args=["first-proof"])).content.decode()
    pages = [client.get(reverse("instance", args=["first-proof", key])) for key in ("p01", "p02")]
    told = ["have not published the output" in page.content.decode() for page in pages]
    assert told == [True, False]


def test_a_reader_who_counts_what_was_not_released_as_incorrect_finds_the_printed_rate(first_proof):
    """STATISTICS.md 1.5 asks for both: 5 of the 6 released, and Table 1's 5 of 10 (Wilson [23.7, 76.3], 2A)."""
    (campaign,) = score_document(collect(release=first_proof))["experts"]
    systems = campaign["questions"]["correctness"]["systems"]
    found = systems["aletheia"]["not_released"]
    against = found["counted_against"]
    assert (found["problems"], against["k"], against["n"]) == (4, 5, 10)
    assert [rounded_percent(end) for end in against["ci"]] == ["23.7", "76.3"]
    assert [name for name, part in systems.items() if "not_released" in part] == ["aletheia"]


@pytest.fixture
def withheld(first_proof, tmp_path) -> Release:
    """First Proof with a system of which nothing was released."""
    lines = [PROOF | WITHHELD | {"instance_id": f"p{at:02}"} for at in range(1, 11)]
    path = write_lines(tmp_path / "secret.jsonl", *lines)
    import_outputs(actor=None, path=path, release=first_proof, system="secret")
    return first_proof


def test_a_system_of_which_nothing_was_released_stands_in_every_form_with_its_state_and_no_zero(
    withheld, client, coordinator
):
    found = score_document(collect(release=withheld))
    assert found["not_released"] == {"secret": 10}
    assert "secret" not in found["systems"]
    (campaign,) = found["experts"]
    assert "secret" not in campaign["questions"]["correctness"]["systems"]
    typed = score(collect(release=withheld))
    assert "secret: not released (10 problems), in no denominator" in score_text(typed)
    client.force_login(coordinator)
    page = client.get(reverse("score-numbers", args=["first-proof"])).content.decode()
    answer = client.get(reverse("api-score", args=["first-proof"]))
    assert answer.json()["not_released"] == {"secret": 10}
    printed = render_to_string("reports/scores/report.html", page_context(choose(withheld, {}), typed))
    row = '<th scope="row">secret</th><td colspan="{}" class="reason">not released (10 problems)'
    for html, captions in ((page, ("Outputs of every system", "Judgments")), (printed, ("Judgments",))):
        tables = [part.split("</table>")[0] for part in html.split("<table")[1:]]
        for caption in captions:
            (table,) = (one for one in tables if caption in one and "secret" in one)
            assert row.format(table.count('<th scope="col"') - 1) in table, (
                "it spans all columns but the name"
            )


def test_what_was_not_released_is_of_the_tuple_of_its_run(withheld):
    """A run of no tuple stays out of a table of one, and in that of the runs of none."""
    june = {"split": "all", "retrieval": "none", "materialisation": "none", "scoring": "experts"}
    runs = withheld.runs.filter(system__slug="rma")
    declare_tuple(actor=None, release=withheld, name="june", evaluated_on=date(2026, 6, 1), runs=runs, **june)
    assert "not_released" not in score_document(collect(release=withheld, frozen_tuple="june"))
    assert score_document(collect(release=withheld, frozen_tuple="none"))["not_released"] == {"secret": 10}


@pytest.mark.slow
def test_an_artifact_with_marks_of_what_was_not_released_verifies(withheld):
    """The hashes of the runs cover the marks, so the chain from outputs to runs has to as well."""
    freeze_release(actor=None, release=withheld)
    withheld.refresh_from_db()
    document = json.loads(freeze_artifact(actor=None, release=withheld).content)
    assert verify(document).differences == ()
    changed = {**document, "inputs": {**document["inputs"], "unreleased": []}}
    assert verify(changed).differences


def test_nothing_is_compared_across_the_groups_of_an_ablation(first_proof, tmp_path):
    """RMA Table 3: a win rate belongs to its group. A group is a track; a pair over two tracks is refused, with why."""
    for track, system in (("rounds", "n-5"), ("verifiers", "k-3")):
        path = write_lines(tmp_path / f"{system}.jsonl", PROOF | {"instance_id": "p01"})
        import_outputs(actor=None, path=path, release=first_proof, system=system, track=track)
    pair = {
        "campaign": "table-3", "rater_kind": "expert", "rater": "expert", "question": "preference",
        "subject": "p01/k-3@verifiers|n-5@rounds/1", "order": "1", "value": "first",
    }  # fmt: skip
    with pytest.raises(Refused, match=r"line 2, field subject: .*nothing is compared across them"):
        import_labels(actor=None, path=table(tmp_path / "pairs.csv", [pair]), release=first_proof)
    judged = pair | {"rater_kind": "judge", "question": "prefer", "judge_version": "j-v1"}
    with pytest.raises(Refused, match="nothing is compared across them"):
        import_labels(actor=None, path=table(tmp_path / "pairs.csv", [judged]), release=first_proof)
    assert not Campaign.objects.filter(slug="table-3").exists()


AGREEMENT = {  # STATISTICS.md 2A: krippendorff and irrCAC on the 66 items, 290 ratings
    "krippendorff_alpha_nominal": 0.845750,
    "krippendorff_alpha_ordinal": 0.961273,
    "gwet_ac1": 0.889877,
}


@pytest.mark.slow
def test_the_agreement_of_rma_table_1(first_proof):
    (campaign,) = score_document(collect(release=first_proof))["experts"]
    found = campaign["agreement"]["correctness"]
    assert (found["n_items"], found["n_labels"], found["n_raters"]) == (66, 290, 44)
    assert {name: found["coefficients"][name]["value"] for name in AGREEMENT} == pytest.approx(
        AGREEMENT, abs=5e-7
    )


def test_the_exported_labels_analysed_give_the_same_agreement(first_proof, tmp_path):
    """As interval data on request, the fourth value: irrCAC's quadratic weights."""
    path = tmp_path / "exported.csv"
    path.write_text("".join(csv_lines(label_rows(first_proof))), "utf-8")
    out = StringIO()
    call_command("analyse", "agreement", str(path), "--level", "interval", "--json", stdout=out)
    (found,) = json.loads(out.getvalue())["questions"].values()
    wanted = AGREEMENT | {"krippendorff_alpha_interval": 0.951996}
    assert {name: found[name]["value"] for name in wanted} == pytest.approx(wanted, abs=5e-7)


def verdict(judge: str, question: str, subject: str, good: bool) -> Row:
    return {
        "rater_kind": "judge",
        "campaign": "",
        "rater": judge,
        "judge_version": f"{judge}-published",
        "question": question,
        "subject": subject,
        "value": "yes" if good else "no",
    }


def human(campaign: str, question: str, subject: str, good: bool) -> Row:
    label = verdict("humans", question, subject, good)
    return label | {"rater_kind": "expert", "campaign": campaign, "judge_version": ""}


def lemmas(tmp_path: Path, n: int, output: dict[str, object], counts: dict[str, int]) -> Release:
    """A release of n lemmas in which each system has an output to the first so many."""
    path = write_lines(
        tmp_path / "lemmas.jsonl",
        *(LEMMA | {"instance_id": f"l{at}", "paper": {"key": f"p{at}"}} for at in range(n)),
    )
    outputs = {
        system: write_lines(
            tmp_path / f"{system}.jsonl", *(output | {"instance_id": f"l{at}"} for at in range(given))
        )
        for system, given in counts.items()
    }
    return imported("lemmas", "lemmas", path, outputs)


@pytest.mark.slow
def test_lemmabench_table_2_from_imported_labels(tmp_path):
    """GPT-5 confirms 183 of Gemini's 254; experts confirm these and 17 of the 71 others. Gemini confirms 293 of 296."""
    release = lemmas(tmp_path, 296, CONTEXT, {"gemini-25": 254, "gpt-5": 296})
    rows = [verdict("gpt-5-judge", "self_contained", f"l{at}/gemini-25/1", at < 183) for at in range(254)] + [
        verdict("gemini-judge", "self_contained", f"l{at}/gpt-5/1", at < 293) for at in range(296)
    ]
    rows += [human("table-2", "self_contained", f"l{at}/gemini-25/1", at < 183 + 17) for at in range(254)]
    import_labels(actor=None, path=table(tmp_path / "labels.csv", rows), release=release)
    by_judge = {
        name: score_document(collect(release=release, judge=f"{name}-published"))["judge"]
        for name in ("gpt-5-judge", "gemini-judge")
    }
    passed = {
        ("gpt-5-judge", "gemini-25"): (183, 254, "72"),
        ("gemini-judge", "gpt-5"): (293, 296, "99"),
    }
    for (judge, system), (k, n, printed) in passed.items():
        found = by_judge[judge]["systems"][system]["metrics"]["self_contained_pass"]["estimate"]
        assert (found["k"], found["n"], rounded_percent(found["value"], places=0)) == (k, n, printed)
    (audit,) = by_judge["gpt-5-judge"]["audits"]
    inside = audit["metrics"]["self_contained_pass"]["in_sample"]
    assert [inside[cell] for cell in ("tp", "fp", "fn", "tn")] == [183, 0, 17, 54]  # 17 of the 71 rejected
    assert inside["precision"]["value"] == 1
    assert inside["recall"]["value"] == pytest.approx(183 / 200)


# LemmaBench Table 4: accepted proofs of 358 by generator (rows) and judge: GPT-5, Gemini 3 Pro, Opus 4.5.
TABLE_4 = {"gpt-5": (55, 67, 125), "gemini-3": (12, 57, 104), "opus-45": (6, 50, 60)}


@pytest.mark.slow
def test_lemmabench_table_4_from_imported_labels(tmp_path):
    release = lemmas(tmp_path, 358, STEPS, dict.fromkeys(TABLE_4, 358))
    rows = (
        verdict(f"judge-{judge}", "accepted", f"l{at}/{system}/1", at < accepted)
        for system, counts in TABLE_4.items()
        for judge, accepted in zip(TABLE_4, counts, strict=True)
        for at in range(358)
    )
    import_labels(actor=None, path=table(tmp_path / "labels.csv", rows), release=release)
    found = matrix_document(choose(release, {}), "acceptance")
    assert found["items"] == 358
    cells = {(cell["system"], cell["judge"]): cell["accepted"] for cell in found["cells"]}
    assert cells == {
        (system, f"judge-{judge}-published"): accepted
        for system, counts in TABLE_4.items()
        for judge, accepted in zip(TABLE_4, counts, strict=True)
    }
    assert {row["system"]: row["accepted"] for row in found["systems"]} == {
        "gpt-5": 247, "gemini-3": 173, "opus-45": 116,
    }  # fmt: skip
    assert sorted(row["accepted"] for row in found["judges"]) == [73, 174, 289]
    own = score_document(collect(release=release, judge="judge-gpt-5-published"))["judge"]["systems"]["gpt-5"]
    estimate = own["metrics"]["acceptance"]["estimate"]
    assert (estimate["k"], estimate["n"]) == (55, 358)


# LemmaBench Table 3: accepted proofs that experts accept too, of those they read (STATISTICS.md 2A), and Wilson.
TABLE_3 = {
    "gpt-5": (10, 12, "83", [0.552, 0.953]),
    "gemini-25": (8, 12, "67", [0.391, 0.862]),
    "deepseek-r": (16, 20, "80", [0.584, 0.919]),
}


def test_human_confidence_of_lemmabench_table_3_stands_in_the_judge_audit_by_system(tmp_path):
    release = lemmas(tmp_path, 20, STEPS, {system: read for system, (_, read, *_) in TABLE_3.items()})
    rows = []
    for system, (confirmed, read, *_) in TABLE_3.items():
        for at in range(read):
            rows.append(verdict("judge", "accepted", f"l{at}/{system}/1", True))
            rows.append(human("table-3", "accepted", f"l{at}/{system}/1", at < confirmed))
    import_labels(actor=None, path=table(tmp_path / "labels.csv", rows), release=release)
    (audit,) = judge_audit_document(collect(release=release), {})["audits"]
    for system, own in audit["metrics"]["acceptance"]["systems"].items():
        confirmed, read, printed, interval = TABLE_3[system]
        assert (own["precision"]["k"], own["precision"]["n"]) == (confirmed, read)
        assert rounded_percent(own["precision"]["value"], places=0) == printed
        assert own["precision"]["ci"] == pytest.approx(interval, abs=5e-4)
