"""Rows to plain values: the only place where expert labels and verdicts are read side by side.

Outputs are named by their subject (benchmark/subjects.py), so that a dataset means the same on every machine. Judges
and campaigns come with the words in which they were asked.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from annotation.adjudication.reading import primary_decisions as adjudicated
from annotation.models import Answer, Campaign, Item
from benchmark.models import Output, OutputState, Release, UnreleasedOutput
from benchmark.overlaps import cluster_of
from benchmark.prompt_files import prompt_text
from benchmark.protocol import LabelledOutput, Protocol
from benchmark.protocols import get_protocol
from benchmark.releases.queries import excluded_outputs
from benchmark.subjects import Subject
from judging.models import Judge, Verdict
from judging.runs.tally import Ballot, Tally, tally
from stats.core.scale import Scale

_CHUNK = 5000
PLAIN = ""  # the usual condition; runs under another one (an oracle run, say) are other experiments, never mixed in


@dataclass(frozen=True)
class OutputRow:
    """An output with what every table needs of it. `cluster` is its paper, or the instance without one."""

    subject: str
    system: str
    instance: str
    cluster: str
    domain: str
    attempt: int
    state: str
    sha256: str


@dataclass(frozen=True)
class Unreleased:
    """An instance for which a system's makers did not release the output: it is in no table and no denominator."""

    system: str
    instance: str


@dataclass(frozen=True)
class Undrawable:
    """An output that no draw takes, because people decided that it reveals who wrote it."""

    subject: str


@dataclass(frozen=True)
class Reached:
    """An abstained output has what a predicate is about. Artifacts frozen before these counted have no such row."""

    subject: str
    predicate: str


@dataclass(frozen=True)
class Vote:
    """One stored vote of the judge."""

    subject: str
    predicate: str
    order: int
    vote: int
    value: str
    state: str


@dataclass(frozen=True)
class ExpertLabel:
    """One live answer of one expert to one question about one output; raters are numbered, not named."""

    subject: str
    campaign: str
    question: str
    step: str
    rater: str
    value: str
    state: str


def label_value(scale: Scale, label: ExpertLabel) -> str:
    """What a label counts as: one that abstains as unclear, as in the score (reports/scores/expert_scores.py)."""
    if label.state == "abstain" and scale.aggregation != "mean":
        return scale.unclear
    return label.value


@dataclass(frozen=True)
class Decision:
    """The final value of one question about one output, as adjudicated before the campaign was unblinded."""

    subject: str
    campaign: str
    question: str
    step: str
    value: str


@dataclass(frozen=True)
class DrawnItem:
    """An output's place in a campaign's draw."""

    subject: str
    campaign: str
    stratum: str
    stratum_size: int
    sample_size: int
    inclusion_probability: float


def output_rows(release: Release, track: str, condition: str = PLAIN) -> list[OutputRow]:
    """All outputs of a track under a condition, by system, instance and attempt."""
    rows = (
        Output.objects.filter(run__release=release, run__track=track, run__condition=condition)
        .order_by("run__system__slug", "instance__key", "attempt")
        .values_list(
            "run__system__slug",
            "instance__key",
            "instance__paper__key",
            "instance__domain",
            "attempt",
            "state",
            "sha256",
        )
    )
    return [
        OutputRow(
            str(Subject(instance, system, attempt, track, condition)),
            system,
            instance,
            cluster_of(paper) if paper else instance,
            domain,
            attempt,
            state,
            sha256,
        )
        for system, instance, paper, domain, attempt, state, sha256 in rows.iterator(chunk_size=_CHUNK)
    ]


def unreleased_rows(release: Release, track: str, condition: str) -> list[Unreleased]:
    """What was not released on a track, by system and instance."""
    rows = UnreleasedOutput.objects.filter(run__release=release, run__track=track, run__condition=condition)
    named = rows.order_by("run__system__slug", "instance__key").values_list(
        "run__system__slug", "instance__key"
    )
    return [Unreleased(system, instance) for system, instance in named.iterator(chunk_size=_CHUNK)]


def undrawable_outputs(release: Release, track: str, condition: str) -> list[Undrawable]:
    """What was left out of expert work on a track."""
    rows = Output.objects.filter(
        pk__in=excluded_outputs(release), run__track=track, run__condition=condition
    ).values_list("instance__key", "run__system__slug", "attempt")
    return [
        Undrawable(str(Subject(instance, system, attempt, track, condition)))
        for instance, system, attempt in rows.iterator(chunk_size=_CHUNK)
    ]


def judge_votes(release: Release, track: str, judge: Judge, condition: str) -> Iterator[Vote]:
    """Every stored vote of one judge version on a track, by subject."""
    rows = (
        Verdict.objects.filter(
            judge=judge,
            output__run__release=release,
            output__run__track=track,
            output__run__condition=condition,
        )
        .order_by(
            "output__run__system__slug",
            "output__instance__key",
            "output__attempt",
            "predicate",
            "order",
            "vote",
        )
        .values_list(
            "output__instance__key",
            "output__run__system__slug",
            "output__attempt",
            "predicate",
            "order",
            "vote",
            "value",
            "state",
        )
    )
    for instance, system, attempt, predicate, order, vote, value, state in rows.iterator(chunk_size=_CHUNK):
        yield Vote(
            str(Subject(instance, system, attempt, track, condition)), predicate, order, vote, value, state
        )


