"""Reads definitions (\\newcommand, \\def, \\let, xparse, mathtools) into a document's own macro table."""

from collections.abc import Callable

from latex.limits import MAX_MACRO_BODY, Budget
from latex.reading.macros import Macro, MacroTable, Parameter, required
from latex.reading.stream import Stream
from latex.reading.tokens import Token, spelled, tokenize
from latex.vocabulary import words

# Names that give a document its shape. A document that redefines them mostly adjusts its layout; obeying
# would lose its text.
STRUCTURE = words("structure")


def control_name(stream: Stream) -> str:
    """The name in \\newcommand{\\name} or \\newcommand\\name; "" if something else is there."""
    tokens = [token for token in stream.required() if token.kind != "space"]
    if len(tokens) == 1 and tokens[0].kind in ("word", "symbol", "primitive"):
        return tokens[0].text
    return ""


def define(stream: Stream, name: str, macro: Macro, everywhere: bool = False) -> None:
    if name and name not in STRUCTURE | stream.macros.kept and len(macro.body) <= MAX_MACRO_BODY:
        stream.macros.define(name, macro, everywhere)


def _count(tokens: list[Token] | None) -> int:
    digits = spelled(tokens or []).strip()
    return int(digits) if digits.isdecimal() and len(digits) == 1 else 0


def _signature(stream: Stream) -> tuple[Parameter, ...]:
    """The [n][default] of \\newcommand."""
    count = _count(stream.optional())
    default = stream.optional() if count else None
    if default is None:
        return required(count)
    return (Parameter("optional", tuple(default)), *required(count - 1))


def new_command(stream: Stream) -> None:
    stream.star()
    name = control_name(stream)
    define(stream, name, Macro(_signature(stream), tuple(stream.required())))


def provide_command(stream: Stream) -> None:
    stream.star()
    name = control_name(stream)
    macro = Macro(_signature(stream), tuple(stream.required()))
    if stream.macros.get(name) is None:
        define(stream, name, macro)


def environment_signature(stream: Stream) -> tuple[str, tuple[Parameter, ...]]:
    stream.star()
    return stream.name(), _signature(stream)


def tex_def(stream: Stream, everywhere: bool = False) -> None:
    stream.skip_spaces()
    token = stream.peek()
    if token is None or token.kind not in ("word", "symbol", "primitive"):
        return
    stream.next()
    # Up to the body's {: tokens before #1, then each parameter's delimiter.
    parts: list[list[Token]] = [[]]
    while (part := stream.peek()) is not None and part.kind not in ("{", "par"):
        stream.next()
        if part.kind == "#":
            parts.append([])
        elif part.kind == "text":
            parts[-1].extend(part._replace(text=character) for character in part.text)
        else:
            parts[-1].append(part)
    prefix, *delimiters = map(tuple, parts)
    parameters = tuple(
        Parameter("delimited", until=until) if until else Parameter("required") for until in delimiters
    )
    define(stream, token.text, Macro(parameters[:9], tuple(stream.required()), prefix), everywhere)


def tex_gdef(stream: Stream) -> None:
    tex_def(stream, everywhere=True)


def let(stream: Stream) -> None:
    name = control_name(stream)
    stream.skip_spaces()
    token = stream.peek()
    if token is not None and token.kind == "text" and token.text.startswith("="):
        stream.next()
        stream.push([token._replace(text=token.text[1:])] if len(token.text) > 1 else [])
    target = stream.required()
    if len(target) != 1 or not name or name in STRUCTURE | stream.macros.kept:
        return
    known = stream.macros.get(target[0].text) if target[0].kind == "word" else None
    meaning = target[0]._replace(kind="primitive") if target[0].kind in ("word", "symbol") else target[0]
    stream.macros.define(name, known or Macro((), (meaning,)))


