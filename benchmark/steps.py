"""The steps of an answer: what a stepwise question is answered about, by experts and by judges. Pure."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, cast

import latex
from benchmark.rubrics import NOT_ASSESSED

NO_ERROR = "none"  # the answer to "first wrong step" when there is none
_NO_CLAIMS = ("heading", "rule")  # kinds of blocks
_TAG = re.compile(r"<[^<>]*>")
_OPENING = re.compile(r"\s*(?:Step|STEP)\s+(\d{1,3})\b")


class Placed(Protocol):
    """What the steps need to know about a block."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def html(self) -> str: ...


@dataclass(frozen=True)
class Step:
    """One step: `key` is the id of its first block, `blocks` are all its blocks, `name` is what is seen."""

    key: str
    name: str
    blocks: tuple[str, ...]


def steps_of(blocks: Iterable[Placed]) -> tuple[Step, ...]:
    """The author's own steps if the text numbers them ("Step 1", "Step 2"), otherwise one for each block.

    Headings and rules are not steps, except headings that open one. What comes before Step 1 is a step called
    "Opening".
    """
    listed = list(blocks)
    openings = [_OPENING.match(html.unescape(_TAG.sub("", block.html))) for block in listed]
    numbers = [int(found[1]) if found else 0 for found in openings]
    said = [number for number in numbers if number]
    if len(said) >= 2 and said == sorted(set(said)):
        groups: list[tuple[str, list[Placed]]] = [("Opening", [])]
        for block, number in zip(listed, numbers, strict=True):
            if number:
                groups.append((str(number), []))
            groups[-1][1].append(block)
        if all(block.kind in _NO_CLAIMS for block in groups[0][1]):
            del groups[0]
        return tuple(Step(part[0].id, name, tuple(block.id for block in part)) for name, part in groups)
    claims = [block for block in listed if block.kind not in _NO_CLAIMS]
    return tuple(Step(block.id, str(n), (block.id,)) for n, block in enumerate(claims, start=1))


def up_to_first_error(steps: Iterable[Step], first: str) -> dict[str, str]:
    """Step to value when `first` is the first wrong one (or NO_ERROR): later steps are not assessed."""
    value, found = "correct", {}
    for step in steps:
        found[step.key] = "incorrect" if step.key == first else value
        if step.key == first:
            value = NOT_ASSESSED
    return found


@lru_cache(maxsize=64)  # what a call may cost and what it asks are computed one after the other
def step_texts(text: str, text_format: str) -> tuple[tuple[str, str], ...]:
    """Key and source of every step of a text, headings and rules left out. It renders: for workers and commands."""
    blocks = {block.id: block for block in latex.render_in_time(text, cast(Any, text_format)).blocks}
    return tuple(
        (step.key, "\n\n".join(blocks[name].source for name in step.blocks))
        for step in steps_of(blocks.values())
    )
