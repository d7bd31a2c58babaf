"""Published values next to ours, with a verdict on each. No rows here."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from benchmark.published import Cell, Discrepancy, Published, PublishedError, PublishedTable
from reports.published.checks import CHECKS
from stats.core.display import ratio, rounded

REPRODUCED, DIFFERS, NOT_RECOMPUTABLE = "reproduced", "differs", "not_recomputable"
VERDICTS = (REPRODUCED, DIFFERS, NOT_RECOMPUTABLE)


def published_document(protocol: str, facts: Published) -> dict[str, Any]:
    """Every published figure with ours and a verdict, and every known discrepancy with its own.

    Raises PublishedError when a table names no known check, or when an explanation belongs to a row that
    comes out, or is missing at one that does not: facts and code must not drift apart.
    """
    tables = [_table(table) for table in facts.table]
    verdicts = [figure["verdict"] for table in tables for row in table["rows"] for figure in row["figures"]]
    return {
        "protocol": protocol,
        "paper": facts.paper.model_dump(),
        "counts": {verdict: verdicts.count(verdict) for verdict in VERDICTS},
        "tables": tables,
        "discrepancies": [_discrepancy(each) for each in facts.discrepancy],
    }


def _table(table: PublishedTable) -> dict[str, Any]:
    return {
        "key": table.key,
        "where": table.where,
        "what": table.what,
        "by": table.by,
        "check": table.check or None,
        "how": _how(table),
        "needs": table.needs or None,
        "inputs": table.inputs,
        "figures": table.figures,
        "rows": [_row(table, row) for row in table.rows],
    }


def _how(table: PublishedTable) -> str | None:
    if not table.check:
        return None
    if table.check not in CHECKS:
        raise PublishedError(f"table {table.key}: there is no check {table.check!r}")
    return (CHECKS[table.check].__doc__ or "").split("\n\n")[0].strip()


def _row(table: PublishedTable, row: list[Cell]) -> dict[str, Any]:
    name = str(row[0])
    inputs = dict(zip(table.inputs, row[1:], strict=False))
    printed = dict(zip(table.figures, map(str, table.printed(row)), strict=True))
    try:
        figures = list(_figures(table, inputs, printed))
    except (KeyError, ValueError, ZeroDivisionError) as error:
        raise PublishedError(f"table {table.key}, row {name}: {error}") from error
    why = table.why.get(name)
    if any(figure["verdict"] == DIFFERS for figure in figures) != (why is not None):
        raise PublishedError(
            f"table {table.key}, row {name}: "
            + ("explains a difference that is not there" if why else f"differs without a reason: {figures}")
        )
    return {"name": name, "inputs": inputs, "figures": figures, "why": why}


def _figures(
    table: PublishedTable, inputs: Mapping[str, Any], printed: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    found = CHECKS[table.check](inputs, printed) if table.check else {}
    for name, text in printed.items():
        if not table.check:
            yield {"figure": name, "published": text, "ours": None, "verdict": NOT_RECOMPUTABLE}
            continue
        ours = _shown(found[name], text)
        verdict = REPRODUCED if ours == text.removeprefix("+") else DIFFERS
        yield {"figure": name, "published": text, "ours": ours, "verdict": verdict}


def _shown(value: Fraction | float | int, like: str) -> str:
    """Our value with as many decimals as the printed one has, rounded half up."""
    places = len(like.partition(".")[2])
    if isinstance(value, float):
        return rounded(value, places=places)
    exact = Fraction(value)
    return ratio(exact.numerator, exact.denominator, places=places)


def _discrepancy(known: Discrepancy) -> dict[str, Any]:
    return {**known.model_dump(), "verdict": DIFFERS if known.tables else NOT_RECOMPUTABLE}
