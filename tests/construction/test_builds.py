"""Builds: from sources and a model's replies to a release, the same again from what is stored."""

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from benchmark.models import Release
from construction.builds import actions as builds
from construction.builds.actions import (
    Plan,
    ask_again,
    begin,
    raise_budget,
    reconcile_builds,
    review,
    steer,
    withdraw_review,
)
from construction.builds.emission import construct_again, emit, lines_of, offsets_only
from construction.builds.kinds import (
    PAPERS,
    STEPS,
    Read,
    asked_of,
    most_of_one_call,
    replies_of,
    settle_papers,
    settle_steps,
)
from construction.builds.queries import funnel, progress_of
from construction.models import (
    Build,
    BuildPaper,
    BuiltInstance,
    Candidate,
    Decision,
    Reading,
    Source,
    SourceFile,
    Step,
    StepCall,
)
from construction.reading.pairs import begins
from construction.reading.process import Asked, Reader
from construction.recipes.passages import Drop
from construction.sources.actions import pair_otherwise, read_again
from tests.construction import test_gaps as gaps
from tests.construction import test_pipelines as made_up
from tests.llm.server import Server, serving
from tests.meanwhile import Meanwhile
from work.asking import Answer
from work.claims import claim
from work.kinds import Use
from work.models import RunState, TaskState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)
QUOTAS = {**gaps.SMALL, "quota": 1, "domains": ["combinatorics"]}


