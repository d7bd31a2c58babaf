"""The construction audit of a release: run, stored once, shown, downloaded."""

import csv
import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import Refused
from benchmark.models import Release
from canonical.documents import as_json
from judging.models import Judge, Verdict
from judging.programs.construction import audit_construction
from judging.runs.actions import ask
from reports.construction.document import chosen_findings, construction, finding_rows, marked, newest_audit
from stats.scores.means import share_by_cluster
from tests.benchmark.files import gap
from tests.factories import BenchmarkFactory, InstanceFactory, PaperFactory, ReleaseFactory

pytestmark = pytest.mark.django_db
LEAK = "By a theorem of <b>Harer</b> and \\cite{Key}, it follows."


@pytest.fixture
def release() -> Release:
    row = ReleaseFactory(
        name="gaps", benchmark=BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    )
    for number, anchor in enumerate((LEAK, "Use compactness.", "Use =cmd() twice.")):
        payload = gap(number)
        payload["x"]["anchor_hint"] = anchor
        payload["z"]["citation_content"] = "J. Harer. \\newblock On stable classes of maps. \\newblock 1986."
        payload["z"]["doi"] = "10.1000/a10.1000/a" if number == 2 else ""
        InstanceFactory(release=row, key=f"gap-{number}", domain="algebra", payload=payload)
    return row


@pytest.fixture
def audited(release: Release) -> Release:
    audit_construction(actor=None, release=release)
    return release


def item(document: dict[str, Any], key: str) -> dict[str, Any]:
    return next(row for row in document["items"] if row["key"] == key)


def test_an_audit_is_stored_once_and_leaves_one_line_in_the_audit_trail(release: Release) -> None:
    first = audit_construction(actor=None, release=release)
    again = audit_construction(actor=None, release=release)
    assert (first.new, again.new, Verdict.objects.count()) == (12, 0, 12)
    assert AuditEvent.objects.filter(verb="audit construction").count() == 1
    assert Judge.objects.get().program == "construction-v2"


def test_an_instance_that_came_later_is_asked_alone(audited: Release) -> None:
    InstanceFactory(release=audited, key="gap-9", domain="algebra", payload=gap(9))
    assert audit_construction(actor=None, release=audited).new == 4


def test_a_payload_that_the_program_cannot_read_is_unavailable_and_counted(release: Release) -> None:
    InstanceFactory(release=release, key="broken", domain="algebra", payload={"x": 1})
    audit_construction(actor=None, release=release)
    leaks = item(as_json(construction(release)), "leak_free")
    assert leaks["counts"] == {"yes": 2, "no": 1, "uncertain": 0, "unavailable": 1}
    assert leaks["fault"]["n"] == 4


def test_a_protocol_without_the_items_refuses() -> None:
    with pytest.raises(Refused, match="no construction audit"):
        audit_construction(actor=None, release=ReleaseFactory())


def test_a_program_about_instances_is_not_asked_about_outputs(audited: Release) -> None:
    with pytest.raises(Refused, match="judges instances"):
        ask(actor=None, judge=Judge.objects.get(), release=audited)


@pytest.mark.parametrize(
    "changes",
    [
        {"value": "", "state": "answered"},
        {"value": "yes", "state": "unavailable"},
        {},  # a second verdict on the same item
    ],
)
def test_the_database_refuses_verdicts_that_cannot_be(audited: Release, changes: dict[str, str]) -> None:
    row = Verdict.objects.first()
    assert row is not None
    row.pk = None
    row.predicate = "another" if changes else row.predicate
    for name, value in changes.items():
        setattr(row, name, value)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


@pytest.mark.parametrize(
    "write", [lambda rows: rows.update(value="yes"), lambda rows: rows._raw_delete("default")]
)
def test_the_database_refuses_to_change_or_drop_a_verdict(audited: Release, write: Any) -> None:
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        write(Verdict.objects.all())


def test_the_document_counts_every_item_with_its_interval(audited: Release) -> None:
    document = as_json(construction(audited))
    assert [row["by"] for row in document["items"]].count("expert") == 2
    leaks = item(document, "leak_free")
    assert leaks["counts"] == {"yes": 2, "no": 1, "uncertain": 0, "unavailable": 0}
    # Wilson 95 % for 1 of 3: centre (1/3 + z²/6) / (1 + z²/3), z = 1.959964: [0.0615, 0.7923]
    assert leaks["fault"]["ci"] == pytest.approx([0.0615, 0.7923], abs=1e-4)
    assert document["leaks"] == {"author": 1, "citation_key": 1}
    assert document["current"] is True


def test_instances_of_one_paper_are_taken_together_here_and_next_to_other_raters(release: Release) -> None:
    """One of three is at fault, two of them from one paper in two versions: an effective number below three."""
    for key, paper in (("gap-0", "2101.00001v1"), ("gap-1", "2101.00001v2")):
        row = PaperFactory(release=release, key=paper)
        release.instances.filter(key=key).update(paper=row)
    audit_construction(actor=None, release=release)
    leaks = item(as_json(construction(release)), "leak_free")
    assert (leaks["fault"]["n"], leaks["fault"]["clusters"]) == (3, 2)
    assert leaks["passed"]["clusters"] == 2
    expected = share_by_cluster([False, True, True], ["2101.00001", "2101.00001", "other"])
    assert leaks["passed"]["ci"] == pytest.approx(expected.ci)


