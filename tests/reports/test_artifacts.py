"""Artifacts: frozen once, recomputed anywhere, and every change found."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from accounts.refusal import Refused
from benchmark.actions import freeze_release
from reports.artifacts import build, freeze_artifact, verify
from reports.canonical import canonical
from reports.inputs import collect
from reports.models import Artifact


@pytest.fixture
def document(gaps):
    return build(collect(release=gaps))


def test_an_artifact_verifies_from_its_own_bytes(document):
    assert verify(json.loads(canonical(document))).verified


def test_equal_inputs_give_equal_bytes(gaps, document):
    assert canonical(build(collect(release=gaps))) == canonical(document)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda d: d["score"]["systems"]["aurora"].update(outputs=31), "score.systems.aurora.outputs"),
        (lambda d: d["inputs"]["votes"][0].__setitem__(4, "no"), "inputs.votes: differs"),
        (lambda d: d["inputs"]["draws"].pop(), "inputs.draws: differs"),
        (lambda d: d["inputs"].update(release_sha256="0" * 64), "inputs.release_sha256: differs"),
        (lambda d: d.update(sha256="0" * 64), "sha256: the content does not have the hash"),
    ],
)
def test_every_change_is_named(document, change, named):
    tampered = json.loads(canonical(document))
    change(tampered)
    found = verify(tampered)
    assert not found.verified
    assert any(named in difference for difference in found.differences)


def test_a_score_that_does_not_follow_from_its_inputs_is_found_even_with_fresh_hashes(document):
    tampered = json.loads(canonical(document))
    tampered["score"]["judge"]["systems"]["cobalt"]["metrics"]["tool_acc"]["estimate"]["k"] = 30
    assert any("tool_acc.estimate.k" in difference for difference in verify(tampered).differences)


def test_something_else_is_refused():
    with pytest.raises(Refused, match="touchstone-artifact-1"):
        verify({"format": "something"})


def test_an_unfrozen_release_has_no_artifact(gaps):
    with pytest.raises(Refused, match="not frozen"):
        freeze_artifact(actor=None, release=gaps)


def test_freezing_twice_is_one_artifact_and_it_is_append_only(gaps):
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    first = freeze_artifact(actor=None, release=gaps)
    assert freeze_artifact(actor=None, release=gaps) == first
    with pytest.raises(IntegrityError, match="append-only"):
        Artifact.objects.update(content="{}")


def test_the_commands_freeze_and_verify(gaps, tmp_path, capsys):
    freeze_release(actor=None, release=gaps)
    call_command("artifact", release="sample-re2math")
    file = tmp_path / "artifact.json"
    file.write_text(capsys.readouterr().out, "utf-8")
    call_command("verify_artifact", str(file))
    assert capsys.readouterr().out.startswith("verified")

    file.write_text(file.read_text("utf-8").replace('"aurora"', '"borealis"', 1), "utf-8")
    with pytest.raises(CommandError, match="does not verify"):
        call_command("verify_artifact", str(file))


@pytest.mark.parametrize("bytes_", [b"", b"[1]", b"{", b"[" * 100_000])
def test_a_file_that_is_no_artifact_is_refused_in_words(tmp_path, bytes_):
    file = tmp_path / "artifact.json"
    file.write_bytes(bytes_)
    with pytest.raises(CommandError, match=r"is not JSON|holds no JSON object"):
        call_command("verify_artifact", str(file))
