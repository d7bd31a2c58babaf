"""Construction audits by experts: instances are drawn, read in all their parts, and labelled by themselves."""

import csv
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.refusal import Refused
from annotation.adjudication import actions as adjudication_actions
from annotation.adjudication.reading import queue
from annotation.adjudication.settling import State
from annotation.assigning import taking
from annotation.campaigns import actions as campaigns_actions
from annotation.core.instance_labels import InstanceLabel, instance_labels
from annotation.core.material import material
from annotation.core.visibility import Viewer
from annotation.guessing import actions as guessing_actions
from annotation.models import Assignment, Campaign, Flag, Item
from benchmark.models import Release
from benchmark.protocols import get_protocol
from benchmark.releases.actions import import_release
from benchmark.rubrics import RubricError, rubric_from_content
from reports.campaign.data import campaign_data
from reports.invariants.rules import violations
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from reports.printing.items import printed_items
from tests.annotation.grading import submit_grade
from tests.conftest import member
from tests.documents import campaign_results_document
from tests.factories import CampaignFactory, ItemFactory, OutputFactory, ReleaseFactory

pytestmark = pytest.mark.django_db
SAMPLE = Path(__file__).parents[2] / "sample/re2math/release.jsonl"
RUBRIC = "re2math-construction-v1"
ITEMS = [item.key for item in get_protocol("re2math").construction_items]
PASSED = dict.fromkeys(ITEMS, "yes")


@pytest.fixture
def gaps(coordinator) -> Release:
    """The 30 sample proof gaps, six in each of five domains."""
    import_release(actor=coordinator, protocol="re2math", path=SAMPLE, name="sample-gaps")
    return Release.objects.get(name="sample-gaps")


@pytest.fixture
def audit(gaps, coordinator) -> Campaign:
    return campaigns_actions.create_campaign(
        actor=coordinator, name="Construction", release=gaps, rubric=RUBRIC, reviewers_per_item=2, seed=7
    )


@pytest.fixture
def readers(db):
    return [
        member(f"{name}@study.test", name, "reviewer", "algebra_number_theory") for name in ("Ida", "Jon")
    ]


@pytest.fixture
def opened(audit, coordinator) -> Campaign:
    campaigns_actions.draw_items(actor=coordinator, campaign=audit, per_stratum=1)
    return campaigns_actions.open_campaign(actor=coordinator, campaign=audit)


def submitted(person, campaign, content=None, **answers) -> Assignment:
    place = taking.take_next(reviewer=person, campaign=campaign)
    submit_grade(
        reviewer=person,
        assignment=place,
        content={"answers": {**PASSED, **answers}, **(content or {})},
        idempotency_key=place.handle,
        rubric_sha256=campaign.rubric.sha256,
    )
    return place


def test_the_questions_are_the_items_of_the_construction_audit():
    assert [question.key for question in get_protocol("re2math").rubric(RUBRIC).questions] == ITEMS


def test_instances_are_drawn_by_domain_and_seed_and_the_release_is_frozen(audit, gaps, coordinator):
    items = campaigns_actions.draw_items(actor=coordinator, campaign=audit, per_stratum=2)
    assert Counter(item.stratum for item in items) == Counter(
        dict.fromkeys(gaps.instances.values_list("domain", flat=True), 2)
    )
    assert {(item.output, item.second, item.stratum_size, item.sample_size) for item in items} == {
        (None, None, 6, 2)
    }
    gaps.refresh_from_db()
    assert gaps.frozen_at is not None
    again = campaigns_actions.create_campaign(
        actor=coordinator, name="Again", release=gaps, rubric=RUBRIC, seed=7
    )
    drawn = campaigns_actions.draw_items(actor=coordinator, campaign=again, per_stratum=2)
    assert [item.instance for item in drawn] == [item.instance for item in items]


def test_all_instances_are_drawn_without_a_number(audit, coordinator):
    assert len(campaigns_actions.draw_items(actor=coordinator, campaign=audit)) == 30


def test_a_construction_audit_has_no_track(audit):
    assert audit.track == ""


def test_a_release_without_instances_has_nothing_to_draw(coordinator, gaps):
    empty = ReleaseFactory(name="empty", benchmark=gaps.benchmark)
    campaign = campaigns_actions.create_campaign(actor=coordinator, name="None", release=empty, rubric=RUBRIC)
    with pytest.raises(Refused, match="has no instances"):
        campaigns_actions.draw_items(actor=coordinator, campaign=campaign)


