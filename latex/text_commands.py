"""Commands of running text: styles, spacing, links, references, notes, and everything that is layout only."""

from collections.abc import Callable
from urllib.parse import urlsplit

from latex.characters import SYMBOLS, html_attribute, html_text, plain_words, typographic, visible
from latex.document import Failure
from latex.engine import Engine
from latex.formulas import symbol
from latex.mathwords import DIMENSION, TAKING
from latex.mathwords import SYMBOLS as MATH_SYMBOLS
from latex.tokens import Token, spelled

Command = Callable[[Engine], None]

STYLES = {
    "emph": ("em", ""), "textit": ("em", "slanted"), "textsl": ("em", "slanted"), "textbf": ("strong", ""),
    "texttt": ("span", "typewriter"), "textsc": ("span", "smallcaps"), "textsf": ("span", "sans"),
    "underline": ("span", "underline"), "uline": ("span", "underline"), "overline": ("span", "overline"),
    "sout": ("span", "strike"), "st": ("span", "strike"), "textsuperscript": ("sup", ""),
    "textsubscript": ("sub", ""), "fbox": ("span", "boxed"), "framebox": ("span", "boxed"),
    "term": ("em", ""), "hl": ("mark", ""), "enquote": ("q", ""), "marginpar": ("span", "marginal"),
    "todo": ("span", "marginal"),
}  # fmt: skip
DECLARED = {
    "em": ("em", ""), "it": ("em", "slanted"), "itshape": ("em", "slanted"), "sl": ("em", "slanted"), "slshape": ("em", "slanted"),
    "bf": ("strong", ""), "bfseries": ("strong", ""), "tt": ("span", "typewriter"),
    "ttfamily": ("span", "typewriter"), "sc": ("span", "smallcaps"), "scshape": ("span", "smallcaps"),
    "sf": ("span", "sans"), "sffamily": ("span", "sans"),
}  # fmt: skip

