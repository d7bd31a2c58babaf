"""Licences: whether a text may be copied, in part and for everybody, by its SPDX identifier. Pure."""

import re

OPEN, UNSTATED, CLOSED = "open", "unstated", "closed"
# Families whose members may be copied and cut, with or without a version. No derivatives: a part is one. arXiv's own
# licence lets only arXiv copy.
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
