"""What is refused as the witness of a gap, the tool that the authors cited, and as its anchor."""

import re
from collections.abc import Collection

from benchmark.citations.leakage import scan
from benchmark.citations.reading import Citation
from construction.recipes.passages import Drop, not_set
from construction.recipes.re2math.recipe import Recipe

_TYPES = frozenset(("theorem", "lemma", "proposition", "corollary", "claim", "inequality", "criterion"))
_NARRATIVE = re.compile(
    r"\b(?:recall that|it is well[- ]known|we (?:now|will|shall|may|can|set|use|prove|assume)\b"
    r"|in this (?:paper|section)|as (?:above|before)|the (?:following|previous) (?:result|theorem|lemma)|for example)",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\b(?:theorem|lemma|proposition|corollary|section|chapter)~?\s*[\dIVX][\w.]*\s*(?:of\b|in\b|states?\b|says?\b|shows?\b"
    r"|gives?\b)|\b(?:proved|shown|established) (?:by|in)\b|\baccording to\b|\bthe authors?\b",
    re.IGNORECASE,
)
_WRAPPED = re.compile(
    r"\\(?:begin|end)\s*\{(?:theorem|thm|lemma|lem|proposition|prop|corollary|cor|proof|document)\*?\}"
)
_BAD_PREFIX = re.compile(
    r"\A(?:and|or|then|hence|thus|therefore|so|but|moreover|furthermore|because|since|which|where|that|proof|"
    r"remark|example|[,;:.)\]}])(?!\w)",
    re.IGNORECASE,
)
_CITES = re.compile(r"\\[A-Za-z]*cite[A-Za-z]*|\\(?:eq|auto|c|C|th)?ref(?![A-Za-z])|\\label(?![A-Za-z])")
_DANGLING = re.compile(r"[_^]\s*(?:\$|\\\)|\\\]|\Z|[_^])")
_PIECES = re.compile(r"\\\\|\\[{}$]|\\[()\[\]]|\$\$|[${}]")
_IF_THEN = re.compile(r"\bif\b(?P<if>.{0,4000}?)\bthen\b(?P<then>.*)", re.IGNORECASE | re.DOTALL)
_MACRO = re.compile(r"\\([A-Za-z]+)")
_CONTROL = re.compile(r"\\([A-Za-z]{4,40})")
_WORD = re.compile(r"(?<![\\A-Za-z])[a-z]{3,40}")


def refused(
    tool: str, kind: str, recipe: Recipe, *, source: str = "", macros: Collection[str] = ()
) -> Drop | None:
    """The first reason against a witness of that type, if there is one.

    `source` is the text that it was read from, `macros` the names that its author defined.
    """
    tool = tool.strip()
    if not tool:
        return Drop("weak_tool_empty", "The witness is empty.")
    if len(tool) > recipe.max_tool:
        return Drop(
            "weak_tool_too_long", f"It has {len(tool)} characters, and {recipe.max_tool} are allowed."
        )
    if kind not in _TYPES:
        return Drop("generic_tool_type", f"{kind!r} is not a type of statement.")
    for code, pattern, why in (
        ("contains_citation_command", _CITES, "A witness stands for itself, and this one has"),
        ("env_wrapper", _WRAPPED, "A witness is the statement without its environment, and this one has"),
        ("source_report", _REPORT, "It reports what a source has, in the words"),
        ("narrative_phrase", _NARRATIVE, "It tells a story instead of stating:"),
        ("bad_prefix", _BAD_PREFIX, "A statement does not begin with"),
        ("dangling_script", _DANGLING, "An index or exponent is missing after"),
    ):
        if found := pattern.search(tool):
            return Drop(f"weak_tool_{code}", f"{why} {found[0].strip()[:60]!r}.")
    if mark := _unbalanced(tool):
        return Drop(f"weak_tool_unbalanced_{mark[0]}", f"{mark[1]} does not close.")
    if len(tool) < recipe.min_tool:
        return Drop("weak_tool_too_short", f"It has {len(tool)} of {recipe.min_tool} characters.")
    implication = _IF_THEN.search(tool)
    for half in ("if", "then"):
        if implication and not re.search(r"\w", implication[half]):
            return Drop(f"weak_tool_if_then_non_math_{half}", f"Nothing stands after {half!r}.")
    if lost := lost_backslash(tool, source):
        return Drop("lost_backslash", f"A backslash and a letter are missing before {lost!r}.")
    if left := next((name for name in _MACRO.findall(tool) if name in macros), ""):
        return Drop("macro_not_expanded", f"\\{left} is a macro of its author's.")
    return not_set(tool)


def lost_backslash(text: str, source: str) -> str:
    """What is left of a control word of the source without its first two characters, such as "igma", or ""."""
    lost = {name[1:] for name in _CONTROL.findall(source)} - set(_WORD.findall(source))
    return next((word for word in _WORD.findall(text) if word in lost), "")


def restated(quote: str, passage: str) -> bool:
    """Whether the passage has the quotation exactly once, white space apart."""
    wanted = " ".join(quote.split())
    return bool(wanted) and " ".join(passage.split()).count(wanted) == 1


def anchor_refused(
    text: str, cited: Citation, recipe: Recipe, *, key: str = "", nearby: str = ""
) -> Drop | None:
    """Why an anchor cannot be shown: its length, a formula that does not close, or what it gives away."""
    text = text.strip()
    if not recipe.min_anchor <= len(text) <= recipe.max_anchor:
        wanted = f"{recipe.min_anchor} to {recipe.max_anchor}"
        return Drop("anchor_length", f"It has {len(text)} characters, and {wanted} are wanted.")
    if mark := _unbalanced(text):
        return Drop(f"anchor_unbalanced_{mark[0]}", f"{mark[1]} does not close.")
    if flags := scan(text, cited, key=key, nearby=nearby):
        named = "; ".join(f"{text[flag.start : flag.end]!r}: {flag.reason}" for flag in flags[:3])
        return Drop("anchor_leaks", f"It gives away {named}.")
    return None


def _unbalanced(text: str) -> tuple[str, str] | None:
    """(what, the mark) that opens and does not close, or closes what is not open."""
    braces, inline, display = 0, "", ""
    for piece in _PIECES.findall(text):
        if piece == "{":
            braces += 1
        elif piece == "}":
            braces -= 1
            if braces < 0:
                return "brace", "}"
        elif piece == "$$" and not inline:
            display = "" if display == "$$" else "$$"
        elif piece in ("$", "$$"):
            inline = "" if inline == "$" else "$"
        elif piece in ("\\(", "\\["):
            if piece == "\\(":
                inline = piece
            else:
                display = piece
        elif piece == "\\)":
            if inline != "\\(":
                return "inline", piece
            inline = ""
        elif piece == "\\]":
            if display != "\\[":
                return "display", piece
            display = ""
    if display:
        return "display", display
    if inline:
        return "inline", inline
    return ("brace", "{") if braces else None
