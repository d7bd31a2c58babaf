"""Program, judge and experts side by side on the items of a construction audit."""

import csv
import json
import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.refusal import Refused
from annotation.assigning import taking
from annotation.campaigns import actions as campaigns_actions
from benchmark.models import Instance, Release
from benchmark.releases.integrity import release_sha256
from canonical.documents import as_json
from judging.models import Judge
from judging.programs.construction import audit_construction
from judging.runs.actions import imported_judge
from reports.construction.raters import BothAnswers, chosen_rows, raters
from tests.annotation.grading import submit_grade
from tests.benchmark.files import example_payload, gap
from tests.conftest import member
from tests.factories import BenchmarkFactory, InstanceFactory, JudgeFactory, ReleaseFactory, VerdictFactory
from tests.reports.conftest import queries

pytestmark = pytest.mark.django_db
LEAK = "By a theorem of Harer."
CLEAN = "Use compactness."


def said(judge: Judge, instance: Instance, item: str, *values: str) -> None:
    """One vote for each value; "?" is a reply that could not be read."""
    for vote, value in enumerate(values, start=1):
        state = "unparsed" if value == "?" else "answered"
        VerdictFactory(
            judge=judge,
            output=None,
            instance=instance,
            predicate=item,
            vote=vote,
            value="" if value == "?" else value,
            state=state,
        )


@pytest.fixture
def release(db: None) -> Release:
    """Four gaps, two of whose anchors name the author that is cited; the program has answered."""
    row = ReleaseFactory(
        name="gaps", benchmark=BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    )
    for number, anchor in enumerate((LEAK, LEAK, CLEAN, CLEAN)):
        payload = gap(number)
        payload["x"]["anchor_hint"] = anchor
        payload["z"]["citation_content"] = "J. Harer. \\newblock On stable classes of maps. \\newblock 1986."
        InstanceFactory(release=row, key=f"gap-{number}", domain="algebra", payload=payload)
    audit_construction(actor=None, release=row)
    return row


@pytest.fixture
def judge(release: Release) -> Judge:
    """Agrees with the program on two anchors, contradicts it on one, and cannot be read on the last."""
    row = JudgeFactory(slug="reader", protocol="re2math", votes=3, endpoint="local")
    instances = release.instances.order_by("key")
    for instance, votes in zip(instances, ("no no yes", "yes yes no", "yes yes yes", "? ? ?"), strict=True):
        said(row, instance, "leak_free", *votes.split())
    said(row, instances[0], "instrumental", "yes", "yes", "no")
    return row


def item(document, key):
    return next(row for row in document["items"] if row["key"] == key)


def test_votes_are_settled_and_stand_beside_the_program(release, judge):
    leaks = item(as_json(raters(release).agreement()), "leak_free")
    zero = {"uncertain": 0, "abstain": 0, "unavailable": 0}
    assert leaks["answers"]["program"] == {"yes": 2, "no": 2, **zero}
    assert leaks["answers"]["judge"] == {"yes": 2, "no": 1, **zero, "unavailable": 1}
    assert leaks["answers"]["experts"] == {"yes": 0, "no": 0, **zero}
    assert leaks["standings"] == {"contradiction": 1, "open": 0, "agreed": 2, "alone": 1}


def test_a_table_of_another_site_does_not_make_the_program_a_second_rater(release):
    there = imported_judge(
        actor=None, slug="re2math-construction", protocol="re2math", published_as="re2math-construction-v2"
    )
    for instance in release.instances.all():
        said(there, instance, "leak_free", "no")
    found = raters(release)
    assert (found.judge, list(found.judges)) == (None, [])


def test_kappa_is_that_of_the_instances_both_answered(release, judge):
    """Program no, no, yes against judge no, yes, yes: agreement 2/3, chance (2/3)(1/3) + (1/3)(2/3) = 4/9,
    kappa (2/3 - 4/9) / (5/9) = 2/5."""
    [pair] = [
        pair
        for pair in item(as_json(raters(release).agreement()), "leak_free")["pairs"]
        if pair["raters"] == ["program", "judge"]
    ]
    assert (pair["compared"], pair["differing"], pair["left_out"]["unusable"]) == (3, 1, 1)
    assert pair["cohen_kappa"]["value"] == pytest.approx(2 / 5)


