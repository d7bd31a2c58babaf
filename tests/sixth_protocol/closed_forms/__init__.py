"""Closed forms: a sum is given, a formula without a sum is wanted."""

from pathlib import Path

from benchmark.protocol import Predicate, Protocol
from benchmark.protocols.closed_forms.loader import read_outputs, read_release
from benchmark.protocols.closed_forms.metrics import MEASURES, METRICS, bucket
from benchmark.protocols.closed_forms.parts import instance_parts, output_parts, prompt_fields
from benchmark.protocols.closed_forms.schema import AnswerLine, SumLine
from benchmark.rubrics import parse_rubrics

_HERE = Path(__file__).parent

PROTOCOL = Protocol(
    name="closed_forms",
    title="Closed forms",
    folder=_HERE,
    rubrics=parse_rubrics((_HERE / "rubric.toml").read_text("utf-8")),
    predicates=(Predicate("equal", "equal.v1"),),
    metrics=METRICS,
    read_release=read_release,
    read_outputs=read_outputs,
    instance_parts=instance_parts,
    output_parts=output_parts,
    prompt_fields=prompt_fields,
    bucket=bucket,
    release_line=SumLine,
    output_line=AnswerLine,
    measures=MEASURES,
)
