"""Licences: whether a statement's text may be shown whole to everybody who may search it. Pure."""

import re

OPEN, UNSTATED, CLOSED = "open", "unstated", "closed"
SHOWN_OTHERWISE = 300  # characters of a statement whose licence is not open
# Families whose members may be copied and shown in part, with or without a version. No derivatives: a part is one.
_OPEN = re.compile(
    r"(?:cc0|cc-by|cc-by-sa|cc-by-nc|cc-by-nc-sa|gfdl|mit|mit-0|apache|bsd-[23]-clause|0bsd|a?gpl|lgpl|mpl|lppl|isc|pddl"
    r"|odc-by|odbl|unlicense)(?:-\d+(?:\.\d+)*[a-z]?)?(?:-(?:only|or-later|no-invariants(?:-or-later|-only)?))?(?:\+)?"
)


def class_of(licence: str) -> str:
    """ "open", "unstated" or "closed" for an SPDX identifier; what is not known to be open is closed."""
    said = licence.strip().lower()
    if said in ("", "unstated", "noassertion"):
        return UNSTATED
    return OPEN if _OPEN.fullmatch(said) else CLOSED


def licence_of(statement: str, source: str) -> str:
    """The class of a statement's licence: its own where it has one, else that of its source."""
    return class_of(statement or source)