def test_the_rows_are_the_contradictions_unless_others_are_asked_for(release, judge):
    found = raters(release)
    [row] = chosen_rows(found, {})
    assert (row.instance.subject, row.item, row.program, row.judge) == ("gap-1", "leak_free", "no", "yes")
    everything = chosen_rows(found, {"standing": "all", "item": "leak_free"})
    assert [row.judge for row in everything] == ["no", "yes", "yes", "unavailable"]
    with pytest.raises(Refused, match="There is no standing 'no'"):
        chosen_rows(found, {"standing": "no"})
    with pytest.raises(Refused, match="There is no judge 'nobody' of these instances; there are: reader-v1"):
        raters(release, "nobody")


def test_experts_count_once_their_campaign_is_closed(release, judge, coordinator):
    Release.objects.filter(pk=release.pk).update(sha256=release_sha256(release))
    release.refresh_from_db()
    campaign = campaigns_actions.create_campaign(
        actor=coordinator,
        name="Read",
        release=release,
        rubric="re2math-construction-v1",
        reviewers_per_item=1,
        seed=1,
    )
    campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    campaign = campaigns_actions.open_campaign(actor=coordinator, campaign=campaign)
    reader = member("ida@study.test", "Ida", "reviewer", "algebra")
    passed = {known.key: "yes" for known in raters(release).items}
    for _ in range(4):
        place = taking.take_next(reviewer=reader, campaign=campaign)
        submit_grade(
            reviewer=reader,
            assignment=place,
            content={"answers": passed},
            idempotency_key=place.handle,
            rubric_sha256=campaign.rubric.sha256,
        )
    assert sum(item(as_json(raters(release).agreement()), "leak_free")["answers"]["experts"].values()) == 0
    campaigns_actions.close_campaign(actor=coordinator, campaign=campaign)
    leaks = item(as_json(raters(release).agreement()), "leak_free")
    assert leaks["answers"]["experts"]["yes"] == 4
    # the program finds faults in gap-0 and gap-1, where the experts say yes
    assert leaks["standings"] == {"contradiction": 2, "open": 0, "agreed": 2, "alone": 0}
    assert [row.experts for row in chosen_rows(raters(release), {"item": "leak_free"})] == ["yes", "yes"]


@pytest.mark.parametrize(
    ("answers", "standing"),
    [
        (("yes", "no", ""), "contradiction"),
        (("yes", "uncertain", "no"), "contradiction"),
        (("yes", "uncertain", "yes"), "open"),
        (("uncertain", "uncertain", ""), "agreed"),
        (("yes", "yes", "unavailable"), "agreed"),
        (("yes", "abstain", ""), "alone"),
    ],
)
def test_how_answers_stand_to_each_other(answers, standing):
    assert BothAnswers(None, "leak_free", *answers).standing == standing


def test_page_csv_and_rest_show_the_same(release, judge, client, coordinator):
    client.force_login(coordinator)
    page = client.get(reverse("construction-raters", args=["gaps"])).content.decode()
    assert "gap-1" in page
    assert reverse("judge-about-instance", args=[judge.pk, release.instances.get(key="gap-1").pk]) in page
    answer = client.get(reverse("construction-raters-csv", args=["gaps"]), {"standing": "all"})
    rows = list(csv.DictReader(b"".join(answer.streaming_content).decode().splitlines()))
    assert len(rows) == 4 * 4 + 1  # four items by program, and one that only the judge was asked
    assert {"program", "reader-v1", "experts"} <= set(rows[0])
    rest = client.get("/api/v1/releases/gaps/construction-audit/raters/").json()
    assert [(row["instance"], row["standing"]) for row in rest["rows"]] == [("gap-1", "contradiction")]
    assert rest["items"] == json.loads(json.dumps(as_json(raters(release).agreement())["items"]))
    assert client.get("/api/v1/releases/gaps/construction-audit/raters/?item=x").status_code == 404


