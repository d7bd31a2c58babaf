"""The artifact as a record publishes it: the frozen one without what the record does not show. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from accounts.refusal import Refused
from benchmark.rubrics import rubric_from_content
from canonical.documents import as_json
from reports.artifact.freezing import assemble
from reports.artifact.manifest import Manifest
from reports.comparison.choices import Choices, compared
from reports.core.canonical import canonical
from reports.records.declared import Declared
from reports.scores.document import score
from reports.scores.inputs import Inputs
from reports.scores.shape import Score


def public_artifact(frozen: Mapping[str, Any], declared: Declared) -> tuple[dict[str, Any], Inputs, Score]:
    """The document to publish with its inputs and its score, recomputed.

    No score depends on what is left out of it. Raises Refused when the frozen document does not follow.
    """
    inputs = Inputs.from_json(frozen["inputs"])
    kept = _shown_inputs(inputs, declared)
    is_shown = _shows_words(inputs, declared)
    # the first column of every table of remarks is the subject
    remarks = {
        name: rows
        for name, table in frozen.get("remarks", {}).items()
        if (rows := [row for row in table if is_shown(row[0])])
    }
    computed = score(kept)
    document = as_json(computed)
    pairs = frozen.get("pairs")
    comparisons = compared(Choices.from_json(pairs), inputs) if pairs else None
    again = assemble(
        frozen["made_with"],
        frozen["manifest"],
        frozen["inputs"],
        document,
        frozen.get("remarks"),
        pairs,
        comparisons,
    )
    if canonical(again) != canonical(frozen):
        raise Refused("The frozen score does not verify: its numbers do not follow.", code="does_not_verify")
    if kept == inputs and remarks == frozen.get("remarks", {}):
        return again, inputs, computed
    manifest = Manifest.from_json(frozen["manifest"])
    hidden = {row.system for row in inputs.outputs if declared.hides_answer(row.instance)}
    runs = tuple(replace(run, sha256="") if run.system in hidden else run for run in manifest.runs)
    whole = assemble(
        frozen["made_with"],
        replace(manifest, runs=runs).as_json(),
        kept.as_json(),
        document,
        remarks or None,
        pairs,
        comparisons,
    )
    return whole, kept, computed


def _shown_inputs(inputs: Inputs, declared: Declared) -> Inputs:
    """The inputs without what the record does not show.

    What referees wrote in free text is left out unless reports are shown, and always of a problem under embargo; so is
    everything by which the text of an answer that is not shown could be recognised, the words of references and the
    papers where a problem is not shown, and what was drawn for campaigns in which nobody had graded: there a reviewer
    would find whose answers they read.
    """
    on_scales = {
        (campaign.slug, question.key)
        for campaign in inputs.campaigns
        for question in rubric_from_content(dict(campaign.rubric)).questions
        if question.scale.has_values
    }
    is_shown = _shows_words(inputs, declared)
    graded = {campaign.slug for campaign in inputs.campaigns}
    closed_problem = any(declared.hides_problem(row.instance) for row in inputs.outputs)
    some_closed = closed_problem or any(declared.hides_answer(row.instance) for row in inputs.outputs)
    # the paper of a query of theorem search is what is to be found; their order, on which resampling depends, stays
    named = {row.cluster for row in inputs.outputs} | {row.cluster for row in inputs.asked}
    papers = sorted(named) if closed_problem else []
    paper_of = {key: f"paper-{at:0{len(str(len(papers)))}}" for at, key in enumerate(papers, start=1)}
    pairs_of_texts = {
        row.pair: f"pair-{number}"
        for number, row in enumerate(inputs.answers if some_closed else (), start=1)
    }
    return replace(
        inputs,
        outputs=tuple(
            replace(
                row,
                cluster=paper_of.get(row.cluster, row.cluster),
                sha256="" if declared.hides_answer(row.instance) else row.sha256,
            )
            for row in inputs.outputs
        ),
        asked=tuple(replace(row, cluster=paper_of.get(row.cluster, row.cluster)) for row in inputs.asked),
        answers=tuple(
            replace(row, pair=pairs_of_texts[row.pair], found="", wanted="") if some_closed else row
            for row in inputs.answers
        ),
        draws=tuple(row for row in inputs.draws if row.campaign in graded or not declared.hides_clues),
        settled=tuple(
            replace(row, pair=pairs_of_texts[row.pair]) if some_closed else row for row in inputs.settled
        ),
        labels=tuple(
            row for row in inputs.labels if (row.campaign, row.question) in on_scales or is_shown(row.subject)
        ),
        in_sight=tuple(
            row
            for row in inputs.in_sight
            if (row.campaign, row.question) in on_scales or is_shown(row.subject)
        ),
    )


def _shows_words(inputs: Inputs, declared: Declared) -> Callable[[str], bool]:
    """Whether the record shows what referees wrote about a subject."""
    instance_of = {row.subject: row.instance for row in inputs.outputs}
    return lambda subject: declared.show_reports and declared.is_open(instance_of.get(subject, ""))
