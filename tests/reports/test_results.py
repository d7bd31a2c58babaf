"""The results page: what it counts, what it withholds and from whom, and where every number of a score is."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.adjudication.actions import adjudicate
from annotation.adjudication.reading import queue, state_counts
from annotation.adjudication.settling import State
from annotation.models import Campaign, Unblinding
from benchmark.models import Release
from reports.records.page import how_judged, shown
from reports.results.board import board
from reports.results.graded import reading
from reports.results.page import Names, audit_context, grid_context
from reports.scores.document import score
from reports.scores.inputs import collect
from tests.reports.conftest import queries
from tests.reports.ten_proofs import ten_proofs

pytestmark = pytest.mark.django_db
SYSTEMS = ("Heron", "Lark", "Kestrel", "Wren", "heron", "lark", "kestrel", "wren")


@pytest.fixture
def study(db):
    ten_proofs()
    return Release.objects.select_related("benchmark").get(name="ten-proofs")


@pytest.fixture
def olga(client, owner):
    client.force_login(owner)
    return client


def page(client, release, **asked):
    return client.get(reverse("score", args=[release.name]), asked)


def words(reply):
    return " ".join(strip_tags(reply.content.decode()).split())


def test_the_leaderboard_counts_solved_of_graded_and_orders_by_it(olga, study):
    lines = page(olga, study).context["board"]["lines"]
    # by hand from tests/reports/ten_proofs.py; Heron's tenth answer is blank
    assert [(row["line"].letter, row["name"], row["experts"]["counts"]) for row in lines] == [
        ("A", "Heron 3", "6 of 9"),
        ("B", "Kestrel", "5 of 10"),
        ("C", "Lark Pro", "5 of 10"),
        ("D", "Wren mini", "1 of 10"),
    ]
    assert [row["line"].blank for row in lines] == [1, 0, 0, 0]


def test_the_leaderboard_says_what_the_score_says(study):
    inputs = collect(release=study)
    document, rows = score(inputs), {row.subject: row for row in inputs.outputs}
    lines = board(document, reading(inputs), rows, inputs.methods).lines
    (campaign,) = document.experts
    for line in lines:
        majority = campaign.questions["recommendation"].systems[line.system].majority.estimate
        assert (line.experts.k, line.experts.n, line.experts.ci) == (majority.k, majority.n, majority.ci)


def test_the_leaderboard_of_several_attempts_is_not_called_one_of_problems(olga, study):
    assert "Problems solved" in words(page(olga, study))
    inputs = collect(release=study)
    document, rows = score(inputs), {row.subject: row for row in inputs.outputs}
    again = replace(inputs.outputs[0], attempt=2)
    leaderboard = board(document, reading(inputs), rows | {"p/heron/2": again}, inputs.methods)
    assert leaderboard.heading == "Successful attempts"


def test_a_second_look_at_a_few_outputs_is_not_what_is_shown_first(study):
    inputs = collect(release=study)
    (campaign,) = inputs.campaigns
    few = [replace(label, campaign="a-second-look") for label in inputs.labels[:2]]
    both = replace(
        inputs,
        campaigns=(replace(campaign, slug="a-second-look"), campaign),
        labels=(*few, *inputs.labels),
    )
    assert reading(both).campaign.slug == campaign.slug
    assert reading(both, "a-second-look").campaign.slug == "a-second-look"


def test_of_several_attempts_cells_say_which_one_and_the_record_that_attempts_count(study):
    def record(*more):
        every = replace(inputs, outputs=(*inputs.outputs, *more))
        return shown(declared, {}, every, score(every), SimpleNamespace(problems={}))

    def cells(record):
        rows = grid_context(record.rows, record.found, record.board, record.names)["rows"]
        return [cell["spoken"] for cell in rows[0]["cells"][0]]

    inputs = collect(release=study)
    hidden = {"show_problems": False, "show_outputs": False, "show_reports": False}
    declared = SimpleNamespace(systems={}, **hidden)
    one, two = record(), record(replace(inputs.outputs[0], subject="01/heron/2", attempt=2))
    assert (how_judged(one)["several"], how_judged(two)["several"]) == (False, True)
    assert [said.partition(":")[0] for said in cells(one)] == ["Problem 1, heron"]
    assert [said.partition(":")[0] for said in cells(two)] == [
        "Problem 1, heron, attempt 1",
        "Problem 1, heron, attempt 2",
    ]


def test_agreement_counts_are_those_made_by_hand(olga, study):
    context = page(olga, study).context
    rows = {row["title"]: row["counts"] for row in context["agreement"]["rows"]}
    assert (rows["Solved or not"].pairs, rows["Solved or not"].all_pairs) == (105, 115)
    assert (rows["Solved or not"].unanimous, rows["Solved or not"].outputs) == (34, 39)
    assert (rows["Recommendation"].pairs, rows["Recommendation"].unanimous) == (76, 20)
    assert context["agreement"]["alpha"].value == "0.85"
    assert "by one level in 38 of 39 cases" in context["agreement"]["apart"]


def test_cells_say_everything_in_words_and_open_the_proof(olga, study):
    text = page(olga, study).content.decode()
    cells = dict(re.findall(r'href="([^"]+)" aria-label="(Problem [^"]+)"', text))
    said = set(cells.values())
    assert len(said) == 40
    (split,) = (one for one in said if one.startswith("Problem 2, Lark Pro"))
    all_but_answers, _, answers = split.rpartition(": ")
    assert all_but_answers == "Problem 2, Lark Pro: minor, referees differ on solved or not"
    assert sorted(answers.split(", ")) == ["major", "minor", "minor"]  # in the order of the referees' numbers
    assert "Problem 6, Heron 3: blank, no answer" in said
    assert "Problem 6, Kestrel: major, only 2 of 3 referees" in said
    at = next(href for href, words in cells.items() if words.startswith("Problem 2, Lark Pro"))
    opened = olga.get(at)
    assert opened.status_code == 200
    text = words(opened)
    assert "2 minor, 1 major; they differ on solved or not" in text
    assert "The second sentence is major." in text  # free text
    assert "Who is we?" in text  # a comment on a passage
    assert "typographical changes only" in text  # what the form says of the level


def test_a_split_is_what_the_campaign_says_and_the_page_says_so(olga, study):
    found = page(olga, study)
    assert (len(found.context["differ"]["splits"]), found.context["differ"]["several"]) == (19, 39)
    assert (
        "19 of 39 proofs with two or more referees are split: the referees differ in their answers"
        in words(found)
    )


@pytest.mark.slow
def test_of_an_audit_the_page_says_that_adjudication_takes_each_question_by_itself(olga, gaps):
    """A metric follows from several questions: other answers are split by it than by each of these."""
    split = "Referees differ in what follows from their answers; adjudication takes each question by itself."
    assert split in words(page(olga, gaps))
    assert "adjudication in this campaign means the same" in words(page(olga, gaps, question="ground"))


def test_by_verdict_five_proofs_are_split_here_and_in_adjudication(olga, db, monkeypatch):
    monkeypatch.setattr(Campaign._meta.get_field("split_by"), "default", "verdict")
    study = ten_proofs()
    found = page(olga, study)
    differ = found.context["differ"]
    assert (len(differ["splits"]), len(differ["levels_only"])) == (5, 14)
    assert "differ on solved or not" in words(found)
    campaign = Campaign.objects.get(slug="ten-proofs-referees")
    assert campaign.split_by == "verdict"
    counts = state_counts(queue(campaign))
    # one of the 39 has a report missing, on which the two there are agree
    assert (counts[State.SPLIT], counts[State.INCOMPLETE]) == (5, 1)
    assert "graders differ on whether it is solved" in words(
        olga.get(reverse("adjudication", args=[campaign.slug]))
    )


def test_a_pair_of_referees_lists_what_they_differ_on(olga, study):
    context = page(olga, study).context
    pair = next(cell for row in context["pairs"]["table"] for cell in row["cells"] if cell)
    differ, both = map(int, pair["words"].split("/"))
    only = page(olga, study, pair=pair["key"]).context["differ"]
    assert len(only["splits"]) == differ <= both
    assert page(olga, study, pair="1-99").status_code == 404


def test_a_decision_counts_and_is_marked(olga, study, owner):
    campaign = Campaign.objects.get(slug="ten-proofs-referees")
    item = campaign.items.get(output__run__system__slug="wren", instance__key="p5")
    # major, major, reject: Wren's second solved problem, if an adjudicator says so
    adjudicate(
        actor=owner, item=item, question="recommendation", value="minor", cause="severity", note="Closed."
    )
    found = page(olga, study)
    wren = found.context["board"]["lines"][-1]
    assert wren["experts"]["counts"] == "2 of 10"
    assert "Problem 5, Wren mini: minor, levels differ: major, major, reject, decided by an adjudicator" in (
        found.content.decode()
    )


def test_while_grading_is_open_nobody_sees_anything_by_system(client, coordinator, owner, db):
    study = ten_proofs(closed=False)
    for user in (coordinator, owner):
        client.force_login(user)
        found = page(client, study)
        assert "116 of 117 reports are in" in words(found)
        main = found.content.decode().partition("<main")[2]
        assert not [name for name in SYSTEMS if name in main]
        assert not [level for level in ("flawless", "Flawless", "Minor", "≠") if level in main]
        assert not [name for name in ("board", "grid", "differ", "said") if name in found.context]


def test_whoever_may_still_grade_does_not_get_in(client, study, algebraist, stranger):
    for user in (algebraist, stranger):
        client.force_login(user)
        assert page(client, study).status_code == 403


def test_staff_who_must_not_know_systems_get_no_grid_until_the_unblinding(client, coordinator, owner, study):
    client.force_login(coordinator)
    found = page(client, study)
    text = found.content.decode()
    assert found.context["grid"] is None
    assert "The grid names systems" in text
    assert "Problem 2, Lark Pro" not in text
    differ = found.context["differ"]["splits"]
    assert len(differ) == 19
    assert all(row["name"] == "" for row in differ)  # "2B" would say whose proof it is
    assert not any(re.search(r"R\d", row["levels"]) for row in differ)
    assert "pair=" not in text
    assert len(page(client, study, pair="1-2").context["differ"]["splits"]) == 19
    # and neither would their order, which is that of opaque names
    assert differ == sorted(differ, key=lambda row: (row["number"], row["href"]))
    campaign = Campaign.objects.get(slug="ten-proofs-referees")
    Unblinding.objects.create(
        campaign=campaign,
        reason="Published.",
        requested_by=coordinator,
        confirmed_by=owner,
        confirmed_at=campaign.closed_at,
    )
    assert "Problem 2, Lark Pro" in page(client, study).content.decode()


def test_the_study_page_says_that_verdicts_were_imported(olga, gaps):
    said = strip_tags(olga.get(reverse("study", args=[gaps.name])).content.decode())
    assert "Verdicts of sample-judge were imported" in said
    assert "No AI judge was asked" not in said


def test_with_a_judge_alone_its_verdicts_are_shown_as_unchecked(olga, gaps):
    text = words(page(olga, gaps))
    assert "The judge errs both ways." in text  # audited: 3 too kind, 2 too strict
    assert "read 75 answers." in text  # 15 of the 90 outputs are blank
    found = page(olga, gaps).context
    assert found["audit"]["counts"] == {"tp": 25, "fp": 3, "fn": 2, "tn": 20}
    assert [len(found["audit"]["errors"][cell]["named"]) for cell in ("fp", "fn")] == [3, 2]
    assert found["board"]["has_corrected"]


@pytest.mark.slow
def test_systems_are_told_apart_by_the_problems_on_which_two_of_them_are_compared(olga, proofs):
    assert len({row.instance for row in collect(release=proofs).outputs}) == 8
    assert "With six problems, A, B and C cannot be told apart." in words(page(olga, proofs))


def test_what_an_audit_drew_is_what_was_compared_what_could_not_be_and_what_lacks_a_label(gaps):
    inputs = collect(release=gaps)
    unread = inputs.labels[0].subject
    inputs = replace(inputs, labels=tuple(row for row in inputs.labels if row.subject != unread))
    document, found = score(inputs), reading(inputs)
    lines = board(document, found, {row.subject: row for row in inputs.outputs}, inputs.methods)
    audit = audit_context(document, lines, found, Names({}, {}, {}, lambda *_: ""), {}, 75)
    assert audit["missing"] == 1
    assert audit["drawn"] == audit["all"] + audit["excluded"] + audit["missing"]


def test_many_systems_are_rows_and_many_problems_come_in_pages(olga, db):
    wide = page(olga, ten_proofs("wide", systems=9, problems=2))
    assert wide.context["grid"]["rotated"]
    assert 'class="pgrid rotated"' in wide.content.decode()
    long = ten_proofs("long", systems=2, problems=31)
    first, second = page(olga, long), page(olga, long, page="2")
    assert [len(reply.context["grid"]["rows"]) for reply in (first, second)] == [30, 1]
    # the leaderboard counts all of them on both; every tenth answer of Heron's is blank
    assert [reply.context["board"]["lines"][0]["experts"]["n"] for reply in (first, second)] == ["28", "28"]


LINKS = (
    "score-report",
    "report-jobs",
    "score-json",
    "labels-csv",
    "compare",
    "external-scores",
    "pairs",
    "exclusions",
    "artifacts",
    "judge-audit",
    "judge-pair",
    "audit-draw",
    "score-numbers",
    "outputs-behind",
)


def test_every_link_of_the_former_score_page_is_on_the_results(olga, gaps):
    text = page(olga, gaps).content.decode()
    for name in LINKS:
        assert reverse(name, args=[gaps.name]) in text, name


def test_the_page_has_one_primary_button_and_no_inline_style(olga, gaps, study):
    for release in (gaps, study):
        text = page(olga, release).content.decode()
        assert text.count("button primary") == 1
        assert " style=" not in text


@pytest.mark.slow
def test_the_page_costs_the_same_number_of_queries_for_more_proofs(olga, django_assert_max_num_queries):
    small, large = ten_proofs("small", problems=2), ten_proofs("large", problems=10)
    page(olga, small), page(olga, large)  # keeps the scores
    counted = [queries(olga, reverse("score", args=[release.name])) for release in (small, large)]
    assert counted[0] == counted[1]


@pytest.mark.slow
def test_no_word_praises_a_system(olga, gaps, study):
    for release in (gaps, study):
        assert not re.search(r"\b(best|wins|winner|beats|outperforms)\b", words(page(olga, release)))
