"""What `make bench` writes past the models by SQL still fits the tables."""

import pytest

from bench import _exporting
from judging.models import Verdict

pytestmark = pytest.mark.django_db


def test_the_labels_of_the_exports_are_stored_and_read(monkeypatch):
    monkeypatch.setattr(_exporting, "OUTPUTS", 20)
    found = _exporting.labels(rows=60, naive=60)
    assert Verdict.objects.count() == 60
    assert {"csv", "jsonl", "naive"} <= set(found)
