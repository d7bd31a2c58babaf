"""Valid keys of instances and papers in imported files."""

from typing import Annotated

from pydantic import StringConstraints

# One line: a key is used in URLs, table cells and file names of exports. Pydantic's regex has no lookahead.
_ONE_LINE = r"^[^\x00-\x1f\x7f\x85\u2028\u2029]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f\x85\u2028\u2029]*$"

Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_ONE_LINE)]
