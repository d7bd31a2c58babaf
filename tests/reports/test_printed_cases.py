"""Re2Math's case tables F.2, F.8 and F.9, printed in the paper, come out of imported outputs row by row."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from benchmark.importing.outputs import import_outputs
from benchmark.models import Instance, Output
from benchmark.releases.actions import import_release
from judging.runs.actions import PublishedVerdict, imported_judge, store_published
from tests.documents import case_document
from tests.reports.test_stages import candidate, sure
from tests.stats.real_data import DATA, real_file

pytestmark = [pytest.mark.django_db, pytest.mark.real_data]
MODELS = (
    "GPT-5.2",
    "Gemini 3.1 Pro",
    "Claude Opus 4.5",
    "DeepSeek V3.2",
    "Qwen3-235B Thinking",
    "Kimi K2 Thinking",
    "Grok 4",
)
COLUMNS = ("plan", "query", "cite_recall_20", "ground", "suff", "tool")
ROW = re.compile(rf"({'|'.join(map(re.escape, MODELS))}) (.+?)((?: (?:Y|N|\\bot)){{6}}) (.+)")
WORDS = {"Y": "yes", "N": "no", "\\bot": ""}


def printed(section: str) -> tuple[str, list[tuple[str, str, list[str], str]]]:
    """Of a section of the appendix: the instance, and of each model its query, its six marks and its source."""
    [path] = sorted(DATA.parent.joinpath("papers").glob("000_*.txt"))
    text = path.read_text(encoding="utf-8")
    body = text[text.index(f"\n{section} ") :]
    found = [ROW.fullmatch(line) for line in body[: body.index("\nMechanistic diagnosis.")].splitlines()]
    rows = [(row[1], row[2], row[3].split(), row[4]) for row in found if row]
    instance = re.search(r"Instance\. (\S+_gap_\d+)\.", body)
    assert instance
    assert [row[0] for row in rows] == list(MODELS)
    return instance[1], rows


def line_of(gap: dict, query: str, marks: list[str], source: str) -> dict:
    """An output that ended as the row says: with a candidate that is the cited source, and with a statement."""
    candidates = [candidate(gap["z"], "miss")]
    if marks[2] == "Y":
        candidates.append(candidate(gap["z"], "hit"))
    line = {"instance_id": gap["instance_id"], "query": query, "planning_anchor": "a tool"}
    line["candidates"] = candidates
    if source != "none":
        line["selected_source"] = {"title": source}
    late = {"state": "abstained", "abstained": True}
    return line | (late if marks[3] == "\\bot" else {"statement": "Every x is bounded."})


@pytest.mark.parametrize("section", ["F.2", "F.8", "F.9"])
def test_every_row_of_a_printed_case_is_shown_as_it_is_printed(section, tmp_path, owner):
    path = real_file("re2math", "benchmark_dataset_eval200.jsonl")
    key, rows = printed(section)
    gap = next(json.loads(row) for row in path.read_text("utf-8").splitlines() if f'"{key}"' in row)
    one = tmp_path / "release.jsonl"
    one.write_text(json.dumps(gap) + "\n")
    import_release(actor=None, protocol="re2math", path=one, name="cases")
    release = Instance.objects.get(key=key).release
    assert "samehit" in sure([gap])[key] or all(marks[2] == "N" for _, _, marks, _ in rows)
    judge = imported_judge(actor=None, slug="paper", protocol="re2math", published_as="paper")
    for number, (model, query, marks, source) in enumerate(rows):
        file = tmp_path / f"{number}.jsonl"
        file.write_text(json.dumps(line_of(gap, query, marks, source)) + "\n")
        for track in ("raw", "assisted"):
            import_outputs(
                actor=None, path=file, release=release, system=f"m{number}", system_name=model, track=track
            )
        said = dict(zip(("anchor_match", "query_match", "", "ground", "suff"), marks, strict=False))
        of_track = {"raw": ("anchor_match", "ground", "suff"), "assisted": ("query_match",)}
        store_published(
            judge=judge,
            verdicts=[
                PublishedVerdict(
                    output=output, predicate=predicate, value=WORDS[said[predicate]], state="answered"
                )
                for output in Output.objects.filter(run__system__slug=f"m{number}").select_related("run")
                for predicate in of_track[output.run.track]
                if said[predicate] != "\\bot"
            ],
        )
    document = case_document(
        Instance.objects.select_related("release__benchmark").get(key=key), judge="paper"
    )
    shown = {row["name"]: row["cells"] for row in document["rows"]}
    for model, query, marks, source in rows:
        cells = shown[model]
        assert [cells[column]["value"] for column in COLUMNS] == [WORDS[mark] for mark in marks], model
        assert cells["query_text"]["value"] == query
        assert cells["source"] == (
            {"value": "", "state": "nothing"} if source == "none" else {"value": source, "state": "answered"}
        )
    client = Client()
    client.force_login(owner)
    page = client.get(reverse("case-study", args=["cases", key])).content.decode()
    assert all(f">{model}</th>" in page for model in MODELS)
    rest = client.get(reverse("api-case", args=["cases", key]), {"judge": "paper"}).json()
    assert [row["cells"]["tool"]["value"] for row in rest["rows"]] == [
        WORDS[marks[5]] for _, _, marks, _ in sorted(rows, key=lambda row: MODELS.index(row[0]))
    ]
