"""Prompts for slogans, and what a reply must be. Pure."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from llm import most_sent
from llm.prompts import FRAMING, framed

MAX_TOKENS = 1_024  # of a reply; four sentences have about a hundred
DECODING = {"temperature": 0.2, "max_tokens": MAX_TOKENS}
MAX_SENTENCES, MAX_CHARACTERS = 4, 1_500
FAULTS = {
    "empty": "There is no text.",
    "cut": "The reply was cut off.",
    "not_ascii": "There are characters that are not ASCII, or not printed.",
    "latex": "There is LaTeX or Markdown.",
    "json": "It is JSON, and no plain words.",
    "too_long": f"There are more than {MAX_SENTENCES} sentences or {MAX_CHARACTERS:,} characters.",
    "refers": "It speaks about “this theorem”, or about numbers of theorems.",
    "proof": "It describes a proof.",
}
_SENTENCE_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\bresp)(?<!\betc)[.!?]+(?=\s+[A-Z\"(]|\s*\Z)"
)
_MARKUP = re.compile(r"[$\\`]|\*\*|[_^]\{|^#|^[-*] ", re.MULTILINE)
_JSON = re.compile(r"\{|\[ ?[\"{\]]")  # at its beginning; a slogan may begin with [0, 1]
_REFERS = re.compile(
    r"\b(?:this|the above|the following|the present|our) (?:theorem|lemma|proposition|corollary|result|statement"
    r"|definition|claim|remark|paper)\b|\b(?:theorem|lemma|proposition|corollary|section|equation) \(?\d",
    re.IGNORECASE,
)
_PROOF = re.compile(
    r"\b(?:the proof|proof (?:is|uses|proceeds)|we (?:prove|show|first|then)|is (?:proved|proven|shown) by"
    r"|proceeds by)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Prompt:
    """The words of one version, sent unchanged; `sha256` is that of the file."""

    label: str
    text: str
    sha256: str


@cache
def prompt_of(reads: str) -> Prompt:
    """The newest prompt for a model that reads this with the statement."""
    path = Path(__file__).with_name("prompts") / f"{reads}.v1.md"
    content = path.read_bytes()
    return Prompt(path.stem, content.decode().strip(), hashlib.sha256(content).hexdigest())


def messages(prompt: Prompt, statement: str, context: str, nonce: str) -> list[dict[str, str]]:
    """What is sent: the words, then the statement and what comes with it as data behind a fence."""
    data = [framed("statement", statement, nonce)]
    if context:
        data.append(framed("context", context, nonce))
    system = f"{prompt.text}\n\n{FRAMING.format(nonce=nonce)}"
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n\n".join(data)}]


def most_tokens(sent: list[dict[str, str]]) -> int:
    """No fewer than the tokens of a request and its reply."""
    return most_sent(sent) + MAX_TOKENS


def read_slogan(reply: str, finish_reason: str = "") -> tuple[str, str]:
    """(text, "") of a reply as it should be, or ("", the code of its fault, one of FAULTS)."""
    text = " ".join(reply.strip().strip('"').split())
    if not text:
        return "", "empty"
    if finish_reason == "length":
        return "", "cut"
    if not text.isascii() or not text.isprintable():
        return "", "not_ascii"
    if _JSON.match(text):
        return "", "json"
    if _MARKUP.search(reply.strip()):
        return "", "latex"
    if len(text) > MAX_CHARACTERS or len(_SENTENCE_END.findall(text)) > MAX_SENTENCES:
        return "", "too_long"
    if _REFERS.search(text):
        return "", "refers"
    return ("", "proof") if _PROOF.search(text) else (text, "")
