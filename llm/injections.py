"""Signs that a text tries to address its judge. A flag is shown to the coordinator and changes no verdict."""

import base64
import binascii
import re
import unicodedata
from dataclasses import dataclass

from llm.neutral import visible

_EXCERPT = 120


@dataclass(frozen=True)
class Flag:
    """One sign: its kind (see SIGNS) and the words that gave it, at most 120 characters."""

    kind: str
    excerpt: str


_JUDGE = r"(?:judge|grader|evaluator|reviewer|verifier|referee|grading model|language model|llm|ai model)s?"
_GOOD = r"(?:yes|correct|valid|true|grounded|sufficient|accepted|(?:full|perfect|maximum) (?:marks|score))"
_DEFY = r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}"
_PRAISED = r"(?:expert|fields medal|terence tao|reviewer|referee|annals|professor|grader)"
_START = r"^[ \t]{0,8}(?:\*\*|#{1,6} )?"

# One row per sign. Gaps are bounded, so that the time stays linear in the text.
SIGNS: tuple[tuple[str, str], ...] = (
    ("instruction", _DEFY + r"\b(?:above|previous|prior)\b"),
    ("instruction", _DEFY + r"\b(?:instruction|rule|prompt)s?"),
    ("instruction", _DEFY + r"\b(?:guideline|rubric|criteri)"),
    ("instruction", r"\byou (?:must|should|will|have to|are \w{2,12} to) (?:now |only |always |simply )?"
                    r"(?:answer|reply|respond|output|return|say|grade|rate|mark|score|label|accept)\b"),
    ("instruction", r"\b(?:answer|reply|respond|output|return|print|say) (?:only |just |simply |exactly )?"
                    r"(?:with )?(?:the )?(?:word |label |verdict )?"
                    r"[\"'“`]?(?:yes|correct|valid|accepted)\b(?!-)"),
    ("instruction", r"\b(?:rate|grade|mark|score|label|classify|evaluate) (?:this|the|it|my)\b[^.\n]{0,40}"
                    rf"\b(?:as|with)\b[^.\n]{{0,15}}\b{_GOOD}\b"),
    ("instruction", r"\bnew (?:system )?(?:instruction|task|rule)s?\s?:"),
    ("address", rf"\b(?:dear|attention|note (?:to|for)|message (?:to|for)|hello),? (?:the |all )?{_JUDGE}"),
    ("address", rf"\binstructions? (?:to|for) (?:the |all )?{_JUDGE}"),
    ("address", r"\byou are (?:now )?(?:an? )?(?:dan|unrestricted|helpful|lenient|generous|different)\b"),
    ("address", r"\bas an? (?:ai|llm|language model|judge|grader|evaluator)\b[^.\n]{0,30}\byou\b"),
    ("address", r"\b(?:system prompt|system message|developer mode)\b"),
    ("fence", r"</\s{0,3}(?:proof|data|answer|text|document|solution|input|context|statement)\s{0,3}>"),
    ("fence", r"\[\[\s{0,3}/?(?:end|data)\b"),
    ("fence", r"\b(?:end|begin) of (?:the )?(?:proof|data|input|document) (?:text|section|block)"),
    ("fence", r"^[ \t]{0,8}[-=#*~<>]{3,40}[ \t]{0,8}(?:end|begin|start)\b[^\n]{0,40}"),
    ("role", r"<\|[^|<>\n]{1,40}\|>"),
    ("role", r"\[/?INST\]|<<\s{0,3}/?SYS\s{0,3}>>"),
    ("role", r"</?\s{0,3}(?:system|user|assistant|human|think)\s{0,3}>"),
    ("role", _START + r"(?:system|assistant|human)(?:\*\*)?\s?:"),
    ("verdict", r"\b(?:label|verdict|grounded|sufficient|is_correct|score|grade|judge?ment)[\"']\s{0,8}:"
                r"\s{0,8}[\"']?(?:yes|correct|true|valid|1|10)\b"),
    ("verdict", _START + r"(?:final )?(?:verdict|label|grade|judge?ment|evaluation|rating)(?:\*\*)?\s?:"
                rf"(?:\*\*)?\s{{0,3}}{_GOOD}"),
    ("verdict", r"\\boxed\{\s{0,3}(?:\\text\{)?\s{0,3}(?:in)?correct"),
    ("verdict", r"(?<!\S)\[\[\s{0,3}(?:a|b|yes|rating|correct)\b[^\n]{0,10}\]\](?![^\s.,])"),
    ("verdict", _START + r"thought process(?:\*\*)?\s?:"),
    ("verdict", r"\blet'?s (?:evaluate|grade|judge) (?:this|the) (?:proof|solution|answer)"),
    ("persuasion", r"\b(?:verified|checked|confirmed|approved|endorsed|accepted|graded)\b[^.\n]{0,40}\bby\b"
                   rf"[^.\n]{{0,30}}\b{_PRAISED}"),
    ("persuasion", rf"\b(?:other|all|every|most) (?:the )?(?:other )?{_JUDGE} (?:have |has |already ){{0,2}}"
                   r"(?:agree|accept|gave|give|said|rate|mark|confirm|vote)"),
    ("persuasion", rf"\b(?:brilliant|excellent|wise|expert|fair|intelligent) {_JUDGE}\b"),
    ("persuasion", r"\b(?:please|kindly|beg)\b[^.\n]{0,30}\b(?:accept|be lenient|be kind|give (?:me|full))"),
    ("persuasion", r"\bmy (?:job|career|life|grade|family) depends\b"),
    ("hidden", r"\\[vh]?phantom\b[^\n]{0,20}\b(?:judge|yes|correct|ignore|grade)"),
    ("hidden", r"\\(?:tiny|transparent)\b[^\n]{0,20}\b(?:judge|yes|correct|ignore|grade)"),
    ("hidden", r"\\(?:text)?color\{white\}"),
    ("hidden", r"(?<!\\)%[^\n]{0,60}\b(?:judge|grader|ignore|verdict|instruction)"),
    ("hidden", r"<!--[^\n]{0,60}\b(?:judge|grader|ignore|verdict|instruction|yes|correct)"),
)  # fmt: skip
_PATTERNS = tuple((kind, re.compile(sign, re.IGNORECASE | re.MULTILINE)) for kind, sign in SIGNS)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,2000}={0,2}")
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\U000e0000-\U000e007f]+")


def find_injections(text: str) -> tuple[Flag, ...]:
    """The signs in a text, the first of each kind: those of SIGNS, "invisible" and "encoded".

    Reads through compatibility characters, hidden characters (words that they split are joined), Unicode
    tags (spelt out) and base64 of readable text. Time is linear in the text.
    """
    flags: dict[str, str] = {}
    if unseen := _UNSEEN.search(text):
        flags["invisible"] = f"{len(unseen[0])} invisible characters"
    for word in _BASE64.findall(text):
        try:
            plain = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if plain.isprintable() and any(pattern.search(plain) for _, pattern in _PATTERNS):
            flags.setdefault("encoded", plain)
    # The ASCII text that Unicode tag characters shadow.
    tags = "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0020 <= ord(c) <= 0xE007E)
    for reading in (unicodedata.normalize("NFKC", visible(text)), tags):
        for kind, pattern in _PATTERNS:
            if kind not in flags and (hit := pattern.search(reading)):
                flags[kind] = " ".join(hit[0].split())
    return tuple(Flag(kind, words[:_EXCERPT]) for kind, words in flags.items())
