"""Which scripts a page's script imports, so that the page can ask for all of them at once."""

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from django.contrib.staticfiles import finders

_IMPORT = re.compile(r'^(?:import|export)\b[^"]*?"(\.{1,2}/[^"]+)";$', re.MULTILINE)


@cache
def imports_of(name: str) -> tuple[str, ...]:
    """The static names that the script `name` imports, through others too, each once, nearest first.

    Raises FileNotFoundError when one of them does not exist.
    """
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        importing = waiting.pop(0)
        file = finders.find(importing)
        if file is None:
            raise FileNotFoundError(f"no static file {importing}")
        for path in _IMPORT.findall(Path(str(file)).read_text(encoding="utf-8")):
            imported = normpath(join(dirname(importing), path))
            if imported not in found and imported != name:
                found[imported] = None
                waiting.append(imported)
    return tuple(found)