def test_guesses_of_a_system_are_not_asked_about_instances(audit, coordinator):
    with pytest.raises(Refused, match="not about pairs or instances"):
        guessing_actions.ask_for_guesses(actor=coordinator, campaign=audit)


def test_a_rubric_for_instances_asks_nothing_about_steps():
    content = get_protocol("re2math").rubric(RUBRIC).content
    usual = content["questions"][0]
    stepwise = {"key": usual["key"], "text": usual["text"], "scale": "steps"}
    with pytest.raises(RubricError, match="an instance has none"):
        rubric_from_content({**content, "questions": [stepwise]})


def test_a_reader_sees_every_part_of_the_instance_with_its_citation(opened, readers):
    place = taking.take_next(reviewer=readers[0], campaign=opened)
    shown = material(place)
    assert [proof.anchored.title for proof in shown.proofs] == [
        "Setup",
        "Target theorem",
        "The proof up to the gap",
        "Passage around the citation",
        "Anchor",
        "Reference witness",
        "Stored citation",
        "Fields of the citation",
    ]
    payload = place.item.instance.payload
    assert shown.proofs[6].anchored.text == payload["z"]["citation_content"]
    assert shown.instance_parts == ()


def test_the_page_shows_parts_and_questions_and_takes_comments_and_flags(opened, readers):
    place = taking.take_next(reviewer=readers[0], campaign=opened)
    client = Client()
    client.force_login(readers[0])
    page = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert "Stored citation" in page
    assert "Anchor leakage control" in page
    assert 'data-block="part5-b1"' in page
    assert "seen this solution" not in page
    sent = {f"answer-{key}": "yes" for key in ITEMS} | {
        "anchored": '[{"block": "part5-b1", "start": 0, "end": 3, "severity": "minor", "text": "Which one?"}]',
        "flags": '[{"kind": "author", "spans": [{"block": "part5-b1", "start": 0, "end": 3}]}]',
        "idempotency_key": "once",
        "rubric_sha256": opened.rubric.sha256,
    }
    assert client.post(reverse("grade", args=[place.handle]), sent).status_code == 302
    grade = place.grades.get()
    assert [comment.block for comment in grade.comments.all()] == ["part5-b1"]
    flag = Flag.objects.get(grade=grade)
    assert (flag.kind, flag.output) == ("author", None)
    own = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert "Which one?" in own


def test_rest_offers_the_instance_like_any_other_item(opened, readers):
    place = taking.take_next(reviewer=readers[0], campaign=opened)
    client = Client()
    client.force_login(readers[0])
    shown = client.get(reverse("api-assignment", args=[place.handle])).json()
    assert [part["title"] for part in shown["parts"]][4] == "Anchor"
    assert len(shown["rubric"]["questions"]) == 6


@pytest.fixture
def closed(opened, readers, coordinator) -> Campaign:
    """One instance read by two people, who differ about its anchor."""
    first, second = readers
    submitted(first, opened)
    submitted(second, opened, leak_free="no")
    return campaigns_actions.close_campaign(actor=coordinator, campaign=opened, reason="A rehearsal.")


def test_agreement_and_adjudication_work_on_instances(closed, coordinator):
    agreement = campaign_results_document(closed)["agreement"]
    assert agreement["instrumental"]["coefficients"]["percent"]["value"] == 1
    assert agreement["leak_free"]["coefficients"]["percent"]["value"] == 0
    graded = next(row for row in queue(closed) if row.grades)
    assert (graded.state, graded.split) == (State.SPLIT, ("leak_free",))
    assert {time.characters for time in campaign_data(closed).times} == {0}


