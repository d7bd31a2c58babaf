"""No prompt of any protocol tells who wrote an output, who asked, or how the system came to its answer."""

import json

import pytest

from benchmark.protocols import get_protocol, protocol_names
from judging.asking.questions import question
from judging.runs.actions import ask, create_judge
from tests.benchmark.files import example, write_lines
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
    SystemFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db
ASKED = [(name, predicate.key) for name in protocol_names() for predicate in get_protocol(name).predicates]


def sent(name: str, predicate: str, tmp_path, endpoint: str) -> str:
    """Everything that is sent for one output, whose system, run and release carry the word canary."""
    protocol = get_protocol(name)
    given = example(name)
    line = given.outputs_for.get(predicate, given.output)
    instance = next(iter(protocol.read_release(write_lines(tmp_path / "release.jsonl", given.instance))))
    output = next(iter(protocol.read_outputs(write_lines(tmp_path / "outputs.jsonl", line))))
    release = ReleaseFactory(
        benchmark=BenchmarkFactory(slug="canary-benchmark", name="Canary benchmark", protocol=name),
        name="canary-release",
    )
    system = SystemFactory(slug="canary-system", name="Canary 5 Pro", family="Canary family")
    run = RunFactory(release=release, system=system, budget={"canary": 1}, config={"model": "canary-5-pro"})
    row = OutputFactory(
        run=run,
        instance=InstanceFactory(release=release, payload=instance.payload, key="canary-key"),
        payload=output.payload,
        text=output.text,
    )
    actor = UserFactory(email="canary@study.test", name="Canary Coordinator")
    judge = create_judge(
        actor=actor, slug="canary-judge", protocol=name, model="canary-model", endpoint=endpoint
    )
    asked = ask(actor=actor, judge=judge, release=release, predicates=[predicate])
    task = asked.tasks.select_related("run__judge", "output__instance", "output__redacted").get()
    assert task.output == row
    made = question(task, "0123456789abcdef")
    assert output.text in made.messages[-1]["content"]
    return json.dumps([made.messages, made.prompt.response_format])


@pytest.mark.parametrize(("name", "predicate"), ASKED)
def test_a_prompt_holds_the_text_and_no_identity(name, predicate, tmp_path, endpoint, monkeypatch):
    """The plans, queries, candidates and reasoning of the examples are canaries too."""
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    assert "canary" not in sent(name, predicate, tmp_path, endpoint).casefold()


def test_the_canaries_are_there_to_be_found():
    assert {"re2math", "masked_steps", "lemmas"} <= {name for name, _ in ASKED}
    assert all("canary" in json.dumps(example(name).output) for name in ("re2math", "masked_steps"))
