"""Whether the text of a source may be given on in a release, by its licence. Pure."""

import re

FREE, UNKNOWN, FORBIDDEN = "free", "unknown", "forbidden"
# Families that let others copy and cut. No derivatives: an instance is one. arXiv's own licence lets only arXiv copy.
_FREE = re.compile(
    r"(?:cc0|cc-by|cc-by-sa|cc-by-nc|cc-by-nc-sa|gfdl|mit|mit-0|apache|bsd-[23]-clause|0bsd|a?gpl|lgpl|mpl|lppl|isc|pddl"
    r"|odc-by|odbl|unlicense)(?:-\d+(?:\.\d+)*[a-z]?)?(?:-(?:only|or-later|no-invariants(?:-or-later|-only)?))?(?:\+)?"
)


def redistribution(licence: str) -> str:
    """ "free", "unknown" or "forbidden" for an SPDX identifier; what is not known to be free is forbidden."""
    said = licence.strip().lower()
    if said in ("", "unstated", "noassertion"):
        return UNKNOWN
    return FREE if _FREE.fullmatch(said) else FORBIDDEN
