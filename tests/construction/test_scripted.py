"""The model by fixed rules leads the sample papers through every recipe, and says what it has no rule for."""

import csv
import json
import tomllib
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from benchmark.importing.keys import PaperFields
from benchmark.models import Release
from construction.models import Build, Source
from construction.pipeline import Paper, Question, State, get_pipeline
from construction.recipes.passages import Drop
from construction.sample import load_builds
from construction.scripted import reply
from latex import flatten, outline
from llm.scripted import serving

SAMPLE = Path(__file__).resolve().parents[2] / "sample" / "construction"
SMALL = {
    "min_entries": 1, "min_statements": 1, "min_cited": 1, "min_cited_in_proofs": 1, "min_scout_score": 0, "quota": 1,
    "domains": ["analysis_pde", "algebra_number_theory", "combinatorics_discrete"],
}  # fmt: skip


def papers() -> list[Paper]:
    with (SAMPLE / "manifest.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    made = []
    for ordinal, row in enumerate(rows):
        files = {row["file"]: (SAMPLE / row["file"]).read_text(encoding="utf-8")}
        fields = PaperFields(key=row["key"], title=row["title"], year=int(row["year"]))
        found = outline(flatten(files, row["file"]), files)
        made.append(Paper(fields, row["domain"], found, ordinal, row["category"]))
    return made


def followed(protocol: str, paper: Paper, numbers: dict[str, Any]) -> list[State]:
    """What the recipe comes to when the scripted model has answered everything."""
    pipeline = get_pipeline(protocol)
    replies: dict[tuple[str, str], str] = {}
    for _ in range(10):
        states = list(pipeline.construct(paper, pipeline.recipe(numbers), replies, 1))
        asked = [(state.key, state.outcome) for state in states if isinstance(state.outcome, Question)]
        if not asked:
            return states
        for key, question in asked:
            said = reply({"messages": question.prompt.render(question.fields, "0a1b").messages})
            assert said is not None
            replies[key, question.stage] = said
    raise AssertionError("it never ends")


@pytest.mark.parametrize(
    ("protocol", "numbers", "lines", "codes"),
    [
        # Of nine proofs, three are short and three cite a work; the other three have a mask each with two variants, but
        # one has no formula behind its mask to truncate at.
        ("masked_steps", {}, 8, {"short_proof": 3, "external_citation": 3}),
        ("lemmas", {}, 6, {}),
        ("lemmas", {"context": "lexical"}, 6, {}),
        ("re2math", SMALL, 3, {"not_instrumental": 1}),  # the history of a question is not a tool
    ],
)
def test_the_sample_papers_come_to_lines_of_every_recipe(
    protocol: str, numbers: dict[str, Any], lines: int, codes: dict[str, int]
) -> None:
    states = [state for paper in papers() for state in followed(protocol, paper, numbers)]
    drops = [state.outcome.code for state in states if isinstance(state.outcome, Drop)]
    assert {code: drops.count(code) for code in drops} == codes
    assert sum(len(s.outcome) for s in states if not isinstance(s.outcome, Drop | Question)) == lines


def test_the_server_speaks_the_protocol_of_chat_completions_and_refuses_what_it_has_no_rule_for() -> None:
    with serving(lambda request: "42" if request["messages"][0]["content"] == "6 * 7?" else None) as server:

        def ask(body: bytes) -> Any:
            request = urllib.request.Request(f"{server.base_url}/chat/completions", body)
            with urllib.request.urlopen(request) as answer:  # a server of this test
                return json.load(answer)

        answered = ask(
            json.dumps({"model": "m", "messages": [{"role": "user", "content": "6 * 7?"}]}).encode()
        )
        assert answered["choices"][0]["message"]["content"] == "42"
        assert answered["usage"]["total_tokens"] > 0
        for body in (b'{"messages": [{"role": "user", "content": "Why?"}]}', b"no JSON", b"{}"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                ask(body)
            assert refused.value.code == 400
            refused.value.close()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_demo_has_a_finished_build_with_its_release_and_two_that_the_workers_go_on_with(
    owner: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("construction.builds.actions.ring", lambda: None)
    builds = tomllib.loads((SAMPLE.parent / "manifest.toml").read_text("utf-8"))["builds"]
    assert load_builds(actor=owner, folder=SAMPLE.parent, builds=builds) == 0
    assert Source.objects.count() == 3  # without an endpoint there are only the papers
    with serving(reply) as server:
        address = server.base_url
    settings.JUDGE_ENDPOINTS = json.dumps({"scripted": {"base_url": address, "private": True}})
    for _ in range(2):  # a second time changes nothing
        assert load_builds(actor=owner, folder=SAMPLE.parent, builds=builds) == 3
    states = dict(Build.objects.values_list("name", "state"))
    assert states == {"sample-masks": "done", "sample-lemmas": "running", "sample-gaps": "running"}
    release = Release.objects.get(name="sample-built-masks")
    assert release.is_sample
    assert release.instances.count() == 8
