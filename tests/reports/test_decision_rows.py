"""Decisions of adjudicators in the label table: out and in byte for byte, and never a grader."""

import io
import json

import pytest

from accounts.models import User
from accounts.refusal import Refused
from annotation.adjudication import actions as adjudication_actions
from annotation.adjudication import unblinding as adjudication_unblinding
from annotation.models import Adjudication, Campaign, Grade
from benchmark.models import Release
from reports.labels.exporting import csv_lines, jsonl_lines
from reports.labels.filters import LabelFilter
from reports.labels.importing import import_labels
from reports.labels.pages import chosen_page
from reports.labels.rows import blinded, label_rows
from reports.scores.inputs import collect
from stats.analyses.agreement import agreement_document
from stats.analyses.as_text import agreement_text
from stats.analyses.options import Options
from stats.analyses.pairs import pairs_document
from stats.tables.labels import read_labels
from tests.documents import score_document
from tests.factories import InstanceFactory, OutputFactory, ReleaseFactory, RunFactory
from tests.reports.conftest import SYSTEMS, load

pytestmark = pytest.mark.django_db
FORMS = {"csv": csv_lines, "jsonl": jsonl_lines}
OF_DECISIONS = LabelFilter({"rater_kind": {"adjudicator"}})


@pytest.fixture
def decided(proofs, coordinator, owner) -> Release:
    """Three decisions in force on two outputs, two of which no grader gave; one is an amendment, one was superseded."""
    campaign = Campaign.objects.get(release=proofs)
    one, other = campaign.items.order_by("pk")[:2]
    terms = {"actor": coordinator, "item": one, "question": "correctness"}
    first = adjudication_actions.adjudicate(**terms, value="correct")
    second = adjudication_actions.adjudicate(
        **terms, value="incorrect", cause="slip", note="=1+1\r", supersedes=first.pk
    )
    graders = set(Grade.objects.filter(assignment__item=other).values_list("answers__value", flat=True))
    value = next(value for value in ("1", "2", "3", "4", "5") if value not in graders)
    note = "Nobody\nsaw “this”."
    adjudication_actions.adjudicate(
        actor=coordinator, item=other, question="clarity", value=value, cause="other", note=note
    )
    adjudication_unblinding.request_unblinding(actor=coordinator, campaign=campaign, reason="All is decided.")
    adjudication_unblinding.confirm_unblinding(actor=owner, campaign=campaign)
    adjudication_actions.adjudicate(**terms, value="correct", note="Seen again.", supersedes=second.pk)
    return proofs


def under(name: str, rows):
    return [{**row, "release": "", "campaign": name} for row in rows]


def decisions(release):
    return list(label_rows(release, wanted=OF_DECISIONS))


def written(tmp_path, rows, form="jsonl"):
    path = tmp_path / f"labels.{form}"
    path.write_bytes("".join(FORMS[form](rows)).encode())
    return path


def test_the_decisions_in_force_are_rows_behind_those_of_experts(decided, coordinator):
    kinds = [row["rater_kind"] for row in label_rows(decided)]
    assert kinds == [*["expert"] * (len(kinds) - 3), *["adjudicator"] * 3]
    said = [
        tuple(row[name] for name in ("question", "cause", "comment", "overrules", "informed", "amendment"))
        for row in decisions(decided)
    ]
    assert said == [
        ("correctness", "slip", "=1+1", "yes", "no", "no"),
        ("clarity", "other", "Nobody\nsaw “this”.", "yes", "no", "no"),
        ("correctness", "", "Seen again.", "no", "yes", "yes"),
    ]
    assert {row["rater"] for row in decisions(decided)} == {coordinator.rater}
    text = "".join(csv_lines(label_rows(decided)))
    assert coordinator.name not in text
    assert coordinator.email not in text


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_decisions_come_back_byte_for_byte_and_score_the_same(decided, tmp_path, form):
    empty = load("other", "proofs", {system: f"outputs/{system}" for system in SYSTEMS})
    first = under("again", label_rows(decided))
    report = import_labels(actor=None, path=written(tmp_path, first, form), release=empty)
    assert (report.decisions, report.new_decisions) == (3, 3)
    second = under("again", label_rows(empty))
    assert "".join(FORMS[form](second)) == "".join(FORMS[form](first))
    assert not import_labels(actor=None, path=written(tmp_path, second, form), release=empty).changed
    finals = [
        [
            (key, system, found.get("final"))
            for key, question in score_document(collect(release=release))["experts"][0]["questions"].items()
            for system, found in question["systems"].items()
        ]
        for release in (decided, empty)
    ]
    assert finals[0] == finals[1]
    assert any(final for _, _, final in finals[0])


def test_an_imported_amendment_supersedes_and_names_nobody_of_this_site(decided, tmp_path):
    path = written(tmp_path, under("again", label_rows(decided)))
    import_labels(actor=None, path=path, release=decided)
    campaign = Campaign.objects.get(slug="again")
    amendment = Adjudication.objects.get(item__campaign=campaign, amendment=True)
    assert (amendment.supersedes.value, amendment.value) == ("incorrect", "correct")
    unblinding = campaign.unblindings.get()
    assert not any(user.is_active for user in (unblinding.requested_by, unblinding.confirmed_by))


