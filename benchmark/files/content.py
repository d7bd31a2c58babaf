"""Content streams inside a PDF, written again with known operators and their operands only. For the child process."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pikepdf

# How many operands each operator has; marked content, its properties and comments are not among them.
_COUNTED = {
    0: "q Q h S s f F f* B B* b b* n W W* BT ET T* BX EX",
    1: "w J j M i g G Tc Tw Tz TL Tr Ts",
    2: "m l Td TD d0",
    3: "rg RG",
    4: "v y re k K",
    6: "cm c Tm d1",
}
_NUMBERS = {name: count for count, names in _COUNTED.items() for name in names.split()}
_NAMES = {"gs", "cs", "CS", "sh", "Do"}
_COLOURS = {"sc", "scn", "SC", "SCN"}
_DEVICE = {"/DeviceGray", "/DeviceRGB", "/DeviceCMYK", "/Pattern"}
_INTENTS = {"/AbsoluteColorimetric", "/RelativeColorimetric", "/Saturation", "/Perceptual"}

Rename = Callable[[str], pikepdf.Name]


def rewritten(source: Any, rename: Rename, hidden: frozenset[str], inline: Callable[[Any], bytes]) -> bytes:
    """The content of a page or form. `rename` gives the new name of a resource, `inline` the copy of an image.

    What is in a layer of `hidden` (names of properties) is left out, because without layers it would be drawn.
    """
    written: list[bytes] = []
    kept: list[Any] = []
    skipping: list[bool] = []  # of each open sequence of marked content, whether it is in a hidden layer
    for instruction in pikepdf.parse_content_stream(source):
        operands, operator = instruction.operands, instruction.operator
        name = str(operator)
        if name in ("BMC", "BDC"):
            layered = name == "BDC" and len(operands) == 2 and operands[0] == "/OC"
            skipping.append(layered and isinstance(operands[1], pikepdf.Name) and str(operands[1]) in hidden)
        elif name == "EMC":
            if skipping:
                skipping.pop()
        elif not any(skipping) or name in ("q", "Q", "cm", "BT", "ET"):
            if name == "INLINE IMAGE":
                written += [pikepdf.unparse_content_stream(kept), inline(operands[0])]
                kept = []
                continue
            sent = _operands(name, list(operands), rename)
            if sent is not None:
                kept.append((sent, operator))
    return b"\n".join([*written, pikepdf.unparse_content_stream(kept)])


def _operands(name: str, sent: list[Any], rename: Rename) -> list[Any] | None:
    """The operands as they may stay; None for an operator that is not known or has others."""
    if name in _NUMBERS:
        count = _NUMBERS[name]
        numbers = sent[len(sent) - count :] if count else []
        return numbers if len(numbers) == count and all(map(is_number, numbers)) else None
    if name in _NAMES:
        if not sent or not isinstance(sent[-1], pikepdf.Name):
            return None
        return [sent[-1] if name in ("cs", "CS") and sent[-1] in _DEVICE else rename(str(sent[-1]))]
    if name in _COLOURS:
        colour = [one for one in sent if is_number(one)]
        if sent and isinstance(sent[-1], pikepdf.Name):
            colour.append(rename(str(sent[-1])))
        return colour
    if name == "Tf":
        font = sent[-2:]
        return (
            [rename(str(font[0])), font[1]] if len(font) == 2 and isinstance(font[0], pikepdf.Name) else None
        )
    if name in ("Tj", "'"):
        return sent[-1:] if sent and isinstance(sent[-1], pikepdf.String) else None
    if name == '"':
        return sent[-3:] if len(sent) >= 3 and isinstance(sent[-1], pikepdf.String) else None
    if name == "TJ":
        if not sent or not isinstance(sent[-1], pikepdf.Array):
            return None
        return [pikepdf.Array([one for one in sent[-1] if is_number(one) or isinstance(one, pikepdf.String)])]
    if name == "d":
        dash = sent[-2:]
        if len(dash) != 2 or not isinstance(dash[0], pikepdf.Array):
            return None
        return [pikepdf.Array(filter(is_number, dash[0])), dash[1]]
    if name == "ri":
        return sent[-1:] if sent and sent[-1] in _INTENTS else None
    return None


def is_number(value: Any) -> bool:
    """What a PDF calls a number; pikepdf reads true and false as bool, which Python calls an int."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
