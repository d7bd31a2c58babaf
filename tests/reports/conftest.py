"""The sample project's Re2Math part, imported once per test module's needs."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Campaign
from benchmark.importing.outputs import import_outputs
from benchmark.models import Release
from benchmark.releases.actions import import_release
from reports.labels.importing import import_labels
from reports.printing import report as report_printing
from reports.printing.pages import Printed, print_html
from reports.scores import inputs
from tests.annotation.campaigns import drafted, opened, rubric
from tests.reports.graded import graded_campaign

__all__ = ["drafted", "opened", "rubric"]
SAMPLE = Path(__file__).parents[2] / "sample"


def load(
    name: str, protocol: str, outputs: dict[str, str], *labels: str, file: str = "release.jsonl"
) -> Release:
    folder = SAMPLE / protocol
    import_release(actor=None, protocol=protocol, path=folder / file, name=name, is_sample=True)
    release = Release.objects.select_related("benchmark").get(name=name)
    for system, path in outputs.items():
        import_outputs(actor=None, path=folder / path, release=release, system=system)
    for table in labels:
        import_labels(actor=None, path=folder / table, release=release)
    return release


SYSTEMS = ("aurora", "basalt", "cobalt")


@cache
def printed_once(html: str, sheets: tuple[str, ...]) -> Printed:
    return print_html(html, sheets)


@pytest.fixture(scope="module")
def _graded_for_the_module(rows_of_the_module: Any) -> int:
    with rows_of_the_module():
        return graded_campaign().pk


@pytest.fixture
def graded_and_printed_once(
    _graded_for_the_module: int, db: None, monkeypatch: pytest.MonkeyPatch
) -> Campaign:
    """`graded`, the same rows for all tests of a file that print them: equal HTML is set once."""
    monkeypatch.setattr(report_printing, "print_html", lambda html, sheets: printed_once(html, tuple(sheets)))
    return Campaign.objects.select_related("release__benchmark").get(pk=_graded_for_the_module)


@pytest.fixture(scope="module")
def gaps_of_the_module(rows_of_the_module: Any) -> Release:
    with rows_of_the_module():
        return load_gaps()


@pytest.fixture
def gaps(gaps_of_the_module: Release, db: None) -> Release:
    """30 proof gaps, three systems, a judge's verdicts and three experts' audit of it; imported once for a file."""
    return Release.objects.select_related("benchmark").get(pk=gaps_of_the_module.pk)


def load_gaps() -> Release:
    outputs = {system: f"outputs-{system}.jsonl" for system in SYSTEMS}
    return load("sample-re2math", "re2math", outputs, "labels-judge.csv", "labels-experts.csv")


@pytest.fixture
def unlabelled_gaps(db: None) -> Release:
    """The same without any label, in files that have no `gaps`."""
    return load("sample-re2math", "re2math", {system: f"outputs-{system}.jsonl" for system in SYSTEMS})


@pytest.fixture(scope="module")
def proofs_of_the_module(rows_of_the_module: Any) -> Release:
    with rows_of_the_module():
        return load_proofs()


@pytest.fixture
def proofs(proofs_of_the_module: Release, db: None) -> Release:
    """8 problems, three systems, grades of three experts on six of them; imported once for a file."""
    return Release.objects.select_related("benchmark").get(pk=proofs_of_the_module.pk)


def load_proofs() -> Release:
    outputs = {system: f"outputs/{system}" for system in SYSTEMS}
    return load("sample-proofs", "proofs", outputs, "labels-experts.csv")


@pytest.fixture
def still_open(monkeypatch):
    """The imported campaigns as if they were open: a closed one cannot be opened again, so the reading is bent."""
    original = inputs.graded_campaigns

    def reading(*asked):
        campaigns = original(*asked)
        for campaign in campaigns:
            campaign.closed_at = None
        return campaigns

    monkeypatch.setattr(inputs, "graded_campaigns", reading)


def queries(client, address) -> int:
    """How many queries an address takes that answers well."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


@pytest.fixture
def graded(db: None) -> Campaign:
    """Five graded proofs by Aurora and Basalt, with a comment on a passage and one on a passage that is gone."""
    return graded_campaign()
