"""Each protocol from its sample files to a printed report: what is scored is what was clicked and what a model said.

The sample is imported by the commands that a user types, a model behind a local server judges every output, a
coordinator sets up a campaign in the browser and reviewers grade it there. The expected numbers are derived here
from the record of the clicks and of the model's replies, and from the sample's files.
"""

import io
import json
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.core.management import call_command
from django.db import connection
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from annotation.models import Assignment
from benchmark.protocols import get_protocol
from benchmark.subjects import Subject
from judging.runs.actions import create_judge
from reports.printing.jobs import print_next
from tests.browser.recorded_judge import RecordedJudge
from tests.browser.setting_up import close, set_up, set_up_audit
from tests.conftest import member
from tests.llm.server import serving
from tests.reports.reading_pdf import text_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SAMPLE = Path(__file__).parents[2] / "sample"
DOMAINS = (
    "algebra_number_theory",
    "analysis_pde",
    "combinatorics_discrete",
    "geometry_topology",
    "probability_statistics_control",
)
PATIENCE = 60_000  # milliseconds; a machine may have much to do
SERVES = ("exact", "equivalent", "stronger")


@dataclass(frozen=True)
class Study:
    """What is imported, asked and graded of a protocol; `rubric` is "" where the judge is audited."""

    protocol: str
    systems: dict[str, str]  # to the file or folder of its outputs
    reviewers: int
    rubric: str = ""
    drawn: int = 0  # items of the campaign under that rubric: one of each domain
    problems: int = 1000  # so many of the sample's first ones are imported
    predicates: tuple[str, ...] = ()
    metrics: dict[str, tuple[str, ...]] = field(default_factory=dict)  # to the predicates that must be yes
    stratum: Callable[..., str] = lambda label: label  # of the judge's labels, in the order of `predicates`

    @property
    def release(self) -> str:
        return f"five-{self.protocol.replace('_', '-')}"


STUDIES = [
    Study(
        "re2math",
        {"aurora": "outputs-aurora.jsonl"},
        reviewers=1,
        predicates=("ground", "suff"),
        metrics={"tool_acc": ("ground", "suff"), "ground_rate": ("ground",)},
        stratum=lambda ground, suff: ground and (f"yes, {suff == 'yes'}" if ground == "yes" else "no"),
    ),
    Study(
        "proofs",
        {"aurora": "outputs/aurora", "basalt": "outputs/basalt"},
        reviewers=2,
        rubric="proofs-v1",
        drawn=2,
        problems=3,
        predicates=("prefer",),
    ),
    Study(
        "lemmas",
        {"aurora": "outputs-aurora.jsonl"},
        reviewers=1,
        predicates=("accepted",),
        metrics={"acceptance": ("accepted",)},
    ),
    Study(
        "masked_steps",
        {"aurora": "outputs-aurora.jsonl"},
        reviewers=1,
        predicates=("equivalent",),
        metrics={"avg_at_4": ("equivalent",)},
    ),
    Study(
        "theorem_search",
        {"aurora": "run-aurora.csv"},
        reviewers=1,
        rubric="theorem-search-relevance-v1",
        drawn=5,
    ),
]
Result = TypeVar("Result")
Clicks = dict[tuple[str, str, str], list[str]]  # subject, question and step ("" for none) to what was clicked


def off_the_loop(verb: Callable[[], Result]) -> Result:
    """The verb's result from a thread of its own: in this one the browser's event loop runs."""

    def run() -> Result:
        try:
            return verb()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def command(*words: str, **options: Any) -> Any:
    """What a command prints; read as JSON where --json is given."""
    said = io.StringIO()
    off_the_loop(lambda: call_command(*words, stdout=said, **options))
    return json.loads(said.getvalue()) if options.get("json") else said.getvalue()


def first_problems(study: Study, folder: Path) -> Path:
    """The sample's folder; where fewer problems are wanted, a copy with those alone, one document for each."""
    if study.problems >= 1000:
        return SAMPLE / study.protocol
    lines = (SAMPLE / study.protocol / "release.jsonl").read_text("utf-8").splitlines()[: study.problems]
    (folder / "release.jsonl").write_text("\n".join(lines), "utf-8")
    for file in study.systems.values():
        (folder / file).mkdir(parents=True)
        for key in (json.loads(line)["instance_id"] for line in lines):
            [document] = (SAMPLE / study.protocol / file).glob(f"{key}.*")
            shutil.copy(document, folder / file)
    return folder


