"""Scores of systems next to those from elsewhere: read, correlated, and shown alike by page and REST."""

import json

import pytest
from django.urls import reverse

from accounts.refusal import Refused
from canonical.documents import as_json
from reports.core.outcomes import OutcomeKind, Outcomes, chosen_kind, outcomes
from reports.external.document import external_document, read_external
from reports.scores.inputs import collect

KIND = OutcomeKind("judge:x", "judge", "X", "Share of x.")
SCORES = "system,score\naurora,70\nbasalt,61.5\ncobalt,12\nelsewhere,99\n"


def scored(**shares: float) -> Outcomes:
    return Outcomes(KIND, {system: {("i", 1): share} for system, share in shares.items()}, {}, {}, {})


def test_the_order_is_compared_on_the_systems_that_have_both_and_the_others_are_named():
    """Ranks 1 2 3 4 5 against 1 2 3 5 4: rho = 1 - 6 * 2 / (5 * 24) = 0.9, tau = (9 - 1) / 10 = 0.8."""
    ours = scored(a=0.1, b=0.2, c=0.3, d=0.4, e=0.5, f=0.9)
    found = as_json(external_document(ours, {"a": 1, "b": 2, "c": 3, "d": 5, "e": 4, "g": 7}))
    assert found["spearman"]["value"] == pytest.approx(0.9)
    assert found["kendall_tau_b"]["value"] == pytest.approx(0.8)
    for name in ("spearman", "kendall_tau_b"):
        low, high = found[name]["ci"]
        assert low < found[name]["value"] < high
        assert found[name]["n"] == 5
    assert (found["only_here"], found["only_external"]) == (["f"], ["g"])


def test_without_a_shared_system_there_is_nothing_to_say():
    with pytest.raises(Refused, match="here are: a"):
        external_document(scored(a=0.5), {"b": 1})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "Line 1 .*the head is system,score"),
        ("name,score\na,1", "Line 1 .*the head is system,score"),
        ("system,score\na", "Line 2 .*a system and a score"),
        ("system,score\na,1\na,2", "Line 3 .*'a' occurs twice"),
        ("system,score\n,1", "Line 2 .*the system is missing"),
        ("system,score\na,many", "Line 2 .*'many' is not a number"),
        ("system,score\na,nan", "Line 2 .*'nan' is not a number"),
    ],
)
def test_a_fault_is_named_with_its_line(text, fault):
    with pytest.raises(Refused, match=fault):
        read_external(text)


@pytest.mark.slow
@pytest.mark.django_db
def test_page_and_rest_say_the_same(gaps, client, coordinator):
    client.force_login(coordinator)
    asked = {"scores": SCORES}
    said = client.get(reverse("api-external-scores", args=["sample-re2math"]), asked).json()
    inputs = collect(release=gaps)
    expected = as_json(external_document(outcomes(inputs, chosen_kind(inputs, "")), read_external(SCORES)))
    assert said == json.loads(json.dumps(expected))
    assert said["only_external"] == ["elsewhere"]
    assert said["spearman"]["ci"] is None  # three systems
    page = client.get(reverse("external-scores", args=["sample-re2math"]), asked).content.decode()
    assert "Over 3 systems" in page
    assert "Not on this track: elsewhere" in page


@pytest.mark.django_db
def test_the_page_rounds_halves_up_as_others_do_and_shows_scores_of_others_as_given(
    gaps, client, coordinator, monkeypatch
):
    def halved(found, given):
        document = external_document(found, given)
        return {**document, "systems": [row | {"score": 0.8125} for row in document["systems"]]}

    monkeypatch.setattr("reports.external.views.external_document", halved)
    client.force_login(coordinator)
    asked = {"scores": "system,score\naurora,1234567.5\nbasalt,-0.25\n"}
    context = client.get(reverse("external-scores", args=["sample-re2math"]), asked).context
    shown = [(row["cell"], row["given"]) for row in context["systems"]]
    assert shown == [("0.813", "1234567.5"), ("0.813", "\N{MINUS SIGN}0.25")]


@pytest.mark.django_db
def test_faults_are_named_by_page_and_rest(gaps, client, coordinator):
    client.force_login(coordinator)
    for name in ("api-external-scores", "external-scores"):
        reply = client.get(reverse(name, args=["sample-re2math"]), {"scores": "system,score\naurora,high\n"})
        assert reply.status_code == 400
        assert "Line 2" in reply.content.decode()


@pytest.mark.slow
@pytest.mark.django_db
def test_the_page_opens_without_scores_in_few_queries(
    proofs, client, coordinator, django_assert_max_num_queries
):
    client.force_login(coordinator)
    address = reverse("external-scores", args=["sample-proofs"])
    with django_assert_max_num_queries(20):
        assert "External scores" in client.get(address).content.decode()
