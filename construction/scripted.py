"""A model by fixed rules for the demo and for measurements: it answers every question of construction without thinking.

It points to words in italics as definitions, chooses the formula in the middle, and knows what the cited works of the
sample papers say from a file. Nothing that it says shows how a language model would do.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

_KNOWN = Path(__file__).resolve().parents[1] / "sample" / "construction" / "replies.json"
_DATA = re.compile(
    r"\[\[DATA (?P<name>[a-z_]+) (?P<nonce>\w+)\]\]\n(?P<text>.*?)\n\[\[END (?P=name) (?P=nonce)\]\]",
    re.DOTALL,
)
_SCHEMA = re.compile(r"It follows this JSON schema:\n(.+)")
_WORD = re.compile(r"(?<![\\A-Za-z])[a-z]{5,}")
_TERM = re.compile(r"\\(?:emph|textit)\{([^{}]{2,60})\}")
_NUMBERED = re.compile(r"<<(\d+)>>")
_PROOF = re.compile(r"^P(\d+) proves S(\d+) and cites (.+):$", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.:]\s|\n\s*\n|\\end\{|\Z")
_SENTENCE_BEGIN = re.compile(r"[.:]\s|\n\s*\n|\\(?:begin|label)\{[^{}]*\}")


def reply(request: Mapping[str, Any]) -> str | None:
    """What the model says to a request for a chat completion; None if it is not a question of construction."""
    asked, user = request["messages"][0]["content"], request["messages"][-1]["content"]
    found = _SCHEMA.search(asked)
    answer = _ANSWERS.get(json.loads(found[1])["title"]) if found else None
    if answer is None:
        return None
    fields = {data["name"]: data["text"] for data in _DATA.finditer(user)}
    return json.dumps(answer(fields), ensure_ascii=False)


def _symbols(fields: Mapping[str, str]) -> dict[str, object]:
    quotes = _definitions(fields["paper"], f"{fields['problem']}\n{fields['proof']}", fields["problem"])
    return {"symbols": [{"symbol": term, "quote": quote} for term, quote in quotes], "external": False}


def _choice(fields: Mapping[str, str]) -> dict[str, object]:
    numbers = sorted({int(number) for number in _NUMBERED.findall(fields["proof"])})
    mask = {
        "candidate": numbers[len(numbers) // 2],
        "reason": "It is the formula in the middle of the proof.",
        "step_type": "structural transformation",
        "proof_family": "direct",
        "why_not_local": "A rule chose it, and nobody asked whether its neighbours give it away.",
    }
    return {"masks": [mask]}


def _needs(fields: Mapping[str, str]) -> dict[str, object]:
    quotes = _definitions(fields["before"], fields["lemma"], "")
    return {"definitions": [{"quotes": [quote]} for _, quote in quotes], "assumptions": [], "missing": []}


def _target(fields: Mapping[str, str]) -> dict[str, object]:
    found = _PROOF.search(fields["proofs"])
    if found is None:
        return {"setup": "", "target": "", "proof": "", "citations": []}
    keys = [key.strip() for key in found[3].split(",")][:6]
    setup = next(
        (known["setup"] for key in keys if (known := _known().get(key))),
        "All notions are those of the paper.",
    )
    cited = [{"id": key, "why": "The proof cites it."} for key in keys]
    return {"setup": setup, "target": f"S{found[2]}", "proof": f"P{found[1]}", "citations": cited}


def _instrumental(fields: Mapping[str, str]) -> dict[str, object]:
    known = fields["key"] in _known()
    reason = "The step uses its result." if known else "The rules know nothing of this work."
    return {"instrumental": known, "reason": reason}


def _definitions(text: str, wanting: str, there: str) -> Iterator[tuple[str, str]]:
    """Words in italics that `wanting` has, each with the sentence of the text that has them, unless `there` has it."""
    told = set()
    for found in _TERM.finditer(text):
        term = found[1].strip()
        if term in told or term.lower() not in wanting.lower():
            continue
        begins = [mark.end() for mark in _SENTENCE_BEGIN.finditer(text, 0, found.start())]
        end = _SENTENCE_END.search(text, found.end())
        quote = text[
            begins[-1] if begins else 0 : end.start() + (text[end.start() : end.start() + 1] == ".")
            if end
            else None
        ]
        quote = quote.strip()
        is_whole = quote.count("\\begin{") == quote.count("\\end{")
        if quote and is_whole and text.count(quote) == 1 and quote not in there:
            told.add(term)
            yield term, quote


@cache
def _known() -> dict[str, dict[str, str]]:
    known: dict[str, dict[str, str]] = json.loads(_KNOWN.read_text(encoding="utf-8"))
    return known


_ANSWERS: dict[str, Callable[[Mapping[str, str]], dict[str, object]]] = {
    "Symbols": _symbols,
    "Choice": _choice,
    "Objects": lambda fields: {"objects": list(dict.fromkeys(_WORD.findall(fields["lemma"])))[:20]},
    "Needs": _needs,
    "Target": _target,
    "Instrumental": _instrumental,
    "Tool": lambda fields: {
        "tool": _known()[fields["key"]]["tool"],
        "type": "theorem",
        "restated": False,
        "restated_quote": "",
    },
    "Hint": lambda fields: {
        "anchor": next(known["anchor"] for known in _known().values() if known["tool"] == fields["tool"])
    },
}
