"""Artifacts that were frozen by earlier methods verify; each file is of a release of the sample project."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from canonical.documents import as_json
from reports.artifact.verification import verify_file
from reports.core.canonical import sha256
from reports.scores.document import score
from reports.scores.inputs import Inputs
from reports.scores.shape import METHODS

FIRST = Path(__file__).parent / "data" / "first_artifacts"


@pytest.mark.parametrize("path", sorted(FIRST.glob("*.json.gz")), ids=lambda path: path.name)
def test_an_artifact_of_the_sample_project_frozen_by_the_first_methods_verifies_byte_for_byte(path):
    """The files were written by commit 376dacf, the last one before version 2 of the methods."""
    content = gzip.decompress(path.read_bytes())
    assert "methods" not in json.loads(content)["inputs"]
    found = verify_file(content)
    assert (found.verified, found.differences) == (True, ())


def test_the_first_artifacts_are_of_all_sample_releases():
    assert len(list(FIRST.glob("*.json.gz"))) == 6


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(FIRST.glob("*.json.gz")), ids=lambda path: path.name)
def test_every_method_computes_the_scores_that_it_always_computed(path):
    """The hashes are of the scores that commit e3deb35 computes from these inputs."""
    inputs = Inputs.from_json(json.loads(gzip.decompress(path.read_bytes()))["inputs"])
    known = json.loads((FIRST.parent / "score_hashes.json").read_text())[path.name]
    newest = sha256(as_json(score(replace(inputs, methods=METHODS))))
    assert list(known) == [str(number) for number in range(1, METHODS + 1)], (
        f'add "{METHODS}": "{newest}" to {path.name} in tests/reports/data/score_hashes.json'
    )
    for number, expected in known.items():
        found = sha256(as_json(score(replace(inputs, methods=int(number)))))
        assert found == expected, (
            f"artifacts frozen with methods {number} no longer verify: compute the new figure only from a new number "
            "of METHODS (reports/scores/shape.py) on; of a coefficient of agreement that is its `since`"
        )