def patient(page: Page) -> Page:
    page.set_default_timeout(PATIENCE)
    return page


def imported(study: Study, folder: Path) -> None:
    command("import_release", study.protocol, str(folder / "release.jsonl"), release=study.release)
    for system, file in study.systems.items():
        command("import_outputs", str(folder / file), release=study.release, system=system)


def judged(study: Study, settings: Any) -> RecordedJudge:
    """The record of a model that was asked about every output, or pair of outputs, of the release."""
    model = RecordedJudge(get_protocol(study.protocol))
    with serving(model) as server:
        endpoint = {"base_url": server.url, "private": True, "max_concurrency": 8}
        settings.JUDGE_ENDPOINTS = json.dumps({"local": endpoint})
        reader = {"slug": "reader", "protocol": study.protocol, "model": "m", "endpoint": "local"}
        off_the_loop(lambda: create_judge(actor=None, **reader))
        asked = list(study.predicates)
        done = command("judge", release=study.release, judge="reader", predicate=asked, json=True)
    assert done["state"] == "done"
    assert done["done"] == done["tasks"] > 0
    return model


def graded(page: Page, by_chance: random.Random, clicks: Clicks) -> None:
    """Work through a queue with the mouse; required questions get an answer by lot."""
    page.goto("/grading/")
    while page.get_by_role("button", name="Grade next").count():
        with page.expect_navigation():
            page.get_by_role("button", name="Grade next").click()
        while "/grading/items/" in page.url:
            expect(page.locator("#clock")).not_to_be_empty(timeout=PATIENCE)  # its scripts are there
            before = page.url
            subject = subject_at(before)
            for question, step, name, values in offered(page):
                value = by_chance.choice(values)
                page.locator(f'label:has([name="{name}"][value="{value}"])').click()
                clicks[subject, question, step].append(value)
            page.get_by_role("button", name="Submit").click()
            page.wait_for_url(lambda address, left=before: address != left)


def subject_at(address: str) -> str:
    item = (
        Assignment.objects.select_related("item__output__run__system", "item__instance")
        .get(handle=address.rstrip("/").rpartition("/")[2])
        .item
    )
    return str(Subject(item.instance.key, item.output.run.system.slug, item.output.attempt, "raw"))


def offered(page: Page) -> list[tuple[str, str, str, list[str]]]:
    """(question, step, name of the radios, values) of everything that has to be chosen on the page."""
    return page.locator('fieldset[data-question][data-required="yes"]').evaluate_all(
        """(sets) => sets.flatMap((set) => {
            const names = new Map();
            for (const radio of set.querySelectorAll("input[type=radio]")) {
                const step = radio.closest("[data-step]")?.dataset.step ?? "";
                if (!names.has(radio.name)) names.set(radio.name, [set.dataset.question, step, radio.name, []]);
                names.get(radio.name)[3].push(radio.value);
            }
            return [...names.values()];
        })"""
    )


def printed(page: Page, study: Study, folder: Path) -> Path:
    """The report, asked for on its page and printed as a worker prints it."""
    page.goto(f"/reports/releases/{study.release}/printed/")
    page.get_by_role("button", name="Print").click()
    assert off_the_loop(print_next)
    page.reload()
    reply = page.request.get(str(page.get_by_role("link", name="Download").get_attribute("href")))
    (folder / "report.pdf").write_bytes(reply.body())
    return folder / "report.pdf"


@dataclass(frozen=True)
class Known:
    """What the sample's files say of an output: who wrote it, its state, and the questions a judge is asked of it."""

    system: str
    state: str
    labels: dict[str, str]  # predicate to what the model said; empty for what it was not asked


def known_outputs(study: Study, model: RecordedJudge) -> dict[str, Known]:
    """Every output of the sample by its subject, read from the files and from the record of the model."""
    protocol = get_protocol(study.protocol)
    folder = SAMPLE / study.protocol
    problems = {row.key: row.payload for row in protocol.read_release(folder / "release.jsonl")}
    found = {}
    for system, file in study.systems.items():
        for row in protocol.read_outputs(folder / file):
            fields = (
                {
                    predicate: protocol.prompt_fields(
                        predicate, problems[row.instance], row.payload, row.text
                    )
                    for predicate in study.predicates
                }
                if row.state == "answered"
                else {}
            )
            labels = {predicate: model.answer(predicate, asked) for predicate, asked in fields.items()}
            found[f"{row.instance}/{system}/{row.attempt}"] = Known(system, row.state, labels)
    return found