def test_the_page_shows_of_how_many_instances_each_share_is(release, judge, client, coordinator):
    client.force_login(coordinator)
    page = client.get(reverse("construction-raters", args=["gaps"])).content.decode()
    # of four anchors, one of which the judge's replies say nothing about
    assert "Share of yes among those of the 4 instances" in page
    assert re.findall(r'class="counts">(\d/\d)<', page) == ["1/1", "0/4", "2/4", "2/3", "4/4", "4/4"]


def test_without_a_judge_the_page_says_how_to_ask_one(release, client, coordinator):
    client.force_login(coordinator)
    page = client.get(reverse("construction-raters", args=["gaps"])).content.decode()
    assert "No model has been asked about these instances yet" in page


def test_the_newest_audit_is_the_programs_whatever_models_said(release, judge, client, coordinator):
    client.force_login(coordinator)
    assert "construction-v1" in client.get(reverse("construction-audit", args=["gaps"])).content.decode()


def test_the_command_names_the_contradictions(release, judge, capsys):
    call_command("audit_construction", release="gaps")
    text = capsys.readouterr().out
    assert "leak_free: 1 instance with a yes against a no" in text
    assert "program and judge" in text
    call_command("audit_construction", release="gaps", json=True)
    document = json.loads(capsys.readouterr().out)
    assert item(document["raters"], "leak_free")["standings"]["contradiction"] == 1


def test_the_queries_do_not_grow_with_the_instances(release, judge, client, coordinator):
    client.force_login(coordinator)
    address = reverse("construction-raters", args=["gaps"])
    few = queries(client, address)
    for number in range(10, 30):
        said(
            judge,
            InstanceFactory(release=release, key=f"gap-{number}", payload=gap(number)),
            "leak_free",
            "no",
        )
    assert queries(client, address) == few


def test_the_share_that_experts_pass_is_the_one_of_the_published_audit(release, db):
    """Re2Math, Table 5: 110 of 120 independent instances pass the first item; Wilson at 95 % is .853 to .954.

    With z = 1.959964: centre (110 + z^2/2) / (120 + z^2) = .9037, half width z/(120 + z^2) * sqrt(110*10/120 + z^2/4)
    = .0505.
    """
    benchmark = release.benchmark
    big = ReleaseFactory(name="published", benchmark=benchmark)
    judge = JudgeFactory(slug="stand-in", protocol="re2math")
    for number in range(120):
        instance = InstanceFactory(release=big, key=f"row-{number}", domain="algebra", payload=gap(number))
        said(judge, instance, "instrumental", "yes" if number < 110 else "no")
    item = next(row for row in raters(big).agreement().items if row.key == "instrumental")
    share = item.passed["judge"]
    assert (share.k, share.n) == (110, 120)
    assert share.ci == pytest.approx((0.8532, 0.9543), abs=5e-4)
    assert item.passed["experts"].value is None


def test_a_masked_release_is_audited_by_program_and_page(release, owner, client):
    benchmark = BenchmarkFactory(slug="masks", name="Masks", protocol="masked_steps")
    masks = ReleaseFactory(name="masks", benchmark=benchmark)
    payload = example_payload("masked_steps")
    InstanceFactory(release=masks, key="1", domain="algebra", payload=payload)
    InstanceFactory(
        release=masks, key="2", domain="algebra", payload=payload | {"reference_solution": r"By \ref{gone}."}
    )
    assert audit_construction(actor=None, release=masks).new == 2 * 3
    found = {item.key: item.passed["program"] for item in raters(masks).agreement().items}
    assert (found["well_formed"].k, found["well_formed"].n) == (2, 2)
    assert (found["notation_explained"].k, found["notation_explained"].n) == (0, 2)
    client.force_login(owner)
    page = client.get(reverse("construction-audit", args=["masks"])).content.decode()
    assert "Resolved notation" in page
    assert "no label gone" in page
    assert "What the anchor" not in page
    sides = client.get(reverse("construction-raters", args=["masks"])).content.decode()
    assert "Share of yes among those of the 2 instances" in sides
