"""Re2Math's oracle condition (E7): the cited source is handed over, whole or in passages, and where it cannot be read
the attempt is not an output."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from benchmark.models import FrozenTuple, Output, Release
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from benchmark.tuples.actions import declare_tuple
from retrieval.artifact import EXTERNAL, Artifact, Result, Row, Terms, packed
from solvers.budgets import Budget
from solvers.planning import plan
from solvers.recipe import get_recipe
from solvers.recipes.gaps.blocks import blocks_of, pieces_of
from solvers.steps import Ask, End, Frontier, Given, Reply, Tool, Use
from solving.materials.actions import add_material
from solving.models import Attempt, SolveRun
from solving.publishing.actions import publish
from solving.runs.queries import progress_of
from solving.runs.replaying import faults
from solving.tools.reading import read_tool
from tests.benchmark.files import gap, write_lines
from tests.llm.server import Server
from tests.solving import site

TEXT = "We begin. Theorem 1. Every ball is convex. Then much more follows."


def test_passages_are_those_around_the_first_24_statements_in_the_order_of_the_text() -> None:
    """Thirty lemmas, 5,000 characters apart: 300 characters before each word (none before the first), 2,500 from it."""
    text = "".join(f"Lemma {number}.".ljust(5_000, ".") for number in range(30))
    blocks = blocks_of(text)
    assert [block[-2_500:].partition(".")[0] for block in blocks] == [f"Lemma {n}" for n in range(24)]
    assert [len(block) for block in blocks] == [2_500] + [2_800] * 23
    assert blocks_of(TEXT) == [TEXT]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("THEOREM. a", 1),
        ("\\begin{lemma}a\\end{lemma}", 2),
        ("a proposition, a corollary, a claim and a remark", 4),
        ("lemmas, theorems and Lemmata", 0),  # other words
        ("", 0),
        ("\0\ud800\u202e" * 1_000, 0),
        ("theorem " * 1_000_000, 24),
        ("\\" * 1_000_000, 0),
    ],
)
def test_words_that_name_a_statement_count_in_whatever_text(text: str, passages: int) -> None:
    blocks = blocks_of(text)
    assert len(blocks) == passages
    assert all(block in text and len(block) <= 2_800 for block in blocks)


def test_the_beginning_of_a_text_is_at_most_eight_pieces() -> None:
    assert [len(piece) for piece in pieces_of("a" * 6_000)] == [2_500, 2_500, 1_000]
    assert [len(piece) for piece in pieces_of("a" * 1_000_000)] == [2_500] * 8
    assert pieces_of("") == []


SOURCE = {"key": "2001.1", "paper": "2001.1", "title": "Balls", "names": ["2001.1", "Balls"]}
OPENED = {"status": "resolved", "text": TEXT}


def planned(settings: dict[str, Any], record: dict[str, Reply]) -> Frontier | End:
    recipe = get_recipe("gaps")
    given = Given("g", 1, 1, {"setup": "S", "target": "T", "local": "L", "citing": "c", "oracle": SOURCE})
    return plan(recipe, given, recipe.read_settings(settings), Budget(), record, lambda step: Use())


def asked(settings: dict[str, Any], opened: dict[str, Any]) -> Ask:
    found = planned(settings, {"open": Reply("parsed", opened)})
    assert isinstance(found, Frontier)
    (step,) = found.steps
    assert isinstance(step, Ask)
    assert step.prompt == "oracle.v1"
    return step


def test_the_source_is_opened_by_every_name_that_it_has_and_then_read_without_a_search() -> None:
    first = planned({}, {})
    assert isinstance(first, Frontier)
    (step,) = first.steps
    assert isinstance(step, Tool)
    assert (step.tool, step.arguments) == ("open", {"query": "2001.1", "cited": ["2001.1", "Balls"]})


@pytest.mark.parametrize(
    ("settings", "opened", "source", "shown"),
    [
        ("paper", OPENED, TEXT, "fulltext"),
        ("released-code", OPENED, TEXT, "fulltext"),
        ("released-code-blocks", OPENED, f"[BLOCK 1]\n{TEXT}", "blocks"),
        (
            "released-code-blocks",
            OPENED | {"text": "a" * 3_000},
            f"[BLOCK 1]\n{'a' * 2_500}\n\n[BLOCK 2]\n{'a' * 500}",
            "beginning",
        ),
        ("paper", OPENED | {"text": "a" * 200_000}, "a" * 150_000, "fulltext"),
    ],
)
def test_each_settings_file_hands_over_what_it_says(
    settings: str, opened: dict[str, Any], source: str, shown: str
) -> None:
    named = get_recipe("gaps").named_settings[settings]
    step = asked(named, opened)
    assert step.fields["source"] == source
    assert ("passages" in step.rules) == (shown != "fulltext")
    said = {"reason": "It is convex.", "extracted_theorem": "Balls are convex."}
    end = planned(named, {"open": Reply("parsed", opened), "read": Reply("parsed", said)})
    assert isinstance(end, End)
    # E7 asks for no relevance score, so none is needed for an answer, whatever E4 needs
    assert (end.ended.outcome, end.ended.result["statement"]) == ("answered", "Balls are convex.")
    assert end.ended.result["source_shown"] == shown


UNREADABLE = [
    {"status": "unresolved"},
    {"status": "blocked", "text": "No."},
    {"status": "resolved", "text": " \n"},
]


@pytest.mark.parametrize("opened", UNREADABLE)
def test_a_source_that_cannot_be_read_asks_nothing_and_is_no_output(opened: dict[str, Any]) -> None:
    end = planned({}, {"open": Reply("parsed", opened)})
    assert isinstance(end, End)
    assert (end.ended.outcome, end.ended.result["no_output"]) == ("abstained", True)


def test_both_variants_of_both_protocols_have_settings_files() -> None:
    assert set(get_recipe("gaps").named_settings) == {"paper", "released-code", "released-code-blocks"}
    assert set(get_recipe("masks").named_settings) == {"published", "structured"}
    fields = set(get_recipe("gaps").settings.model_fields)
    assert fields >= {
        "query_words", "shortlist_fallback", "exclude_citing", "source_chars", "least_score", "oracle_source",
    }  # fmt: skip


KEYS = ("2001.00001", "2001.00002", "2001.00003")


def gaps() -> list[dict[str, Any]]:
    """Three problems that cite three preprints."""
    lines = []
    for number, cited in enumerate(KEYS):
        line = gap(number)
        lines.append(line | {"z": {**line["z"], "arxiv_id": cited, "doi": ""}})
    return lines


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with site.world_server(settings) as running:
        running.keyed = lambda request, key: json.dumps({"extracted_theorem": "Balls are convex."})
        yield running


@pytest.fixture
def release(transactional_db: None, tmp_path: Path) -> Release:
    path = write_lines(tmp_path / "gaps.jsonl", *gaps())
    import_release(actor=None, path=path, protocol="re2math", name="gaps")
    row = Release.objects.get(name="gaps")
    freeze_release(actor=None, release=row)
    row.refresh_from_db()
    return row


def with_texts(release: Release, texts: dict[str, str]) -> FrozenTuple:
    """A tuple in which nothing is found for the first problem, and for the third one what it cites, by another key."""
    third = release.instances.order_by("key")[2].key
    rows = (Row(third, "balls", (Result(1, "s1", 1, paper=KEYS[2], title="Balls"),)),)
    made = Artifact(Terms(release=release.sha256, provider=EXTERNAL, settings={"service": "a library"}), rows)
    lines = "".join(json.dumps({"key": key, "text": text}) + "\n" for key, text in texts.items())
    return declare_tuple(
        actor=None, release=release, name="frozen", split="all", retrieval="r", materialisation="m", scoring="s",
        evaluated_on=dt.date(2026, 11, 1),
        files={
            "retrieval": ContentFile(packed(made), "r.zip"),
            "materialisation": ContentFile(lines.encode(), "m.jsonl"),
        },
    )  # fmt: skip


def test_a_run_has_outputs_only_where_the_cited_source_could_be_read(
    server: Server, release: Release, client: Client, coordinator: User
) -> None:
    frozen = with_texts(release, {KEYS[0]: TEXT, "s1": "Nothing but words."})
    by = site.solver("gaps", {"oracle_source": "blocks"})
    run = site.work(site.start(by, release, condition="oracle", artifact=frozen))
    found = {one.instance.key: one for one in Attempt.objects.select_related("instance")}
    shown = [found[key].result.get("source_shown") for key in sorted(found)]
    assert shown == ["blocks", None, "beginning"]
    progress = progress_of(run)
    assert (progress.answered, progress.without_output, progress.without_blocks) == (2, 1, 1)
    assert list(faults()) == []
    client.force_login(coordinator)
    page = client.get(reverse("solve-run", args=[run.pk])).content.decode()
    assert "1: the cited source could not be read" in page
    assert "1: the beginning was shown" in page
    report = publish(actor=None, run=run)
    assert report.outputs == 2
    answered = [sorted(found)[place] for place in (0, 2)]
    assert list(Output.objects.order_by("instance__key").values_list("instance__key", flat=True)) == answered


def test_the_page_of_a_block_list_says_how_often_each_of_its_rules_kept_a_source_away(
    server: Server, release: Release, client: Client, coordinator: User
) -> None:
    frozen = with_texts(release, {KEYS[0]: TEXT, KEYS[1]: TEXT, "s1": TEXT})
    blocked = add_material(actor=None, kind="blocked", name="two", content={"identifiers": list(KEYS[:2])})
    by = site.solver("gaps", {"oracle_source": "blocks"})
    run = site.work(site.start(by, release, condition="oracle", artifact=frozen, blocked=blocked))
    client.force_login(coordinator)
    reply = client.get(reverse("material", args=[blocked.pk]))
    assert dict(reply.context["hits"]) == {f"identifier {key}": 1 for key in KEYS[:2]}
    page = reply.content.decode()
    assert "Kept away from attempts" in page
    assert f"#{run.pk}</a> on gaps" in page


@pytest.mark.django_db
def test_a_block_list_keeps_a_cited_source_away_too(release: Release) -> None:
    run = SolveRun(release=release, artifact=with_texts(release, {KEYS[0]: TEXT}))
    first = release.instances.order_by("key")[0].key
    wanted = {"query": KEYS[0], "cited": [KEYS[0], "Balls in convex spaces"]}
    assert read_tool(run, first, "open", wanted)["text"] == TEXT
    for content in (
        {"titles": ["Balls in Convex Spaces"]},
        {"identifiers": [KEYS[0]]},
        {"phrases": ["theorem 1 every ball is convex then much more follows"]},
    ):
        name = f"list-{next(iter(content))}"
        run.blocked = add_material(actor=None, kind="blocked", name=name, content=content)
        assert read_tool(run, first, "open", wanted)["status"] == "blocked"
    # a search cannot open it: only what it found for the problem is opened by its name
    run.blocked = None
    assert read_tool(run, first, "open", {"query": KEYS[0]})["status"] == "unresolved"
    assert read_tool(run, first, "open", {"query": ""})["status"] == "unresolved"


@pytest.mark.django_db
def test_what_no_database_keeps_is_replaced_in_the_text_of_a_source(release: Release) -> None:
    """Texts read from PDFs have NULs and halves of character pairs: a run could not begin, or lost what it paid for."""
    run = SolveRun(release=release, artifact=with_texts(release, {KEYS[0]: "A \0 ball \ud800 is convex."}))
    first = release.instances.order_by("key")[0].key
    found = read_tool(run, first, "open", {"query": KEYS[0], "cited": [KEYS[0]]})
    assert found["text"] == "A \ufffd ball \ufffd is convex."