def check_judged(study: Study, outputs: dict[str, Known], score: dict[str, Any]) -> None:
    """A success has yes on every label the metric needs; every output of the run is in the denominator."""
    for metric, needs in study.metrics.items():
        for system in study.systems:
            own = [known for known in outputs.values() if known.system == system]
            right = sum(all(known.labels.get(key) == "yes" for key in needs) for known in own)
            found = score["judge"]["systems"][system]["metrics"][metric]["estimate"]
            assert (found["k"], found["n"]) == (right, len(own))
            assert found["n_abstain"] == sum(known.state != "answered" for known in own)


def check_audited(study: Study, outputs: dict[str, Known], clicks: Clicks, score: dict[str, Any]) -> None:
    """One output of each stratum h was read, so the corrected score is the sum of y_h N_h / N."""
    [audit] = score["judge"]["audits"]
    strata = {
        subject: study.stratum(*known.labels.values())
        for subject, known in outputs.items()
        if known.state == "answered"
    }
    sizes = Counter(strata.values())
    read = {subject for subject, _, _ in clicks}
    assert sorted(strata[subject] for subject in read) == sorted(sizes)
    for metric, needs in study.metrics.items():
        cells: Counter[str] = Counter()
        corrected = 0.0
        for subject in read:
            judge = [outputs[subject].labels[key] for key in needs]
            expert = [clicks[subject, key, ""][0] for key in needs]
            judged_right, right = set(judge) == {"yes"}, set(expert) == {"yes"}
            corrected += right * sizes[strata[subject]] / len(outputs)
            if {*judge, *expert} <= {"yes", "no"}:
                cells[("t" if judged_right == right else "f") + ("p" if judged_right else "n")] += 1
        found = audit["metrics"][metric]
        assert {cell: found["in_sample"][cell] for cell in ("tp", "fp", "fn", "tn")} == {
            cell: cells[cell] for cell in ("tp", "fp", "fn", "tn")
        }
        assert found["corrected_pooled"]["estimate"]["value"] == pytest.approx(corrected)


def check_clicks(study: Study, clicks: Clicks, score: dict[str, Any]) -> None:
    """Every label is counted under its question and system, and numbers are averaged over all labels."""
    [campaign] = score["experts"]
    asked = {question for _, question, _ in clicks}
    assert campaign["closed"]
    for question in asked:
        for system, found in campaign["questions"][question]["systems"].items():
            own = [
                value
                for (subject, about, _), values in clicks.items()
                if about == question and subject.split("/")[1] == system
                for value in values
            ]
            counted = found.get("labels", found.get("steps"))
            if counted is None:
                mean = sum(map(float, own)) / len(own)
                assert found["micro"]["value"] == pytest.approx(mean)
                assert found["micro"]["n"] == len(own)
            else:
                assert {value: n for value, n in counted.items() if n} == Counter(own)


def check_read_twice(clicks: Clicks, score: dict[str, Any]) -> None:
    """By the conservative rule a proof is correct if both of its readers say so."""
    for system, found in score["experts"][0]["questions"]["correctness"]["systems"].items():
        read = [
            values
            for (subject, question, _), values in clicks.items()
            if question == "correctness" and subject.split("/")[1] == system
        ]
        assert all(len(values) == 2 for values in read)
        estimate = found["conservative"]["estimate"]
        both = sum(values == ["correct", "correct"] for values in read)
        assert (estimate["k"], estimate["n"]) == ((both, len(read)) if read else (None, 0))


def check_pairs(study: Study, model: RecordedJudge, folder: Path) -> None:
    """A system wins a pair that the model gave it in both orders; an answer that turns with the order is a tie."""
    protocol = get_protocol(study.protocol)
    of_aurora, of_basalt = (
        {row.instance: (row.payload, row.text) for row in protocol.read_outputs(folder / file)}
        for file in study.systems.values()
    )
    results: Counter[str] = Counter()
    for row in protocol.read_release(folder / "release.jsonl"):
        one, other = of_aurora[row.key], of_basalt[row.key]
        straight, turned = (
            model.answer("prefer", protocol.pair_fields("prefer", row.payload, *shown))
            for shown in ((one, other), (other, one))
        )
        results["tie" if straight == turned else {"first": "aurora", "second": "basalt"}[straight]] += 1
    (folder / "labels.csv").write_text(command("export_labels", release=study.release), "utf-8")
    found = command("analyse", "pairs", str(folder / "labels.csv"), question="prefer", json=True)
    wins = {row["system"]: (row["wins"], row["losses"], row["ties"]) for row in found["systems"]}
    won, lost, tied = (results[key] for key in ("aurora", "basalt", "tie"))
    assert wins == {"aurora": (won, lost, tied), "basalt": (lost, won, tied)}


