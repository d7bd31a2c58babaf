"""Published values next to ours, with a verdict on each: what page, REST and command show. No rows here."""

from fractions import Fraction
from functools import cache
from typing import Any

from accounts.refusal import Refused
from benchmark.published import (
    Cell,
    Published,
    PublishedError,
    PublishedTable,
    published_facts,
    published_protocols,
)
from reports.published.checks import CHECKS
from stats.core.display import ratio, rounded

REPRODUCED, DIFFERS, NOT_RECOMPUTABLE = "reproduced", "differs", "not_recomputable"
VERDICTS = (REPRODUCED, DIFFERS, NOT_RECOMPUTABLE)


def published_document(protocol: str, facts: Published) -> dict[str, Any]:
    """Every published figure with ours and a verdict, and every known discrepancy with its own.

    Raises PublishedError when a table names no known check, or when an explanation belongs to a row that
    comes out, or is missing at one that does not: facts and code must not drift apart.
    """
    tables, verdicts = [], []
    for table in facts.table:
        how = None
        if table.check:
            if table.check not in CHECKS:
                raise PublishedError(f"table {table.key}: there is no check {table.check!r}")
            how = (CHECKS[table.check].__doc__ or "").split("\n\n")[0].strip()
        rows = [_row(table, row) for row in table.rows]
        verdicts += [figure["verdict"] for row in rows for figure in row["figures"]]
        tables.append(
            {
                "key": table.key,
                "where": table.where,
                "what": table.what,
                "by": table.by,
                "check": table.check or None,
                "how": how,
                "needs": table.needs or None,
                "inputs": table.inputs,
                "figures": table.figures,
                "rows": rows,
            }
        )
    return {
        "protocol": protocol,
        "paper": facts.paper.model_dump(),
        "counts": {verdict: verdicts.count(verdict) for verdict in VERDICTS},
        "tables": tables,
        "discrepancies": [
            {**each.model_dump(), "verdict": DIFFERS if each.tables else NOT_RECOMPUTABLE}
            for each in facts.discrepancy
        ],
    }


def _row(table: PublishedTable, row: list[Cell]) -> dict[str, Any]:
    name, check = str(row[0]), CHECKS.get(table.check)
    inputs = dict(zip(table.inputs, row[1:], strict=False))
    printed = dict(zip(table.figures, map(str, table.printed(row)), strict=True))
    figures = []
    try:
        found = check(inputs, printed) if check else {}
        for figure, text in printed.items():
            ours, verdict = None, NOT_RECOMPUTABLE
            if check:
                # as many decimals as the printed one has, rounded half up
                value, places = found[figure], len(text.partition(".")[2])
                if isinstance(value, float):
                    ours = rounded(value, places=places)
                else:
                    ours = ratio(*Fraction(value).as_integer_ratio(), places=places)
                verdict = REPRODUCED if ours == text.removeprefix("+") else DIFFERS
            figures.append({"figure": figure, "published": text, "ours": ours, "verdict": verdict})
    except (KeyError, ValueError, ZeroDivisionError) as error:
        raise PublishedError(f"table {table.key}, row {name}: {error}") from error
    why = table.why.get(name)
    if any(figure["verdict"] == DIFFERS for figure in figures) != (why is not None):
        raise PublishedError(
            f"table {table.key}, row {name}: "
            + ("explains a difference that is not there" if why else f"differs without a reason: {figures}")
        )
    return {"name": name, "inputs": inputs, "figures": figures, "why": why}


@cache
def recomputed(protocol: str) -> dict[str, Any]:
    """The document of a protocol's published figures; facts and code are fixed while a process lives.

    Raises Refused naming the protocols that have published figures.
    """
    if protocol not in published_protocols():
        known = ", ".join(published_protocols())
        raise Refused(
            f"No published figures are kept for {protocol[:100]!r}; there are some for {known}.",
            code="no_published",
            field="protocol",
        )
    return published_document(protocol, published_facts(protocol))


def all_counts() -> list[dict[str, object]]:
    """Protocol, paper and counts of every protocol with published figures."""
    documents = [recomputed(name) for name in published_protocols()]
    return [{key: document[key] for key in ("protocol", "paper", "counts")} for document in documents]
