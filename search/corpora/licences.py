"""Licences: whether a statement's text may be shown whole to everybody who may search it. Pure."""

OPEN, UNSTATED, CLOSED = "open", "unstated", "closed"
SHOWN_OTHERWISE = 300  # characters of a statement whose licence is not open
# What may be copied and shown, by the beginning of its SPDX identifier.
_OPEN = (
    "cc0", "cc-by-1", "cc-by-2", "cc-by-3", "cc-by-4", "cc-by-sa-", "cc-by-nc-", "gfdl", "mit", "apache-", "bsd-",
    "gpl-", "lgpl-", "agpl-", "mpl-", "lppl-", "isc", "pddl", "odc-by", "odbl", "public-domain", "unlicense",
)  # fmt: skip


def class_of(licence: str) -> str:
    """ "open", "unstated" or "closed" for an SPDX identifier; what is not known to be open is closed."""
    said = licence.strip().lower()
    if said in ("", "unstated", "noassertion"):
        return UNSTATED
    # No derivatives: a part of the text is one.
    return OPEN if said.startswith(_OPEN) and "-nd" not in said else CLOSED


def licence_of(statement: str, source: str) -> str:
    """The class of a statement's licence: its own where it has one, else that of its source."""
    return class_of(statement or source)
