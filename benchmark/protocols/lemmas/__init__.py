"""Lemmas of recent preprints: made self-contained, and proved in numbered steps (the setting of LemmaBench)."""

from pathlib import Path

from benchmark.protocol import Predicate, Protocol
from benchmark.protocols.lemmas.construction import CONSTRUCTION, ITEMS, QUESTIONS, instance_fields
from benchmark.protocols.lemmas.iterations import iterations
from benchmark.protocols.lemmas.loader import read_outputs, read_release, strata
from benchmark.protocols.lemmas.metrics import METRICS, STEP_MEASURES, bucket
from benchmark.protocols.lemmas.parts import asked_of, instance_parts, output_parts, prompt_fields
from benchmark.protocols.lemmas.schema import GivenLine, LemmaLine
from benchmark.protocols.lemmas.solving import SOLVING
from benchmark.rubrics import parse_rubrics

_HERE = Path(__file__).parent

PROTOCOL = Protocol(
    name="lemmas",
    title="Lemmas",
    folder=_HERE,
    rubrics=parse_rubrics((_HERE / "rubric.toml").read_text("utf-8")),
    predicates=(Predicate("accepted", "steps.v1"), Predicate("self_contained", "self-contained.v1")),
    diagnostic_predicates=(Predicate("every_step", "every-step.v1", steps="steps"),),
    metrics=METRICS,
    read_release=read_release,
    read_outputs=read_outputs,
    instance_parts=instance_parts,
    output_parts=output_parts,
    prompt_fields=prompt_fields,
    asked_of=asked_of,
    bucket=bucket,
    program_judges=(CONSTRUCTION,),
    construction_items=ITEMS,
    instance_predicates=QUESTIONS,
    instance_fields=instance_fields,
    step_measures=STEP_MEASURES,
    strata=strata,
    compare_releases=iterations,
    release_line=LemmaLine,
    output_line=GivenLine,
    solving=SOLVING,
)
