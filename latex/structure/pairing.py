"""Which statement a proof proves, with the evidence; no pairing rather than a doubtful one.

The rules are tried in this order, and each has its evidence:

1. "named": the proof's title refers to a label of the statement, or prints its kind and number; "proves" if the
   proof says so with \\proves. Of a label that no statement has: "names no statement".
2. "another proof": its title calls it the second, another or an alternative proof of what the proof before proves.
3. "titled": its title names a theorem ("Proof of Herbrand's theorem") and a statement has that title; else
   "names something else".
4. "restated": right before it is the macro by which thm-restate prints the statement again.
5. "adjacent": nothing but layout, labels and remarks of the source is between the statement and the proof.
6. "announced": the words right before the proof refer to the statement and speak of a proof.
7. "heading": the heading above the proof, which the statement is not under, names it; else "across a heading".
8. "same proof": it follows another proof, with nothing or with words about proving between them; else
   "after a proof".
9. "near": at most two paragraphs without a heading are in between; else "far".

A proof within a statement or another proof pairs with statements in there alone; within a theorem without any, with
the theorem ("inside"). "none" says that no statement comes before.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from latex.reading.record import Heading, Passage
from latex.reading.tokens import without_comments

PROVABLE = frozenset(
    ("theorem", "lemma", "proposition", "corollary", "claim", "sublemma", "subclaim", "fact", "conjecture", "property",
     "scholium", "observation", "criterion")
)  # fmt: skip
MAX_NEAR = 2  # paragraphs between a statement and its proof
MAX_GAP = 5_000  # characters that these can have
_REFERENCE = re.compile(
    r"\\[A-Za-z]*(?:ref|Ref)\*?\s*(?:\[[^\]]*\])*\s*\{([^{}]{1,400})\}|\\hyperref\s*\[([^\]]{1,200})\]"
)
_PRINTED = re.compile(
    r"\b(theorem|thm|lemma|proposition|prop|corollary|cor|claim|fact|conjecture)s?\b\.?"
    r"[\s~]*((?:[A-Z]\.?)?\d+(?:\.\d+)*|[A-Z]\b)",
    re.IGNORECASE,
)  # fmt: skip
_SHORT = {"thm": "theorem", "prop": "proposition", "cor": "corollary"}
_ANOTHER = re.compile(
    r"\b(second|third|fourth|another|alternat\w+|different|other|new|elementary|direct|simpler|shorter)\b[^.]{0,40}"
    r"\b(proof|demonstration)\b|\balternatively\b|\bproof (?:2|3|ii|iii|b|c)\b",
    re.IGNORECASE,
)  # fmt: skip
_PROVING = re.compile(r"\bprov(?:e|es|ed|ing)\b|\bproofs?\b|\bdemonstrat", re.IGNORECASE)
_OF = re.compile(r"\bof\b(.*)", re.IGNORECASE | re.DOTALL)
_CAPITAL = re.compile(r"\b[A-Z][\w’'-]{2,}")
_USUAL = frozenset(
    ("Theorem", "Theorems", "Lemma", "Lemmas", "Proposition", "Corollary", "Claim", "Fact", "Conjecture", "Main", "The",
     "Part", "Step", "Case", "Proof", "Sketch", "Equation", "Existence", "Uniqueness", "Necessity", "Sufficiency",
     "Assertion", "Statement", "Item", "Section", "Property", "Properties")
)  # fmt: skip
# Commands between a statement and its proof that print nothing there, with their arguments.
_LAYOUT = re.compile(
    r"\\(?:label|index|vspace|vskip|hspace|uses|lean|leanok|mathlibok|notready|discussion|proves|qed|qedhere|noindent"
    r"|smallskip|medskip|bigskip|par|newpage|clearpage|pagebreak|nopagebreak|goodbreak|filbreak|penalty|protect"
    r"|end|begin|setcounter|tagged|allowdisplaybreaks|relax|nobreak)(?![A-Za-z])\*?\s*(?:\[[^\]]*\]|\{[^{}]*\})*"
    r"|\{|\}|~|-?\d+(?:\.\d+)?\s*(?:pt|em|ex|mm|cm|in)\b"
)
_PARAGRAPHS = re.compile(r"(?:\r?\n[ \t]*){2,}")
_AGAIN = re.compile(r"\\([A-Za-z]+)\*?\s*\Z")
_PROVES = re.compile(r"\\proves\s*\{([^{}]{1,400})\}")


def pair(
    text: str,
    statements: Sequence[Passage],
    proofs: Sequence[Passage],
    kinds: Mapping[Passage, str],
    labels: Mapping[str, Passage],
    headings: Sequence[Heading],
) -> dict[Passage, tuple[Passage | None, str]]:
    """For each proof its statement, or None, and the evidence. `kinds` has the kind of every statement, `labels` the
    statements that have one."""
    numbers: dict[tuple[str, str], Passage] = {}
    for statement in statements:
        if statement.number:
            numbers.setdefault((kinds[statement], statement.number), statement)
    titled = [(statement, _names(statement.title)) for statement in statements if statement.title]
    heading_starts = [heading.start for heading in headings]
    again = {statement.again: statement for statement in statements if statement.again}
    found: dict[Passage, tuple[Passage | None, str]] = {}
    last: dict[Passage | None, Passage] = {}  # the last statement within each passage
    last_proof: dict[Passage | None, Passage] = {}  # and the last proof after it

    def named(words: str) -> tuple[Passage | None, str] | None:
        """What a title or a sentence refers to by label, or by kind and printed number."""
        keys = [
            key.strip() for match in _REFERENCE.findall(words) for key in (match[0] or match[1]).split(",")
        ]
        for key in keys:
            if key in labels:
                return labels[key], "named"
        for kind, number in _PRINTED.findall(words):
            if statement := numbers.get((_SHORT.get(kind.lower(), kind.lower()), number)):
                return statement, "named"
        return (None, "names no statement") if keys else None

    def paired(proof: Passage) -> tuple[Passage | None, str]:
        title = proof.title
        before, earlier = last.get(proof.inside), last_proof.get(proof.inside)
        proves = _PROVES.search(text, proof.start, min(proof.end, proof.start + 600))
        if proves and proves[1] in labels:
            return labels[proves[1]], "proves"
        if (of_title := named(title)) and (of_title[0] or _OF.search(title)):
            return of_title
        if earlier and _ANOTHER.search(title):
            return found[earlier][0], "another proof"
        if (of := _OF.search(title)) and (names := _names(of[1])):
            for statement, words in reversed(titled):
                if statement.start < proof.start and names & words:
                    return statement, "titled"
            return None, "names something else"
        shown = _LAYOUT.sub("", without_comments(text[max(0, proof.start - 400) : proof.start]))
        if (macro := _AGAIN.search(shown)) and macro[1] in again:
            return again[macro[1]], "restated"
        if before is None:
            around = proof.inside
            if around is not None and not around.is_proof and kinds[around] in PROVABLE:
                return around, "inside"
            return None, "none"
        gap = without_comments(text[earlier.end if earlier else before.end : proof.start])
        is_short = len(gap) < MAX_GAP
        bare = _LAYOUT.sub(" ", gap).strip(" \n\r\t.") if is_short else gap
        first = bisect_left(heading_starts, before.end)
        above = bisect_left(heading_starts, proof.start) - 1
        if not earlier and not bare:
            return before, "adjacent"
        right_before = gap[-400:]
        if above >= first:
            right_before = text[max(headings[above].end, proof.start - 400) : proof.start]
        if (sentence := named(right_before)) and sentence[0] and _PROVING.search(right_before):
            return sentence[0], "announced"
        if above >= first:
            of_heading = named(headings[above].title)
            if of_heading and of_heading[0]:
                return of_heading[0], "heading"
            return None, "across a heading"
        if earlier:
            if not bare or (len(bare) < 400 and _ANOTHER.search(bare)):
                return found[earlier][0], "same proof"
            return None, "after a proof"
        if is_short and len(_PARAGRAPHS.split(gap.strip())) <= MAX_NEAR:
            return before, "near"
        return None, "far"

    for passage in sorted([*statements, *proofs], key=lambda passage: passage.start):
        if passage.is_proof:
            found[passage] = paired(passage)
            last_proof[passage.inside] = passage
        else:
            last[passage.inside] = passage
            last_proof.pop(passage.inside, None)
    return found


def _names(title: str) -> frozenset[str]:
    """The words of a title that name a theorem: those with a capital letter, but for the usual ones."""
    plain = re.sub(r"\\[A-Za-z]+|[{}$]", " ", title)
    return frozenset(
        word.split("'")[0].split("’")[0] for word in _CAPITAL.findall(plain) if word not in _USUAL
    )
