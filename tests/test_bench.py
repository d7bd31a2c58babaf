"""Every family of `make bench` can be imported, and what it writes past the models by SQL still fits the tables."""

from importlib import import_module

import pytest

from bench import _exporting
from bench.__main__ import families
from judging.models import Verdict

pytestmark = pytest.mark.django_db


def test_the_labels_of_the_exports_are_stored_and_read(monkeypatch):
    monkeypatch.setattr(_exporting, "OUTPUTS", 20)
    found = _exporting.labels(rows=60, naive=60)
    assert Verdict.objects.count() == 60
    assert {"csv", "jsonl", "naive"} <= set(found)


@pytest.mark.parametrize("family", families())
def test_a_family_imports_nothing_that_is_gone(family):
    assert import_module(f"bench.{family}").figures
