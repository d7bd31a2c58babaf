"""Theorem-like environments and proofs: declared by the document, or known by their usual names."""

from collections.abc import Callable
from dataclasses import dataclass

from latex.limits import MAX_NAME
from latex.reading.characters import html_text
from latex.reading.engine import Engine
from latex.reading.record import Passage
from latex.reading.tokens import Token, spelled, tokenize

KNOWN = {
    "theorem": "Theorem", "thm": "Theorem", "lemma": "Lemma", "lem": "Lemma", "lma": "Lemma",
    "proposition": "Proposition", "prop": "Proposition", "corollary": "Corollary", "cor": "Corollary",
    "coro": "Corollary", "definition": "Definition", "defn": "Definition", "defi": "Definition", "dfn": "Definition",
    "remark": "Remark", "rem": "Remark", "rmk": "Remark", "example": "Example", "ex": "Example", "exa": "Example",
    "exercise": "Exercise", "claim": "Claim", "conjecture": "Conjecture", "conj": "Conjecture", "fact": "Fact",
    "problem": "Problem", "prob": "Problem", "question": "Question", "observation": "Observation", "obs": "Observation",
    "assumption": "Assumption", "hypothesis": "Hypothesis", "axiom": "Axiom", "note": "Note", "notation": "Notation",
    "convention": "Convention", "construction": "Construction", "property": "Property", "step": "Step",
    "subclaim": "Subclaim", "scholium": "Scholium", "criterion": "Criterion", "summary": "Summary",
    "mainthm": "Theorem", "maintheorem": "Main Theorem", "sublemma": "Sublemma", "defish": "Definition",
}  # fmt: skip
_STARRED_TOO = frozenset(name + "*" for name in KNOWN)
_DEFINITION_STYLE = frozenset(
    {"Definition", "Example", "Exercise", "Problem", "Question", "Axiom", "Assumption"}
)
_REMARK_STYLE = frozenset(
    {"Remark", "Note", "Notation", "Observation", "Convention", "Fact", "Summary", "Step"}
)
PROOFS = {"proof": "Proof", "pf": "Proof", "Proof": "Proof", "solution": "Solution", "sketch": "Sketch of proof",
          "answer": "Answer", "sol": "Solution", "proofsketch": "Sketch of proof"}  # fmt: skip
# What authors declare with \\newtheorem and print above a proof.
_PROOF_TITLES = frozenset((
    "Proof", "Sketch of proof", "Sketch of Proof", "Proof sketch", "Proof Sketch", "Solution", "Beweis", "Preuve",
    "Démonstration", "Demonstration", "Demostración", "Dimostrazione", "Demonstração", "Bewijs", "Bevis", "Dowód",
    "Доказательство",
))  # fmt: skip


_OF_THMTOOLS = frozenset(("name", "note", "title", "label", "restate", "continues", "style"))


@dataclass(frozen=True)
class Theorem:
    """A theorem-like environment: its printed name, its counter ("" without number), its style."""

    title: str
    counter: str
    style: str


def style_for(title: str) -> str:
    if title in _DEFINITION_STYLE:
        return "definition"
    return "remark" if title in _REMARK_STYLE else "plain"


def new_theorem(engine: Engine) -> None:
    """\\newtheorem{name}[shared]{Title}[within], starred without number."""
    starred = engine.stream.star()
    name = engine.stream.name()
    shared = engine.stream.optional()
    title = plain(engine.stream.required())
    within = engine.stream.optional()
    declare(
        engine, name, title, "" if starred else spelled(shared or []).strip() or name, spelled(within or [])
    )


def declare(engine: Engine, name: str, title: str, counter: str, within: str = "", style: str = "") -> None:
    if name in PROOFS or title.rstrip(".:") in _PROOF_TITLES:  # a proof by another name, and still a proof
        engine.settings[f"head of {name}"] = title[:MAX_NAME]
        engine.environments.pop(name, None)
        engine.builtin_environments[name] = begin_proof
        return
    shared = engine.environments.get(counter)
    if isinstance(shared, Theorem) and counter != name:
        counter = shared.counter
    elif within.strip():
        engine.counters.within(counter, within.strip())
    title = title[:MAX_NAME]
    chosen = style or engine.settings.get("theoremstyle", "") or style_for(title)
    engine.environments[name] = Theorem(title, counter, chosen)


def plain(tokens: list[Token]) -> str:
    return " ".join(
        "".join(t.text for t in tokens if t.kind in ("text", "space", "~")).replace("~", " ").split()
    )


def theorem_style(engine: Engine) -> None:
    name = engine.stream.name()
    engine.settings["theoremstyle"] = name if name in ("plain", "definition", "remark") else "plain"


def keyed(option: str) -> dict[str, str]:
    """key=value, key={value} pairs of an option list; a key without value maps to ""."""
    pairs: dict[str, str] = {}
    depth, part = 0, ""
    for character in option[:4000] + ",":
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            key, _, value = part.partition("=")
            value = value.strip()
            pairs[key.strip()] = value[1:-1] if value.startswith("{") and value.endswith("}") else value
            part = ""
        else:
            part += character
    return pairs


def declare_theorem(engine: Engine) -> None:
    """thmtools: \\declaretheorem[name=.., sibling=.., numberwithin=.., style=..]{name}."""
    options = keyed(spelled(engine.stream.optional() or []))
    name = engine.stream.name()
    options |= keyed(spelled(engine.stream.optional() or []))
    title = options.get("name") or options.get("title") or KNOWN.get(name, name.capitalize())
    counter = options.get("sibling") or options.get("numberlike") or options.get("sharenumber") or name
    if options.get("numbered") == "no":
        counter = ""
    style = options.get("style", "")
    within = options.get("numberwithin") or options.get("parent") or options.get("within") or ""
    declare(engine, name, title, counter, within, style if style in ("plain", "definition", "remark") else "")


