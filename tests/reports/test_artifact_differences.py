"""Two artifacts side by side: inputs that changed, and what that did to the scores."""

import json

import pytest
from django.core.management import CommandError, call_command

from accounts.refusal import Refused
from benchmark.releases.freezing import freeze_release
from reports.artifact.differences import compare, read_comparable
from reports.artifact.freezing import assemble, build, freeze_artifact
from reports.artifact.manifest import read_manifest
from reports.core.canonical import canonical
from reports.scores.inputs import Inputs, collect
from tests.documents import score_document


@pytest.fixture
def left(gaps):
    return build(collect(release=gaps), read_manifest(gaps, "raw"))


def altered(document, change):
    """The artifact that would have been frozen had its inputs been others."""
    plain = json.loads(canonical(document))
    change(plain)
    computed = score_document(Inputs.from_json(plain["inputs"]))
    return assemble(plain["made_with"], plain["manifest"], plain["inputs"], computed)


def said_no(document):
    """Basalt's first success is one no longer: its judge finds it ungrounded."""
    votes = document["inputs"]["votes"]
    yes = {row[0] for row in votes if row[1] == "suff" and row[4] == "yes"}
    row = next(r for r in votes if "basalt" in r[0] and r[1] == "ground" and r[4] == "yes" and r[0] in yes)
    row[4] = "no"


@pytest.mark.slow
def test_an_artifact_equals_itself(left):
    found = compare(left, left)
    assert (found["equal"], found["inputs"], found["scores"]) == (True, {}, [])


@pytest.mark.slow
def test_a_changed_verdict_is_named_with_every_score_it_moved(left):
    found = compare(left, altered(left, said_no))
    (changed,) = found["inputs"]["votes"]["changed"]
    assert (changed["left"], changed["right"]) == (["yes", "answered"], ["no", "answered"])
    assert set(found["inputs"]) == {"votes"}
    moved = {row["what"]: row["change"] for row in found["scores"]}
    assert moved["judge / basalt / tool_acc"] == pytest.approx(-1 / 30)  # one of 30 instances
    assert not any("aurora" in what and "corrected" not in what for what in moved)


@pytest.mark.slow
def test_labels_are_compared_without_the_raters_numbers(left):
    def renumbered(document):
        for row in document["inputs"]["labels"]:
            row[4] = row[4].replace("expert-", "expert-1")

    assert "labels" not in compare(left, altered(left, renumbered))["inputs"]


@pytest.mark.slow
def test_added_labels_changed_judges_designs_and_code_are_named(left):
    def other(document):
        inputs = document["inputs"]
        inputs["labels"].pop(0)
        inputs["judge"]["decoding"] = {"temperature": 1}
        inputs["campaigns"][0]["seed"] += 1
        document["made_with"]["code"]["stats/core/intervals.py"] = "0" * 64

    found = compare(altered(left, other), left)["inputs"]
    assert set(found) == {"labels", "judge", "campaigns", "code"}
    assert len(found["labels"]["changed"]) + len(found["labels"]["added"]) == 1
    assert found["judge"]["removed"] == [{"what": "decoding.temperature", "left": 1}]
    assert found["campaigns"]["changed"][0]["what"].endswith(".seed")
    assert found["code"]["changed"][0]["what"] == "code.stats/core/intervals.py"


@pytest.mark.parametrize(("key", "reason"), [("release", "different releases"), ("track", "different tasks")])
def test_scores_of_different_releases_or_tracks_share_no_table_but_inputs_are_listed(left, key, reason):
    found = compare(left, altered(left, lambda d: d["inputs"].update({key: "another"})))
    assert found["scores"] is None
    assert reason in found["refused"]
    assert found["inputs"]["release"]["changed"] == [
        {"what": key, "left": left["inputs"][key], "right": "another"}
    ]


def test_an_altered_artifact_is_not_compared(left):
    tampered = json.loads(canonical(left))
    tampered["score"]["systems"]["aurora"]["outputs"] = 1
    with pytest.raises(Refused, match="does not have the hash"):
        read_comparable(canonical(tampered))


@pytest.mark.slow
def test_the_command_says_it_in_words_and_as_json(left, tmp_path, capsys):
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_bytes(canonical(left))
    other.write_bytes(canonical(altered(left, said_no)))
    call_command("compare_artifacts", str(one), str(other))
    said = capsys.readouterr().out
    assert "votes: 1 changed" in said
    assert "judge / basalt / tool_acc" in said
    call_command("compare_artifacts", str(one), str(other), json=True)
    assert json.loads(capsys.readouterr().out)["inputs"]["votes"]["changed"]
    other.write_bytes(b"{}")
    with pytest.raises(CommandError, match=r"other\.json: This is no"):
        call_command("compare_artifacts", str(one), str(other))


@pytest.fixture
def two_frozen(gaps):
    """The same labels under two seeds of the resampling: other intervals, equal values."""
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    return [freeze_artifact(actor=None, release=gaps, seed=seed).sha256 for seed in (1, 2)]


@pytest.mark.slow
def test_an_owner_chooses_two_and_reads_what_differs(client, owner, two_frozen):
    client.force_login(owner)
    listed = client.get("/reports/releases/sample-re2math/artifacts/").content.decode()
    assert all(
        f'name="{side}" value="{sha256}"' in listed for side in ("left", "right") for sha256 in two_frozen
    )
    asked = {"left": two_frozen[0], "right": two_frozen[1]}
    page = client.get("/reports/artifacts/compare/", asked).content.decode()
    assert "Release: 1 changed" in page
    assert '<th scope="row">seed</th><td>1</td><td>2</td>' in page
    rest = client.get("/api/v1/artifacts/compare/", asked).json()
    assert rest["inputs"]["release"]["changed"] == [{"what": "seed", "left": 1, "right": 2}]


@pytest.mark.parametrize(
    ("asked", "status"), [({}, 400), ({"left": "x", "right": "y"}, 404), ({"left": "x", "other": "y"}, 400)]
)
def test_a_comparison_that_cannot_be_made_says_so(client, owner, asked, status):
    client.force_login(owner)
    assert client.get("/reports/artifacts/compare/", asked).status_code == status
    assert client.get("/api/v1/artifacts/compare/", asked).status_code == status