def source(key: str, text: str, domain: str = "combinatorics", version: str = "") -> Source:
    """A source of one file."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    made = Source.objects.create(
        key=key, version=version, sha256=digest, name=f"{key}.tex", form="tex", title="Gadgets", year=2026,
        domain=domain, state="readable", main="paper.tex",
    )  # fmt: skip
    SourceFile.objects.create(source=made, path="paper.tex", text=text, sha256=digest)
    return made


def said(request: Mapping[str, Any]) -> str:
    """What the scripted model says, by the schema that it is asked to follow."""
    system = request["messages"][0]["content"]
    schema = json.loads(system.partition("It follows this JSON schema:\n")[2].partition("\n")[0])
    replies = {
        "masks": {"masks": [made_up.MASK]},
        "setup": gaps.TARGET,
        "restated_quote": gaps.TOOL,
        "instrumental": gaps.YES if "Kur" in json.dumps(request) else gaps.NO,
        "anchor": gaps.HINT,
        "definitions": made_up.NEEDS,
        "symbols": made_up.SYMBOLS,
    }
    return json.dumps(next(replies[name] for name in replies if name in schema["properties"]))


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("construction.builds.actions.ring", lambda: None)
    monkeypatch.setattr("work.claims._just_started", lambda: False)


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with serving(said) as running:
        local = {"base_url": running.url, "private": True, "max_concurrency": 4, "max_attempts": 1}
        settings.JUDGE_ENDPOINTS = json.dumps({"local": local})
        yield running


def start(name: str, protocol: str, **more: Any) -> Build:
    plan = Plan(name, protocol, "local", "writer", more.pop("numbers", {}))
    sources = more.pop("sources", Source.objects.all())
    return begin(actor=None, plan=plan, sources=sources, **more or {"max_tokens": 10_000_000})


def run(build: Build) -> Build:
    """Work until nothing is left."""
    for _ in range(20):
        drain(shift_seconds=60)
        reconcile_builds()
        build.refresh_from_db()
        if build.state != RunState.RUNNING:
            return build
    raise AssertionError(f"{build} does not end: {progress_of(build)}")


CASES = [
    ("masked_steps", made_up.TEXT, {}, 2),
    ("lemmas", made_up.TEXT, {}, 1),
    ("re2math", gaps.TEXT, QUOTAS, 5),
]


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "text", "numbers", "asked"), CASES, ids=[case[0] for case in CASES])
def test_sources_come_to_a_release_and_to_the_same_one_again_without_a_new_question(
    protocol: str, text: str, numbers: dict[str, object], asked: int, server: Server
) -> None:
    source("2601.00001", text)
    first = run(start("first", protocol, numbers=numbers))
    assert first.state == RunState.DONE
    assert not first.papers.exclude(code="").exists()
    assert len(server.requests) == asked
    assert StepCall.objects.count() == asked
    assert "messages" not in StepCall.objects.earliest("pk").request
    assert first.tokens_spent > 0
    release = emit(actor=None, build=first, name="made")
    assert release.instances.count() == BuiltInstance.objects.filter(instance__release=release).count() > 0
    for built in BuiltInstance.objects.all():
        assert built.provenance
    again = construct_again(first)
    assert (again.papers, again.differing, again.lines) == (1, (), len(lines_of(first)))
    second = run(start("second", protocol, numbers=numbers))
    assert len(server.requests) == asked  # every reply is used again
    assert progress_of(second)["steps_reused"] == progress_of(second)["steps"] == asked
    assert second.tokens_spent == 0
    assert [line.line for line in lines_of(second)] == [line.line for line in lines_of(first)]
    with pytest.raises(Refused, match="There is a release made already") as refused:
        emit(actor=None, build=second, name="made")
    assert refused.value.field == "release"  # as the form and REST name it
    assert emit(actor=None, build=second, name="made-again").sha256 == release.sha256


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "text", "numbers", "asked"), CASES, ids=[case[0] for case in CASES])
def test_at_each_stage_of_a_funnel_what_came_in_is_what_was_kept_and_dropped_and_what_waits(
    protocol: str, text: str, numbers: dict[str, object], asked: int, server: Server
) -> None:
    source("2601.00001", text)
    source("2601.00002", text.replace("gadget", "widget").replace("Gadget", "Widget"))
    build = run(start("first", protocol, numbers=numbers))
    stages = funnel(build)
    for here, after in pairwise(stages):
        assert here.kept == after.reached
    live = Candidate.objects.filter(paper__run=build).exclude(state="passed")
    assert stages[0].reached == live.count() > 0
    assert stages[-1].kept == live.filter(state="made").count()
    assert sum(stage.waiting for stage in stages) == 0


@pytest.mark.slow
def test_a_source_that_cannot_be_read_says_why_and_the_others_go_on(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    source("2601.00001", made_up.TEXT)
    source("2601.00002", made_up.TEXT + "% another")
    read = Reader.construct

    def slow(reader: Reader, asked: Asked) -> Any:
        return Drop("too_slow", "It took too long.") if asked.ordinal == 0 else read(reader, asked)

    monkeypatch.setattr(Reader, "construct", slow)
    build = run(start("first", "lemmas"))
    assert build.state == RunState.DONE
    assert list(build.papers.order_by("ordinal").values_list("code", flat=True)) == ["too_slow", ""]
    assert len(lines_of(build)) == 1
    monkeypatch.setattr(Reader, "construct", read)
    assert ask_again(actor=None, build=build) == 1
    assert len(lines_of(run(build))) == 2


def test_a_build_that_is_asked_again_while_it_is_ended_is_not_ended(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    source("2601.00001", made_up.TEXT)
    build = start("first", "lemmas")
    build.papers.update(state=TaskState.FAILED)
    other = Meanwhile(monkeypatch, builds.timezone, "now", lambda: ask_again(actor=None, build=build))
    reconcile_builds()
    assert other.end() == 1
    build.refresh_from_db()
    assert build.state == RunState.RUNNING


@pytest.mark.slow
def test_a_candidate_that_is_dropped_while_a_release_is_made_is_not_in_it(
    server: Server, monkeypatch: pytest.MonkeyPatch, owner: User
) -> None:
    source("2601.00001", made_up.TEXT)
    source("2601.00002", made_up.TEXT + "%")
    build = run(start("first", "lemmas"))
    dropped = Candidate.objects.filter(state=Candidate.State.MADE).latest("pk")
    real = transaction.atomic

    def dropping(*given: Any) -> Any:
        """Somebody drops one just before the release is made."""
        monkeypatch.setattr("construction.builds.emission.transaction.atomic", real)
        review(actor=owner, candidate=dropped, decision=Decision.DROP, reason="Wrong.")
        return real(*given)

    monkeypatch.setattr("construction.builds.emission.transaction.atomic", dropping)
    release = emit(actor=None, build=build, name="made")
    assert [one.candidate_id for one in BuiltInstance.objects.all()] != []
    assert not BuiltInstance.objects.filter(candidate=dropped).exists()
    assert release.instances.count() == 1


@pytest.mark.slow
def test_a_build_is_paused_at_its_cap_and_goes_on_with_another(server: Server) -> None:
    source("2601.00001", made_up.TEXT)
    build = run(start("first", "masked_steps", max_tokens=5_000))
    assert build.state == RunState.PAUSED
    assert "Raise the cap" in build.note
    most = most_of_one_call(build.steps.earliest("pk"))
    assert f"it may take {most.tokens:,} tokens" in build.note
    assert server.requests == []
    with pytest.raises(Refused, match="not enough"):
        raise_budget(actor=None, build=build, max_tokens=10)
    raise_budget(actor=None, build=build, max_tokens=1_000_000)
    steer(actor=None, build=build, to=RunState.RUNNING)
    assert run(build).state == RunState.DONE
    with pytest.raises(Refused, match="is done, so it cannot be resumed"):
        steer(actor=None, build=build, to=RunState.RUNNING)


@pytest.mark.slow
def test_what_is_reserved_for_a_question_counts_the_format_that_is_sent_with_it(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserved: dict[int, int] = {}

    def noted(step: Step) -> Use:
        use = most_of_one_call(step)
        reserved[step.pk] = use.tokens
        return use

    monkeypatch.setattr("construction.builds.kinds.most_of_one_call", noted)
    source("2601.00001", made_up.TEXT)
    with serving(said) as running:
        local = {"base_url": running.url, "private": True, "max_attempts": 1, "structured_output": True}
        settings.JUDGE_ENDPOINTS = json.dumps({"local": local})
        assert run(start("first", "masked_steps")).state == RunState.DONE
    assert len(running.requests) == len(reserved) == 2
    for request, most in zip(running.requests, reserved.values(), strict=True):
        texts = [message["content"] for message in request["messages"]]
        shown = "".join([*texts, json.dumps(request["response_format"])])
        # a server whose tokens are bytes
        assert len(shown.encode()) + request["max_tokens"] <= most


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "text", "numbers", "asked"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize(
    ("words", "code"), [(None, "not_json"), ("I cannot help with that.", "not_json"), ("{}", "wrong_reply")]
)
def test_replies_that_cannot_be_read_drop_their_candidates_and_the_next_build_asks_again(
    words: str | None,
    code: str,
    protocol: str,
    text: str,
    numbers: dict[str, object],
    asked: int,
    server: Server,
) -> None:
    source("2601.00001", text)
    server.mood = {"kind": "text", "text": words}
    build = run(start("first", protocol, numbers=numbers))
    assert build.state == RunState.DONE
    assert len(server.requests) == StepCall.objects.count() > 0
    assert build.tokens_spent == sum(call.prompt_tokens + 9 for call in StepCall.objects.all())
    about = Candidate.objects.filter(steps__isnull=False)
    assert set(about.values_list("state", "code")) == {("dropped", code)}
    assert lines_of(build) == []
    server.mood = None
    second = run(start("second", protocol, numbers=numbers))
    assert progress_of(second)["steps_reused"] == 0
    assert lines_of(second)


def test_questions_that_the_server_refuses_can_be_asked_again(settings: Any) -> None:
    source("2601.00001", made_up.TEXT)
    settings.JUDGE_ENDPOINTS = json.dumps({"local": {"base_url": "http://127.0.0.1:9/v1", "private": True}})
    build = start("first", "lemmas")
    drain(shift_seconds=30)
    Step.objects.update(state="failed", lease_owner="", lease_until=None, tokens_reserved=0, cost_reserved=0)
    reconcile_builds()
    build.refresh_from_db()
    assert build.state == RunState.DONE
    assert funnel(build)[2].waiting == 1
    with pytest.raises(Refused, match="Nothing of this build came to lines"):
        emit(actor=None, build=build, name="made")
    assert ask_again(actor=None, build=build) == 1
    build.refresh_from_db()
    assert build.state == RunState.RUNNING


@pytest.mark.slow
def test_results_that_come_twice_or_late_are_stored_once(server: Server) -> None:
    source("2601.00001", made_up.TEXT)
    build = start("first", "lemmas")
    (paper,) = claim(PAPERS, owner="first", limit=10)
    assert settle_papers(results=[Read(paper, [])], owner="second") == 0
    with Reader() as reader:
        found = reader.construct(asked_of(paper, replies_of(paper)))
    assert not isinstance(found, Drop)
    assert settle_papers(results=[Read(paper, found)], owner="first") == 1
    assert settle_papers(results=[Read(paper, found)], owner="first") == 0
    (step,) = claim(STEPS, owner="first", limit=10)
    with pytest.raises(Refused, match="already spent or in flight"):
        raise_budget(actor=None, build=build, max_tokens=step.tokens_reserved - 1)
    reply = json.dumps(made_up.NEEDS)
    answer = Answer(step, reply, "stop", {"messages": [], "model": "writer"}, {}, 0.1, 10, 10, 0)
    late = Answer(step, "{}", "stop", {"messages": [], "model": "writer"}, {}, 0.1, 10, 10, 0)
    assert settle_steps(results=[answer], owner="first") == 1
    assert (
        settle_steps(results=[answer], owner="first") == 0
    )  # the commit was not answered, so it is repeated
    assert settle_steps(results=[late], owner="second") == 0
    assert StepCall.objects.count() == 2  # what was asked is kept, and the first reply counts
    assert Step.objects.get().text == reply
    assert len(lines_of(run(build))) == 1


def test_a_question_that_two_workers_ask_is_paid_for_twice(server: Server) -> None:
    """One slept beyond its lease, and its reply ends the step while the other waits for its own."""
    source("2601.00001", made_up.TEXT)
    build = start("first", "lemmas")
    (paper,) = claim(PAPERS, owner="reader", limit=10)
    with Reader() as reader:
        found = reader.construct(asked_of(paper, replies_of(paper)))
    settle_papers(results=[Read(paper, found)], owner="reader")
    (slept,) = claim(STEPS, owner="slept", limit=10)
    Step.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1))
    reconcile_builds()
    (took_over,) = claim(STEPS, owner="took over", limit=10)
    for owner, step in (("slept", slept), ("took over", took_over)):
        settle_steps(
            results=[Answer(step, "{}", "stop", {"model": "writer"}, {}, 0.1, 10, 10, 0)], owner=owner
        )
    build.refresh_from_db()
    assert build.tokens_spent == slept.tokens_reserved + took_over.tokens_reserved


@pytest.mark.slow
def test_what_a_person_drops_or_repairs_is_so_in_the_release_and_can_be_undone_before(
    server: Server, owner: User
) -> None:
    source("2601.00001", made_up.TEXT)
    build = run(start("first", "lemmas"))
    (line,) = lines_of(build)
    path = next(name for name, origin in line.provenance.items() if origin["places"])
    candidate = line.candidate
    with pytest.raises(Refused, match="Give a reason"):
        review(actor=owner, candidate=candidate, decision=Decision.DROP, reason=" ")
    with pytest.raises(Refused, match="has no string"):
        review(
            actor=owner, candidate=candidate, decision=Decision.REPAIR, reason="x", after={"0.nothing": "y"}
        )
    review(actor=owner, candidate=candidate, decision=Decision.DROP, reason="It is trivial.")
    assert lines_of(build) == []
    with pytest.raises(Refused, match="withdraw that decision first"):
        review(actor=owner, candidate=candidate, decision=Decision.DROP, reason="Twice.")
    withdraw_review(actor=owner, candidate=candidate)
    made = review(
        actor=owner,
        candidate=candidate,
        decision=Decision.REPAIR,
        reason="A misprint.",
        after={f"0.{path}": "Every gadget."},
    )
    assert made.before[f"0.{path}"] != "Every gadget."
    (repaired,) = lines_of(build)
    assert repaired.provenance[path]["written_by"] == "repaired by hand"
    assert line.line != repaired.line
    emit(actor=owner, build=build, name="made")
    with pytest.raises(Refused, match="has made its release"):
        withdraw_review(actor=owner, candidate=candidate)


@pytest.mark.slow
def test_a_repaired_mask_still_has_the_formula_of_its_proof(server: Server, owner: User) -> None:
    source("2601.00001", made_up.TEXT)
    line = lines_of(run(start("first", "masked_steps")))[0]
    candidate, whole = line.candidate, line.line["reference_solution"]

    def repair(**after: str) -> None:
        strings = {f"0.{path}": text for path, text in after.items()}
        review(
            actor=owner, candidate=candidate, decision=Decision.REPAIR, reason="A misprint.", after=strings
        )

    for after in ({"mask_content": "1 = 1"}, {"reference_solution": f"{whole} Done."}):
        with pytest.raises(Refused, match="repair all three texts alike"):
            repair(**after)
    with pytest.raises(Refused, match="repair the proof in all of them"):
        repair(reference_solution=f"{whole} Done.", mask_text=f"{line.line['mask_text']} Done.")
    after = {
        f"{number}.{path}": one["line"][path].replace("\n", "\nNow ", 1)
        for number, one in enumerate(candidate.lines)
        for path in ("reference_solution", "mask_text")
    }
    review(actor=owner, candidate=candidate, decision=Decision.REPAIR, reason="A misprint.", after=after)
    repaired = [one.line for one in lines_of(candidate.paper.run)]
    assert len(repaired) > 1
    assert all("\nNow " in one["reference_solution"] for one in repaired)


@pytest.mark.slow
def test_a_repaired_citation_that_the_anchor_gives_away_is_refused(server: Server, owner: User) -> None:
    source("2601.00001", gaps.TEXT)
    (line,) = lines_of(run(start("first", "re2math", numbers=QUOTAS)))

    def repair(text: str) -> None:
        after = {"0.z.citation_content": text}
        review(actor=owner, candidate=line.candidate, decision=Decision.REPAIR, reason="Cut.", after=after)

    with pytest.raises(Refused, match="It gives away") as refused:
        repair("K. Ziegler, Drawn without crossings, Fund. Math. 15 (1930), 271--283.")
    assert refused.value.field == "0.x.anchor_hint"
    with pytest.raises(Refused, match="is blank"):
        repair("   ")
    repair("K. Ziegler, Planar gadgets, Fund. Math. 15 (1930), 271--283.")


@pytest.mark.slow
def test_a_repair_of_a_masks_problem_is_one_of_its_variants_too(server: Server, owner: User) -> None:
    source("2601.00001", made_up.TEXT)
    build = run(start("first", "masked_steps"))
    first, *others = lines_of(build)
    assert {one.line["variant"] for one in others} == {"random", "truncated"}
    problem = f"{first.line['problem']} Gadgets are finite."
    two = {"0.problem": problem, "1.problem": "Another."}
    with pytest.raises(Refused, match="one problem"):
        review(actor=owner, candidate=first.candidate, decision=Decision.REPAIR, reason="x", after=two)
    made = review(
        actor=owner,
        candidate=first.candidate,
        decision=Decision.REPAIR,
        reason="x",
        after={"0.problem": problem},
    )
    assert made.before == {f"{number}.problem": first.line["problem"] for number in range(len(others) + 1)}
    assert {one.line["problem"] for one in lines_of(build)} == {problem}


@pytest.mark.slow
def test_a_build_follows_the_pairs_by_hand_that_it_began_with(server: Server, owner: User) -> None:
    paper = source("2601.00001", made_up.TEXT)
    with Reader() as reader:
        read_again(source=paper, reader=reader)
    outline = Reading.objects.get().outline
    numbers = [index for index, one in enumerate(outline["proofs"]) if one["statement"] is not None]
    proof = begins(outline["proofs"][numbers[0]])
    before = run(start("before", "masked_steps"))
    pair_otherwise(actor=owner, source=paper, proof=proof, statement=None)
    after = run(start("after", "masked_steps"))
    assert before.sources_sha256 != after.sources_sha256
    assert after.papers.get().pairs == [[*proof, "", 0]]
    sentences = {
        build: set(Candidate.objects.filter(paper__run=build).values_list("code", "sentence"))
        for build in (before, after)
    }
    told = ("unpaired", "No statement is found for this proof: by hand")
    assert told in sentences[after]
    assert told not in sentences[before]
    for build in (
        before,
        after,
    ):  # the first build is made again as it was, though the source says otherwise now
        assert construct_again(build).differing == ()
    with pytest.raises(IntegrityError, match="papers of a build are fixed"), transaction.atomic():
        BuildPaper.objects.filter(run=after).update(pairs=[])


def test_an_export_without_texts_says_where_they_are(server: Server) -> None:
    source("2601.00001", made_up.TEXT)
    build = run(start("first", "lemmas"))
    (row,) = offsets_only(build)
    text = json.dumps(row)
    assert "has a point" not in text
    place = next(origin["places"][0] for origin in row["strings"].values() if origin["places"])
    path, begin_, end = place if isinstance(place, list) else (place["path"], place["start"], place["end"])
    assert made_up.TEXT[begin_:end].strip()
    assert path == "paper.tex"


REFUSED = [
    ({"protocol": "proofs"}, "There is a recipe for each of lemmas"),
    ({"endpoint": "elsewhere"}, r"There is no endpoint 'elsewhere'\. There are local\."),
    ({"model": " "}, "Name the model"),
    ({"numbers": {"max_masks": 1}}, "max_masks: the recipe has no such number"),
    ({"seed": -1}, "A seed is a number"),
    ({"name": "a b"}, "cannot name a build"),
]


@pytest.mark.parametrize(("said", "reason"), REFUSED, ids=[next(iter(case[0])) for case in REFUSED])
def test_a_plan_that_cannot_be_followed_is_refused_before_anything_is_stored(
    said: dict[str, Any], reason: str, server: Server
) -> None:
    source("2601.00001", made_up.TEXT)
    plan = Plan(**{"name": "first", "protocol": "lemmas", "endpoint": "local", "model": "writer", **said})
    with pytest.raises(Refused, match=reason):
        begin(actor=None, plan=plan, sources=Source.objects.all(), max_tokens=1_000_000)
    assert not Build.objects.exists()


def test_more_papers_than_there_are_numbers_for_are_refused_before_anything_is_asked(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("construction.recipes.masked_steps.pipeline.MaskPipeline.most_papers", 1)
    source("2601.00001", made_up.TEXT)
    start("one", "masked_steps")
    source("2601.00002", made_up.TEXT + "%")
    with pytest.raises(Refused, match="These are 2 sources; a build of this recipe has numbers for 1"):
        start("two", "masked_steps")
    start("three", "lemmas")


def test_papers_without_a_domain_or_in_two_versions_are_named(server: Server) -> None:
    with pytest.raises(Refused, match="Choose at least one source"):
        start("first", "lemmas")
    nameless = source("2601.00001", made_up.TEXT, domain="")
    with pytest.raises(Refused, match=r"2601\.00001 has no domain"):
        start("first", "lemmas")
    nameless.domain = "combinatorics"
    nameless.save()
    second = source("2601.00002", made_up.TEXT + "%")
    Source.objects.filter(pk=second.pk).update(state="undecided", code="tie", main="")
    with pytest.raises(Refused, match="no main file yet"):
        start("first", "lemmas")


def test_the_database_keeps_a_build_to_what_it_began_with(server: Server) -> None:
    paper = source("2601.00001", made_up.TEXT)
    build = run(start("first", "lemmas"))
    emit(actor=None, build=build, name="made")
    candidate = Candidate.objects.get(state="made")
    refused = {
        "follows what it began with": lambda: Build.objects.update(seed=9),
        "makes one release": lambda: Build.objects.update(release=None),
        "papers of a build are fixed": lambda: BuildPaper.objects.update(ordinal=7),
        "a source never changes": lambda: Source.objects.filter(pk=paper.pk).update(key="other"),
        "files of a source never change": lambda: SourceFile.objects.update(text=""),
        "has made its release": lambda: Candidate.objects.filter(pk=candidate.pk).update(place=5),
        "stepcall is append-only": lambda: StepCall.objects.update(error="x"),
        "builtinstance is append-only": lambda: BuiltInstance.objects.update(provenance={}),
    }
    for message, change in refused.items():
        with pytest.raises(IntegrityError, match=message), transaction.atomic():
            change()


@pytest.mark.slow
def test_the_command_line_refuses_a_paper_that_is_not_there_and_another_build_of_that_name(
    server: Server, owner: User
) -> None:
    source("2601.00001", made_up.TEXT, version="v2")
    options = ["--protocol=lemmas", "--endpoint=local", "--model=writer", "--max-tokens=1000000"]
    with pytest.raises(CommandError, match=r"No readable source is called 2601\.00002"):
        call_command("build", "first", *options, "--source", "2601.00001", "--source", "2601.00002")
    call_command("build", "first", *options, "--source", "2601.00001v2")
    assert Build.objects.get().papers.count() == 1
    call_command("build", "first", *options)  # goes on with it
    with pytest.raises(CommandError, match="The build first has the model 'writer'"):
        call_command("build", "first", "--model=another")


@pytest.mark.slow
def test_an_option_that_differs_from_what_a_build_began_with_is_refused_by_the_command(
    server: Server, owner: User, tmp_path: Path
) -> None:
    source("2601.00001", made_up.TEXT)
    source("2601.00002", made_up.TEXT + "%", domain="algebra")
    numbers = tmp_path / "numbers.json"
    numbers.write_text('{"max_masks": 2}')
    options = [
        "--protocol=masked_steps", "--endpoint=local", "--model=writer", "--max-tokens=1000000", "--seed=7",
        "--source=2601.00001", f"--numbers={numbers}", "--prompt-price=1.50",
    ]  # fmt: skip
    call_command("build", "first", *options)
    source("2601.00001", made_up.TEXT + "% once more", version="v2")  # is no other build
    call_command("build", "first", *options, "--domain=combinatorics", "--json")
    refused = {
        "--seed=1": "has the seed 7, and not 1",
        "--max-tokens=2000000": "has the max tokens 1000000, and not 2000000.*builds/first/steer/",
        "--max-cost=3": "has the max cost none, and not 3",
        "--prompt-price=1": "has the prompt price 1.5, and not 1",
        "--source=2601.00002": "has other papers",
        "--domain=algebra": "has other papers",
        f"--numbers={tmp_path / 'other.json'}": "has other numbers",
        f"--numbers={tmp_path / 'twice.json'}": "twice.json is not one JSON object",
    }
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "twice.json").write_text('{"max_masks": 1, "max_masks": 2}')
    for option, reason in refused.items():
        with pytest.raises(CommandError, match=reason):
            call_command("build", "first", option)
    assert Build.objects.get().papers.count() == 1


@pytest.mark.slow
def test_the_command_prints_the_funnel_as_a_table_and_why_questions_have_no_reply(
    server: Server, owner: User, capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    source("2601.00001", made_up.TEXT)
    call_command(
        "build", "first", "--protocol=lemmas", "--endpoint=local", "--model=writer", "--max-tokens=1000000"
    )
    told = capsys.readouterr().out
    assert re.search(r"^stage +reached +kept +waiting +dropped$", told, re.MULTILINE)
    assert re.search(r"^lines +1 +1 +0 +none$", told, re.MULTILINE)
    assert "{" not in told
    assert "got no reply" not in told
    away = {"base_url": f"{server.url}/nothing", "private": True, "max_attempts": 1}
    settings.JUDGE_ENDPOINTS = json.dumps({"away": away})
    call_command(
        "build", "second", "--protocol=lemmas", "--endpoint=away", "--model=other", "--max-tokens=1000000"
    )
    told = capsys.readouterr().out
    assert "1 question got no reply; to ask again: manage.py api POST builds/second/again/" in told
    assert re.search(r"^last_error: .*404", told, re.MULTILINE)


@pytest.mark.slow
def test_a_build_is_begun_checked_and_released_on_the_command_line(
    server: Server, owner: User, capsys: pytest.CaptureFixture[str]
) -> None:
    source("2601.00001", made_up.TEXT)
    with pytest.raises(CommandError, match="give --protocol too"):
        call_command("build", "first")
    call_command(
        "build",
        "first",
        "--protocol=lemmas",
        "--endpoint=local",
        "--model=writer",
        "--max-tokens=1000000",
        "--json",
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["state"], told["papers"], told["funnel"][-1]["kept"]) == ("done", 1, 1)
    call_command("api", "POST", "builds/first/check/")
    assert json.loads(capsys.readouterr().out)["lines"] == 1
    call_command("api", "POST", "builds/first/emit/", "--data", '{"release": "made", "is_sample": true}')
    assert json.loads(capsys.readouterr().out)["instances"] == 1
    assert Release.objects.get(name="made").is_sample
