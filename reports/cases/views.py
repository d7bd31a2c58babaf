"""The case study of one instance, as the cells of its page."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from benchmark.models import Instance
from benchmark.releases.showing import show_instance
from reports.cases.study import CaseStudy, case_table
from reports.core.choosing import only_known
from reports.core.requests import staff_page

STATES = {
    "no_output": "no output",
    "abstained": "⊥ abstained",
    "failed": "⊥ failed",
    "not_judged": "not judged",
    "judge_abstained": "⊥ judge abstained",
    "unavailable": "judge failed",
    "nothing": "none",
}
_KINDS = {"yes": "good", "no": "bad", "uncertain": "warn"}


def case_sections(case: CaseStudy) -> Mapping[str, object]:
    """Template context: `columns` with their arm in words, and `rows` of cells in the same order."""
    columns, rows = [], []
    for column in case.columns:
        arm = f"track {column.track}" + (f", condition {column.condition}" if column.condition else "")
        columns.append({**vars(column), "arm": arm})
    for row in case.rows:
        cells = []
        for column in case.columns:
            cell = row.cells[column.key]
            words, kind = STATES.get(cell.state, cell.value), "muted"
            if cell.state == "answered":
                kind = "" if column.is_text else _KINDS.get(cell.value, "")
            cells.append({"words": words, "kind": kind})
        rows.append({**vars(row), "cells": cells})
    return {"columns": columns, "rows": rows}


@staff_page
def case_study(request: HttpRequest, name: str, key: str) -> HttpResponse:
    """The instance, and under it a table of all systems with the protocol's columns."""
    only_known(request.GET, "track", "judge")
    instance = get_object_or_404(
        Instance.objects.select_related("release__benchmark", "paper"), release__name=name, key=key
    )
    asked = {key: request.GET.get(key, "") for key in ("track", "judge")}
    document = case_table(instance, **asked)
    context = {
        "instance": instance,
        "parts": show_instance(instance, ()).parts,
        "document": document,
        "chosen": document,  # for the choice of track and judge
        **case_sections(document),
    }
    return render(request, "reports/cases/case_study.html", context)
