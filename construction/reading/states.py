"""What a recipe says about one source, in JSON: computed in the process that reads it."""

from collections.abc import Mapping
from typing import Any

from benchmark.importing.keys import PaperFields
from construction.pipeline import Paper, Question, get_pipeline
from construction.reading.pairs import with_pairs
from construction.recipes.passages import Drop
from latex import flatten, outline


def states(request: Mapping[str, Any]) -> list[dict[str, object]]:
    """How far everything in a source came, by the recipe and the replies so far."""
    pipeline = get_pipeline(request["protocol"])
    files: dict[str, str] = request["files"]
    paper = Paper(
        PaperFields.model_validate(request["paper"]),
        request["domain"],
        with_pairs(outline(flatten(files, request["main"]), files), map(tuple, request["pairs"])),
        request["ordinal"],
        request["category"],
    )
    replies = {(key, stage): text for key, stage, text in request["replies"]}
    made: list[dict[str, object]] = []
    for state in pipeline.construct(paper, pipeline.recipe(request["recipe"]), replies, request["seed"]):
        places = [place for span in state.spans for place in paper.outline.flat.places(span.start, span.end)]
        shown: dict[str, object] = {"key": state.key, "stage": state.stage, "places": places}
        match state.outcome:
            case Drop(code, sentence):
                shown["drop"] = {"code": code, "sentence": sentence}
            case Question(_, prompt, fields):
                shown["question"] = {"prompt": prompt.label, "sha256": prompt.sha256, "fields": dict(fields)}
            case lines:
                shown["lines"] = [
                    {
                        "line": line.line.model_dump(mode="json"),
                        "provenance": {
                            name: {
                                "places": origin.places,
                                "written_by": origin.written_by,
                                "program": origin.program,
                            }
                            for name, origin in line.provenance.items()
                        },
                    }
                    for line in lines
                ]
        made.append(shown)
    return made
