"""Masked steps: recover the formula that was masked in a proof (the setting of Mask-Proof)."""

from pathlib import Path

from benchmark.protocol import Predicate, Protocol
from benchmark.protocols.masked_steps.construction import CONSTRUCTION, ITEMS, QUESTIONS, instance_fields
from benchmark.protocols.masked_steps.loader import (
    published_line,
    read_outputs,
    read_release,
    read_verdicts,
    strata,
    variant_of,
)
from benchmark.protocols.masked_steps.metrics import METRICS, bucket
from benchmark.protocols.masked_steps.parts import instance_parts, output_parts, prompt_fields
from benchmark.protocols.masked_steps.programs import ALGEBRA
from benchmark.protocols.masked_steps.reproducibility import reproducibility
from benchmark.protocols.masked_steps.schema import AttemptLine, Mask
from benchmark.protocols.masked_steps.solving import SOLVING
from benchmark.rubrics import parse_rubrics

_HERE = Path(__file__).parent

PROTOCOL = Protocol(
    name="masked_steps",
    title="Masked steps",
    folder=_HERE,
    rubrics=parse_rubrics((_HERE / "rubric.toml").read_text("utf-8")),
    predicates=(Predicate("equivalent", "equivalence.v1"),),
    metrics=METRICS,
    read_release=read_release,
    read_outputs=read_outputs,
    instance_parts=instance_parts,
    output_parts=output_parts,
    prompt_fields=prompt_fields,
    bucket=bucket,
    program_judges=(ALGEBRA, CONSTRUCTION),
    construction_items=ITEMS,
    instance_predicates=QUESTIONS,
    instance_fields=instance_fields,
    strata=strata,
    variant_of=variant_of,
    published_line=published_line,
    read_verdicts=read_verdicts,
    compare_releases=reproducibility,
    release_line=Mask,
    output_line=AttemptLine,
    solving=SOLVING,
)
