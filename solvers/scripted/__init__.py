"""A model by fixed rules for the demo and for measurements: it answers the questions of solving without thinking.

It knows proofs of some of the sample's problems, in pieces. A first draft lacks a piece, a proposal may put it in, and
reviewers see what is missing and are sometimes in doubt; which of these happens is drawn from a hash of the question's
key. Nothing that it says shows how a language model would do.

A folder of its own, so that a recipe's hash, which is that of the code in `solvers/`, does not depend on it.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_KNOWN = Path(__file__).parent / "proofs.json"
_DATA = re.compile(
    r"\[\[DATA (?P<name>[a-z_0-9]+) (?P<nonce>\w+)\]\]\n(?P<text>.*?)\n\[\[END (?P=name) (?P=nonce)\]\]",
    re.DOTALL,
)
_SCHEMA = re.compile(r"It follows this JSON schema:\n(.+)")
MARKS = ("grounding", "faithfulness", "gap_free", "constructive", "format")
UNKNOWN = "The scripted model knows proofs of a few sample problems only, and this is not one of them."


@dataclass(frozen=True)
class Known:
    """A proof in pieces, all of which are needed, and a remark, which is not."""

    target: str
    pieces: tuple[str, ...]
    remark: str

    def proof(self, have: Sequence[int], *, remark: bool = False) -> str:
        parts = [self.pieces[number] for number in have] + ([self.remark] if remark else [])
        return "\\begin{proof}\n" + "\n\n".join(parts) + "\n\\end{proof}"

    def there(self, proof: str) -> list[int]:
        """The numbers of the pieces that a proof has."""
        return [number for number, piece in enumerate(self.pieces) if piece in proof]


@dataclass(frozen=True)
class Question:
    """What was asked: framed texts by name, and the key by which answers to the same words differ."""

    fields: Mapping[str, str]
    key: str

    def drawn(self, words: str, of: int) -> int:
        """A number below `of`, the same whenever this is asked again."""
        return int.from_bytes(hashlib.sha256(f"{words}|{self.key}".encode()).digest()[:8]) % of

    @property
    def known(self) -> Known | None:
        text = self.fields.get("problem", "")
        return next((known for words, known in _known().items() if words in text), None)


def reply(request: Mapping[str, Any]) -> str | None:
    """What the model says to a request for a chat completion; None if it is not a question of solving."""
    asked, user = request["messages"][0]["content"], request["messages"][-1]["content"]
    found = _SCHEMA.search(asked)
    answer = _ANSWERS.get(json.loads(found[1])["title"]) if found else None
    if answer is None:
        return None
    fields = {data["name"]: data["text"] for data in _DATA.finditer(user)}
    key = request.get("idempotency_key") or json.dumps(fields, sort_keys=True)
    return json.dumps(answer(Question(fields, str(key))), ensure_ascii=False)


def _analysis(question: Question) -> dict[str, object]:
    known = question.known
    if known is None:
        return {"formal": UNKNOWN, "target": "The statement as it is."}
    goals = [
        {"id": f"s{number}", "goal": piece.split(". ")[0]} for number, piece in enumerate(known.pieces, 1)
    ]
    return {"formal": "The statement is precise as it is.", "target": known.target, "subgoals": goals}


def _plan(question: Question) -> dict[str, object]:
    words = re.findall(r"(?<![\\A-Za-z])[a-z]{6,}", question.fields.get("problem", ""))
    return {
        "queries": [{"text": " ".join(dict.fromkeys(words[:6])) or "proof", "why": "The longer words of it."}]
    }


def _draft(question: Question) -> dict[str, object]:
    known = question.known
    if known is None:
        return {"abstain": True, "reason": UNKNOWN}
    lacks = question.drawn("draft", len(known.pieces))
    have = [number for number in range(len(known.pieces)) if number != lacks]
    return {
        "proof_latex": known.proof(have),
        "gaps": [f"Step {lacks + 1} of {len(known.pieces)} is left out."],
    }


def _proposal(question: Question) -> dict[str, object]:
    known = question.known
    if known is None:
        return {"changed": UNKNOWN}
    have = known.there(question.fields.get("chosen_draft", ""))
    lacking = [number for number in range(len(known.pieces)) if number not in have]
    if lacking and question.drawn("proposal", 3):
        have = sorted([*have, lacking[0]])
        gap = {"place": f"step {lacking[0] + 1}", "kind": "gap", "text": "The draft leaves this step out."}
        return {
            "issues": [gap],
            "proof_latex": known.proof(have),
            "changed": f"Step {lacking[0] + 1} is written out.",
        }
    return {
        "strategy": "refine",
        "proof_latex": known.proof(have, remark=True),
        "changed": "A remark says what is not used.",
    }


def _reviews(question: Question) -> dict[str, object]:
    known = question.known
    names = sorted(
        (name for name in question.fields if name.startswith("candidate_")), key=lambda one: int(one[10:])
    )
    reviews = []
    for name in names:
        text, number = question.fields[name], int(name[10:])
        lacking = [] if known is None else [n for n in range(len(known.pieces)) if n not in known.there(text)]
        if known is None or (not lacking and question.drawn(f"doubt {text}", 5) == 0):
            verdict, issues = (
                "unsure",
                [{"place": "the whole", "severity": "minor", "text": "A rule is in doubt."}],
            )
        elif lacking and question.drawn(f"overlooked {text}", 6):
            place = f"after step {lacking[0]}" if lacking[0] else "at the beginning"
            verdict = "flawed"
            issues = [{"place": place, "severity": "major", "text": "A step that is needed is missing here."}]
        else:
            verdict, issues = "sound", []
        marks = dict.fromkeys(MARKS, "pass") | ({"gap_free": "fail"} if verdict == "flawed" else {})
        reviews.append({"candidate": number, "verdict": verdict, "commandments": marks, "issues": issues})
    return {"reviews": reviews}


@cache
def _known() -> dict[str, Known]:
    read = json.loads(_KNOWN.read_text("utf-8"))
    return {words: Known(one["target"], tuple(one["pieces"]), one["remark"]) for words, one in read.items()}


_ANSWERS = {
    "Needed": lambda question: {"needed": question.known is not None, "reason": "A rule says so."},
    "Analysis": _analysis,
    "LiteraturePlan": _plan,
    "Understood": lambda question: {"items": [], "summary": ""},
    "Applied": lambda question: {"used": []},
    "Draft": _draft,
    "Proposal": _proposal,
    "Repaired": lambda question: {
        "proof_latex": question.fields.get("proof", ""),
        "changed": "Nothing: a rule cannot repair LaTeX.",
    },
    "Reviews": _reviews,
    "Steps": lambda question: {"abstain": True, "reason": UNKNOWN},
}
