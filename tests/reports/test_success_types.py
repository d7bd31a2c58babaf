"""The judge's successes by the source they used, each kind validated by experts (Re2Math, Table 12)."""

import pytest
from django.urls import reverse

from benchmark.models import Output
from benchmark.protocol import LabelledOutput
from benchmark.protocols import get_protocol
from benchmark.protocols.re2math.sources import source_type
from reports.scores.inputs import collect
from reports.scores.success_types import types_of_successes
from tests.documents import judge_audit_document, success_types_rows

TYPES = get_protocol("re2math").success_types
[TOOL_ACC] = [metric for metric in get_protocol("re2math").metrics if metric.key == "tool_acc"]


def test_table_12_follows_from_its_45_successes():
    """42 through other sources, of which experts refuse three; three through the cited source, all valid."""
    subjects = [f"gap{n}/system/1" for n in range(45)]
    kinds = {subject: "alternative" if n < 42 else "cited" for n, subject in enumerate(subjects)}
    outputs = {subject: judged_success(subject) for subject in subjects}
    yes = {"ground": "yes", "suff": "yes", "source_admissible": "yes"}
    truth = {subject: dict(yes) for subject in subjects}
    truth["gap0/system/1"]["suff"] = "no"
    truth["gap1/system/1"]["source_admissible"] = "no"
    truth["gap2/system/1"]["suff"] = "uncertain"
    truth["gap3/system/1"]["source_admissible"] = "uncertain"  # nobody says no
    rows = success_types_rows(TYPES, kinds, TOOL_ACC, outputs, truth)
    assert [(row["type"], row["valid"], row["audited"]) for row in rows] == [
        ("alternative", 39, 42),
        ("cited", 3, 3),
    ]
    assert rows[0]["validity"]["value"] == pytest.approx(0.929, abs=5e-4)


def judged_success(subject: str) -> LabelledOutput:
    labels = {"ground": "yes", "suff": "yes"}
    instance, system, attempt = subject.split("/")
    return LabelledOutput(system, instance, "paper", "analysis", int(attempt), "answered", labels)


@pytest.mark.django_db
def test_what_is_no_success_of_the_judge_or_was_not_read_by_an_expert_has_no_type(gaps):
    inputs = collect(release=gaps)
    kinds = types_of_successes(inputs)
    said = {vote.subject: {} for vote in inputs.votes}
    for vote in inputs.votes:
        said[vote.subject][vote.predicate] = vote.value
    read = {label.subject for label in inputs.labels if label.question == "suff"}
    both = {subject for subject, values in said.items() if values == {"ground": "yes", "suff": "yes"}}
    assert set(kinds) == both & read
    assert kinds
    for subject, kind in kinds.items():
        instance, system, attempt = subject.rsplit("/", 2)
        output = Output.objects.get(
            instance__key=instance,
            run__system__slug=system,
            attempt=attempt,
            run__track="raw",
            run__condition="",
        )
        assert kind == source_type(output.instance.payload, output.payload)


@pytest.mark.slow
@pytest.mark.django_db
def test_page_and_rest_show_the_types(gaps, client, coordinator):
    inputs = collect(release=gaps)
    [audit] = judge_audit_document(inputs, types_of_successes(inputs))["audits"]
    [alternative] = [row for row in audit["success_types"] if row["type"] == "alternative"]
    client.force_login(coordinator)
    page = client.get(reverse("judge-audit", args=[gaps.name])).content.decode()
    assert "Types of success" in page
    assert f"{alternative['valid']} / {alternative['audited']}" in page
    rest = client.get(f"/api/v1/releases/{gaps.name}/judge-audit/").json()
    assert rest["audits"][0]["success_types"] == audit["success_types"]
    assert "Alternative-source successes" in page


@pytest.mark.slow
@pytest.mark.django_db
def test_a_protocol_without_types_has_none(proofs):
    assert types_of_successes(collect(release=proofs)) == {}