def test_the_marked_anchor_is_the_anchor_itself(audited: Release) -> None:
    verdict = Verdict.objects.get(predicate="leak_free", instance__key="gap-0")
    pieces = marked(verdict)
    assert "".join(piece.text for piece in pieces) == LEAK
    assert [(piece.text, piece.kinds) for piece in pieces if piece.kinds] == [
        ("Harer", ("author",)),
        ("\\cite{Key}", ("citation_key",)),
    ]


def test_the_page_marks_what_leaks_and_prints_nothing_as_markup(audited: Release, coordinator: Any) -> None:
    client = Client()
    client.force_login(coordinator)
    page = client.get(reverse("construction-audit", args=["gaps"])).content.decode()
    assert '<mark title="author">Harer</mark>' in page
    assert "&lt;b&gt;" in page
    assert "<b>Harer" not in page
    only = client.get(
        reverse("construction-audit", args=["gaps"]), {"item": "metadata_correct", "value": "no"}
    )
    assert [row.instance.key for row, *_ in only.context["findings"]] == ["gap-2"]
    none = client.get(reverse("construction-audit", args=["gaps"]), {"kind": "doi"})
    assert b"No findings match" in none.content


@pytest.mark.parametrize("query", [{"item": "nothing"}, {"value": "maybe"}, {"colour": "red"}])
def test_a_filter_that_does_not_exist_is_refused(
    audited: Release, coordinator: Any, query: dict[str, str]
) -> None:
    client = Client()
    client.force_login(coordinator)
    assert client.get(reverse("construction-audit", args=["gaps"]), query).status_code in (400, 404)
    assert client.get(reverse("api-construction-audit", args=["gaps"]), query).status_code in (400, 404)


def test_the_page_runs_the_audit(release: Release, coordinator: Any) -> None:
    client = Client()
    client.force_login(coordinator)
    before = client.get(reverse("construction-audit", args=["gaps"]))
    assert b"No audit yet" in before.content
    assert client.get(reverse("construction-csv", args=["gaps"])).status_code == 404
    client.post(reverse("construction-audit", args=["gaps"]))
    assert Verdict.objects.count() == 12
    assert AuditEvent.objects.get(verb="audit construction").actor == coordinator


def test_the_page_of_the_study_links_to_the_audit_where_the_protocol_has_one(
    release: Release, coordinator: Any
) -> None:
    client = Client()
    client.force_login(coordinator)
    address = reverse("construction-audit", args=["gaps"])
    assert address in client.get(reverse("study", args=["gaps"])).content.decode()
    other = ReleaseFactory(name="proofs-1")
    page = client.get(reverse("study", args=[other.name])).content.decode()
    assert reverse("construction-audit", args=[other.name]) not in page


def test_the_table_has_a_row_for_every_flag_and_no_cell_that_a_spreadsheet_runs(
    audited: Release, coordinator: Any
) -> None:
    judge = newest_audit(audited)
    rows = list(finding_rows(audited, judge, chosen_findings(audited, judge, {"item": "leak_free"})))
    assert [row[6] for row in rows[1:]] == ["author", "citation_key"]
    audited.instances.update(domain="=cmd()")
    client = Client()
    client.force_login(coordinator)
    address = reverse("construction-csv", args=["gaps"])
    assert client.get(address, {"item": "%"}).status_code == 404  # not a file that breaks off after its head
    answer = client.get(address)
    text = b"".join(answer.streaming_content).decode()
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in cells)
    assert "'=cmd()" in cells


def test_rest_gives_the_same_document_and_runs_the_audit(release: Release, coordinator: Any) -> None:
    client = Client()
    client.force_login(coordinator)
    address = reverse("api-construction-audit", args=["gaps"])
    assert client.get(address).json()["judge"] is None
    assert client.post(address).json()["new"] == 12
    document = client.get(address, {"item": "leak_free"}).json()
    assert [row["instance"] for row in document["findings"]] == ["gap-0"]
    assert document["findings"][0]["evidence"]["flags"][0]["text"] == "Harer"


def test_the_command_prints_one_document_and_stores_nothing_twice(release: Release, capsys: Any) -> None:
    call_command("audit_construction", "--release", "gaps", "--json")
    first = json.loads(capsys.readouterr().out)
    call_command("audit_construction", "--release", "gaps", "--json")
    again = json.loads(capsys.readouterr().out)
    assert (first["new"], again["new"]) == (12, 0)
    assert {row["instance"] for row in first["findings"]} == {"gap-0", "gap-2"}
    call_command("audit_construction", "--release", "gaps")
    assert "Anchor leakage control: 2 yes, 1 no; at fault 33.3 % [6.1, 79.2]" in capsys.readouterr().out


def test_the_page_asks_as_much_of_the_database_whatever_the_size(
    audited: Release, coordinator: Any, django_assert_num_queries: Any
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = Client()
    client.force_login(coordinator)
    with CaptureQueriesContext(connection) as small:
        client.get(reverse("construction-audit", args=["gaps"]))
    for number in range(10, 40):
        payload = gap(number)
        payload["x"]["anchor_hint"] = LEAK
        InstanceFactory(release=audited, key=f"gap-{number}", domain="algebra", payload=payload)
    audit_construction(actor=None, release=audited)
    with CaptureQueriesContext(connection) as large:
        client.get(reverse("construction-audit", args=["gaps"]))
    assert len(large) == len(small)