def test_labels_of_instances_come_back_as_they_went(closed, gaps, coordinator, tmp_path):
    rows = list(label_rows(gaps))
    instance = Item.objects.get(assignments__grades__isnull=False, assignments__reviewer__name="Ida").instance
    assert len(rows) == 12
    assert {(row["subject"], row["instance"]) for row in rows} == {(f"{instance.key}/-/0", instance.key)}
    assert all("system" not in row and "attempt" not in row for row in rows)
    path = tmp_path / "labels.csv"
    call_command("export_labels", release="sample-gaps", campaign=closed.slug, stdout=(out := StringIO()))
    path.write_text(out.getvalue().replace(f",{closed.slug},", ",elsewhere,"))
    assert import_labels(actor=coordinator, path=path, release=gaps).new_grades == 2
    assert import_labels(actor=coordinator, path=path, release=gaps).new_grades == 0
    taken = Campaign.objects.get(slug="elsewhere")
    assert (taken.kind, taken.track, taken.items.get().output) == ("construction", "", None)
    assert not any(violations().values())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"subject": "gone/-/0"}, "line 2, field subject: .* no instance 'gone'"),
        ({"rubric_version": "re2math-audit-v1", "question": "ground"}, "another kind of subject"),
    ],
)
def test_labels_that_fit_no_instance_are_refused_by_line_and_field(
    closed, gaps, coordinator, tmp_path, change, words
):
    row = {**next(label_rows(gaps)), **change, "campaign": "elsewhere"}
    path = tmp_path / "labels.csv"
    with path.open("w", newline="") as stream:
        table = csv.DictWriter(stream, row.keys())
        table.writeheader()
        table.writerow(row)
    with pytest.raises(Refused, match=words):
        import_labels(actor=coordinator, path=path, release=gaps)


def test_experts_answers_are_told_by_instance_and_item_after_the_close(opened, readers, coordinator, gaps):
    place = submitted(readers[0], opened)
    cannot = {"abstained": ["instrumental"], "comments": {"instrumental": "The paper is out of reach."}}
    submitted(readers[1], opened, cannot, leak_free="no")
    assert instance_labels(gaps) == []
    campaigns_actions.close_campaign(actor=coordinator, campaign=opened, reason="A rehearsal.")
    found = {label.question: label for label in instance_labels(gaps)}
    key = place.item.instance.key
    assert found["leak_free"] == InstanceLabel(key, "leak_free", {"no": 1, "yes": 1}, 0, "", False)
    assert found["instrumental"] == InstanceLabel(key, "instrumental", {"yes": 1}, 1, "yes", False)
    assert found["context_aligned"] == InstanceLabel(key, "context_aligned", {"yes": 2}, 0, "yes", False)


def test_a_decision_wins_over_votes(closed, coordinator, gaps):
    item = next(row.item for row in queue(closed) if row.grades)
    adjudication_actions.adjudicate(
        actor=coordinator, item=item, question="leak_free", value="no", cause="slip", note="Seen."
    )
    found = {label.question: label for label in instance_labels(gaps)}
    assert (found["leak_free"].value, found["leak_free"].decided) == ("no", True)


def test_a_report_prints_instances_with_their_comments(closed):
    items = [item for batch in printed_items([closed], Viewer.STAFF, identities=True) for item in batch]
    read = next(item for item in items if item.graders)
    assert len(read.parts) == 8
    assert (read.system, read.state) == ("", "")


def test_the_database_itself_refuses_items_that_are_neither(opened, gaps):
    item = opened.items.first()
    terms = {"stratum_size": 1, "sample_size": 1, "inclusion_probability": 1.0}
    other = CampaignFactory(release=gaps, slug="grading", rubric=opened.rubric)
    empty = CampaignFactory(release=ReleaseFactory(), slug="other", kind="construction", track="")

    def refuses(words, **fields):
        with pytest.raises(IntegrityError, match=words), transaction.atomic():
            Item.objects.create(**{"instance": item.instance, "domain": item.domain, **terms, **fields})

    output = OutputFactory(run__release=gaps, instance=item.instance)
    refuses("item_instance_once_per_campaign|UNIQUE", campaign=opened)
    refuses("of its instance", campaign=opened, output=output)
    refuses("of its instance", campaign=other)
    refuses("of its instance", campaign=empty)
    refuses("has_an_order|CHECK|of its instance", campaign=opened, second=output)
    with pytest.raises(IntegrityError, match="draw of an item is frozen"), transaction.atomic():
        Item.objects.filter(pk=item.pk).update(output=output)


def test_the_database_itself_keeps_tracks_to_campaigns_of_outputs():
    for fields in ({"kind": "construction"}, {"track": ""}):
        with pytest.raises(IntegrityError, match=r"alone_has_no_track|CHECK"), transaction.atomic():
            CampaignFactory(**fields)
    assert ItemFactory().output is not None