def answers_on_outputs(release: Release, track: str, condition: str) -> QuerySet[Answer]:
    """Live expert answers (not superseded) about one output of a track under one condition."""
    return Answer.objects.filter(
        grade__superseded_by=None,
        grade__assignment__item__second=None,
        grade__assignment__item__output__run__release=release,
        grade__assignment__item__output__run__track=track,
        grade__assignment__item__output__run__condition=condition,
    )


_SAID = (
    "grade__assignment__reviewer",
    "grade__assignment__item__instance__key",
    "grade__assignment__item__output__run__system__slug",
    "grade__assignment__item__output__attempt",
    "grade__assignment__item__campaign__slug",
    "question",
    "step",
    "value",
    "state",
    "grade__verdict_seen",
)


def numbers_of(said: Iterable[tuple[Any, ...]], after: int = 0) -> dict[int, str]:
    """The number that stands for each rater in labels, such as "expert-1", the first one coming `after` others.

    `said` has the rater, then what they said. Numbers go by a hash of all that a rater said, so they tell nothing of
    names, addresses or accounts, and the same labels have the same numbers, also when an account is erased.
    """
    prints: dict[int, int] = defaultdict(int)
    for rater, *what in said:
        prints[rater] += int.from_bytes(hashlib.sha256(repr(what).encode()).digest(), "big")
    # Nobody can tell apart raters who said the same, except by their remarks.
    ordered = sorted(prints, key=lambda rater: (prints[rater], salted_hmac("expert", str(rater)).digest()))
    return {rater: f"expert-{number}" for number, rater in enumerate(ordered, start=after + 1)}


def numbered_experts(release: Release, track: str, condition: str = PLAIN) -> dict[int, str]:
    """Those of everybody with labels on outputs of a track."""
    rows = answers_on_outputs(release, track, condition).values_list(*_SAID)
    return numbers_of(rows.iterator(chunk_size=_CHUNK))


def expert_labels(
    release: Release, track: str, condition: str = PLAIN
) -> tuple[list[ExpertLabel], list[ExpertLabel]]:
    """Live expert answers (not superseded) about one output, by campaign, subject, question and rater: those given
    independently, and those given in sight of a judge's verdict, which primary scores leave out (ADR 0019).

    Choices between two outputs say nothing about one; reports/comparison/direct_pairs.py reads them.
    """
    rows = answers_on_outputs(release, track, condition).values_list(*_SAID)
    found = list(rows.iterator(chunk_size=_CHUNK))
    numbers = numbers_of(found)
    labels: tuple[list[ExpertLabel], list[ExpertLabel]] = [], []
    for rater, instance, system, attempt, campaign, question, step, value, state, seen in found:
        subject = str(Subject(instance, system, attempt, track, condition))
        label = ExpertLabel(subject, campaign, question, step, numbers[rater], value, state)
        labels[bool(seen)].append(label)
    for some in labels:
        some.sort(key=lambda row: (row.campaign, row.subject, row.question, row.step, row.rater))
    return labels


def primary_decisions(release: Release, track: str, condition: str = PLAIN) -> list[Decision]:
    """What adjudicators decided about single outputs of a track; amendments are left out."""
    rows = adjudicated().filter(
        item__output__run__release=release,
        item__output__run__track=track,
        item__output__run__condition=condition,
        item__second__isnull=True,
    )
    found = rows.values_list(
        "item__instance__key",
        "item__output__run__system__slug",
        "item__output__attempt",
        "item__campaign__slug",
        "question",
        "step",
        "value",
    )
    return [
        Decision(str(Subject(instance, system, attempt, track, condition)), campaign, question, step, value)
        for instance, system, attempt, campaign, question, step, value in found.iterator(chunk_size=_CHUNK)
    ]


def drawn_items(release: Release, track: str, condition: str) -> list[DrawnItem]:
    """The frozen draws of all campaigns on a track that look at one output at a time."""
    rows = (
        Item.objects.filter(
            second=None,
            output__run__release=release,
            output__run__track=track,
            output__run__condition=condition,
        )
        .order_by("campaign__slug", "output__run__system__slug", "instance__key", "output__attempt")
        .values_list(
            "instance__key",
            "output__run__system__slug",
            "output__attempt",
            "campaign__slug",
            "stratum",
            "stratum_size",
            "sample_size",
            "inclusion_probability",
        )
    )
    return [
        DrawnItem(
            str(Subject(instance, system, attempt, track, condition)),
            campaign,
            stratum,
            size,
            sampled,
            probability,
        )
        for instance, system, attempt, campaign, stratum, size, sampled, probability in rows.iterator(
            chunk_size=_CHUNK
        )
    ]


