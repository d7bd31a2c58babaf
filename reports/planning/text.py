"""Plans as text for the terminal."""

from collections.abc import Mapping
from typing import Any

from reports.planning.page import NAMES, agreement_page, comparison_page, proportion_page, strata_page
from stats.core.text import ABSENT, aligned, printable

Document = Mapping[str, Any]


def plan_text(about: str, document: Document) -> str:
    """The plan about strata, a release, agreement, a comparison or a proportion."""
    if about in ("strata", "release"):
        drawn = f"{_drawn(document)}\n\n" if about == "release" else ""
        return f"{drawn}{_allocations(document)}"
    if about == "agreement":
        return _agreement(document)
    page = (comparison_page if about == "comparison" else proportion_page)(document)
    rows = [[row["design"], row["items"], row["exact"]] for row in page["rows"]]
    table = aligned(("design", "items", "exactly"), rows)
    if clustered := page.get("clustered"):
        table += (
            f"\n\n{clustered['size']} items per cluster, correlation {clustered['correlation']}: design effect "
            f"{clustered['effect']}, so {clustered['items']} items in {clustered['clusters']} clusters"
        )
    return table


def _drawn(document: Document) -> str:
    rows = [[s["stratum"], s["population"], s["available"], s["sample"]] for s in document["drawn"]]
    head = aligned(("stratum", "outputs", "can be drawn", "will be drawn"), rows)
    return f"{document['sampled']} outputs of {document['release']}, judge {printable(document['judge'])}\n{head}"


def _allocations(document: Document) -> str:
    page = strata_page(document)
    head = ("allocation", "audits", "hours", "SE", "score +-", "interval", "precision +-", "missed +-")
    keys = ("total", "hours", "se", "half_width", "interval", "precision", "missed")
    rows = [[row["name"], *(row[key] or ABSENT for key in keys)] for row in page["allocations"]]
    names = [NAMES[found["name"]] for found in document["allocations"]]
    strata = [
        [stratum["name"], stratum["size"], *(_clean(a["strata"][h]) for a in document["allocations"])]
        for h, stratum in enumerate(document["strata"])
    ]
    parts = [
        f"half-widths in percentage points\n{aligned(head, rows)}",
        "read, and how many could be wrong although none was found\n"
        + aligned(("stratum", "size", *names), strata),
    ]
    if page["wanted"]:
        wanted = page["wanted"]
        parts.append(
            f"+-{wanted['half_width']} points under Neyman allocation: {wanted['simulated']} audits "
            f"(by the normal formula {wanted['exact']})"
        )
    return "\n\n".join(parts)


def _clean(stratum: Document) -> str:
    return f"{stratum['sampled']}, <= {stratum['most']}"


def _agreement(document: Document) -> str:
    page = agreement_page(document)
    lines = [f"kappa of the pilot {page['kappa']}; {page['items']} items: {page['interval'] or 'no kappa'}"]
    if page["wanted"]:
        lines.append(f"+-{page['wanted']['half_width']}: {page['wanted']['items'] or 'over 100000'} items")
    return "\n".join(lines)
