"""A request that names one of several things."""

from collections.abc import Sequence

from accounts.refusal import Refused


def named_or_first(known: Sequence[str], asked: str, what: str, where: str = " here") -> str:
    """`asked`, or the first where it is left out ("" of none). Raises Refused naming what there is."""
    if asked and asked not in known:
        there = ", ".join(known) or "none"
        words = f"There is no {what} {asked!r}{where}; there are: {there}."
        raise Refused(words, code=f"no_{what}", field=what)
    return asked or next(iter(known), "")
