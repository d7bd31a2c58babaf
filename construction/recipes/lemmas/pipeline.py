"""From a paper to lemmas: what they are, what is shown before them, what they need, and their lines."""

import re
from collections.abc import Iterator, Mapping, Sequence

from construction.pipeline import (
    Answers,
    Expected,
    Paper,
    Pipeline,
    Question,
    Range,
    State,
    prompt,
)
from construction.recipes.lemmas.assembly import Needs, Objects, assembled, needed
from construction.recipes.lemmas.contexts import full, lemmas, lexical
from construction.recipes.lemmas.recipe import Recipe
from construction.recipes.passages import Drop, read_reply
from latex import Span

OBJECTS = prompt("lemma-objects.v1", Objects)
NEEDS = prompt("lemma-needs.v1", Needs)
_LEMMA = re.compile(r"\\begin\s*\{(lemma\*?|lem[A-Za-z]*\*?)\}")
_OF_A_LEMMA = 500  # characters


class LemmaPipeline(Pipeline):
    """LemmaBench's extraction."""

    stages: Mapping[str, str] = {
        "lemmas": "Lemmas of the paper's own",
        "objects": "Lemmas whose objects are known",
        "needs": "Lemmas with what they need",
        "lines": "Lemmas that stand alone and can be set",
    }

    prompts = (OBJECTS, NEEDS)
    numbers = Recipe

    def construct(
        self, paper: Paper, recipe: Recipe, replies: Mapping[tuple[str, str], str], seed: int
    ) -> Iterator[State]:
        source, words = paper.outline, dict[Span, tuple[str, ...]]()
        for number, found in lemmas(source, recipe):
            key, place = f"lemma-{number}", (source.statements[number].span,)
            if isinstance(found, Drop):
                yield State(key, place, "lemmas", found)
                continue
            answers = Answers(replies, key)
            if recipe.context == "full":
                context = full(source, number, recipe)
            else:
                reply = answers.to("objects", OBJECTS, {"lemma": found.statement.text})
                objects = reply if isinstance(reply, Question) else read_reply(reply, Objects)
                if isinstance(objects, Question | Drop):
                    yield State(key, place, "objects", objects)
                    continue
                context = lexical(source, number, objects.objects, recipe, words)
            shown = "\n\n".join(source.text_of(span) for span in context.spans)
            reply = answers.to("needs", NEEDS, {"lemma": found.statement.text, "before": shown})
            needs = reply if isinstance(reply, Question) else needed(source, number, context, reply)
            if isinstance(needs, Question | Drop):
                yield State(key, place, "needs", needs)
                continue
            made = assembled(
                source, found, needs, extraction=context.extraction, instance_id=f"{paper.fields.key}/{number}",
                domain=paper.domain, paper=paper.fields, written_by=NEEDS.label, category=paper.category,
            )  # fmt: skip
            yield State(key, place, "lines", made if isinstance(made, Drop) else (made,))

    def expects(self, text: str, recipe: Recipe) -> Expected:
        """Low: environments called lemma; high: all whose names begin with lem. Each sends what is before it, or, if
        paragraphs are ranked, at most what the most of them may hold."""
        found = [(match.start(), match[1].startswith("lemma")) for match in _LEMMA.finditer(text)]
        sure = [start for start, named in found if named]
        rounds = 1 if recipe.context == "full" else 2
        most = recipe.max_context if recipe.context == "full" else recipe.max_paragraphs * 2_000

        def sent(starts: Sequence[int]) -> int:
            return sum(min(start, most) + rounds * _OF_A_LEMMA for start in starts)

        return Expected(
            Range(rounds * len(sure), rounds * len(found)),
            Range(sent(sure), sent([start for start, _ in found])),
        )


PIPELINE = LemmaPipeline()
