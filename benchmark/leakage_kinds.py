"""What a person can flag as leakage, and whether the instance or the output is to blame.

The first six are what the program looks for in anchors (benchmark/citations/flags.py), under the same names.
"""

from dataclasses import dataclass
from typing import Literal

from benchmark.citations.flags import Leak

Subject = Literal["instance", "output"]


@dataclass(frozen=True)
class FlagKind:
    """One kind of flag. A kind that `needs_link` says where; every other one marks the offending text."""

    key: str
    subject: Subject
    words: str
    needs_link: bool = False


FLAG_KINDS = {
    kind.key: kind
    for kind in (
        FlagKind(Leak.THEOREM.value, "instance", "The anchor names a theorem"),
        FlagKind(Leak.AUTHOR.value, "instance", "The anchor names an author"),
        FlagKind(Leak.CITATION_KEY.value, "instance", "The anchor holds a citation key"),
        FlagKind(Leak.DOI.value, "instance", "The anchor holds a DOI"),
        FlagKind(Leak.ARXIV.value, "instance", "The anchor holds an arXiv identifier"),
        FlagKind(Leak.TITLE.value, "instance", "The anchor holds the source's title"),
        FlagKind("context", "instance", "The context gives the step away"),
        FlagKind("public_solution", "instance", "The solution is public", needs_link=True),
        FlagKind("restates_proof", "output", "The output restates the citing proof"),
    )
}
INSTANCE_KINDS = tuple(key for key, kind in FLAG_KINDS.items() if kind.subject == "instance")
OUTPUT_KINDS = tuple(key for key, kind in FLAG_KINDS.items() if kind.subject == "output")
