"""Rows that are written again are those that were written first, under the keys they had."""

import pytest
from django.db import connection, transaction

from annotation.models import Grade
from benchmark.models import Benchmark, Output, Release
from judging.models import Verdict
from tests import remembering
from tests.factories import BenchmarkFactory, ReleaseFactory
from tests.remembering import remembered
from tests.reports.conftest import SYSTEMS, write

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch):
    monkeypatch.setattr(remembering, "_known", {})
    monkeypatch.setattr(
        remembering, "APART", 500_000_000
    )  # above all keys that other tests left SQLite to go on from


def sample() -> None:
    outputs = {system: f"outputs-{system}.jsonl" for system in SYSTEMS}
    write("sample-re2math", "re2math", outputs, "labels-judge.csv", "labels-experts.csv")


def rows() -> list[list[dict[str, object]]]:
    return [
        list(model.objects.order_by("pk").values()) for model in (Benchmark, Release, Output, Verdict, Grade)
    ]


def written_and_undone() -> list[list[dict[str, object]]]:
    with transaction.atomic():
        remembered("sample", sample)
        found = rows()
        transaction.set_rollback(True)
    return found


def test_the_second_time_every_row_is_the_same_under_the_same_key():
    first = written_and_undone()
    assert all(first)
    assert written_and_undone() == first


def test_rows_made_afterwards_have_keys_of_their_own(coordinator):
    written_and_undone()
    remembered("sample", sample)
    key = Release.objects.get().pk
    assert ReleaseFactory().pk != key
    connection.check_constraints()


def test_where_a_row_is_there_already_the_actions_write_the_rest():
    written_and_undone()
    BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    remembered("sample", sample)
    assert (Benchmark.objects.count(), Release.objects.count()) == (1, 1)
    connection.check_constraints()


def test_what_is_written_beside_other_work_is_not_kept():
    BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    remembered("sample", sample)
    assert remembering._known == {}
