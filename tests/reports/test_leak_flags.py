"""Experts' flags of leakage next to the program's: page, CSV, REST and command, without systems."""

import csv
import io
import json
import random

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.models import Flag, FlagSpan, Grade
from judging.programs.construction import audit_construction
from reports.construction import leak_flags
from reports.construction.leak_flags import flag_rows, flagged_instances
from tests.benchmark.files import gap
from tests.factories import (
    AssignmentFactory,
    BenchmarkFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
)

pytestmark = pytest.mark.django_db
LINK = "https://example.org/a?b=1&c=2"


def graded(item, **fields) -> Grade:
    place = AssignmentFactory(item=item)
    return Grade.objects.create(assignment=place, rubric_sha256="r", idempotency_key="k", **fields)


@pytest.fixture
def flagged():
    """Instance gap-0 names its author: two of three graders say so, and the program. gap-1: an output restates."""
    release = ReleaseFactory(
        name="gaps", benchmark=BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    )
    campaign = CampaignFactory(slug="round", release=release)
    run = RunFactory(release=release, system__slug="aurora-x", system__name="Aurora X")
    items = []
    for number, anchor in enumerate(("By a theorem of Harer it follows.", "Use compactness.")):
        payload = gap(number)
        payload["x"]["anchor_hint"] = anchor
        payload["z"]["citation_content"] = "J. Harer. \\newblock On stable classes of maps. \\newblock 1986."
        instance = InstanceFactory(release=release, key=f"gap-{number}", domain="algebra", payload=payload)
        output = OutputFactory(run=run, instance=instance)
        items.append(ItemFactory(campaign=campaign, output=output, instance=instance))
    first, second = (graded(items[0]) for _ in range(2))
    graded(items[0])
    for grade in (first, second):
        flag = Flag.objects.create(grade=grade, kind="author")
        FlagSpan.objects.create(flag=flag, block="part2-b1", start=16, end=21, text="Harer")
    Flag.objects.create(grade=second, kind="public_solution", link=LINK, note="=cmd()")
    restated = Flag.objects.create(grade=graded(items[1]), kind="restates_proof", output=items[1].output)
    for start in (0, 5):
        FlagSpan.objects.create(flag=restated, block="b1", start=start, end=start + 3, text="abc")
    superseded = graded(items[1])
    Flag.objects.create(grade=superseded, kind="context")
    Grade.objects.create(
        assignment=superseded.assignment, supersedes=superseded, rubric_sha256="r", idempotency_key="k2"
    )
    return release


def test_graders_are_counted_by_kind_and_superseded_grades_do_not_count(flagged):
    first, second = flagged_instances(flagged)
    assert (first.graders, first.experts, first.program, first.read) == (
        3,
        {"author": 2, "public_solution": 1},
        (),
        False,
    )
    assert (second.graders, second.experts) == (2, {"restates_proof": 1})


def test_the_program_stands_beside_the_experts_once_it_ran(flagged):
    audit_construction(actor=None, release=flagged)
    first, second = flagged_instances(flagged)
    # "a theorem of Harer": the scanner finds the author of the citation, and no theorem's own name
    assert "author" in first.program
    assert (second.program, second.read) == ((), True)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_page_and_its_csv_quote_the_marks_and_name_no_system(flagged, client, coordinator):
    client.force_login(coordinator)
    page = client.get(reverse("leak-flags", args=[flagged.name])).content.decode()
    assert "2 of 3" in page
    assert "<mark>Harer</mark>" in page
    assert "https://example.org/a?b=1&amp;c=2" in page
    assert f'href="{LINK}' not in page
    reply = client.get(reverse("leak-flags-csv", args=[flagged.name]))
    text = b"".join(reply.streaming_content).decode()
    assert [row["kind"] for row in rows(text)] == [
        "author",
        "author",
        "public_solution",
        *["restates_proof"] * 2,
    ]
    assert rows(text)[2]["note"] == "'=cmd()"
    assert all(row["subject"].startswith("blind-") for row in rows(text)[3:])
    assert "aurora" not in (page + text).lower()


def test_the_table_is_the_same_in_whatever_order_flags_are_read(flagged, monkeypatch):
    before = list(flag_rows(flagged, identities=True))
    assert [(row["flag"], row["kind"]) for row in before] == [
        (1, "author"),
        (2, "author"),
        (3, "public_solution"),
        (4, "restates_proof"),
        (4, "restates_proof"),
    ]
    stored = list(leak_flags.live_flags(flagged))
    for seed in range(5):
        mixed = random.Random(seed).sample(stored, len(stored))
        monkeypatch.setattr(leak_flags, "live_flags", lambda release, mixed=mixed: mixed)
        assert list(flag_rows(flagged, identities=True)) == before


def test_the_page_asks_as_many_questions_for_many_flags_as_for_few(
    flagged, client, coordinator, django_assert_max_num_queries
):
    client.force_login(coordinator)
    address = reverse("leak-flags", args=[flagged.name])
    client.get(address)
    grade = Grade.objects.earliest("pk")
    for _ in range(20):
        Flag.objects.create(grade=grade, kind="public_solution", link=LINK)
    with django_assert_max_num_queries(16):
        client.get(address)


def test_rest_lists_flagged_instances(flagged, client, coordinator):
    client.force_login(coordinator)
    first, second = client.get(reverse("api-leak-flags", args=[flagged.name])).json()
    assert first["experts"] == {"author": 2, "public_solution": 1}
    assert [span["start"] for span in second["flags"][0]["spans"]] == [0, 5]
    assert "aurora" not in json.dumps([first, second])


def test_the_command_names_outputs_unless_blinded(flagged, capsys):
    call_command("export_labels", release=flagged.name, flags=True)
    assert rows(capsys.readouterr().out)[-1]["subject"] == "gap-1/aurora-x/1"
    call_command("export_labels", "--flags", "--blinded", "--json", release=flagged.name)
    out = capsys.readouterr().out
    assert "aurora" not in out
    assert json.loads(out.splitlines()[0])["text"] == "Harer"
