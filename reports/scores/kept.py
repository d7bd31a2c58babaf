"""Scores are kept: each is computed once and then read, until a label, an output or the code changes (ADR 0037)."""

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path

from canonical import sha256_of
from canonical.documents import as_json, from_json
from reports.core.choosing import Chosen
from reports.models import KeptScore
from reports.scores.document import score
from reports.scores.inputs import Inputs, collect_chosen
from reports.scores.shape import Score

_ROOT = Path(__file__).parents[2]
PACKAGES = (  # all in which an artifact finds code of a score
    *("accounts", "algebra", "annotation", "benchmark", "canonical", "judging"),
    *("latex", "llm", "reports", "stats"),
)


def kept_score(chosen: Chosen, inputs: Inputs | None = None) -> Score:
    """The score of what a request chose: as it was kept if nothing that it depends on has changed, else computed.

    `inputs` are those of the choice, from a caller that has read them.
    """
    inputs = inputs or collect_chosen(chosen)
    basis = sha256_of([inputs.as_json(), code()])
    found = KeptScore.objects.filter(release=chosen.release, choice=chosen.query, basis=basis).first()
    if found:
        kept: Score = from_json(Score, json.loads(found.content))
        return kept
    made = score(inputs)
    row = KeptScore(
        release=chosen.release, choice=chosen.query, basis=basis, content=json.dumps(as_json(made))
    )
    KeptScore.objects.bulk_create(  # one statement, so two requests that compute it at once do not collide
        [row],
        update_conflicts=True,
        unique_fields=["release", "choice"],
        update_fields=["basis", "content", "kept_at"],
    )
    return made


@cache
def code() -> str:
    """A hash of all source files with which a score is computed and of the libraries that round its numbers."""
    digest = hashlib.sha256(f"numpy {version('numpy')}, scipy {version('scipy')}".encode())
    for package in PACKAGES:
        for path in sorted((_ROOT / package).rglob("*.py")):
            digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
