"""TeX's conditionals: \\iffalse hides text; of the others, which we do not decide, the \\else branch is shown."""

from latex.reading.engine import Engine

NOT_TAKEN = ("iffalse", "ifdraft", "ifx", "if", "ifnum", "ifdim", "ifcat", "ifodd", "ifundefined")


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


COMMANDS = {
    **dict.fromkeys(NOT_TAKEN, condition_false),
    **dict.fromkeys(("iftrue", "fi", "else"), condition_true),
}
