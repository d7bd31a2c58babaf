"""What is put to a model for one task: the prompt with its fields, rendered. No database here."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.protocols import get_protocol
from benchmark.releases.queries import shown_content
from benchmark.steps import step_texts
from judging.asking.prompts import prompt_of
from judging.asking.replies import reply_text
from judging.asking.subjects import output_of
from judging.models import JudgeTask
from llm import OwnPrompt, Prompt, Unparsed, most_sent
from llm.prompts import framed

# A change of this text changes what every repair says: it needs new versions of the prompt files.
REPAIR = """You have answered this before, and the answer could not be read ({reason}):

{reply}

Answer again with the same judgement, as one JSON object of exactly the form asked for and nothing else."""
_KEPT_OF_REPLY = 4_000


@dataclass(frozen=True)
class Question:
    """Messages as they are sent, and the prompt that says how the reply is read."""

    messages: list[dict[str, str]]
    prompt: Prompt | OwnPrompt

    @property
    def most_tokens(self) -> int:
        """No fewer than the tokens of the request."""
        return most_sent(self.messages, self.prompt.response_format)


class PromptChanged(Exception):
    """The prompt file has changed since the judge version was made."""


def question(task: JudgeTask, nonce: str) -> Question:
    """The question of a task, the proof as data behind a fence of this nonce.

    Raises PromptChanged, and llm.PromptError when a field is missing.
    """
    judge = task.run.judge
    prompt = prompt_of(judge, task.predicate)
    if prompt.sha256 != judge.prompts[task.predicate]["sha256"]:
        raise PromptChanged(f"the prompt of {task.predicate} has changed since {judge.label}")
    if not isinstance(prompt, OwnPrompt) and prompt.step_labels:
        output = output_of(task)
        payload, text = shown_content(output)
        shown = get_protocol(judge.protocol).output_parts(payload, text, output.text_format)[0]
        prompt = prompt.about(step_texts(shown.text, shown.text_format))
    messages = prompt.render(fields_of(task), nonce=nonce).messages
    if task.repair_of is not None:
        # Why the earlier reply could not be read, and that reply, as data like everything from outside.
        said = reply_text(task.repair_of)
        unread = prompt.read(said)
        reason = unread.reason if isinstance(unread, Unparsed) else "it was read in another way then"
        framed_reply = framed("earlier_reply", said[:_KEPT_OF_REPLY], nonce)
        messages[-1]["content"] += "\n\n" + REPAIR.format(reason=reason, reply=framed_reply)
    return Question(messages, prompt)


def fields_of(task: JudgeTask) -> Mapping[str, str]:
    """The values of the prompt's placeholders; of a pair, the outputs in the order of the task."""
    protocol = get_protocol(task.run.judge.protocol)
    if task.instance is not None:
        assert protocol.instance_fields is not None
        return protocol.instance_fields(task.predicate, task.instance.payload)
    output = output_of(task)
    instance = output.instance.payload
    if task.second is None:
        payload, text = shown_content(output)
        return protocol.prompt_fields(task.predicate, instance, payload, text)
    assert protocol.pair_fields is not None
    shown = (output, task.second) if task.order == 1 else (task.second, output)
    first, second = map(shown_content, shown)
    return protocol.pair_fields(task.predicate, instance, first, second)
