"""Pseudocode: lines, keywords and indentation."""

from collections.abc import Callable

from latex.reading.engine import Engine


def line_of_algorithm(keyword: str, after: str = "", indent: int = 0) -> Callable[[Engine], None]:
    """One line of pseudocode: a keyword, its argument if it has one, and how it changes the indentation."""

    def run(engine: Engine) -> None:
        level = int(engine.settings.get("algorithm", "0"))
        closing = indent < 0 or keyword.startswith("else")
        engine.end_paragraph()
        engine.put("\u2003" * max(0, min(level - closing, 12)))
        if keyword:
            engine.put(f'<span class="keyword">{keyword}</span> ')
        engine.settings["algorithm"] = str(max(0, level + indent))
        if after:
            engine.argument(lambda: None, lambda: engine.put(f' <span class="keyword">{after}</span> '))

    return run


def pseudocode(engine: Engine, name: str) -> None:
    start = engine.here
    engine.end_paragraph()
    engine.stream.optional()
    engine.writer.open("algorithm", upto=start)

    def finish() -> None:
        html = f'<div class="algorithm">{engine.writer.close(engine.here)}</div>'
        engine.writer.block("algorithm", html, start, engine.stream.source_end)

    engine.open_frame(name, finish)


def algorithm_comment(engine: Engine) -> None:
    engine.put(" ▷ ")


def either(engine: Engine) -> None:
    """\\eIf{condition}{yes}{no} of algorithm2e."""
    line_of_algorithm("if")(engine)
    no = line_of_algorithm("else")
    engine.argument(nothing, lambda: then(engine, lambda: no(engine)))


def then(engine: Engine, after: Callable[[], None]) -> None:
    engine.put(' <span class="keyword">then</span> ')
    engine.argument(nothing, after)


def nothing() -> None:
    """Where an argument needs no sign before or after it."""


def call(engine: Engine) -> None:
    """{name}{arguments}, shown as name(arguments)."""
    engine.argument(nothing, lambda: engine.argument(lambda: engine.put("("), lambda: engine.put(")")))


def declaration(keyword: str) -> Callable[[Engine], None]:
    def run(engine: Engine) -> None:
        line_of_algorithm(keyword, indent=1)(engine)
        call(engine)

    return run


def comment_of_code(engine: Engine) -> None:
    engine.stream.star()
    algorithm_comment(engine)


COMMANDS: dict[str, Callable[[Engine], None]] = {
    "State": line_of_algorithm(""), "Statex": line_of_algorithm(""), "STATE": line_of_algorithm(""),
    "If": line_of_algorithm("if", "then", 1), "IF": line_of_algorithm("if", "then", 1),
    "ElsIf": line_of_algorithm("else if", "then"), "ELSIF": line_of_algorithm("else if", "then"),
    "Else": line_of_algorithm("else"), "ELSE": line_of_algorithm("else"),
    "EndIf": line_of_algorithm("end if", indent=-1), "ENDIF": line_of_algorithm("end if", indent=-1),
    "For": line_of_algorithm("for", "do", 1), "FOR": line_of_algorithm("for", "do", 1),
    "ForAll": line_of_algorithm("for all", "do", 1), "FORALL": line_of_algorithm("for all", "do", 1),
    "EndFor": line_of_algorithm("end for", indent=-1), "ENDFOR": line_of_algorithm("end for", indent=-1),
    "While": line_of_algorithm("while", "do", 1), "WHILE": line_of_algorithm("while", "do", 1),
    "EndWhile": line_of_algorithm("end while", indent=-1), "ENDWHILE": line_of_algorithm("end while", indent=-1),
    "Repeat": line_of_algorithm("repeat", indent=1), "Until": line_of_algorithm("until", indent=-1),
    "Loop": line_of_algorithm("loop", indent=1), "EndLoop": line_of_algorithm("end loop", indent=-1),
    "Procedure": declaration("procedure"), "EndProcedure": line_of_algorithm("end procedure", indent=-1),
    "Function": declaration("function"), "EndFunction": line_of_algorithm("end function", indent=-1),
    "Call": call, "eIf": either, "uIf": line_of_algorithm("if", "then"), "lIf": line_of_algorithm("if", "then"),
    "ElseIf": line_of_algorithm("else if", "then"), "uElseIf": line_of_algorithm("else if", "then"),
    "uElse": line_of_algorithm("else"), "lElse": line_of_algorithm("else"),
    "ForEach": line_of_algorithm("for each", "do", 1), "lFor": line_of_algorithm("for", "do"),
    "KwTo": lambda engine: engine.put(' <span class="keyword">to</span> '),
    "KwData": line_of_algorithm("Data:"), "KwResult": line_of_algorithm("Result:"),
    "KwRet": lambda engine: engine.put('<span class="keyword">return</span> '),
    "tcp": comment_of_code, "tcc": comment_of_code,
    "Require": line_of_algorithm("Require:"), "REQUIRE": line_of_algorithm("Require:"),
    "Ensure": line_of_algorithm("Ensure:"), "ENSURE": line_of_algorithm("Ensure:"),
    "KwIn": line_of_algorithm("Input:"), "KwOut": line_of_algorithm("Output:"),
    "Return": lambda engine: engine.put('<span class="keyword">return</span> '),
    "RETURN": line_of_algorithm("return"), "Comment": algorithm_comment, "COMMENT": algorithm_comment,
}  # fmt: skip
ENVIRONMENTS = dict.fromkeys(("algorithmic", "algorithm2e"), pseudocode)
