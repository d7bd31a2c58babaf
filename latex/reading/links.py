"""Labels, references, citations and links in running text."""

from collections.abc import Callable
from urllib.parse import urlsplit

from latex.limits import MAX_NAME
from latex.reading.characters import html_attribute, html_text, visible
from latex.reading.engine import Engine
from latex.reading.record import Mark, Named
from latex.reading.tokens import Token, spelled

Command = Callable[[Engine], None]
REFERENCES = ("ref", "eqref", "cref", "Cref", "autoref", "vref", "nameref", "pageref", "labelcref", "Autoref",
              "thref", "Thref", "zcref", "Vref", "fullref", "prettyref", "cpageref")  # fmt: skip
CITATIONS = (
    "cite", "citet", "citep", "citealp", "citealt", "citeauthor", "citeyear", "parencite", "textcite", "autocite",
    "footcite", "fullcite", "supercite", "Cite", "citeyearpar", "Citet", "Citep", "shortcite", "citen",
)  # fmt: skip


def referring(name: str) -> Command:
    def run(engine: Engine) -> None:
        start = engine.own_start
        engine.stream.star()
        engine.stream.optional()
        names = spelled(engine.stream.required())
        engine.record.references.append(Mark(name, split(names), "", start, engine.own_end(start)))
        engine.put(engine.references.mark(name, names))

    return run


def reference_range(engine: Engine) -> None:
    """cleveref's \\crefrange{first}{last}."""
    engine.stream.star()
    first, last = engine.stream.name(), engine.stream.name()
    engine.put(f"{engine.references.mark('cref', first)} to {engine.references.mark('eqref', last)}")


def citing(name: str) -> Command:
    """\\cite[Theorem 2]{key} and \\cite[see][Theorem 2]{key}; what is in brackets may have formulas."""

    def run(engine: Engine) -> None:
        start = engine.own_start
        engine.stream.star()
        first = engine.stream.optional()
        second = engine.stream.optional() if first is not None else None
        before, after = (None, first) if second is None else (first, second)
        keys = spelled(engine.stream.required())
        note = spelled(after or []).strip()
        engine.record.citations.append(Mark(name, split(keys), note, start, engine.own_end(start)))

        def put(lead: str, words: str) -> None:
            engine.put(engine.references.mark("cite", keys, words, lead))

        _line(engine, before, lambda lead: _line(engine, after, lambda words: put(lead, words)))

    return run


def _line(engine: Engine, tokens: list[Token] | None, then: Callable[[str], None]) -> None:
    if tokens:
        engine.captured_tokens(tokens, then)
    else:
        then("")


def split(names: str) -> tuple[str, ...]:
    """The names of a comma-separated list."""
    return tuple(
        name for part in names.split(",") if (name := part.strip(" {}\n")[:MAX_NAME]) and "#" not in name
    )


def label(engine: Engine) -> None:
    start = engine.own_start
    name = engine.stream.name()
    engine.references.label(name, engine.target)
    found = engine.target
    engine.record.labels.append(
        Named(name, found.number, found.kind, engine.record.aimed, start, engine.own_end(start))
    )


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
    **{name: citing(name) for name in CITATIONS},
    "crefrange": reference_range,
    "Crefrange": reference_range,
    "label": label,
    "url": url,
    "nolinkurl": url,
    "path": url,
    "href": href,
}
