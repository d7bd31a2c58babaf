"""A source is read in a process of its own, with what the pipeline says, and an end to time and memory."""

import json
import os
from typing import Any

import pytest

from benchmark.importing.keys import PaperFields
from construction.reading import process
from construction.reading.process import Asked, Limits, Reader
from construction.recipes.passages import Drop
from tests.construction.test_pipelines import MASK, SYMBOLS, TEXT


def asked(text: str, replies: dict[tuple[str, str], str] | None = None) -> Asked:
    paper = PaperFields(key="2601.00001", title="Gadgets")
    return Asked("masked_steps", {}, {"main.tex": text}, "main.tex", paper, "combinatorics", replies or {}, 1)


def test_the_process_says_what_the_pipeline_says() -> None:
    (first,) = read(asked(TEXT))
    assert (first["key"], first["stage"]) == ("proof-0", "symbols")
    assert first["question"]["prompt"] == "mask-symbols.v1"
    replies = {
        ("proof-0", "symbols"): json.dumps(SYMBOLS),
        ("proof-0", "choice"): json.dumps({"masks": [MASK]}),
    }
    (last,) = read(asked(TEXT, replies))
    assert [line["line"]["variant"] for line in last["lines"]] == ["", "random", "truncated"]
    for name, start, end in last["places"]:
        assert name == "main.tex"
        assert TEXT[start:end].strip()
    (refused,) = read(asked(TEXT, replies | {("proof-0", "choice"): "no"}))
    assert refused["drop"]["code"] == "not_json"


def read(question: Asked) -> list[dict[str, Any]]:
    with Reader() as reader:
        found = reader.construct(question)
    assert not isinstance(found, Drop)
    return found


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (Limits(clock=0.2), "too_slow"),
        (Limits(processor=1), "too_slow"),
        (Limits(memory=80 * 1024**2), "too_large"),
    ],
)
def test_a_source_that_takes_too_much_is_refused(limits: Limits, code: str) -> None:
    with Reader(limits) as reader:
        found = reader.construct(asked("\\begin{document}" + "\\begin{theorem}$a$" * 60_000))
    assert isinstance(found, Drop)
    assert found.code == code


def test_a_process_reads_on_after_a_source_that_took_too_much() -> None:
    with Reader(Limits(clock=2)) as reader:
        assert isinstance(
            reader.construct(asked("\\begin{document}" + "\\begin{theorem}$a$" * 200_000)), Drop
        )
        assert not isinstance(reader.construct(asked(TEXT)), Drop)


@pytest.mark.slow
def test_a_process_that_was_killed_is_started_again() -> None:
    with Reader() as reader:
        assert not isinstance(reader.construct(asked(TEXT)), Drop)
        assert reader._process is not None
        reader._process.kill()
        assert not isinstance(reader.construct(asked(TEXT)), Drop)


@pytest.mark.slow
def test_the_environment_of_the_process_has_no_secret(
    monkeypatch: pytest.MonkeyPatch, idle_readers: list[process.subprocess.Popen[bytes]]
) -> None:
    while idle_readers:  # one is to be started
        idle_readers.pop().communicate()
    seen: dict[str, str] = {}
    monkeypatch.setenv("SECRET_KEY", "canary")
    start = process.subprocess.Popen

    def noted(*command: Any, env: dict[str, str], **more: Any) -> Any:
        seen.update(env)
        return start(*command, env=env, **more)

    monkeypatch.setattr(process.subprocess, "Popen", noted)
    read(asked(TEXT))
    assert seen
    assert "canary" not in seen.values()
    assert set(seen) <= set(os.environ)
