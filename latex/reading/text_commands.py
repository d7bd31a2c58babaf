"""Commands of running text: styles, spacing, links, references, notes, and everything that is layout only."""

from collections.abc import Callable

from latex.formulas.find import show_source, symbol
from latex.formulas.words import DIMENSION
from latex.pictures import NUMBERS
from latex.reading.characters import SYMBOLS, html_attribute, html_text, plain_words, visible
from latex.reading.engine import BEGINGROUP, Engine
from latex.reading.theorems import Theorem, begin_theorem
from latex.reading.tokens import Token, spelled
from latex.vocabulary import signatures, words

Command = Callable[[Engine], None]

STYLES = {
    "emph": ("em", ""), "textit": ("em", "slanted"), "textsl": ("em", "slanted"), "textbf": ("strong", ""),
    "texttt": ("span", "typewriter"), "textsc": ("span", "smallcaps"), "textsf": ("span", "sans"),
    "underline": ("span", "underline"), "uline": ("span", "underline"), "overline": ("span", "overline"),
    "sout": ("span", "strike"), "st": ("span", "strike"), "textsuperscript": ("sup", ""),
    "textsubscript": ("sub", ""), "fbox": ("span", "boxed"),
    "term": ("em", ""), "hl": ("mark", ""), "enquote": ("q", ""), "marginpar": ("span", "marginal"),
    "todo": ("span", "marginal"),
}  # fmt: skip
DECLARED = {
    "em": ("em", ""), "it": ("em", "slanted"), "itshape": ("em", "slanted"),
    "sl": ("em", "slanted"), "slshape": ("em", "slanted"),
    "bf": ("strong", ""), "bfseries": ("strong", ""), "tt": ("span", "typewriter"),
    "ttfamily": ("span", "typewriter"), "sc": ("span", "smallcaps"), "scshape": ("span", "smallcaps"),
    "sf": ("span", "sans"), "sffamily": ("span", "sans"),
}  # fmt: skip

DROPPED = signatures("text", "dropped")
WRAPPERS = signatures("text", "wrappers")
NEVER = signatures("text", "never")
FILES = ("input", "include", "subfile", "subfileinclude", "bibliography", "verbatiminput", "lstinputlisting")
SYMBOLS_OF_FORMULAS = words("symbols")
TAKING = words("taking")


def skip(engine: Engine, signature: str) -> None:
    """Reads arguments by their letters and forgets them."""
    stream = engine.stream
    for letter in signature:
        if letter == "m":
            stream.required()
        elif letter == "o":
            stream.optional()
        elif letter == "s":
            stream.star()
        elif letter == "w":
            stream.required()
        elif (token := stream.peek()) is not None and token.kind == "text":
            match = DIMENSION.match(token.text)
            if taken := match.end() if match else 0:
                stream.next()
                if rest := token.text[taken:]:
                    stream.push([token._replace(text=rest)])


def dropping(signature: str) -> Command:
    return lambda engine: skip(engine, signature)


def wrapping(signature: str) -> Command:
    """The arguments before the last are layout; the last is text."""
    return lambda engine: skip(engine, signature)


def never(name: str, signature: str) -> Command:
    def run(engine: Engine) -> None:
        skip(engine, signature)
        engine.note(f"\\{name} is never obeyed")

    return run


def styling(tag: str, classes: str) -> Command:
    return lambda engine: engine.styled(tag, classes)


def declaring(tag: str, classes: str) -> Command:
    return lambda engine: engine.declared(tag, classes)


def character(text: str) -> Command:
    return lambda engine: engine.put(html_text(text))


def line_break(engine: Engine) -> None:
    engine.stream.star()
    token = engine.stream.peek()
    if token is not None and token.kind == "text" and token.text.startswith("["):
        engine.stream.optional()
    if engine.writer.top.paragraph_open:
        engine.put("<br>")


def end_paragraph(engine: Engine) -> None:
    engine.end_paragraph()


def opening_group(kind: str) -> Command:
    return lambda engine: engine.open_frame(kind)


def closing_group(kind: str) -> Command:
    return lambda engine: engine.close_group(kind)


