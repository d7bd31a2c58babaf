"""Outputs that break a rule of their protocol are flagged as they are imported."""

import json

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmark.importing.outputs import import_outputs
from benchmark.models import ProtocolFlag, Release
from benchmark.releases.actions import import_release
from reports.sources.document import protocol_flags
from tests.benchmark.files import gap
from tests.factories import OutputFactory

pytestmark = pytest.mark.django_db
PAPER = {"paper_id": "2001.00001v2", "title": "Gaps in proofs", "publication_date": "2020-01-01"}
OWN = {"title": "Gaps in proofs", "identifier": "arXiv:2001.00001v1"}
PERHAPS = {"title": "Gaps in proofs", "authors": "A. Nother", "year": 2020}
OTHER = {"title": "Finite complexes and their symmetries", "authors": "A. Nother", "year": 1970}


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def release_of(tmp_path, size) -> Release:
    gaps = [{**gap(number), "paper": PAPER} for number in range(size)]
    import_release(actor=None, protocol="re2math", path=written(tmp_path / "r.jsonl", gaps), name="gaps")
    return Release.objects.select_related("benchmark").get(name="gaps")


def answers(tmp_path, sources):
    rows = [
        {"instance_id": gap(number)["instance_id"], "selected_source": source, "statement": "S"}
        if source
        else {"instance_id": gap(number)["instance_id"], "state": "abstained", "abstained": True}
        for number, source in enumerate(sources)
    ]
    return written(tmp_path / "o.jsonl", rows)


def test_an_import_flags_the_citing_paper_as_a_source_and_says_how_many(tmp_path):
    release = release_of(tmp_path, 4)
    path = answers(tmp_path, [OWN, OTHER, PERHAPS, None])
    dry = import_outputs(actor=None, path=path, release=release, system="solver", dry_run=True)
    assert dry.flagged is None
    assert not ProtocolFlag.objects.exists()
    report = import_outputs(actor=None, path=path, release=release, system="solver")
    assert report.flagged == 2
    flags = protocol_flags(release, None)
    assert [(flag.output.instance.key, flag.value) for flag in flags] == [
        (gap(0)["instance_id"], "yes"),
        (gap(2)["instance_id"], "uncertain"),
    ]
    assert all(flag.reason for flag in flags)
    assert import_outputs(actor=None, path=path, release=release, system="solver").flagged == 2
    assert ProtocolFlag.objects.count() == 2


def test_an_import_that_fails_leaves_no_flag(tmp_path, monkeypatch):
    release = release_of(tmp_path, 1)
    monkeypatch.setattr("benchmark.importing.outputs.record", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        import_outputs(actor=None, path=answers(tmp_path, [OWN]), release=release, system="solver")
    assert not ProtocolFlag.objects.exists()


def test_more_outputs_of_a_batch_cost_no_more_statements(tmp_path):
    release = release_of(tmp_path, 40)

    def statements(system, number):
        path = answers(tmp_path, [OWN] * number)
        with CaptureQueriesContext(connection) as captured:
            import_outputs(actor=None, path=path, release=release, system=system)
        return len([query for query in captured if "protocolflag" in query["sql"]])

    assert statements("one", 2) == statements("two", 40)


def test_the_owner_reads_them_on_the_page_through_rest_and_in_the_console(tmp_path, owner, capsys):
    release = release_of(tmp_path, 2)
    path = answers(tmp_path, [OWN, OTHER])
    options = {"release": "gaps", "system": "solver", "no_render": True}
    call_command("import_outputs", str(path), **options)
    assert "flagged: 1; a rule of the protocol is broken" in capsys.readouterr().out
    client = Client()
    client.force_login(owner)
    page = client.get(reverse("output-sources", args=["gaps"])).content.decode()
    assert gap(0)["instance_id"] in page
    assert gap(1)["instance_id"] not in page
    (flag,) = client.get(reverse("api-sources", args=["gaps"])).json()["flags"]
    assert (flag["instance"], flag["value"], flag["system"]) == (gap(0)["instance_id"], "yes", "solver")
    assert release.runs.get().frozen_at is None


def test_the_database_keeps_a_flag_as_it_was_found():
    flag = ProtocolFlag.objects.create(output=OutputFactory(), kind="k", certain=True, reason="Same title.")
    with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
        ProtocolFlag.objects.filter(pk=flag.pk).update(certain=False)