def math_operator(stream: Stream) -> None:
    star = "*" if stream.star() else ""
    name = control_name(stream)
    opened, closed = Token("{", "{", 0, 0), Token("}", "}", 0, 0)
    body = [*tokenize("\\operatorname" + star), opened, *stream.required(), closed]
    define(stream, name, Macro((), tuple(body)))


ALPHABETS = {
    "rsfs": "mathscr", "rsfso": "mathscr", "euf": "mathfrak", "eufm": "mathfrak", "eur": "mathrm",
    "eus": "mathcal", "eusm": "mathcal", "msb": "mathbb", "bbm": "mathbb", "bbold": "mathbb", "dsrom": "mathbb",
    "cmss": "mathsf", "cmtt": "mathtt", "cmsy": "mathcal", "boondox-cal": "mathcal", "pzc": "mathcal",
    "dutchcal": "mathcal", "BOONDOX-cal": "mathcal", "zplm": "mathrm", "cmr": "mathrm",
}  # fmt: skip


def math_alphabet(stream: Stream) -> None:
    """\\DeclareMathAlphabet{\\name}{encoding}{family}{series}{shape}: the KaTeX alphabet nearest to the family."""
    name = control_name(stream)
    family = [spelled(stream.required()) for _ in range(4)][1]
    define(stream, name, Macro((), tuple(tokenize("\\" + ALPHABETS.get(family, "mathcal")))))


_PAIRED = (
    r"\IfBooleanTF{#1}{\left %(left)s #3\right %(right)s}"
    r"{\IfNoValueTF{#2}{%(left)s #3 %(right)s}{\mathopen{#2%(left)s}#3\mathclose{#2%(right)s}}}"
)


def paired_delimiter(stream: Stream) -> None:
    name = control_name(stream)
    left, right = spelled(stream.required()), spelled(stream.required())
    body = tokenize(_PAIRED % {"left": left, "right": right})
    define(
        stream, name, Macro((Parameter("star"), Parameter("optional"), Parameter("required")), tuple(body))
    )


def paired_delimiter_with_body(stream: Stream) -> None:
    """\\DeclarePairedDelimiterX\\name[n]{left}{right}{body}: drawn with growing delimiters."""
    _with_body(stream, around=False)


def paired_delimiter_with_surroundings(stream: Stream) -> None:
    """\\DeclarePairedDelimiterXPP\\name[n]{before}{left}{right}{after}{body}."""
    _with_body(stream, around=True)


def _with_body(stream: Stream, *, around: bool) -> None:
    name = control_name(stream)
    count = _count(stream.optional()) or 1
    before = stream.required() if around else []
    left, right = stream.required(), stream.required()
    after = stream.required() if around else []
    body = stream.required()
    grown = [*before, *tokenize("\\left"), *left, *body, *tokenize("\\right"), *right, *after]
    shifted = [
        t._replace(text=f"#{int(t.text[-1]) + 2}") if t.kind == "#" and t.text[-1:].isdigit() else t
        for t in grown
    ]
    define(stream, name, Macro((Parameter("star"), Parameter("optional"), *required(count)), tuple(shifted)))


def document_command(stream: Stream) -> None:
    name = control_name(stream)
    # The argument specification of xparse: m, o, s, O{default}; other letters count as m.
    specification = stream.required()
    inner = Stream([t for t in specification if t.kind != "space"], MacroTable(), Budget())
    found: list[Parameter] = []
    while (token := inner.character()) is not None and len(found) < 9:
        if token.text == "O":
            found.append(Parameter("optional", tuple(inner.required())))
        elif token.text in "os":
            found.append(Parameter("optional" if token.text == "o" else "star"))
        elif token.text in "mvr":
            found.append(Parameter("required"))
    parameters = tuple(found)
    define(stream, name, Macro(parameters, tuple(stream.required())))


def keep_if(kind: str, *, wanted: bool, both: bool) -> Callable[[Stream], None]:
    """\\IfNoValueTF and its kin: reads the tested argument, then keeps the branch that applies."""

    def run(stream: Stream) -> None:
        tested = stream.required()
        holds = bool(tested) and tested[0].kind == kind
        yes = stream.required()
        no = stream.required() if both else []
        stream.keep(yes if holds == wanted else no)

    return run