def footnote(engine: Engine) -> None:
    engine.stream.optional()
    start = engine.here
    number = len(engine.footnotes) + 1
    engine.footnotes.append(("", start, start))
    place = engine.anchor(f"fn{number}")
    engine.put(f'<sup class="footnote-mark"><a href="#{html_attribute(place)}">{number}</a></sup>')

    def finish(html: str) -> None:
        engine.footnotes[number - 1] = (html, start, engine.stream.source_end)

    engine.captured(finish)


def verb(engine: Engine, body: str) -> None:
    engine.put(f"<code>{html_text(body)}</code>")


def read_file(engine: Engine) -> None:
    """The name is in braces, or, in the manner of plain TeX, the word that follows."""
    engine.stream.skip_spaces()
    if (token := engine.stream.peek()) is not None and token.kind == "{":
        name = plain_words(engine.stream.required())
    else:
        name = ""
        while (token := engine.stream.peek()) is not None and token.kind in ("text", "_", "~"):
            name += token.text
            engine.stream.next()
    engine.note(f"the file {name[:80]} is not part of the document and was not read")
    engine.put(f'<span class="note">[file {html_text(name[:80])}, not read]</span>')


def picture(engine: Engine) -> None:
    engine.stream.star()
    options = [engine.stream.optional(), engine.stream.optional()]
    name = plain_words(engine.stream.required())[:80].strip()
    if len(name) == 1 and name in NUMBERS:  # a page shows it here
        said = ",".join(spelled(tokens) for tokens in options if tokens)[:200]
        engine.put(f'<span class="image-name" data-source="{html_attribute(said)}">[picture {name}]</span>')
    else:
        engine.note("pictures are named, not shown")
        engine.put(
            f'<span class="image-name">[picture: {html_text(name)}, which did not come with the text]</span>'
        )


def drawing(kind: str, ends_with: str) -> Command:
    """A picture drawn by commands in running text: its source, in place. It ends with a group, a semicolon where
    there is no group, or the command named `ends_with`."""

    def run(engine: Engine) -> None:
        start, stream = engine.here, engine.stream
        stream.optional()
        while (token := stream.peek()) is not None and token.kind != "par":
            if token.kind == "{" and ends_with in ("{", ";"):
                stream.required()
                break
            if ends_with == ";" and stream.until_character(";") is not None:
                break
            stream.next()
            if (token.kind, token.text) == ("word", ends_with):
                break
        source = visible(engine.text[start : stream.source_end])
        show_source(engine, source, kind, start, stream.source_end, display=False)

    return run


def tikz_style(engine: Engine) -> None:
    """\\tikzstyle{name} = [options] and its form with +=."""
    engine.stream.required()
    engine.stream.skip_spaces()
    token = engine.stream.peek()
    if token is not None and token.kind == "text" and token.text[:1] in "+=":
        engine.stream.next()
        if rest := token.text.lstrip("+="):
            engine.stream.push([token._replace(text=rest)])
    engine.stream.optional()


def boxed(engine: Engine) -> None:
    """\\boxed outside of a formula, as models write their answers: a formula, unless it is one sentence or has some."""
    inside = engine.stream.required()
    kinds = [token.kind for token in inside if token.kind != "space"]
    sentence = kinds[:2] == ["word", "{"] and kinds[-1] == "}" and kinds.count("{") == 1
    if (sentence and inside[0].text.startswith("text")) or any(
        token.kind in ("$", "$$") or (token.kind == "symbol" and token.text in "([") for token in inside
    ):
        engine.stream.push(
            [Token("word", "fbox", 0, 0), Token("{", "{", 0, 0), *inside, Token("}", "}", 0, 0)]
        )
        return
    box = [Token("word", "boxed", 0, 0), Token("{", "{", 0, 0), *inside, Token("}", "}", 0, 0)]
    engine.stream.keep([Token("$", "$", 0, 0), *box, Token("$", "$", 0, 0)])


def title_pdf(engine: Engine) -> None:
    words = engine.stream.required()
    engine.stream.required()
    engine.stream.keep(words)


