"""Systems two at a time as AI judges chose between their outputs, each judge by itself and all of them together.

The rows are those of the label table that the score counts, one rater per judge version, so that a page and
`analyse pairs` on the exported file agree where no exclusion rule is primary. Every pair is asked in both orders;
a vote that turns with the order is a tie and is counted as a flip.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmark.models import Release
from benchmark.protocols import get_protocol
from benchmark.subjects import PairSubject, parse_subject
from judging.models import Judge, Verdict
from reports.comparison.implied_pairs import FORMAT, pairs_of_rows
from reports.core.wording import in_words
from reports.exclusions.rules import counted
from reports.labels.cells import Row
from reports.labels.filters import LabelFilter
from reports.labels.rows import label_rows
from reports.scores.inputs import Inputs


@dataclass(frozen=True)
class JudgedPairs:
    """Comparisons by one judge version, or by several together."""

    title: str
    predicate: str
    judges: tuple[str, ...]


def judged_kinds(release: Release, inputs: Inputs) -> dict[str, JudgedPairs]:
    """PREDICATE@JUDGE to its comparisons, and PREDICATE@ to those of the newest version of every judge together."""
    found: dict[str, JudgedPairs] = {}
    for predicate in get_protocol(inputs.protocol).pair_predicates:
        said = Verdict.objects.filter(
            predicate=predicate.key,
            second__isnull=False,
            output__run__release=release,
            output__run__track=inputs.track,
            output__run__condition=inputs.condition,
        )
        judges = list(Judge.objects.filter(pk__in=said.values("judge")).order_by("slug", "version"))
        words = in_words(predicate.key).capitalize()
        found |= {
            f"{predicate.key}@{judge.label}": JudgedPairs(
                f"{words}, {judge.label}", predicate.key, (judge.label,)
            )
            for judge in judges
        }
        newest = {judge.slug: judge.label for judge in judges}
        if len(newest) > 1:
            title = f"{words}, {len(newest)} judges together"
            found[f"{predicate.key}@"] = JudgedPairs(title, predicate.key, tuple(newest.values()))
    return found


def judged_document(release: Release, inputs: Inputs, key: str, kind: JudgedPairs) -> dict[str, object]:
    """What `analyse pairs` says about these comparisons, and the wins of every pair."""
    return {
        "format": FORMAT,
        "source": "judged",
        "grades": {
            "key": key,
            "title": kind.title,
            "campaign": "",
            "question": kind.predicate,
            "judges": list(kind.judges),
        },
        "seed": inputs.seed,
        **pairs_of_rows(judged_rows(release, inputs, kind), seed=inputs.seed),
    }


def judged_rows(release: Release, inputs: Inputs, kind: JudgedPairs) -> Iterator[Row]:
    """Verdicts on two outputs that the score counts, the systems without their track, which is one for all."""
    known = {row.subject for row in counted(inputs).outputs}
    wanted = {"question": {kind.predicate}, "rater_kind": {"judge"}, "judge": set(kind.judges)}
    for row in label_rows(release, wanted=LabelFilter(wanted)):
        subject = parse_subject(row["subject"])
        if isinstance(subject, PairSubject) and known.issuperset(map(str, subject.ordered)):
            systems = "|".join(arm.partition("@")[0] for arm in row["system"].split("|"))
            yield {**row, "system": systems, "rater": row["judge_version"]}