def test_other_decisions_about_a_campaign_that_is_here_are_refused(decided, tmp_path):
    rows = list(label_rows(decided))
    rows[-1] = {**rows[-1], "value": "incorrect"}
    with pytest.raises(Refused, match="already exists with other decisions") as refusal:
        import_labels(actor=None, path=written(tmp_path, rows), release=decided)
    assert str(len(rows)) in str(refusal.value)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"value": "perhaps"}, "field value: "),
        ({"value": "", "state": "abstain"}, "field question: only an answer on a scale"),
        ({"cause": "mood"}, "field cause: 'mood' is not one of gap_overlooked"),
        ({"overrules": "yes", "cause": ""}, "field overrules: .* needs a cause and a comment"),
        ({"order": "2"}, "field order: "),
        ({"confidence": "0.5"}, "field confidence: a decision has none"),
        ({"vote": "1"}, "field vote: a decision has none"),
        ({"rater": ""}, "field rater: a label needs its rater"),
        ({"campaign": "elsewhere"}, "field subject: is decided without a grade of it in elsewhere"),
        ({"amendment": "perhaps"}, "column amendment: must be yes, no or empty"),
        ({"rater_kind": "expert"}, "field cause: belongs to the decision"),
    ],
)
def test_a_bad_decision_is_refused_with_line_and_field_and_nothing_is_stored(
    decided, tmp_path, change, complaint
):
    rows = under("again", label_rows(decided))
    at = len(rows) - 3
    rows[at] = rows[at] | change
    before = (Campaign.objects.count(), Adjudication.objects.count(), User.objects.count())
    with pytest.raises(Refused, match=rf"line {at + 1}, {complaint}"):
        import_labels(actor=None, path=written(tmp_path, rows), release=decided)
    assert (Campaign.objects.count(), Adjudication.objects.count(), User.objects.count()) == before


def test_a_question_is_decided_once_in_a_file(decided, tmp_path):
    rows = under("again", label_rows(decided))
    rows.append({**rows[-3], "rater": "somebody else"})
    with pytest.raises(Refused, match=f"line {len(rows)}, .*is already in line {len(rows) - 3}"):
        import_labels(actor=None, path=written(tmp_path, rows), release=decided)


def test_blinded_tables_and_pages_hold_no_decision(decided):
    assert {row["rater_kind"] for row in blinded(label_rows(decided))} == {"expert"}
    asked = {"rater_kind": "adjudicator"}
    assert chosen_page(decided, asked, after="", size=10).rows == []


def test_pages_go_on_from_experts_to_decisions(decided):
    asked, after, rows = {"identities": "1"}, "", []
    while True:
        page = chosen_page(decided, asked, after=after, size=31)
        rows += page.rows
        after = page.next
        if not after:
            break
    assert sorted(map(str, rows)) == sorted(map(str, label_rows(decided)))
    few = chosen_page(decided, asked | {"rater_kind": "adjudicator", "value": "correct"}, after="", size=1)
    assert ([row["amendment"] for row in few.rows], few.next) == (["yes"], "")


def test_no_agreement_counts_a_decision(decided):
    rows = list(label_rows(decided))
    grades = [row for row in rows if row["rater_kind"] == "expert"]
    found, without = (
        agreement_document(
            read_labels(io.BytesIO("".join(csv_lines(given)).encode())), level=None, options=Options()
        )["questions"]
        for given in (rows, grades)
    )
    assert {key: bundle["n_decisions"] for key, bundle in found.items() if bundle["n_decisions"]} == {
        "clarity": 1,
        "correctness": 2,
    }
    assert "left out: 2 adjudicated" in agreement_text({"questions": found})
    assert {key: bundle | {"n_decisions": 0} for key, bundle in found.items()} == without


@pytest.fixture(params=[("linnet", "martin"), ("martin", "linnet")])
def paired(request, db) -> Release:
    """One problem answered by two systems, stored in either order; only the order of names may matter."""
    release = ReleaseFactory(name="pairs")
    problem = InstanceFactory(release=release, key="a1", domain="algebra")
    for slug in request.param:
        OutputFactory(
            run=RunFactory(release=release, system__slug=slug), instance=problem, text=f"By {slug}."
        )
    return release


def test_a_decision_on_a_pair_is_in_the_order_of_its_name_wherever_it_is_stored(paired, tmp_path):
    label = {
        "campaign": "which", "question": "preference", "subject": "a1/linnet|martin/1", "order": "1",
        "value": "second", "state": "answered", "rubric_version": "proofs-pairs-v1",
    }  # fmt: skip
    rows = [
        label | {"rater": "x", "rater_kind": "expert", "order": "2", "value": "second"},
        label | {"rater": "y", "rater_kind": "expert", "value": "second"},
        label | {"rater": "z", "rater_kind": "adjudicator", "created_at": "2026-11-01T12:00:00+00:00"},
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_labels(actor=None, path=path, release=paired)
    stored = Adjudication.objects.select_related("item__output__run__system").get()
    won = stored.item.output if stored.value == "first" else stored.item.second
    assert won.run.system.slug == "martin"
    [row] = decisions(paired)
    assert {name: row[name] for name in ("subject", "system", "order", "value", "rater")} == {
        "subject": "a1/linnet|martin/1",
        "system": "linnet|martin",
        "order": "1",
        "value": "second",
        "rater": "z",
    }
    table = read_labels(io.BytesIO("".join(csv_lines(label_rows(paired))).encode()))
    document = pairs_document(table, options=Options())
    assert (document["comparisons"], document["n_decisions"]) == (2, 1)
