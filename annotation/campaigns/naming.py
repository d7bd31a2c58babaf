"""What a campaign can be called: its name is part of addresses and of label tables. Pure."""

import re

LONGEST = 100
# Pages that have the address of a campaign with this name; tests/annotation/test_naming.py reads them off the routes.
TAKEN_BY_PAGES = frozenset({"new"})
_NAME = re.compile(rf"[-a-zA-Z0-9_]{{1,{LONGEST}}}")


def objection_to(name: str) -> str:
    """Why no campaign can have this name, "" if one can."""
    if not _NAME.fullmatch(name):
        shown = name if len(name) <= LONGEST else f"{name[:20]}… ({len(name):,} characters)"
        return f"{shown!r}: a name of a campaign has letters from a to z, digits, - and _ only, at most {LONGEST}"
    if name in TAKEN_BY_PAGES:
        return f"{name!r} cannot be the name of a campaign: a page of this site has that address"
    return ""
