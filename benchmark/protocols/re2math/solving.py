"""What a solver is given of a gap under each condition, and its answer as a line of an outputs file. Pure."""

from collections.abc import Mapping
from typing import Any

from benchmark.citations.reading import plain_line
from benchmark.protocol import Solvable
from benchmark.protocols.re2math.citing import cited_source
from benchmark.protocols.re2math.conditions import ASSISTED, LOCAL_ONLY, RAW
from benchmark.protocols.re2math.metrics import ORACLE
from benchmark.protocols.re2math.schema import ProofGap

WINDOW = 5
_KEPT = ("planning_anchor", "query", "candidates", "selected_source")


def given(payload: Mapping[str, Any], track: str, condition: str) -> dict[str, Any]:
    """Setup, target and the last blocks; the anchor on the assisted track, and what is cited for the oracle alone."""
    gap = ProofGap.model_validate(payload)
    window = int(condition.removeprefix("window-")) if condition.startswith("window-") else WINDOW
    fields: dict[str, Any] = {
        "local": "\n\n".join(gap.x.local_context[-window:]),
        "citing": gap.paper.paper_id,
    }
    if condition != LOCAL_ONLY:
        fields |= {"setup": gap.x.global_context.setup, "target": gap.x.global_context.target_theorem}
    if track == ASSISTED:
        fields["anchor"] = gap.x.anchor_hint
    if condition == ORACLE:
        cited = cited_source(gap.z)
        identifiers = [*sorted(cited.arxiv_ids), *sorted(cited.dois)]
        title = plain_line(gap.z.citation_content)
        fields["oracle"] = {
            "key": identifiers[0] if identifiers else title,
            "paper": identifiers[0] if identifiers else "",
            "title": title,
            "names": [name for name in (*identifiers, title) if name],
        }
    return fields


def answer(instance: str, attempt: int, state: str, result: Mapping[str, Any]) -> dict[str, Any] | None:
    """A line with the statement, its source, and what was planned and asked on the way.

    None where the cited source was to be handed over and could not be read: such an instance counts in OracleCoverage
    only.
    """
    if result.get("no_output"):
        return None
    line: dict[str, Any] = {name: result[name] for name in _KEPT if name in result}
    line |= {"instance_id": instance, "attempt": attempt, "state": state, "abstained": state == "abstained"}
    if state == "answered":
        line["statement"] = result["statement"]
    return line


SOLVING = Solvable(
    given=given,
    answer=answer,
    tracks={RAW: ("", "window-1", "window-3", LOCAL_ONLY, ORACLE), ASSISTED: ("",)},
)