def check_search(clicks: Clicks, score: dict[str, Any]) -> None:
    """sample/README.md: of Aurora's eight first results five are right, and all answers are among the first ten."""
    measured = score["measured"]["systems"]["aurora"]
    for key, successes in (("theorem_p_at_1", 5), ("theorem_hit_at_10", 8)):
        assert (measured[key]["estimate"]["k"], measured[key]["estimate"]["n"]) == (successes, 8)
    lists: dict[str, dict[int, str]] = defaultdict(dict)
    for (subject, _, step), [value] in clicks.items():
        lists[subject][int(step.removeprefix("b"))] = value
    hits, reciprocal = [], []
    for own in lists.values():
        in_order = [own[place] for place in sorted(own)]
        if "not_assessed" not in in_order:  # no list is longer than ten
            served = [rank for rank, value in enumerate(in_order, start=1) if value in SERVES]
            hits.append(bool(served))
            reciprocal.append(1 / served[0] if served else 0)
    found = score["experts"][0]["questions"]["relevance"]["systems"]["aurora"]["measures"]
    for key, values in (("expert_hit_at_10", hits), ("expert_mrr_at_20", reciprocal)):
        assert found[key]["estimate"]["n"] == len(values) > 0
        assert found[key]["estimate"]["value"] == pytest.approx(sum(values) / len(values))


def shares(study: Study, score: dict[str, Any]) -> set[str]:
    """What the tables of the score must show of the judge's metrics, or of the measure P@1, as "k/n"."""
    if study.metrics:
        scored = score["judge"]["systems"].values()
        estimates = [own["metrics"][metric]["estimate"] for own in scored for metric in study.metrics]
    else:
        measured = score.get("measured", {"systems": {}})["systems"].values()
        estimates = [own["theorem_p_at_1"]["estimate"] for own in measured]
    return {f"{found['k']}/{found['n']}" for found in estimates}


def check_report(page: Page, study: Study, score: dict[str, Any], items: int, folder: Path) -> None:
    """The page shows the numbers, and the printed report has them in front and a place for every item."""
    page.goto(f"/reports/releases/{study.release}/numbers/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("All numbers")
    on_the_page = page.locator("main").inner_text()
    assert not [share for share in shares(study, score) if share not in on_the_page]
    path = printed(page, study, folder)
    reader = PdfReader(path)
    assert len(reader.outline) == items
    starts = [reader.get_destination_page_number(entry) for entry in reader.outline]
    assert 0 < starts[0] <= starts[-1] < len(reader.pages)
    assert all(page.extract_text().strip() for page in reader.pages)
    text = text_of(path)
    assert "What the experts say" in text
    assert all(system in text for system in study.systems)
    assert not [share for share in shares(study, score) if share not in text]


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.protocol)
def test_what_is_scored_is_what_was_clicked_and_what_the_model_said(
    study, sign_in, coordinator, settings, tmp_path
):
    settings.REPORT_DIR = tmp_path / "reports"
    folder = first_problems(study, tmp_path)
    imported(study, folder)
    model = judged(study, settings) if study.predicates else None
    reviewers = [
        member(f"reviewer{number}@study.test", f"Reviewer {number}", "reviewer", *DOMAINS)
        for number in range(study.reviewers)
    ]
    page = patient(sign_in(coordinator))
    if study.rubric:
        places = {"extent": "sample", "each": "1"}
        draw = f"Draw {study.drawn} items and plan"
        set_up(page, "Round", study.rubric, draw=draw, reviewers=study.reviewers, **places)
    else:
        set_up_audit(page, study.release, "Round", reviewers=study.reviewers)
    clicks: Clicks = defaultdict(list)
    by_chance = random.Random(20261122)
    for reviewer in reviewers:
        graded(patient(sign_in(reviewer)), by_chance, clicks)
    close(page, "round")

    score = command("score", release=study.release, json=True)
    check_clicks(study, clicks, score)
    if study.metrics:
        outputs = known_outputs(study, model)
        check_judged(study, outputs, score)
        check_audited(study, outputs, clicks, score)
    elif model:
        check_read_twice(clicks, score)
        check_pairs(study, model, folder)
    else:
        check_search(clicks, score)
    check_report(page, study, score, len({subject for subject, _, _ in clicks}), tmp_path)
