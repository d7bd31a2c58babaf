"""Labels, references, citations and links in running text."""

from collections.abc import Callable
from urllib.parse import urlsplit

from latex.reading.characters import SYMBOLS, html_attribute, html_text, typographic, visible
from latex.reading.engine import Engine
from latex.reading.tokens import Token, spelled

Command = Callable[[Engine], None]
REFERENCES = ("ref", "eqref", "cref", "Cref", "autoref", "vref", "nameref", "pageref", "labelcref", "Autoref")
CITATIONS = (
    "cite", "citet", "citep", "citealp", "citealt", "citeauthor", "citeyear", "parencite", "textcite", "autocite",
    "footcite", "fullcite", "supercite", "Cite", "citeyearpar", "Citet", "Citep", "shortcite", "citen",
)  # fmt: skip


def referring(name: str) -> Command:
    def run(engine: Engine) -> None:
        engine.stream.star()
        engine.stream.optional()
        engine.put(engine.references.mark(name, spelled(engine.stream.required())))

    return run


def citing(engine: Engine) -> None:
    engine.stream.star()
    first = engine.stream.optional()
    second = engine.stream.optional() if first is not None else None
    option = second if second is not None else first
    keys = spelled(engine.stream.required())
    engine.put(engine.references.mark("cite", keys, cited_option(option)))


def cited_option(tokens: list[Token] | None) -> str:
    """The [Theorem 2] of a citation as words; a formula in it is spelled out."""
    if not tokens:
        return ""
    words = []
    for token in tokens:
        if token.kind == "word":
            words.append(SYMBOLS.get(token.text, token.text))
        elif token.kind not in ("{", "}", "$"):
            words.append("\u00a0" if token.kind in ("~", "symbol") else token.text)
    return typographic(visible("".join(words))).strip()


def label(engine: Engine) -> None:
    name = engine.stream.name()
    engine.references.label(name, engine.target)


def url(engine: Engine) -> None:
    link(engine, spelled(engine.stream.required()), None)


def href(engine: Engine) -> None:
    engine.stream.optional()
    address = spelled(engine.stream.required())
    link(engine, address, "text follows")


def safe_address(address: str) -> str:
    """The address if it is http, https or mailto; else ""."""
    address = visible(address).strip().replace("\\", "")
    try:
        scheme = urlsplit(address).scheme
    except ValueError:
        return ""
    return address if scheme in ("http", "https", "mailto") and len(address) < 2000 else ""


def link(engine: Engine, address: str, text: str | None) -> None:
    safe = safe_address(address)
    if text is None:
        shown = html_text(visible(address).replace("\\", ""))
        engine.put(f'<a href="{html_attribute(safe)}">{shown}</a>' if safe else shown)
    elif safe:
        engine.styled("a", html_attribute(safe))


COMMANDS: dict[str, Command] = {
    **{name: referring(name) for name in REFERENCES},
    **dict.fromkeys(CITATIONS, citing),
    "label": label,
    "url": url,
    "nolinkurl": url,
    "path": url,
    "href": href,
}