def graded_campaigns(release: Release, track: str, condition: str) -> list[Campaign]:
    """Campaigns on a track that have at least one grade of a single output, by slug."""
    graded = Campaign.objects.filter(
        release=release,
        track=track,
        items__second=None,
        items__output__run__condition=condition,
        items__assignments__grades__isnull=False,
    ).values("id")
    return list(Campaign.objects.filter(id__in=graded).select_related("rubric").order_by("slug"))


def tallies(votes: Iterable[Vote]) -> dict[str, dict[str, Tally]]:
    """Subject to predicate to the settled verdict."""
    ballots: dict[tuple[str, str], list[Ballot]] = defaultdict(list)
    for vote in votes:
        ballots[vote.subject, vote.predicate].append(Ballot(vote.value, vote.state))
    settled: dict[str, dict[str, Tally]] = defaultdict(dict)
    for (subject, predicate), cast in ballots.items():
        settled[subject][predicate] = tally(cast)
    return dict(settled)


def reached_by(protocol: Protocol, state: str, payload: Mapping[str, Any]) -> list[str]:
    """The predicates about stages that an output reached before it abstained."""
    if state != OutputState.ABSTAINED or protocol.reached is None:
        return []
    return [known.key for known in protocol.output_predicates if protocol.reached(known.key, payload)]


def reached_stages(release: Release, track: str, condition: str = PLAIN) -> list[Reached]:
    """What the abstained outputs of a track can be judged on."""
    protocol = get_protocol(release.benchmark.protocol)
    if protocol.reached is None:
        return []
    rows = Output.objects.filter(
        run__release=release, run__track=track, run__condition=condition, state=OutputState.ABSTAINED
    ).values_list("instance__key", "run__system__slug", "attempt", "state", "payload")
    return [
        Reached(str(Subject(instance, system, attempt, track, condition)), predicate)
        for instance, system, attempt, state, payload in rows.iterator(chunk_size=_CHUNK)
        for predicate in reached_by(protocol, state, payload)
    ]


def labelled_outputs(
    rows: Iterable[OutputRow], settled: Mapping[str, Mapping[str, Tally]], reached: Iterable[Reached] = ()
) -> dict[str, LabelledOutput]:
    """Each output, by subject, with the judge's labels as a protocol's metrics read them."""
    stages: dict[str, set[str]] = defaultdict(set)
    for stage in reached:
        stages[stage.subject].add(stage.predicate)
    outputs = {}
    for row in rows:
        verdicts = settled.get(row.subject, {})
        outputs[row.subject] = LabelledOutput(
            system=row.system,
            instance=row.instance,
            cluster=row.cluster,
            domain=row.domain,
            attempt=row.attempt,
            state=row.state,
            labels={predicate: verdict.value for predicate, verdict in verdicts.items()},
            states={predicate: verdict.state for predicate, verdict in verdicts.items()},
            reached=frozenset(stages.get(row.subject, ())),
        )
    return outputs


@dataclass(frozen=True)
class CampaignInfo:
    """What a score needs of a campaign; `rubric` is the rubric's content, `seed` that of its draw.

    Of an audit whose draw was recorded: `systems` that it was drawn from, None if it was not, and the campaigns that it
    `leaves_out`. Both are written only then, so that artifacts from before still verify.
    """

    slug: str
    name: str
    kind: str
    closed: bool
    rubric: Mapping[str, Any]
    rubric_sha256: str
    seed: int
    reviewers_per_item: int
    systems: Sequence[str] | None = None
    leaves_out: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values; `CampaignInfo(**value)` is the inverse."""
        plain = asdict(self)
        if self.systems is None:
            del plain["systems"], plain["leaves_out"]
        return plain


@dataclass(frozen=True)
class JudgeInfo:
    """A judge version as it was.

    `prompts` maps a predicate to its prompt's name and SHA-256 (or to the program or judges that answer it)
    and `text`, the lines of the prompt file; the text is null when this code has no file with that hash.
    """

    label: str
    model: str
    family: str
    endpoint: str
    program: str
    decoding: Mapping[str, Any]
    votes: int
    prompts: Mapping[str, Any]
    sha256: str


def campaign_info(campaign: Campaign) -> CampaignInfo:
    return CampaignInfo(
        slug=campaign.slug,
        name=campaign.name,
        kind=campaign.kind,
        closed=campaign.closed_at is not None,
        rubric=campaign.rubric.content,
        rubric_sha256=campaign.rubric.sha256,
        seed=campaign.seed,
        reviewers_per_item=campaign.reviewers_per_item,
        **(campaign.frame or {}),
    )


def judge_info(judge: Judge) -> JudgeInfo:
    """A judge version with the text of its prompts."""
    protocol = get_protocol(judge.protocol)
    prompts = {}
    for predicate, identity in judge.prompts.items():
        text = identity.get("text") or prompt_text(
            protocol, str(identity.get("name")), str(identity.get("sha256"))
        )
        prompts[predicate] = {**identity, "text": None if text is None else text.split("\n")}
    return JudgeInfo(
        label=judge.label,
        model=judge.model,
        family=judge.family,
        endpoint=judge.endpoint,
        program=judge.program,
        decoding=judge.decoding,
        votes=judge.votes,
        prompts=prompts,
        sha256=judge.sha256,
    )
