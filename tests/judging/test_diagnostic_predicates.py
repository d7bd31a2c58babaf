"""Diagnostic predicates are asked where they are named, and read like every other."""

import json
import re
from typing import Any

import pytest

from benchmark.protocols import get_protocol, protocol_names
from judging.models import Call, Verdict
from judging.runs.actions import ask, create_judge
from tests.benchmark.files import example, write_lines
from tests.factories import BenchmarkFactory, InstanceFactory, OutputFactory, ReleaseFactory, RunFactory
from tests.judging.test_unreadable import MALFORMED
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)
ASKED = [
    (name, predicate.key)
    for name in protocol_names()
    for predicate in get_protocol(name).diagnostic_predicates
]


@pytest.fixture(params=ASKED, ids=lambda param: " ".join(param))
def run(request, endpoint, tmp_path, monkeypatch):
    """One output of the protocol's example, asked about by one diagnostic predicate."""
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    name, predicate = request.param
    protocol, given = get_protocol(name), example(name)
    instance = next(iter(protocol.read_release(write_lines(tmp_path / "release.jsonl", given.instance))))
    line = given.outputs_for.get(predicate, given.output)
    output = next(iter(protocol.read_outputs(write_lines(tmp_path / "outputs.jsonl", line))))
    release = ReleaseFactory(benchmark=BenchmarkFactory(slug=name, name=name, protocol=name))
    OutputFactory(
        run=RunFactory(release=release),
        instance=InstanceFactory(release=release, payload=instance.payload),
        payload=output.payload,
        text=output.text,
    )
    judge = create_judge(actor=None, slug="diagnoses", protocol=name, model="m", endpoint=endpoint)
    return ask(actor=None, judge=judge, release=release, predicates=[predicate])


def readable(request: dict[str, Any]) -> str:
    """A yes, and a label for every step whose id the prompt gives."""
    ids = re.findall(r"^\[\[DATA (b\d+) ", request["messages"][-1]["content"], re.MULTILINE)
    steps = {"steps": dict.fromkeys(ids, "correct")} if ids else {}
    return json.dumps({"label": "yes", "reason": "It is.", "confidence": None, **steps})


def test_there_are_some():
    assert ("re2math", "anchor_match") in ASKED
    assert ("re2math", "query_match") in ASKED


def test_a_readable_reply_becomes_a_verdict(run, server):
    server.rule = readable
    assert drain() == server.calls == 1
    assert Verdict.objects.get().value == "yes"


def test_a_malformed_reply_is_kept_and_counts_for_nothing(run, server):
    server.control({"text": MALFORMED[2]})
    drain()
    assert list(Verdict.objects.values_list("state", "value")) == [("unparsed", "")]
    assert Call.objects.get().reply is not None
