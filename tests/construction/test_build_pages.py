"""Pages of builds: recipes, plans, funnels that add up, candidates and what people decide, selections, releases."""

import csv
import html
import io
import json
import re

import pytest
from django.test import Client

from accounts.models import User
from benchmark.describing.licences import CLOSED, OPEN, UNSTATED, class_of
from benchmark.models import Release
from benchmark.protocols import get_protocol
from construction.builds.comparing import compare
from construction.builds.funnels import choice_of, rows_of
from construction.builds.releasing import construction_rubric
from construction.builds.repairs import editable
from construction.models import Build, Candidate, Source
from construction.pipeline import get_pipeline, pipeline_names
from construction.recipes.about import About, described
from tests.construction import test_gaps as gaps
from tests.construction import test_pipelines as made_up
from tests.construction.building import QUOTAS, _quiet, run, server, source, start
from tests.llm.server import Server
from work.models import RunState

__all__ = ["_quiet", "server"]
pytestmark = pytest.mark.django_db(transaction=True)
CASES = [("masked_steps", made_up.TEXT, {}), ("lemmas", made_up.TEXT, {}), ("re2math", gaps.TEXT, QUOTAS)]
each_protocol = pytest.mark.parametrize(("protocol", "text", "numbers"), CASES, ids=[one[0] for one in CASES])


@pytest.fixture
def staff(coordinator: User) -> Client:
    client = Client()
    client.force_login(coordinator)
    return client


