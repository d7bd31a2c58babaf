"""TeX's conditionals: \\iffalse hides text; of the others, which we do not decide, the \\else branch is shown."""

from latex.reading.engine import Engine
from latex.reading.stream import Stream

NOT_TAKEN = ("iffalse", "ifdraft", "ifx", "if", "ifnum", "ifdim", "ifcat", "ifodd", "ifundefined")


def skip_condition(stream: Stream) -> bool:
    """Reads the branch of a condition that is not taken, to its \\else or \\fi. Without its \\fi nothing is taken out,
    and the answer is False."""
    depth, mark = 0, stream.mark
    while (token := stream.next()) is not None:
        if token.kind != "word":
            continue
        if token.text == "fi" or (token.text == "else" and depth == 0):
            if depth == 0:
                return True
            depth -= token.text == "fi"
        elif token.text.startswith("if") and token.text not in ("iff", "ifthenelse"):
            depth += 1
    if mark is not None:
        stream.rewind(mark)
    return False


def condition_false(engine: Engine) -> None:
    """\\iffalse .. \\fi: text that its author took out."""
    if skip_condition(engine.stream):
        engine.note("text switched off by a condition is not shown")


def condition_true(engine: Engine) -> None:
    """The text of the condition stays."""


COMMANDS = {
    **dict.fromkeys(NOT_TAKEN, condition_false),
    **dict.fromkeys(("iftrue", "fi", "else"), condition_true),
}
