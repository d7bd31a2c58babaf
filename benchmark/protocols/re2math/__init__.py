"""Re2Math: find a published source and a statement in it that closes a gap in a proof."""

from pathlib import Path

from benchmark.leakage_kinds import FLAG_KINDS
from benchmark.protocol import Predicate, Protocol
from benchmark.protocols.re2math.case import CASE_COLUMNS
from benchmark.protocols.re2math.citing import passage_of
from benchmark.protocols.re2math.conditions import CONDITION_TABLES
from benchmark.protocols.re2math.construction import CONSTRUCTION, ITEMS
from benchmark.protocols.re2math.construction_questions import QUESTIONS, instance_fields
from benchmark.protocols.re2math.loader import read_outputs, read_release, read_verdicts
from benchmark.protocols.re2math.metrics import MEASURES, METRICS, bucket, reached
from benchmark.protocols.re2math.parts import audited_parts, instance_parts, output_parts, prompt_fields
from benchmark.protocols.re2math.schema import OutputLine, ProofGap
from benchmark.protocols.re2math.solving import SOLVING
from benchmark.protocols.re2math.sources import (
    SOURCES,
    SUCCESS_TYPES,
    flag_output,
    source_dates,
    with_retrieved,
)
from benchmark.rubrics import parse_rubrics

_HERE = Path(__file__).parent

PROTOCOL = Protocol(
    name="re2math",
    title="Re2Math",
    folder=_HERE,
    rubrics=parse_rubrics((_HERE / "rubric.toml").read_text("utf-8")),
    predicates=(Predicate("ground", "grounding.v1"), Predicate("suff", "sufficiency.v1")),
    diagnostic_predicates=(
        Predicate("anchor_match", "anchor-match.v1"),
        Predicate("query_match", "query-match.v1"),
    ),
    metrics=METRICS,
    measures=MEASURES,
    read_release=read_release,
    read_outputs=read_outputs,
    instance_parts=instance_parts,
    output_parts=output_parts,
    prompt_fields=prompt_fields,
    bucket=bucket,
    program_judges=(SOURCES, CONSTRUCTION),
    construction_items=ITEMS,
    instance_predicates=QUESTIONS,
    instance_fields=instance_fields,
    audited_parts=audited_parts,
    flag_kinds=tuple(FLAG_KINDS),
    case_columns=CASE_COLUMNS,
    flag_output=flag_output,
    source_dates=source_dates,
    success_types=SUCCESS_TYPES,
    condition_tables=CONDITION_TABLES,
    reached=reached,
    release_line=ProofGap,
    output_line=OutputLine,
    solving=SOLVING,
    passage_of=passage_of,
    read_verdicts=read_verdicts,
    with_retrieved=with_retrieved,
)
