"""What changed between two versions of a form, question by question, in words. Pure."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from benchmark.rubric_rules import Rule
from benchmark.rubrics import Question, Rubric
from stats.core.scale import value_words

_LEVELS = {
    "nominal": "answers without an order",
    "ordinal": "levels in order",
    "interval": "numbers whose distances count",
}


@dataclass(frozen=True)
class QuestionChange:
    """A question that is new, gone, changed, the same or unfinished, with what changed in sentences."""

    key: str
    text: str
    state: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormChange:
    """Everything that changed between two forms; questions in the order of the newer one, then those that are gone."""

    head: tuple[str, ...]
    questions: tuple[QuestionChange, ...]
    rules: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether referees are asked the same."""
        return not (self.head or self.rules) and all(one.state == "the same" for one in self.questions)


def changes(
    before: Rubric,
    questions: Sequence[Question],
    rules: Sequence[Rule],
    title: str,
    unfinished: Collection[str] = (),
) -> FormChange:
    """What the form of these questions, rules and title changes in the version `before`.

    `unfinished` are keys of questions that cannot be read yet.
    """
    known = {question.key: question for question in before.questions}
    asked = {question.key: question for question in questions}
    common = [key for key in known if key in asked]
    found = []
    for question in questions:
        if question.key not in known:
            found.append(QuestionChange(question.key, question.text, "new"))
            continue
        sentences = tuple(_sentences(known[question.key], question))
        state = "changed" if sentences else "the same"
        found.append(QuestionChange(question.key, question.text, state, sentences))
    for key in known:
        if key not in asked:
            state = "unfinished" if key in unfinished else "gone"
            found.append(QuestionChange(key, known[key].text, state))
    head = [f"The title was “{before.title}”, now “{title}”."] if title != before.title else []
    if common != [key for key in asked if key in known]:
        head.append("The questions come in another order.")
    added = [f"New rule: {_rule(rule, asked)}" for rule in rules if rule not in before.rules]
    gone = [f"No longer: {_rule(rule, known)}" for rule in before.rules if rule not in rules]
    return FormChange(tuple(head), tuple(found), (*added, *gone))


def _sentences(before: Question, after: Question) -> Iterator[str]:
    """How two questions with one key differ."""
    if before.text != after.text:
        yield f"It was “{before.text}”."
    if before.help != after.help:
        yield f"The help was {_quoted(before.help)}, now {_quoted(after.help)}."
    if before.required != after.required:
        yield f"An answer is now {'required' if after.required else 'optional'}."
    old, new = before.scale, after.scale
    if old.kind != new.kind or old.level != new.level:
        was, now = (
            "free text" if scale.kind == "text" else _LEVELS[scale.level]
            if scale.kind == "choice" else scale.kind.replace("_", " ")
            for scale in (old, new)
        )  # fmt: skip
        yield f"It asked for {was}, now for {now}."
    added = [value for value in new.values if value not in old.values]
    removed = [value for value in old.values if value not in new.values]
    if added:
        yield f"New {_answers(added)}."
    if removed:
        yield f"No longer {_answers(removed)}."
    kept = [value for value in old.values if value in new.values]
    if kept != [value for value in new.values if value in old.values]:
        yield f"The order is now {', '.join(map(value_words, new.values))}."
    if old.success != new.success:
        yield (
            f"Counts as solved: {new.success_in_words or 'no answer'}, "
            f"before {old.success_in_words or 'no answer'}."
        )
    if old.correctness != new.correctness:
        yield f"Solved {'now means' if new.correctness else 'no longer means'} that the text is correct."
    for value in kept:
        was, now = old.anchors.get(value, ""), new.anchors.get(value, "")
        if was != now:
            yield f"“{value_words(value)}” meant {_quoted(was)}, now {_quoted(now)}."


def _quoted(words: str) -> str:
    return f"“{words}”" if words else "empty"


def _answers(values: Sequence[str]) -> str:
    noun = "answer" if len(values) == 1 else "answers"
    return f"{noun}: {', '.join(map(value_words, values))}"


def _rule(rule: Rule, questions: dict[str, Question]) -> str:
    """A rule as one sentence, with the message that referees read if it has one."""

    def either(values: Sequence[str]) -> str:
        return " or ".join(map(value_words, values))

    def called(key: str) -> str:
        return f"“{questions[key].text}”" if key in questions else key

    given = f"if {called(rule.question)} is {either(rule.values)}, then"
    if rule.then:
        demand = f"{called(rule.then)} must be {either(rule.allowed)}"
    elif rule.comments_at_least:
        demand = f"some comment must be {rule.comments_at_least} or worse"
    else:
        demand = f"no comment may be worse than {rule.comments_at_most}"
    return f"{given} {demand}." + (f" Referees read: “{rule.message}”" if rule.message else "")
