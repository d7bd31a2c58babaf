"""The process that reads one source: a request on standard input, what was found on standard output, both in JSON."""

import json
import resource
import sys
from collections.abc import Mapping
from typing import Any


def main() -> None:
    request: dict[str, Any] = json.load(sys.stdin)
    seconds, memory = request["limits"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    answer: dict[str, Any]
    try:
        answer = {"states": found(request)}
    except MemoryError:
        answer = {"refused": "too_large"}
    sys.stdout.write(json.dumps(answer))


def found(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How far everything in a source came."""
    from benchmark.importing.keys import PaperFields
    from construction.pipeline import Paper, Question, get_pipeline
    from construction.recipes.passages import Drop
    from latex import flatten, outline

    pipeline = get_pipeline(request["protocol"])
    files: dict[str, str] = request["files"]
    paper = Paper(
        PaperFields.model_validate(request["paper"]),
        request["domain"],
        outline(flatten(files, request["main"]), files),
        request["ordinal"],
        request["category"],
    )
    replies = {(key, stage): text for key, stage, text in request["replies"]}
    made: list[dict[str, Any]] = []
    for state in pipeline.construct(paper, pipeline.recipe(request["recipe"]), replies, request["seed"]):
        places = [place for span in state.spans for place in paper.outline.flat.places(span.start, span.end)]
        shown: dict[str, Any] = {"key": state.key, "stage": state.stage, "places": places}
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


if __name__ == "__main__":
    main()
