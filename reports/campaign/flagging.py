"""Whether the experts of a campaign flagged the same leaks: for each kind a question that flags answer "yes" or "no".

A grade without a flag says "no" only if its reviewer was able to flag: it was given on this site, the protocol knows
the kind, and what the kind is about was on the page. A reviewer who flags a problem at one of its outputs has flagged
it for all of them. Labels in sight of a verdict and second presentations are left out, as they are of answers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from annotation.importing.grades import IMPORTED
from annotation.models import Campaign, Flag, Grade
from benchmark.leakage_kinds import FLAG_KINDS
from benchmark.models import Output, Release
from benchmark.overlaps import cluster_of
from benchmark.protocols import get_protocol
from benchmark.rubrics import Question, Rubric
from benchmark.subjects import InstanceSubject, PairSubject, Subject
from reports.campaign.agreement import agreement_by_question
from reports.core.datasets import ExpertLabel
from reports.labels.cells import Row
from reports.scores.shape import Agreement
from stats.core.scale import scale_from

ANY = "any"
_OUTPUTS = ("assignment__item__output", "assignment__item__second")


@dataclass(frozen=True, kw_only=True)
class FlagAgreement(Agreement):
    """How far experts agree on whether there is a leak of one kind."""

    title: str
    n_flagged: Annotated[int, "Labels that say there is one."]


def flag_labels(campaign: Campaign) -> list[ExpertLabel]:
    """One label by kind, subject and rater; the question is the kind, or "any" for what was graded as a whole.

    The subject is the problem, or the output for kinds that are about outputs. That of "any" is the item, or the
    problem if the protocol knows no kind about outputs.
    """
    kinds = [FLAG_KINDS[key] for key in get_protocol(campaign.release.benchmark.protocol).flag_kinds]
    of_problems = [kind.key for kind in kinds if kind.subject == "instance"]
    of_outputs = [kind.key for kind in kinds if kind.subject == "output"]
    grades = (
        Grade.objects.filter(
            superseded_by=None, assignment__item__campaign=campaign, assignment__repeat=False
        )
        .exclude(verdict_seen=True)
        .exclude(idempotency_key__startswith=IMPORTED)
    )
    raised = {
        (rater, kind, str(InstanceSubject(instance)) if output is None else output)
        for rater, kind, instance, output in Flag.objects.filter(grade__in=grades).values_list(
            "grade__assignment__reviewer__rater", "kind", "grade__assignment__item__instance__key", "output"
        )
    }
    rows = grades.values_list("assignment__reviewer__rater", "assignment__item__instance__key", *_OUTPUTS)
    outputs = Output.objects.filter(pk__in={pk for row in rows for pk in row[2:] if pk})
    named = {
        row.pk: Subject(row.instance.key, row.run.system.slug, row.attempt, row.run.track, row.run.condition)
        for row in outputs.select_related("instance", "run__system").defer(
            "text", "payload", "instance__payload"
        )
    }
    found: dict[tuple[str, str, str], bool] = {}
    for rater, instance, *graded in rows:
        problem, shown = str(InstanceSubject(instance)), [pk for pk in graded if pk]
        item = problem
        if shown and of_outputs:
            first, *other = (named[pk] for pk in shown)
            item = str(PairSubject(first, *other) if other else first)
        said = {(kind, problem): (rater, kind, problem) in raised for kind in of_problems}
        said |= {(kind, str(named[pk])): (rater, kind, pk) in raised for kind in of_outputs for pk in shown}
        for (kind, subject), flagged in said.items():
            found[kind, subject, rater] = found.get((kind, subject, rater), False) or flagged
        found[ANY, item, rater] = found.get((ANY, item, rater), False) or any(said.values())
    return [
        ExpertLabel(subject, campaign.slug, kind, "", rater, "yes" if flagged else "no", "answered")
        for (kind, subject, rater), flagged in sorted(found.items())
    ]


def flag_agreement(campaign: Campaign, *, seed: int) -> dict[str, FlagAgreement]:
    """Agreement on any flag and on each kind that the protocol knows; nothing where nobody was able to flag."""
    labels = flag_labels(campaign)
    papers = {key: paper for key, _, paper in _problems_of(campaign.release)}
    given = {label.question for label in labels}
    titles = {ANY: "Any leak"} | {key: kind.words for key, kind in FLAG_KINDS.items()}
    questions = [Question(key, words, scale_from("flag")) for key, words in titles.items() if key in given]
    rubric = Rubric("flags", 1, campaign.kind, "Leakage flags", tuple(questions))
    return {
        key: FlagAgreement(
            **vars(found),
            title=titles[key],
            n_flagged=sum(label.question == key and label.value == "yes" for label in labels),
        )
        for key, found in agreement_by_question(rubric, labels, papers, seed=seed).items()
    }


def flag_label_rows(release: Release) -> Iterator[Row]:
    """The same for all campaigns as rows of the label table, for `analyse`; a question is "flag_" and the kind."""
    instances = {key: (domain, cluster) for key, domain, cluster in _problems_of(release)}
    for campaign in Campaign.objects.filter(release=release).order_by("slug"):
        for label in flag_labels(campaign):
            instance = label.subject.rsplit("/", 2)[0]
            domain, cluster = instances[instance]
            yield {
                "release": release.name,
                "campaign": campaign.slug,
                "question": f"flag_{label.question}",
                "subject": label.subject,
                "instance": instance,
                "cluster": cluster,
                "domain": domain,
                "rater": label.rater,
                "rater_kind": "expert",
                "value": label.value,
                "state": label.state,
            }


def _problems_of(release: Release) -> Iterator[tuple[str, str, str]]:
    """Key, domain and cluster of every instance."""
    for key, domain, paper in release.instances.values_list("key", "domain", "paper__key"):
        yield key, domain, cluster_of(paper) if paper else key