def with_title(engine: Engine, then: Callable[[list[Token] | None, str], None]) -> None:
    """Reads an optional [title], then goes on with its tokens and its text."""
    option = engine.stream.optional()
    if option is None:
        then(None, "")
    else:
        engine.captured_tokens(option, lambda title: then(option, title))


def begin_theorem(engine: Engine, name: str, made: Theorem) -> None:
    start, begun = engine.here, engine.own_start
    engine.end_paragraph()

    option = engine.stream.optional()
    keys = keyed(spelled(option or []))
    label = ""
    if option and any(keys.values()) and _OF_THMTOOLS.issuperset(keys):
        label = keys.get("label", "")[:MAX_NAME]
        option = tokenize(next((keys[key] for key in ("name", "note", "title") if keys.get(key)), "")) or None

    def opened(title: str) -> None:
        open_theorem(engine, name, made, (start, begun), option, title)
        if label:
            engine.references.label(label, engine.target)

    if option is None:
        opened("")
    else:
        engine.captured_tokens(option, opened)


def open_theorem(
    engine: Engine, name: str, made: Theorem, place: tuple[int, int], option: list[Token] | None, title: str
) -> Passage:
    engine.end_paragraph()
    start, begun = place
    number = engine.counters.step(made.counter) if made.counter else ""
    engine.aim(number, made.title)
    passage = engine.record.begin(
        environment=name, head=made.title, number=number, option=option, start=begun,
        upto=engine.stream.source_end, is_proof=False,
    )  # fmt: skip
    engine.record.aimed = passage
    label = f"{made.title} {number}".strip()
    shown = f' <span class="thm-title">({title})</span>' if title else ""
    head = f'<span class="thm-head">{html_text(label)}{shown}.</span> '
    engine.writer.open("theorem", run_in=head, upto=start)

    def finish() -> None:
        body = engine.writer.close(engine.here)
        html = f'<div class="thm thm-{made.style}">{body}</div>'
        engine.writer.block("theorem", html, start, engine.stream.source_end, label)
        closing = engine.own_start
        engine.record.finish(passage, closing, engine.own_end(closing))

    engine.open_frame(name, finish)
    return passage


def begin_proof(engine: Engine, name: str) -> None:
    begun = engine.own_start
    engine.end_paragraph()
    with_title(engine, lambda option, title: open_proof(engine, name, begun, option, title))


def open_proof(engine: Engine, name: str, begun: int, option: list[Token] | None, title: str) -> None:
    writer = engine.writer
    engine.end_paragraph()
    declared = engine.settings.get(f"head of {name}")
    head = html_text(declared or PROOFS.get(name, "Proof"))
    passage = engine.record.begin(
        environment=name, head=declared or PROOFS.get(name, "Proof"), number="", option=option, start=begun,
        upto=engine.stream.source_end, is_proof=True,
    )  # fmt: skip
    if title:
        head = f"{head} ({title})" if declared else title
    writer.top.run_in.append(f'<span class="proof-head">{head.rstrip(".")}.</span> ')
    writer.enter("proof")
    writer.next_kind = "proof"

    def finish() -> None:
        if writer.top.run_in:
            writer.open_paragraph(engine.here)
        if name != "solution" and declared is None:
            writer.append_to_last('<span class="qed">□</span>', engine.here)
        writer.end_paragraph(engine.stream.source_end)
        writer.leave("proof")
        closing = engine.own_start
        engine.record.finish(passage, closing, engine.own_end(closing))

    engine.open_frame(name, finish)


def box_name(engine: Engine) -> None:
    """\\newtcolorbox[init]{name}[n][default]{options}: a box whose title may be one of its arguments."""
    engine.stream.optional()
    name = engine.stream.name()
    count = plain(engine.stream.optional() or []).strip()
    default = engine.stream.optional()
    options = keyed(spelled(engine.stream.required()))
    arguments = int(count) if count.isdecimal() and len(count) == 1 else 0
    engine.environments[name] = Box(tuple(tokenize(options.get("title", ""))), arguments, default is not None)


@dataclass(frozen=True)
class Box:
    """A framed box: its title (TeX, with #1 for arguments) and how many arguments it takes."""

    title: tuple[Token, ...]
    arguments: int = 0
    first_optional: bool = False


def new_tcb_theorem(engine: Engine) -> None:
    """\\newtcbtheorem[init]{name}{Title}{options}{prefix}."""
    engine.stream.optional()
    name, title = engine.stream.name(), plain(engine.stream.required())
    engine.stream.required()
    engine.stream.required()
    declare(engine, name, title, name)


COMMANDS = {
    "newtheorem": new_theorem,
    "newmdtheoremenv": new_theorem,
    "spnewtheorem": new_theorem,
    "declaretheorem": declare_theorem,
    "theoremstyle": theorem_style,
    "newtcolorbox": box_name,
    "NewTColorBox": box_name,
    "renewtcolorbox": box_name,
    "newtcbtheorem": new_tcb_theorem,
}
ENVIRONMENTS = dict.fromkeys(PROOFS, begin_proof)


def known_theorem(name: str) -> Theorem | None:
    """A theorem environment that the document uses but never declares (a fragment, or Markdown)."""
    if name in KNOWN:
        return Theorem(KNOWN[name], name, style_for(KNOWN[name]))
    if name in _STARRED_TOO:
        title = KNOWN[name[:-1]]
        return Theorem(title, "", style_for(title))
    return None