@pytest.fixture
def owners(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def page(client: Client, address: str, status: int = 200) -> str:
    reply = client.get(f"/construction/builds/{address}")
    assert reply.status_code == status, reply.content[:500]
    return html.unescape(reply.content.decode())


def words(text: str) -> str:
    """The page without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


# -- recipes ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("protocol", pipeline_names())
def test_every_number_of_a_recipe_is_on_its_page_with_the_papers(protocol: str, staff: Client) -> None:
    shown = page(staff, f"recipes/{protocol}/")
    for number in described(get_pipeline(protocol).numbers):
        assert f"<code>{number.name}</code>" in shown
        for said in (number.what, number.paper, number.why, number.ours_in_words):
            assert said in shown
    for prompt in get_pipeline(protocol).prompts:
        assert prompt.sha256 in shown
        assert prompt.words[:60] in shown
    assert page(staff, "recipes/proofs/", 404)


@pytest.mark.parametrize("protocol", pipeline_names())
def test_a_number_that_is_not_the_papers_says_why(protocol: str) -> None:
    """Where the paper's words hold other digits than ours, or no word of the paper is known, there is a reason."""
    for number in described(get_pipeline(protocol).numbers):
        assert number.what[0].isupper()
        assert number.paper or number.why, number.name
        digits = re.findall(r"\d+", re.sub(r"(?<=\d),(?=\d{3})", "", number.paper))
        ours = re.findall(r"\d+", str(number.ours))
        if digits and ours and not set(digits) & set(ours):
            assert number.why, number.name


def test_an_about_is_no_part_of_a_number() -> None:
    """Descriptions change no recipe: its hash is over values alone."""
    recipe = get_pipeline("lemmas").recipe({"min_paragraphs": 4})
    assert recipe.min_paragraphs == 4
    assert not any(isinstance(value, About) for value in vars(recipe).values())


# -- a plan ----------------------------------------------------------------------------------------------------
PLAN = {
    "protocol": "lemmas",
    "name": "october",
    "endpoint": "local",
    "model": "writer",
    "seed": "1",
    "prompt_price": "1",
    "completion_price": "2",
}


def test_a_plan_is_estimated_and_begun_with_the_numbers_that_differ(server: Server, owners: Client) -> None:
    source("2601.00001", made_up.TEXT)
    source("2601.00002", made_up.TEXT + "%")
    source("2601.00003", made_up.TEXT + "%%", domain="")
    empty = words(page(owners, "new/"))
    assert "2 papers chosen" in empty
    assert "1 that can be read has no domain" in empty
    plan = {**PLAN, "text": "2601.00002", "n_max_depth": "2", "n_b": "0.75"}
    reply = owners.get("/construction/builds/new/", plan)
    shown = words(html.unescape(reply.content.decode()))
    # the paper has one lemma in an environment of that name, about which one question is asked
    assert "1 paper, 1 to 1 questions" in shown
    assert "max_depth 2" in shown
    assert "b 0.75" not in shown
    refused = owners.post("/construction/builds/new/", plan)
    assert refused.status_code == 409
    assert "Give a budget" in refused.content.decode()
    begun = owners.post("/construction/builds/new/", {**plan, "max_tokens": "1000000"})
    assert begun["Location"] == "/construction/builds/october/"
    build = Build.objects.get()
    assert (build.recipe["max_depth"], build.papers.get().source.key) == (2, "2601.00002")
    assert "max_depth" in words(page(owners, "october/"))


WRONG = [
    ({"name": "a b"}, 400, "valid"),
    ({"n_max_depth": "deep"}, 400, "whole number"),
    ({"n_max_depth": "-1"}, 400, "greater than or equal to 0"),
    ({"n_context": "vectors"}, 409, "context"),
    ({"name": "new", "max_tokens": "1000000"}, 409, "address of its own"),
]


@pytest.mark.parametrize(("changed", "status", "reason"), WRONG, ids=[str(case[0]) for case in WRONG])
def test_a_plan_that_cannot_be_followed_says_why_on_the_page(
    changed: dict[str, str], status: int, reason: str, server: Server, owners: Client
) -> None:
    source("2601.00001", made_up.TEXT)
    reply = owners.post("/construction/builds/new/", {**PLAN, "max_tokens": "100000", **changed})
    assert reply.status_code == status
    assert reason in html.unescape(reply.content.decode())
    assert not Build.objects.exists()


@pytest.mark.slow
@each_protocol
def test_an_estimate_holds_what_is_asked(
    protocol: str, text: str, numbers: dict[str, object], server: Server, owners: Client
) -> None:
    """Of these papers: low to high of questions and tokens contain what the build then took."""
    from construction.builds.estimating import chosen_sources, estimate

    source("2601.00001", text)
    found = estimate(protocol=protocol, numbers=numbers, sources=chosen_sources())
    build = run(start("first", protocol, numbers=numbers))
    assert found.questions_low <= build.steps.count() <= found.questions_high
    assert found.tokens_high > 0
    assert found.counted == found.papers == 1


# -- the funnel ------------------------------------------------------------------------------------------------
def rows_on_page(text: str) -> dict[str, tuple[int, int, int, int]]:
    """In, kept, waiting and the sum of the dropped, by stage, as the page shows them."""
    found = {}
    for stage, row in re.findall(r'<tr data-stage="(\w+)">(.*?)</tr>', text, re.DOTALL):
        numbers = [int(number) for number in re.findall(r'<td class="number">(\d+)</td>', row)]
        dropped = sum(int(times) for times in re.findall(r'<span class="times">(\d+)</span>', row))
        found[stage] = (*numbers, dropped)
    return found


def rows_in_csv(text: str) -> dict[str, tuple[int, int, int, int]]:
    found: dict[str, list[int]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["code"]:
            found[row["stage"]][3] += int(row["dropped"])
        else:
            found[row["stage"]] = [int(row[name]) for name in ("reached", "kept", "waiting")] + [0]
    return {stage: tuple(numbers) for stage, numbers in found.items()}  # type: ignore[misc]


@pytest.mark.slow
@each_protocol
def test_on_page_and_csv_and_rest_what_came_in_was_kept_or_dropped_or_waits(
    protocol: str, text: str, numbers: dict[str, object], server: Server, staff: Client, coordinator: User
) -> None:
    source("2601.00001", text)
    source("2601.00002", text.replace("gadget", "widget").replace("Gadget", "Widget"))
    source("2601.00003", "\\documentclass{article}\\begin{document}Nothing.\\end{document}")
    build = run(start("first", protocol, numbers=numbers))
    _drop_one(build, staff)
    seen = rows_on_page(page(staff, "first/"))
    assert len(seen) == len(get_pipeline(protocol).stages) + 3  # papers, reviews, selection
    for stage, (reached, kept, waiting, dropped) in seen.items():
        assert reached == kept + waiting + dropped, stage
    reply = staff.get("/construction/builds/first/funnel.csv")
    assert rows_in_csv(b"".join(reply).decode()) == seen  # type: ignore[arg-type]
    told = staff.get("/api/v1/builds/first/").json()["funnel"]
    assert {
        row["stage"]: (row["reached"], row["kept"], row["waiting"], sum(row["dropped"].values()))
        for row in told
    } == seen
    # what a stage kept is what the next one got, counted by itself
    stages = list(get_pipeline(protocol).stages)
    for here, after in zip(stages, [*stages[1:], "review"], strict=True):
        assert seen[here][1] == seen[after][0]


def _drop_one(build: Build, client: Client) -> None:
    candidate = Candidate.objects.filter(paper__run=build, state="made").first()
    assert candidate is not None
    address = f"/construction/builds/first/candidates/{candidate.pk}/"
    assert client.post(address, {"decision": "drop", "reason": "Trivial."}).status_code == 302


def test_a_build_that_waits_adds_up_too_and_refreshes_itself(server: Server, staff: Client) -> None:
    source("2601.00001", made_up.TEXT)
    build = start("first", "lemmas")
    assert rows_on_page(page(staff, "first/"))["read"] == (1, 0, 1, 0)
    fragment = staff.get("/construction/builds/first/", headers={"X-Fragment": "progress"}).content.decode()
    assert fragment.lstrip().startswith('<div data-running="yes">')
    assert "<html" not in fragment
    run(build)
    assert 'data-running="no"' in page(staff, "first/")


def test_each_code_links_to_what_was_dropped(server: Server, staff: Client) -> None:
    source("2601.00001", made_up.TEXT)
    run(start("first", "masked_steps", numbers={"min_characters": 100_000}))
    shown = page(staff, "first/")
    (address,) = set(
        re.findall(r'href="/construction/builds/first/(candidates/\?stage=pairs&code=\w+)"', shown)
    )
    listed = page(staff, f"first/{address}")
    assert (
        len(re.findall(r'<th scope="row">', listed)) == Candidate.objects.filter(state="dropped").count() > 0
    )


# -- steering --------------------------------------------------------------------------------------------------
def test_owners_pause_resume_cancel_and_change_the_budget_and_coordinators_do_not(
    server: Server, owners: Client, staff: Client
) -> None:
    source("2601.00001", made_up.TEXT)
    build = start("first", "lemmas")
    address = "/construction/builds/first/steer/"
    assert staff.post(address, {"step": "pause"}).status_code == 403
    for step, state in (("pause", "paused"), ("resume", "running")):
        owners.post(address, {"step": step})
        build.refresh_from_db()
        assert build.state == state
    owners.post(address, {"max_tokens": "77000"})
    reply = owners.post(address, {"max_tokens": "-3"}, follow=True)
    assert "A budget is a positive number" in reply.content.decode()
    build.refresh_from_db()
    assert build.max_tokens == 77_000
    reply = owners.post(address, {"step": "again"}, follow=True)
    assert "Nothing of this build failed" in reply.content.decode()
    owners.post(address, {"step": "cancel"})
    build.refresh_from_db()
    assert build.state == RunState.CANCELLED


# -- candidates ------------------------------------------------------------------------------------------------
def made(protocol: str, text: str, numbers: dict[str, object]) -> Candidate:
    source("2601.00001", text)
    build = run(start("first", protocol, numbers=numbers))
    found = Candidate.objects.filter(paper__run=build, state="made").first()
    assert found is not None
    return found


@pytest.mark.slow
@each_protocol
def test_a_candidate_shows_the_instance_its_source_and_the_replies(
    protocol: str, text: str, numbers: dict[str, object], server: Server, staff: Client
) -> None:
    candidate = made(protocol, text, numbers)
    shown = page(staff, f"first/candidates/{candidate.pk}/")
    assert "No instance can be made" not in shown
    assert '<div class="document">' in shown
    # each coloured piece is a part of the file where the candidate says it is
    pieces = re.findall(r'<mark class="place c\d" id="at-\d+-(\d+)"[^>]*>(.*?)</mark>', shown, re.DOTALL)
    assert pieces
    for start_, piece in pieces:
        assert text[int(start_) :].startswith(piece.strip("\n")) or text[int(start_) :].startswith(piece)
    for step in candidate.steps.all():
        assert step.text in shown
        assert step.prompt_sha256 in shown
    if any(one["written_by"] and not one["places"] for one in candidate.lines[0]["provenance"].values()):
        assert "written by a model" in shown


def test_a_text_is_repaired_shown_before_and_after_and_undone(server: Server, staff: Client) -> None:
    candidate = made("lemmas", made_up.TEXT, {})
    address = f"/construction/builds/first/candidates/{candidate.pk}/"
    texts = editable(candidate.lines[0])
    name, text = next((path, text) for path, text in texts.items() if path == "statement" or "text" in path)
    fields = {f"after-0.{path}": value for path, value in texts.items()}
    same = staff.post(address, {**fields, "decision": "repair", "reason": "x"})
    assert same.status_code == 409
    assert "No text was changed" in same.content.decode()
    wrong = staff.post(
        address, {**fields, f"after-0.{name}": text + r" $\frac{1}$", "decision": "repair", "reason": "x"}
    )
    assert wrong.status_code == 409
    assert "cannot be set" in wrong.content.decode()
    assert "\\frac{1}" in html.unescape(wrong.content.decode())  # what was typed is kept
    assert not candidate.reviews.exists()
    right = {**fields, f"after-0.{name}": f"{text} So $1=1$.", "decision": "repair", "reason": "A misprint."}
    assert staff.post(address, right).status_code == 302
    shown = page(staff, f"first/candidates/{candidate.pk}/")
    assert "So $1=1$." in shown
    assert "repaired by hand" in shown
    assert "A misprint." in shown
    assert staff.post(f"{address}withdraw/").status_code == 302
    assert "Withdrawn" in page(staff, f"first/candidates/{candidate.pk}/")
    assert not candidate.reviews.filter(withdrawn_at=None).exists()


def test_a_repair_that_somebody_else_was_faster_than_is_not_lost(
    server: Server, staff: Client, owners: Client
) -> None:
    candidate = made("lemmas", made_up.TEXT, {})
    address = f"/construction/builds/first/candidates/{candidate.pk}/"
    texts = editable(candidate.lines[0])
    changed = next(path for path in texts if path == "statement" or "text" in path)
    fields = {f"after-0.{path}": value for path, value in texts.items()}
    assert owners.post(address, {"decision": "drop", "reason": "It is trivial."}).status_code == 302
    mine = {f"after-0.{changed}": f"{texts[changed]} Here $7=7$.", "reason": "It lacked a bound."}
    late = staff.post(address, {**fields, **mine, "decision": "repair"})
    assert late.status_code == 409
    shown = html.unescape(late.content.decode())
    assert "withdraw that decision first" in shown
    assert "Here $7=7$." in shown
    assert "It lacked a bound." in shown
    assert shown.count("What you typed, which was not saved") == 1
    assert "What you typed" not in page(staff, f"first/candidates/{candidate.pk}/")


def test_an_undo_takes_back_the_decision_that_was_looked_at_and_no_later_one(
    server: Server, staff: Client, owners: Client
) -> None:
    candidate = made("lemmas", made_up.TEXT, {})
    place = f"first/candidates/{candidate.pk}/"
    address = f"/construction/builds/{place}"
    assert owners.post(address, {"decision": "drop", "reason": "It is trivial."}).status_code == 302
    first = candidate.reviews.get()
    assert f'name="seen" value="{first.pk}"' in page(staff, place)
    assert owners.post(f"{address}withdraw/", {"seen": first.pk}).status_code == 302
    assert owners.post(address, {"decision": "drop", "reason": "It is wrong."}).status_code == 302
    late = staff.post(f"{address}withdraw/", {"seen": first.pk}, follow=True).content.decode()
    assert "Someone has decided again in the meantime" in late
    assert candidate.reviews.get(withdrawn_at=None).reason == "It is wrong."


@pytest.mark.slow
def test_a_repaired_anchor_that_gives_the_tool_away_is_refused(server: Server, staff: Client) -> None:
    candidate = made("re2math", gaps.TEXT, QUOTAS)
    leaking = "Bound the number of gadgets in every part with Kuratowski's theorem, as the proof needs it."
    texts = editable(candidate.lines[0])
    key = candidate.lines[0]["line"]["z"]["citation_key"]
    leaking = f"Bound the number of gadgets in every part by \\cite{{{key}}}, as the proof needs it here."
    fields = {f"after-0.{path}": value for path, value in texts.items()}
    reply = staff.post(
        f"/construction/builds/first/candidates/{candidate.pk}/",
        {**fields, "after-0.x.anchor_hint": leaking, "decision": "repair", "reason": "Better."},
    )
    assert reply.status_code == 409
    assert "It gives away" in html.unescape(reply.content.decode())
    assert not candidate.reviews.exists()


@pytest.mark.slow
def test_an_unknown_decision_changes_nothing(server: Server, staff: Client) -> None:
    candidate = made("re2math", gaps.TEXT, QUOTAS)
    address = f"/construction/builds/first/candidates/{candidate.pk}/"
    for decision in ({}, {"decision": "keep"}):
        reply = staff.post(address, {**decision, "reason": "It is good."})
        assert reply.status_code == 409
        assert "A candidate is dropped or repaired" in reply.content.decode()
    assert not candidate.reviews.exists()


def test_the_next_candidate_is_the_next_of_the_list_that_was_chosen(server: Server, staff: Client) -> None:
    for number in range(3):
        source(f"2601.0000{number}", made_up.TEXT + "%" * number)
    build = run(start("first", "lemmas"))
    rows = list(Candidate.objects.filter(paper__run=build, state="made").order_by("paper__ordinal", "place"))
    assert len(rows) == 3
    shown = page(staff, f"first/candidates/{rows[1].pk}/?state=made")
    assert f'data-key="k" href="/construction/builds/first/candidates/{rows[0].pk}/?state=made"' in shown
    assert f'data-key="j" href="/construction/builds/first/candidates/{rows[2].pk}/?state=made"' in shown
    only = page(staff, f"first/candidates/{rows[1].pk}/?paper=2601.00001")
    assert "data-key" not in only


# -- selection and release -------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_selection_shows_points_ranks_quotas_and_why_not(server: Server, staff: Client) -> None:
    source("2601.00001", gaps.TEXT)
    source("2601.00002", gaps.TEXT + "% another paper")
    build = run(start("first", "re2math", numbers=QUOTAS))
    choice = choice_of(build)
    assert choice is not None
    assert set(choice.selected.points) == set(choice.selected.ranks)
    shown = words(page(staff, "first/selection/"))
    assert "quota_full 1 of its domain" in shown or "duplicate" in shown
    assert "selected" in shown
    for rule, points in next(iter(choice.selected.points.values())):
        assert not points or f"{rule} {points:g}" in shown
    assert "Domains and quotas" in shown
    short = run(start("second", "re2math", numbers={**QUOTAS, "quota": 9}))
    shown = words(page(staff, "second/selection/"))
    assert "of 9" in shown
    row = rows_of(short, choice_of(short))[-1]
    assert row.reached == row.kept + row.waiting + sum(row.dropped.values())


def test_a_release_is_made_from_the_page_with_licences_and_scans(server: Server, staff: Client) -> None:
    source("2601.00001", made_up.TEXT)
    free = source("2601.00002", made_up.TEXT + "%")
    Source.objects.filter(pk=free.pk).update(licence="CC-BY-4.0")
    run(start("first", "lemmas"))
    shown = words(page(staff, "first/release/"))
    assert "1 source may not be passed on, or its licence is not known" in shown
    assert "Nothing was found" in shown
    rows = b"".join(staff.get("/construction/builds/first/offsets.jsonl?licence=restricted"))  # type: ignore[arg-type]
    assert [json.loads(row)["source"] for row in rows.splitlines()] == ["2601.00001"]
    assert staff.post("/construction/builds/first/release/", {"release": "a b"}).status_code == 400
    assert staff.post("/construction/builds/first/release/", {"release": "made"}).status_code == 302
    release = Release.objects.get(name="made")
    shown = page(staff, "first/release/")
    build = Build.objects.get()
    assert f"recipe {build.recipe_sha256}" in shown
    assert f'href="/grading/campaigns/new/?release={release.name}"' in shown
    assert "lemmas-construction-v1" in shown
    (describe,) = re.findall(r'href="(/releases/made/describe/[^"]*)"', shown)
    assert f"recipe {build.recipe_sha256}" in staff.get(describe).content.decode()
    for address in re.findall(r'href="(/[^"]*made[^"]*)"', shown):
        assert staff.get(html.unescape(address)).status_code == 200, address
    assert "Make the release</button>" not in shown


@pytest.mark.slow
def test_a_model_that_speaks_of_itself_is_found_before_a_release(
    server: Server, staff: Client, coordinator: User
) -> None:
    candidate = made("re2math", gaps.TEXT, QUOTAS)
    texts = editable(candidate.lines[0])
    fields = {f"after-0.{path}": value for path, value in texts.items()}
    reply = staff.post(
        f"/construction/builds/first/candidates/{candidate.pk}/",
        {
            **fields,
            "after-0.x.global_context.setup": "As an AI language model I say that all gadgets are finite.",
            "decision": "repair",
            "reason": "Try.",
        },
    )
    assert reply.status_code == 302
    assert "identity" in words(page(staff, "first/release/"))


AUDITED = {
    # what the specification asks of experts, by the keys of the rubrics: self-containedness with all hypotheses and
    # no recalled result; Mask-Proof's four dimensions and self-containedness
    "lemmas": {"context_complete", "faithful", "own_result"},
    "masked_steps": {
        "step_correct",
        "context_sufficient",
        "whole_step",
        "shortcut_free",
        "notation_explained",
    },
    "re2math": {"instrumental", "leak_free"},
}


@pytest.mark.parametrize("protocol", pipeline_names())
def test_experts_have_a_rubric_for_what_each_recipe_makes(protocol: str) -> None:
    label = construction_rubric(protocol)
    (rubric,) = [one for one in get_protocol(protocol).rubrics if one.label == label]
    assert AUDITED[protocol] <= {question.key for question in rubric.questions}
    assert rubric.kind == "construction"


LICENCES = [
    ("", UNSTATED),
    ("CC-BY-4.0", OPEN),
    ("cc-by-nc-sa-4.0", OPEN),
    ("CC-BY-ND-4.0", CLOSED),
    ("arXiv-nonexclusive-distrib-1.0", CLOSED),
    ("MIT", OPEN),
]


@pytest.mark.parametrize(("licence", "kind"), LICENCES)
def test_only_a_licence_that_is_known_to_be_free_lets_a_text_be_given_on(licence: str, kind: str) -> None:
    assert class_of(licence) == kind


# -- comparison ------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_next_month_shows_papers_lines_again_replies_and_drift(server: Server, staff: Client) -> None:
    source("2601.00001", made_up.TEXT)
    first = run(start("september", "lemmas"))
    source("2602.00001", made_up.TEXT.replace("gadget", "widget"))
    second = run(start("october", "lemmas", numbers={"max_depth": 2}))
    found = compare(first, second)
    assert (found.papers_in_both, found.papers_only_first, found.papers_only_second) == (1, 0, 1)
    assert [name.split()[0] for name in found.again] == ["2601.00001"]
    assert (found.reused_second, found.questions_second) == (1, 2)
    assert [one.name for one in found.numbers] == ["max_depth"]
    # 1 of 1 against 2 of 2: no difference; Wilson has 20.65 to 100 for 1 of 1, and 34.24 to 100 for 2 of 2, so that
    # Newcombe's interval is from -(1 - .3424) to 1 - .2065
    read = found.drift[0]
    assert (read.difference, read.differs) == (0, False)
    assert (round(read.low or 0, 4), round(read.high or 0, 4)) == (-0.6576, 0.7935)
    shown = words(page(staff, "october/compare/"))
    assert "october against september" in shown
    assert "100.0 (34.2 to 100.0), 2 of 2" in shown
    run(start("other", "masked_steps"))
    assert page(staff, "october/compare/?with=other", 404)
    assert "There is no other build of masked_steps" in page(staff, "other/compare/")