def begins_or_ends(engine: Engine, name: str) -> bool:
    """Begin, end or name a theorem if that is what the command does, and say whether it is: \\theorem and \\endtheorem
    in a macro, as in documents that number theorems by hand, and the macro of a restatable theorem."""
    ended = name.removeprefix("end")
    if again := engine.settings.get(f"again {name}"):
        engine.stream.star()
        engine.end_paragraph()
        engine.put(
            f"<strong>{html_text(again)} {engine.references.mark('ref', 'again ' + name)}</strong> (restated)"
        )
        engine.end_paragraph()
    elif engine.stream.depth and isinstance(made := engine.environments.get(name), Theorem):
        begin_theorem(engine, name, made)
    elif engine.stream.depth and ended != name and engine.open_environments.get(ended):
        engine.close_environment(ended)
    else:
        return False
    return True


def symbols_of_text(engine: Engine, name: str) -> None:
    """A command that nobody defined: symbols become formulas, anything else shows its arguments."""
    if begins_or_ends(engine, name):
        return
    following = engine.stream.peek()
    if name in SYMBOLS_OF_FORMULAS and (
        name not in TAKING or (following is not None and following.kind == "{")
    ):
        symbol(engine, name)
        return
    if engine.in_preamble:
        return
    engine.note(f"\\{name[:60]} is not known; what it encloses is shown")


def unit(engine: Engine) -> None:
    """siunitx's \\si{unit}."""
    engine.stream.optional()
    name = engine.stream.required()
    engine.put(html_text(plain_words(name) or " ".join(t.text for t in name if t.kind == "word")))


def quantity(engine: Engine) -> None:
    """\\SI{number}{unit}."""
    engine.stream.optional()
    engine.put(html_text(spelled(engine.stream.required())) + "\u00a0")
    unit(engine)


def range_of_quantities(engine: Engine) -> None:
    """\\SIrange{first}{last}{unit}."""
    engine.stream.optional()
    engine.put(html_text(spelled(engine.stream.required())) + " to ")
    quantity(engine)


def angle(engine: Engine) -> None:
    engine.argument(lambda: None, lambda: engine.put("°"))


def xspace(engine: Engine) -> None:
    """The space that TeX swallowed after a macro's name, unless punctuation follows."""
    token = engine.stream.peek()
    if token is not None and (
        token.kind in ("word", "$") or token.text[:1].isalnum() or token.text[:1] == "("
    ):
        engine.writer.space()


def framed(engine: Engine) -> None:
    """\\framebox[width][position]{words}."""
    skip(engine, "oo")
    engine.styled(*STYLES["fbox"])


def tag(engine: Engine) -> None:
    """\\tag outside of a formula: the number as it would be printed."""
    starred = engine.stream.star()
    engine.captured(lambda html: engine.put(html if starred else f"({html})"))


COMMANDS: dict[str, Callable[..., None]] = {
    **{name: character(text) for name, text in SYMBOLS.items()},
    **{name: dropping(signature) for name, signature in DROPPED.items()},
    **{name: wrapping(signature) for name, signature in WRAPPERS.items()},
    **{name: never(name, signature) for name, signature in NEVER.items()},
    **{name: styling(*style) for name, style in STYLES.items()},
    **{name: declaring(*style) for name, style in DECLARED.items()},
    **dict.fromkeys(FILES, read_file),
    **dict.fromkeys(("xymatrix", "diagram", "xygraph"), drawing("Xy-pic diagram", "{")),
    "xy": drawing("Xy-pic diagram", "endxy"),
    "tikz": drawing("TikZ picture", ";"),
    "tikzstyle": tikz_style,
    "\\": line_break,
    "newline": line_break,
    "tabularnewline": line_break,
    "par": end_paragraph,
    "footnote": footnote,
    "begingroup": opening_group(BEGINGROUP),
    "endgroup": closing_group(BEGINGROUP),
    "bgroup": opening_group("{"),
    "egroup": closing_group("{"),
    "includegraphics": picture,
    "texorpdfstring": title_pdf,
    "boxed": boxed,
    "framebox": framed,
    "SI": quantity,
    "qty": quantity,
    "SIrange": range_of_quantities,
    "qtyrange": range_of_quantities,
    "si": unit,
    "unit": unit,
    "ang": angle,
    "tag": tag,
    "xspace": xspace,
    "unknown command": symbols_of_text,
}  # fmt: skip