# Layout without words: dropped with its arguments. Letters: m braces, o brackets, s star, d dimension, p (x,y).
DROPPED: dict[str, str] = dict.fromkeys(
    """noindent indent smallskip medskip bigskip hfill hfil vfill hss vss centering raggedright raggedleft
    normalfont rm rmfamily mdseries upshape normalsize tiny scriptsize footnotesize small large Large LARGE huge
    Huge clearpage newpage cleardoublepage protect relax leavevmode xspace null unskip ignorespaces
    allowbreak nobreak goodbreak filbreak bigbreak medbreak smallbreak maketitle makeatletter makeatother frontmatter
    mainmatter backmatter tableofcontents listoffigures listoftables phantomsection sloppy fussy flushbottom
    raggedbottom onecolumn twocolumn doublespacing singlespacing onehalfspacing newblock qedhere displaystyle
    textstyle limits nolimits singlespace today printbibliography appendixpage hline toprule midrule bottomrule
    global long protected outer boldmath unboldmath endinput bfseries* makeindex printindex allowdisplaybreaks
    centerline leftline rightline mathsurround par* nonumber notag strut samepage justifying nonfrenchspacing
    frenchspacing selectfont expandafter noexpand ExplSyntaxOn ExplSyntaxOff endgroup begingroup bgroup
    egroup endfirsthead endhead endfoot endlastfoot columnbreak nopagebreak break noalign""".split(),
    "",
)
DROPPED |= {
    "documentclass": "om", "usepackage": "omo", "RequirePackage": "omo", "PassOptionsToPackage": "mm",
    "usetikzlibrary": "m", "tcbuselibrary": "m", "geometry": "m", "hypersetup": "m", "captionsetup": "om",
    "definecolor": "mmm", "colorlet": "mm", "graphicspath": "m", "pagestyle": "m", "thispagestyle": "m",
    "bibliographystyle": "m", "setlength": "mm", "addtolength": "mm", "newlength": "m", "settowidth": "mm",
    "vspace": "sm", "hspace": "sm", "vskip": "d", "hskip": "d", "kern": "d", "mkern": "d", "penalty": "d",
    "parindent": "d", "parskip": "d", "itemsep": "d", "topsep": "d", "parsep": "d", "baselineskip": "d",
    "textwidth": "d", "textheight": "d", "oddsidemargin": "d", "evensidemargin": "d", "topmargin": "d",
    "hoffset": "d", "voffset": "d", "tabcolsep": "d", "arraycolsep": "d", "jot": "d", "hsize": "d", "vsize": "d",
    "leftskip": "d", "rightskip": "d", "hangindent": "d", "hangafter": "d", "baselinestretch": "d",
    "lineskip": "d", "leftmargin": "d", "rightmargin": "d", "labelsep": "d", "labelwidth": "d", "linewidth": "d",
    "columnwidth": "d", "tolerance": "d", "hbadness": "d", "vbadness": "d", "clubpenalty": "d", "widowpenalty": "d",
    "pagebreak": "o", "linebreak": "o", "nolinebreak": "o", "displaybreak": "o", "enlargethispage": "sm",
    "rule": "omm", "index": "m", "glossary": "m", "addcontentsline": "mmm", "markboth": "mm", "markright": "m",
    "pdfbookmark": "omm", "fontsize": "mm", "linespread": "m", "renewenvironment*": "", "color": "om",
    "pagecolor": "om", "rowcolor": "om", "columncolor": "om", "cellcolor": "om", "setlist": "om", "setenumerate": "om",
    "setitemize": "om", "newlist": "mmm", "lstset": "m", "tcbset": "m", "tikzset": "m", "pgfplotsset": "m",
    "newif": "w", "hyphenation": "m", "author": "om", "thanks": "m", "date": "m", "address": "om", "email": "om",
    "curraddr": "om", "affil": "om", "affiliation": "om", "institute": "m", "institution": "m", "orcid": "m",
    "urladdr": "om", "dedicatory": "m", "subjclass": "om", "keywords": "m", "keyword": "m", "MSC": "m",
    "AtBeginDocument": "m", "AtEndDocument": "m", "crefname": "mmm", "Crefname": "mmm", "creflabelformat": "mm",
    "crefformat": "mm", "Crefformat": "mm", "crefrangeformat": "mm", "crefmultiformat": "mmmm", "SetMathAlphabet": "mmmmmm",
    "DeclareSymbolFont": "mmmmm", "DeclareMathSymbol": "mmmm", "DeclareFontFamily": "mmm", "DeclareFontShape": "mmmmmm",
    "DeclareUnicodeCharacter": "mm", "DeclareMathSizes": "mmmm", "SetSymbolFont": "mmmmmm", "DeclareTextFontCommand": "mm",
    "DeclareGraphicsExtensions": "m", "sisetup": "m", "ProvidesFile": "mo", "NeedsTeXFormat": "mo", "cline": "m",
    "cmidrule": "om", "addlinespace": "o", "morecmidrules": "", "specialrule": "mmm", "hypertarget*": "", "allsectionsfont": "m",
    "sectionfont": "m", "titleformat": "smmmmmo", "titlespacing": "smmmm", "titlelabel": "m", "counterwithout": "smm",
    "chead": "om", "lhead": "om", "rhead": "om", "cfoot": "om", "lfoot": "om", "rfoot": "om", "fancyhf": "m",
    "fancyhead": "om", "fancyfoot": "om", "IfFileExists": "mmm", "InputIfFileExists": "mmm", "typeout": "m", "message": "m",
    "AddToHook": "mm", "apptocmd": "mmmm", "pretocmd": "mmmm", "patchcmd": "mmmmm", "newtoks": "w", "newdimen": "w",
    "newcount": "w", "newbox": "w", "newskip": "w", "setstretch": "m", "addbibresource": "m", "nocite": "m",
    "thickmuskip": "d", "medmuskip": "d", "thinmuskip": "d", "abovedisplayskip": "d", "belowdisplayskip": "d",
    "abovedisplayshortskip": "d", "belowdisplayshortskip": "d", "emergencystretch": "d", "looseness": "d", "textfloatsep": "d",
    "floatsep": "d", "intextsep": "d", "cite*": "", "glsresetall": "", "pdfoutput": "d", "pdfminorversion": "d",
    "ifthenelse*": "", "immediate": "", "DeclareOption": "mm", "ProcessOptions": "s", "hyperlinkend": "",
}  # fmt: skip
WRAPPERS = {
    "textcolor": "om", "colorbox": "m", "fcolorbox": "mm", "scalebox": "m", "resizebox": "smm", "rotatebox": "om",
    "raisebox": "moo", "parbox": "ooom", "makebox": "oo", "mbox": "", "hbox": "", "vbox": "", "text": "", "textrm": "",
    "textup": "", "textmd": "", "textnormal": "", "hyperlink": "m", "hypertarget": "m", "adjustbox": "m", "foreignlanguage": "m",
    "multirow": "omom", "shortstack": "o", "uppercase": "", "MakeUppercase": "", "lowercase": "", "MakeLowercase": "", "textlatin": "",
    "smash": "o", "llap": "", "rlap": "", "vcenter": "", "ensuretext": "", "textmath": "", "resizebox*": "mm",
    "phantom": "", "hphantom": "", "vphantom": "", "footnotetext": "o", "hyperref": "o", "subcaptionbox": "om", "subfloat": "o",
    "acknowledgements": "", "acks": "", "tagx": "", "caption*": "", "title*": "",
}  # fmt: skip
NEVER = {
    "write": "m", "immediate": "", "openin": "d", "openout": "d", "read": "d", "catcode": "d", "special": "m", "directlua": "m",
    "includeonly": "m", "ShellEscape": "m", "newwrite": "w", "newread": "w", "closein": "d", "closeout": "d", "luaexec": "m",
    "afterassignment": "", "everypar": "m", "output": "m", "lccode": "d", "uccode": "d", "mathcode": "d",
}  # fmt: skip
REFERENCES = ("ref", "eqref", "cref", "Cref", "autoref", "vref", "nameref", "pageref", "labelcref", "Autoref")
CITATIONS = (
    "cite", "citet", "citep", "citealp", "citealt", "citeauthor", "citeyear", "parencite", "textcite", "autocite",
    "footcite", "fullcite", "supercite", "Cite", "citeyearpar", "Citet", "Citep", "shortcite", "citen",
)  # fmt: skip


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
        else:
            _dimension(engine)


