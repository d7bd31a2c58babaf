"""How much of a statement is shown to everybody who may search it, by its licence. Pure."""

from benchmark.describing.licences import class_of

SHOWN_OTHERWISE = 300  # characters of a statement whose licence is not open


def licence_of(statement: str, source: str) -> str:
    """The class of a statement's licence: its own where it has one, else that of its source."""
    return class_of(statement or source)
