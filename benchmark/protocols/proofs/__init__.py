"""Whole proofs: a problem, a proof by some system, and mathematicians who grade it (the setting of RMA)."""

from pathlib import Path

from benchmark.protocol import Predicate, Protocol
from benchmark.protocols.proofs.loader import read_outputs, read_release
from benchmark.protocols.proofs.metrics import METRICS, bucket
from benchmark.protocols.proofs.parts import (
    instance_parts,
    output_parts,
    pair_fields,
    prompt_fields,
    staff_facts,
)
from benchmark.protocols.proofs.schema import ProblemLine, ProofLine
from benchmark.protocols.proofs.solving import SOLVING
from benchmark.rubrics import parse_rubrics

_HERE = Path(__file__).parent

PROTOCOL = Protocol(
    name="proofs",
    title="Whole proofs",
    folder=_HERE,
    rubrics=parse_rubrics((_HERE / "rubric.toml").read_text("utf-8")),
    predicates=(Predicate("correct", "correctness.v1"),),
    metrics=METRICS,
    read_release=read_release,
    read_outputs=read_outputs,
    instance_parts=instance_parts,
    output_parts=output_parts,
    prompt_fields=prompt_fields,
    bucket=bucket,
    pair_predicates=(Predicate("prefer", "preference.v1"),),
    pair_fields=pair_fields,
    staff_facts=staff_facts,
    release_line=ProblemLine,
    output_line=ProofLine,
    solving=SOLVING,
)