def _dimension(engine: Engine) -> None:
    stream = engine.stream
    token = stream.peek()
    if token is None or token.kind != "text":
        return
    match = DIMENSION.match(token.text)
    taken = match.end() if match else 0
    if taken:
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
    words = "".join(_word_of(token) for token in tokens)
    return typographic(visible(words)).strip()


def _word_of(token: Token) -> str:
    if token.kind == "word":
        return SYMBOLS.get(token.text, token.text)
    if token.kind in ("{", "}", "$"):
        return ""
    return "\u00a0" if token.kind in ("~", "symbol") else token.text


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
    name = plain_words(engine.stream.required())
    engine.note(f"the file {name[:80]} is not part of the document and was not read")
    engine.put(f'<span class="note">[file {html_text(name[:80])}, not read]</span>')


def picture(engine: Engine) -> None:
    engine.stream.star()
    engine.stream.optional()
    engine.stream.optional()
    name = plain_words(engine.stream.required())[:80]
    engine.note("pictures are named, not shown")
    engine.put(f'<span class="image-name">[picture: {html_text(name)}]</span>')


def diagram(engine: Engine) -> None:
    """\\xymatrix in running text: its source, in place."""
    start = engine.here
    engine.stream.required()
    source = visible(engine.text[start : engine.stream.source_end])
    engine.failures.append(Failure(source, "Xy-pic diagram", start))
    engine.formula_count += 1
    engine.put(f'<code class="math-source" title="Xy-pic diagram">{html_text(source)}</code>')


def condition_false(engine: Engine) -> None:
    """\\iffalse .. \\fi: text that its author took out. Without its \\fi nothing is taken out."""
    stream, depth, mark = engine.stream, 0, engine.stream.mark
    while (token := stream.next()) is not None:
        if token.kind != "word":
            continue
        if token.text == "fi" or (token.text == "else" and depth == 0):
            if depth == 0:
                engine.note("text switched off by a condition is not shown")
                return
            depth -= token.text == "fi"
        elif token.text.startswith("if") and token.text not in ("iff", "ifthenelse"):
            depth += 1
    if mark is not None:
        stream.rewind(mark)


def condition_true(engine: Engine) -> None:
    """The text of the condition stays."""


def title_pdf(engine: Engine) -> None:
    words = engine.stream.required()
    engine.stream.required()
    engine.stream.push(words)


def symbols_of_text(engine: Engine, name: str) -> None:
    """A command that nobody defined: symbols become formulas, anything else shows its arguments."""
    following = engine.stream.peek()
    if name in MATH_SYMBOLS and (name not in TAKING or (following is not None and following.kind == "{")):
        symbol(engine, name)
        return
    if engine.in_preamble:
        return
    engine.note(f"\\{name[:60]} is not known; what it encloses is shown")


def unit(engine: Engine) -> None:
    engine.stream.optional()
    value, name = engine.stream.required(), engine.stream.required()
    engine.put(html_text(spelled(value)) + "\u00a0" + html_text(plain_words(name)))


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
    **{name: referring(name) for name in REFERENCES},
    **dict.fromkeys(CITATIONS, citing),
    **dict.fromkeys(("input", "include", "subfile", "subfileinclude", "bibliography", "verbatiminput", "lstinputlisting"), read_file),
    **dict.fromkeys(("xymatrix", "diagram"), diagram),
    **dict.fromkeys(("iffalse", "ifdraft", "ifx", "if", "ifnum", "ifdim", "ifcat", "ifodd", "ifundefined"), condition_false),
    **dict.fromkeys(("iftrue", "fi", "else"), condition_true),
    "\\": line_break,
    "newline": line_break,
    "tabularnewline": line_break,
    "par": end_paragraph,
    "label": label,
    "url": url,
    "nolinkurl": url,
    "path": url,
    "href": href,
    "footnote": footnote,
    "includegraphics": picture,
    "texorpdfstring": title_pdf,
    "SI": unit,
    "qty": unit,
    "tag": tag,
    "unknown command": symbols_of_text,
}  # fmt: skip