def if_next_character(stream: Stream) -> None:
    """\\@ifnextchar x{yes}{no}: which branch applies depends on what follows all of it, spaces apart."""
    wanted, yes, no = stream.required(), stream.required(), stream.required()
    stream.skip_spaces()
    following = stream.peek()
    holds = False
    if wanted and following is not None:
        opens = wanted[0].kind == "word" and wanted[0].text == "bgroup"
        character = wanted[0].text[:1] if wanted[0].kind == "text" else ""
        holds = following.kind == "{" if opens else wanted[0][:2] == following[:2]
        holds = holds or bool(character and following.kind == "text" and following.text.startswith(character))
    stream.keep(yes if holds else no)


def if_star(stream: Stream) -> None:
    yes, no = stream.required(), stream.required()
    stream.keep(yes if stream.star() else no)


def let_csname(stream: Stream) -> None:
    """\\csname name\\endcsname becomes \\name."""
    letters: list[Token] = []
    while (token := stream.next()) is not None and len(letters) < 50:
        if token.kind == "word" and token.text == "endcsname":
            break
        letters.append(token)
    name = spelled(letters).strip()
    if name.isalpha():
        stream.push([Token("word", name, 0, 0)])


def let_active(stream: Stream) -> None:
    """\\lowercase{\\let~}\\name gives an active character a meaning, which is forgotten."""
    group = stream.required()
    if [token.text for token in group[-2:]] == ["let", "~"]:
        stream.required()
        group = group[:-2]
    stream.keep(group)


def character_code(stream: Stream) -> None:
    """\\lccode`\\~=`\\| and its kin: a character and its code, which are forgotten."""
    for _ in range(2):
        token = stream.character()
        while token is not None and (token.kind == "space" or token.text in ("=", "string")):
            token = stream.character()
        if token is not None and token.text == "`":
            stream.character()
            continue
        while token is not None and token.kind == "text" and token.text in '"0123456789ABCDEF':
            token = stream.character()
        if token is not None:
            stream.push([token])


DEFINITIONS: dict[str, Callable[[Stream], None]] = {
    "newcommand": new_command,
    "renewcommand": new_command,
    "DeclareRobustCommand": new_command,
    "newrobustcmd": new_command,
    "providecommand": provide_command,
    "def": tex_def,
    "edef": tex_def,
    "gdef": tex_gdef,
    "xdef": tex_gdef,
    "let": let,
    "DeclareMathOperator": math_operator,
    "DeclareMathAlphabet": math_alphabet,
    "DeclarePairedDelimiter": paired_delimiter,
    "DeclarePairedDelimiterX": paired_delimiter_with_body,
    "DeclarePairedDelimiterXPP": paired_delimiter_with_surroundings,
    "NewDocumentCommand": document_command,
    "RenewDocumentCommand": document_command,
    "ProvideDocumentCommand": document_command,
    "DeclareDocumentCommand": document_command,
    "IfNoValueTF": keep_if("absent", wanted=True, both=True),
    "IfNoValueT": keep_if("absent", wanted=True, both=False),
    "IfNoValueF": keep_if("absent", wanted=False, both=False),
    "IfValueTF": keep_if("absent", wanted=False, both=True),
    "IfValueT": keep_if("absent", wanted=False, both=False),
    "IfBooleanTF": keep_if("true", wanted=True, both=True),
    "IfBooleanT": keep_if("true", wanted=True, both=False),
    "IfBooleanF": keep_if("true", wanted=False, both=False),
    "@ifnextchar": if_next_character,
    "kernel@ifnextchar": if_next_character,
    "@ifstar": if_star,
    "csname": let_csname,
    "lowercase": let_active,
    "uppercase": let_active,
    **dict.fromkeys(("lccode", "uccode", "mathcode"), character_code),
}
