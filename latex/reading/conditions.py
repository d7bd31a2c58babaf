"""TeX's conditionals: \\iffalse and those of \\newif are decided; of the others the \\else branch is shown."""

from latex.reading.definitions import control_name
from latex.reading.engine import Engine
from latex.reading.macros import Macro
from latex.reading.stream import Stream
from latex.reading.tokens import tokenize

NOT_TAKEN = ("iffalse", "ifdraft", "ifx", "if", "ifnum", "ifdim", "ifcat", "ifodd", "ifundefined")


def skip_condition(stream: Stream) -> str:
    """Reads the branch of a condition that is not taken, to its "else" or "fi", and says which. Without its \\fi
    nothing is taken out, and the answer is ""."""
    depth, mark = 0, stream.mark
    while (token := stream.next()) is not None:
        if token.kind != "word":
            continue
        if token.text == "fi" or (token.text == "else" and depth == 0):
            if depth == 0:
                return token.text
            depth -= token.text == "fi"
        elif token.text.startswith("if") and token.text not in ("iff", "ifthenelse"):
            depth += 1
    if mark is not None:
        stream.rewind(mark)
    return ""


def condition_false(engine: Engine) -> None:
    """\\iffalse .. \\fi: text that its author took out."""
    if ended := skip_condition(engine.stream):
        engine.note("text switched off by a condition is not shown")
    if ended == "else":
        engine.conditions.append(False)


def condition_true(engine: Engine) -> None:
    engine.conditions.append(True)


def otherwise(engine: Engine) -> None:
    """\\else: ends the text of a condition that holds. What no condition has begun stays."""
    if engine.conditions and engine.conditions[-1] and skip_condition(engine.stream):
        engine.conditions.pop()


def end_condition(engine: Engine) -> None:
    if engine.conditions:
        engine.conditions.pop()


def new_condition(engine: Engine) -> None:
    """\\newif\\ifname makes \\ifname, which is false, and \\nametrue and \\namefalse, which decide it."""
    name = control_name(engine.stream)
    if name.startswith("if"):
        engine.macros.define(name, Macro((), tuple(tokenize("\\iffalse"))))
        for value in ("true", "false"):
            engine.macros.define(name[2:] + value, Macro((), tuple(tokenize(f"\\let\\{name}\\if{value}"))))


COMMANDS = {
    **dict.fromkeys(NOT_TAKEN, condition_false),
    "iftrue": condition_true,
    "else": otherwise,
    "fi": end_condition,
    "newif": new_condition,
}
