"""What is put to a model for one task: the prompt with its fields, rendered. No database here."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.protocols import get_protocol
from benchmark.queries import shown_content
from judging.models import JudgeTask
from judging.prompts import predicate_prompt

_TOKENS_PER_MESSAGE = 16  # what chat templates put around each message, generously


@dataclass(frozen=True)
class Question:
    """Messages and reply format as they are sent."""

    messages: list[dict[str, str]]
    response_format: dict[str, Any]
    prompt_sha256: str

    @property
    def most_tokens(self) -> int:
        """No fewer than the tokens of the request: tokenisers of language models join bytes, never split them."""
        texts = [message["content"] for message in self.messages] + [json.dumps(self.response_format)]
        return sum(len(text.encode()) + _TOKENS_PER_MESSAGE for text in texts)


class PromptChanged(Exception):
    """The file of the prompt is no longer the one that the judge version was made with."""


def question(task: JudgeTask, nonce: str) -> Question:
    """The question of a task, the proof as data behind a fence of this nonce.

    Raises PromptChanged, and llm.PromptError when a field is missing.
    """
    judge = task.run.judge
    prompt = predicate_prompt(get_protocol(judge.protocol), task.predicate)
    if prompt.sha256 != judge.prompts[task.predicate]["sha256"]:
        raise PromptChanged(f"the prompt of {task.predicate} has changed since {judge.label}")
    rendered = prompt.render(fields_of(task), nonce=nonce)
    return Question(rendered.messages, prompt.response_format, prompt.sha256)


def fields_of(task: JudgeTask) -> Mapping[str, str]:
    """The values of the prompt's placeholders."""
    protocol = get_protocol(task.run.judge.protocol)
    payload, text = shown_content(task.output)
    return protocol.prompt_fields(task.predicate, task.output.instance.payload, payload, text)
