"""The label table page by page: each page goes on after the key where the one before ended."""

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.refusal import Refused
from benchmark.models import Release
from reports.core.choosing import only_known
from reports.labels.cells import Row
from reports.labels.filters import FILTERS, label_filter
from reports.labels.rows import answers_after, blinded, decisions_after, steps_after, verdicts_after
from stats.tables.labels import ADJUDICATOR, GRADERS

EXPERT, JUDGE = GRADERS
STEPS = "steps"  # verdicts of judges on steps
KINDS = (EXPERT, ADJUDICATOR, JUDGE, STEPS)  # in the order of the table


@dataclass(frozen=True)
class LabelPage:
    """Some rows of the table; `next` is the key after which the following ones come, "" at the end."""

    rows: list[Row]
    next: str


def chosen_page(release: Release, asked: Mapping[str, str], *, after: str, size: int) -> LabelPage:
    """At most `size` rows after the key `after` ("" for the first), of those that a request means.

    Blinded, and experts' labels only, unless `identities` is "1". At most one query for rows of each kind, however far
    from the start. Raises Refused for a parameter or key that does not exist or would undo the blinding.
    """
    only_known(asked, "campaign", "identities", *FILTERS)
    identities, campaign = asked.get("identities") == "1", asked.get("campaign", "")
    wanted = label_filter(asked, identities=identities)
    kind, _, number = (after or f"{EXPERT}-0").partition("-")
    if kind not in KINDS or not (number.isascii() and number.isdigit() and len(number) < 19):
        raise Refused(f"{after!r} is not a position in the table.", code="bad_key", field="after")
    at = int(number)
    found: list[tuple[str, Row]] = []
    if kind == EXPERT:
        answers = answers_after(release, campaign=campaign, wanted=wanted, after=at, limit=size + 1)
        found, at = [(f"{EXPERT}-{key}", row) for key, row in answers], 0
        kind = ADJUDICATOR
    if kind == ADJUDICATOR and len(found) <= size and identities:
        decisions = decisions_after(
            release, campaign=campaign, wanted=wanted, after=at, limit=size + 1 - len(found)
        )
        found, at = found + [(f"{ADJUDICATOR}-{key}", row) for key, row in decisions], 0
        kind = JUDGE
    if kind == JUDGE and len(found) <= size and identities and not campaign:
        verdicts = verdicts_after(release, wanted=wanted, after=at, limit=size + 1 - len(found))
        found, at = found + [(f"{JUDGE}-{key}", row) for key, row in verdicts], 0
        kind = STEPS
    if kind == STEPS and len(found) <= size and identities and not campaign:
        steps = steps_after(release, wanted=wanted, after=at, limit=size + 1 - len(found))
        found += [(f"{STEPS}-{key}", row) for key, row in steps]
    page = found[:size]
    rows = [row for _, row in page]
    return LabelPage(rows if identities else list(blinded(rows)), page[-1][0] if len(found) > size else "")
