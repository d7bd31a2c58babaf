"""How the formulas of a run's outputs fare on the page. Fills the rendering cache on the way."""

import time
from dataclasses import dataclass, field

from benchmark.importing.progress import Progress, silent
from benchmark.models import OutputState, Run
from benchmark.rendering.actions import render_now

EXAMPLES = 20


@dataclass
class FormulaReport:
    """Counts over the answered outputs of a run; `failures` names the first formulas shown as source.

    `waiting` documents were not reached in the time given; a worker renders them when somebody asks for them.
    """

    documents: int = 0
    waiting: int = 0
    formulas: int = 0
    failed: int = 0
    failures: list[dict[str, str | int]] = field(default_factory=list)


def report_formulas(run: Run, *, seconds: float = 60.0, progress: Progress = silent) -> FormulaReport:
    """Render the run's answered outputs for at most `seconds`, and report their formulas."""
    answered = run.outputs.filter(state=OutputState.ANSWERED)
    total, report, end = answered.count(), FormulaReport(), time.monotonic() + seconds
    for output in answered.select_related("instance").order_by("pk").iterator(100):
        if time.monotonic() >= end:
            break
        (document,) = render_now([(output.text, output.text_format)])
        report.documents += 1
        report.formulas += document.report["formulas"]
        report.failed += len(document.report["failures"])
        place = {"instance": output.instance.key, "attempt": output.attempt}
        report.failures += [place | failure for failure in document.report["failures"]]
        del report.failures[EXAMPLES:]
        progress("rendering", report.documents, total)
    report.waiting = total - report.documents
    return report
