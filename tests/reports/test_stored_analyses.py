"""Analyses of stored labels and of tables sent by REST: the answers of the command on the same labels."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Campaign
from reports.analysing import stored
from reports.core.choosing import choose
from reports.labels.exporting import csv_lines
from stats.analyses.running import ANALYSES
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db
AUDIT = {"positive": "yes", "question": "ground"}
VALUES = ["yes", "no", "uncertain"]
ASKED = {
    "agreement": {"level": "nominal", "order": VALUES},
    "difference": {"first": ["expert"], "second": ["expert", "judge"], "level": "nominal", "order": VALUES},
    "systems": {"positive": "yes", "rater_kind": "expert", "level": "nominal", "order": VALUES},
    "audit": {**AUDIT, "by": "system"},
    "corrected": {**AUDIT, "by": "system"},
}


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def post(client, address, *args, **body):
    return client.post(reverse(address, args=args), body, content_type="application/json")


def exported(release, campaign):
    return "".join(csv_lines(stored.stored_rows(choose(release, {}), campaign)))


def command(path, analysis, options):
    flags = []
    for name, value in options.items():
        flags += [f"--{name.replace('_', '-')}", value if isinstance(value, str) else ",".join(value)]
    out = io.StringIO()
    call_command("analyse", analysis, str(path), *flags, "--json", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def campaign(gaps):
    return Campaign.objects.get(release=gaps)


@pytest.mark.parametrize("analysis", list(ASKED))
def test_rest_on_stored_labels_rest_on_a_table_and_the_command_agree(
    carl, gaps, campaign, tmp_path, analysis
):
    options = ASKED[analysis]
    table = exported(gaps, campaign.slug)
    path = tmp_path / "labels.csv"
    path.write_text(table)
    printed = command(path, analysis, options)
    on_stored = post(
        carl, "api-stored-analyses", gaps.name, analysis=analysis, campaign=campaign.slug, **options
    )
    assert on_stored.status_code == 200, on_stored.json()
    assert on_stored.json() == printed
    on_sent = post(carl, "api-analyses", analysis=analysis, table=table, **options)
    assert on_sent.json() == printed


def test_the_level_is_that_of_the_rubric_where_nobody_says_another(carl, gaps, campaign):
    """A file of yes, no and uncertain is read as ordinal; the rubric knows that predicates have no order."""
    found = post(carl, "api-stored-analyses", gaps.name, analysis="agreement", campaign=campaign.slug).json()
    assert {bundle["primary"] for bundle in found["questions"].values()} == {"krippendorff_alpha_nominal"}
    asked = post(
        carl, "api-stored-analyses", gaps.name, analysis="agreement", campaign=campaign.slug, level="ordinal"
    ).json()
    assert {bundle["primary"] for bundle in asked["questions"].values()} == {"krippendorff_alpha_ordinal"}
    assert asked["questions"]["ground"]["categories"] == ["no", "uncertain", "yes"]


@pytest.mark.slow
def test_grades_that_nobody_gave_count_as_on_the_page_of_agreement(carl, proofs):
    """Of 0 to 5 for clarity three were given; AC1 and AC2 depend on how many there are."""
    campaign = Campaign.objects.get(release=proofs)
    page = carl.get(reverse("api-question", args=[campaign.slug, "clarity"])).json()
    found = post(
        carl,
        "api-stored-analyses",
        proofs.name,
        analysis="agreement",
        campaign=campaign.slug,
        question="clarity",
    ).json()["questions"]["clarity"]
    assert (found["level"], found["categories"]) == ("interval", list("012345"))
    for name in ("krippendorff_alpha_interval", "gwet_ac1", "gwet_ac2_linear", "gwet_ac2_quadratic"):
        assert found[name]["value"] == pytest.approx(page["coefficients"][name]["value"]), name
        assert found[name]["ci"] == pytest.approx(page["coefficients"][name]["ci"]), name


def test_the_audit_by_system_adds_up_to_the_audit(carl, gaps, campaign):
    reply = post(
        carl, "api-stored-analyses", gaps.name, analysis="audit", campaign=campaign.slug, **ASKED["audit"]
    ).json()
    assert set(reply["systems"]) == {"aurora", "basalt", "cobalt"}
    assert sum(found["eligible"] for found in reply["systems"].values()) == reply["eligible"] > 0


@pytest.mark.parametrize("analysis", list(ASKED))
def test_the_page_answers_the_same_questions(carl, gaps, campaign, analysis):
    address = reverse("stored-analysis", args=[gaps.name])
    form = carl.get(address).context["form"]
    fields = {name: form[name].value() for name in form.fields}
    given = {
        name: value if isinstance(value, str) else ", ".join(value) for name, value in ASKED[analysis].items()
    }
    sent = {name: value for name, value in (fields | given).items() if value not in (None, False)}
    reply = carl.get(address, {**sent, "analysis": analysis})
    assert reply.status_code == 200, reply.context["form"].errors
    assert reply.context["answer"].sections
    assert "Answer" in reply.content.decode()


def test_the_page_says_what_is_wrong_with_a_question(carl, gaps, campaign):
    address = reverse("stored-analysis", args=[gaps.name])
    sent = {
        "analysis": "audit",
        "positive": "correct",
        "campaign": campaign.slug,
        "confidence": 0.95,
        "seed": 1,
    }
    reply = carl.get(address, sent | {"orders": "agree"})
    assert reply.status_code == 400
    assert "no label has the value &#x27;correct&#x27;" in reply.content.decode()
    assert "line" not in str(reply.context["form"].non_field_errors())
    assert carl.get(address, {"mood": "good"}).status_code == 400


def test_labels_of_an_open_campaign_are_analysed_for_nobody(client, owner, gaps, campaign):
    """ADR 16: no figure by system before the close, owners included."""
    still = CampaignFactory(release=gaps, track="raw", phase="open", opened_at=timezone.now())
    client.force_login(owner)
    reply = post(client, "api-stored-analyses", gaps.name, analysis="agreement", campaign=still.slug)
    assert reply.status_code == 404
    assert "no closed campaign" in reply.json()["reason"]
    form = client.get(reverse("stored-analysis", args=[gaps.name])).context["form"]
    names = [value for value, _ in form["campaign"].field.choices]
    assert names == ["", campaign.slug]


def test_without_a_campaign_only_verdicts_are_read(gaps, campaign):
    kinds = {row["rater_kind"] for row in stored.stored_rows(choose(gaps, {}), "")}
    assert kinds == {"judge"}
    rows = list(stored.stored_rows(choose(gaps, {}), campaign.slug))
    assert {row["rater_kind"] for row in rows} == {"expert", "judge"}
    assert {row["system"] for row in rows} == {"aurora", "basalt", "cobalt"}


def test_too_many_labels_are_sent_to_the_command(carl, gaps, monkeypatch):
    monkeypatch.setattr(stored, "MOST_ROWS", 3)
    reply = post(carl, "api-stored-analyses", gaps.name, analysis="agreement")
    assert reply.status_code == 400
    assert "manage.py analyse" in reply.json()["reason"]


def test_a_reviewer_and_a_stranger_get_no_stored_labels(client, algebraist, stranger, gaps):
    for person in (algebraist, stranger):
        client.force_login(person)
        assert post(client, "api-stored-analyses", gaps.name, analysis="agreement").status_code == 403
        assert client.get(reverse("stored-analysis", args=[gaps.name])).status_code == 403


TABLE = "subject,rater,value\na,x,minor\na,y,major\nb,x,minor\nb,y,minor\n"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"analysis": "mood"}, "analysis"),
        ({"analysis": "agreement", "positive": "yes"}, "positive"),
        ({"analysis": "audit"}, "analysis"),
        ({"analysis": "difference", "first": ["x"]}, "analysis"),
        ({"analysis": "agreement", "order": ["minor"]}, "analysis"),
        ({"analysis": "agreement", "order": ["minor", "flawless"]}, "table"),
        ({"analysis": "calibration", "positive": "minor", "score_range": [5, 0]}, "analysis"),
        ({"analysis": "agreement", "colour": "red"}, "colour"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(client, stranger, body, field):
    client.force_login(stranger)
    reply = post(client, "api-analyses", table=TABLE, **body)
    assert reply.status_code == 400
    assert list(reply.json()["problems"]) == [field]


def test_ones_own_words_are_ordered_by_rest_as_by_the_command(client, stranger, tmp_path):
    client.force_login(stranger)
    path = tmp_path / "labels.csv"
    path.write_text(TABLE)
    reply = post(client, "api-analyses", analysis="agreement", table=TABLE, order=["major", "minor"]).json()
    assert reply == command(path, "agreement", {"order": ["major", "minor"]})
    assert reply["questions"][""]["primary"] == "krippendorff_alpha_ordinal"


def test_a_table_above_the_limit_is_refused(client, stranger):
    client.force_login(stranger)
    assert post(client, "api-analyses", analysis="agreement", table="é" * 1_100_000).status_code == 400


def test_json_lines_and_other_column_names_are_read(client, stranger):
    client.force_login(stranger)
    table = '{"item": "a", "rater": "x", "value": 1}\n{"item": "a", "rater": "y", "value": 1}\n'
    reply = post(
        client, "api-analyses", analysis="agreement", table=table, form="jsonl", renaming={"item": "subject"}
    )
    assert reply.json()["questions"][""]["percent"]["value"] == 1


def test_every_analysis_but_ranks_is_offered_for_stored_labels():
    assert set(stored.STORED) == set(ANALYSES) - {"retrieval"}
