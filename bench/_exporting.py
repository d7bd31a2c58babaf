"""The measured process of bench.exports: python bench/_exporting.py labels ROWS NAIVE | report ITEMS"""

import csv
import io
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import django

django.setup()

from django.db import connection  # noqa: E402

from annotation.core.visibility import Viewer  # noqa: E402
from annotation.models import Answer, Campaign, Comment, Grade  # noqa: E402
from judging.models import Verdict  # noqa: E402
from reports.labels.exporting import csv_lines, jsonl_lines  # noqa: E402
from reports.labels.rows import label_rows  # noqa: E402
from reports.models import ReportPer  # noqa: E402
from reports.printing.report import ReportOrder, print_report  # noqa: E402
from stats.tables.labels import COLUMNS  # noqa: E402
from tests import factories  # noqa: E402
from tests.latex.real_data import machine_proofs, reference_solutions  # noqa: E402

OUTPUTS = 1000
SAMPLE = Path(__file__).resolve().parents[1] / "sample" / "proofs" / "outputs"


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def timed(work: Callable[[], object]) -> list[float]:
    """Seconds by the clock, and seconds that this process's processor worked."""
    start = time.perf_counter(), time.process_time()
    work()
    return [time.perf_counter() - start[0], time.process_time() - start[1]]


def store_verdicts(rows: int) -> None:
    """`rows` verdicts of one judge on 1,000 outputs, written by the database itself."""
    release = factories.ReleaseFactory(name="bench")
    run = factories.RunFactory(release=release)
    factories.OutputFactory.create_batch(OUTPUTS, run=run)
    judge = factories.JudgeFactory()
    votes = rows // OUTPUTS
    one_to_n = (
        "WITH RECURSIVE n(vote) AS (SELECT 1 UNION ALL SELECT vote + 1 FROM n WHERE vote < %s) "
        'INSERT INTO judging_verdict (judge_id, output_id, predicate, "order", vote, value, state, reason, '
        "evidence, created_at) "
        "SELECT %s, o.id, 'ground', 1, n.vote, CASE n.vote %% 2 WHEN 0 THEN 'yes' ELSE 'no' END, 'answered', "
        "'The source states it, = 1 up to a constant.', '[]', %s FROM benchmark_output o CROSS JOIN n"
    )
    with connection.cursor() as cursor:
        cursor.execute(one_to_n, [votes, judge.pk, judge.created_at])


def labels(rows: int, naive: int) -> dict[str, object]:
    store_verdicts(rows)
    release = factories.Release.objects.get(name="bench")
    before = peak()
    found: dict[str, object] = {
        "csv": timed(lambda: sum(map(len, csv_lines(label_rows(release))))),
        "jsonl": timed(lambda: sum(map(len, jsonl_lines(label_rows(release))))),
    }
    found["bytes"] = peak() - before
    return {**found, "naive": timed(lambda: as_one_writes_it_first(naive))}


def as_one_writes_it_first(rows: int) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    objects = Verdict.objects.select_related("judge", "output__instance__paper", "output__run__system")
    for verdict in list(objects.order_by("judge_id", "output_id", "vote")[:rows]):
        output = verdict.output
        writer.writerow(
            {
                "release": "bench",
                "question": verdict.predicate,
                "subject": f"{output.instance.key}/{output.run.system.slug}/{output.attempt}",
                "instance": output.instance.key,
                "system": output.run.system.slug,
                "attempt": output.attempt,
                "cluster": output.instance.paper.key if output.instance.paper else output.instance.key,
                "domain": output.instance.domain,
                "rater": verdict.judge.slug,
                "rater_kind": "judge",
                "vote": verdict.vote,
                "order": verdict.order,
                "value": verdict.value,
                "state": verdict.state,
                "comment": verdict.reason,
                "created_at": verdict.created_at.isoformat(),
                "judge_version": verdict.judge.label,
            }
        )


def texts(items: int) -> list[tuple[str, str]]:
    """Outputs of the sample, machine proofs and reference solutions, one after the other, until there are enough."""
    own = [
        (path.read_text("utf-8"), "latex" if path.suffix == ".tex" else "markdown")
        for path in SAMPLE.rglob("*.*")
    ]
    others = [*machine_proofs().values(), *reference_solutions().values()]
    found = [*own, *((text, "markdown") for text in others)]
    return [
        (f"{text}\n\nCopy {n // len(found)}.", form)
        for n, (text, form) in enumerate(found * (items // len(found) + 1))
    ][:items]


def bundle(items: int) -> dict[str, object]:
    """The longest texts, one file for each."""
    return report(items, ReportPer.SUBMISSION)


def report(items: int, per: str = "") -> dict[str, object]:
    campaign: Campaign = factories.CampaignFactory()
    run = factories.RunFactory(release=campaign.release)
    chosen = sorted(texts(200), key=lambda one: -len(one[0]))[:items] if per else texts(items)
    for text, form in chosen:
        output = factories.OutputFactory(run=run, text=text, text_format=form)
        item = factories.ItemFactory(campaign=campaign, output=output, places=1, places_taken=1)
        place = factories.AssignmentFactory(item=item)
        grade = Grade.objects.create(assignment=place, rubric_sha256="0" * 64, idempotency_key="bench")
        Answer.objects.create(grade=grade, question="correctness", value="correct", comment="See $x_1$.")
        for block in ("b1", "b3"):
            Comment.objects.create(
                grade=grade, block=block, start=0, end=1, severity="minor", text="Why is $a_i > 0$?"
            )
    order = ReportOrder(campaign.release, campaign, items=True, score=False, per=per)
    path = Path(os.environ["TOUCHSTONE_RUNTIME_DIR"]) / "report.pdf"
    pages = 0

    def once() -> None:
        nonlocal pages
        pages = print_report(order, Viewer.STAFF, path, lambda done, total: None).pages

    seconds, again = timed(once), timed(once)
    size = path.stat().st_size
    characters = sum(len(text) for text, _ in chosen)
    return {
        "seconds": seconds,
        "again": again,
        "peak": peak(),
        "pages": pages,
        "characters": characters,
        "size": size,
    }


def main() -> None:
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        verb, *numbers = sys.argv[1:]
        print(json.dumps({"labels": labels, "report": report, "bundle": bundle}[verb](*map(int, numbers))))
    finally:
        connection.creation.destroy_test_db(connection.settings_dict["NAME"], verbosity=0)


if __name__ == "__main__":
    main()
