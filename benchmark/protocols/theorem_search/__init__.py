"""Theorem search: ranked lists of theorems for a query, measured by known answers and graded for relevance."""

from pathlib import Path

from benchmark.protocol import Protocol
from benchmark.protocols.theorem_search.loader import read_outputs, read_release
from benchmark.protocols.theorem_search.metrics import MEASURES, STEP_MEASURES, bucket
from benchmark.protocols.theorem_search.parts import instance_parts, output_parts, prompt_fields
from benchmark.protocols.theorem_search.schema import QueryLine, RankingLine
from benchmark.rubrics import parse_rubrics

_HERE = Path(__file__).parent

PROTOCOL = Protocol(
    name="theorem_search",
    title="Theorem search",
    folder=_HERE,
    rubrics=parse_rubrics((_HERE / "rubric.toml").read_text("utf-8")),
    predicates=(),
    metrics=(),
    read_release=read_release,
    read_outputs=read_outputs,
    instance_parts=instance_parts,
    output_parts=output_parts,
    prompt_fields=prompt_fields,
    bucket=bucket,
    measures=MEASURES,
    step_measures=STEP_MEASURES,
    release_line=QueryLine,
    output_line=RankingLine,
)
