"""Everything that a score depends on, as plain values: what an artifact freezes and a verifier recomputes.

`collect` reads it from the database; `as_json` and `from_json` are inverse to each other, so that a score
can be recomputed on a machine that has nothing but the artifact.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from accounts.refusal import Refused
from benchmark.models import Release
from judging.models import Judge
from judging.queries import judges_with_verdicts
from reports.datasets import (
    DrawnItem,
    ExpertLabel,
    OutputRow,
    Vote,
    drawn_items,
    expert_labels,
    graded_campaigns,
    judge_votes,
    output_rows,
)

SEED = 20261121


@dataclass(frozen=True)
class CampaignInfo:
    """What a score needs of a campaign; `rubric` is the rubric's content."""

    slug: str
    name: str
    kind: str
    closed: bool
    rubric: Mapping[str, Any]
    rubric_sha256: str


@dataclass(frozen=True)
class JudgeInfo:
    """A judge version as it was."""

    label: str
    model: str
    votes: int
    prompts: Mapping[str, Any]
    sha256: str


@dataclass(frozen=True)
class Inputs:
    """One track of one release with all its labels."""

    release: str
    release_sha256: str
    frozen: bool
    is_sample: bool
    protocol: str
    track: str
    seed: int
    outputs: tuple[OutputRow, ...]
    judge: JudgeInfo | None
    votes: tuple[Vote, ...]
    campaigns: tuple[CampaignInfo, ...]
    labels: tuple[ExpertLabel, ...]
    draws: tuple[DrawnItem, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values; rows as lists in field order to keep artifacts small."""
        return {
            **{key: value for key, value in asdict(self).items() if key not in _ROWS},
            **{key: [list(asdict(row).values()) for row in getattr(self, key)] for key in _ROWS},
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Inputs":
        """The inverse of as_json. Raises ValueError naming what does not fit."""
        try:
            rows: dict[str, Any] = {
                key: tuple(kind(*row) for row in document[key]) for key, kind in _ROWS.items()
            }
            judge = JudgeInfo(**document["judge"]) if document["judge"] else None
            campaigns = tuple(CampaignInfo(**campaign) for campaign in document["campaigns"])
            rest: dict[str, Any] = {key: document[key] for key in _PLAIN}
        except (KeyError, TypeError) as error:
            raise ValueError(f"the inputs are not complete: {error}") from error
        return cls(**rest, **rows, judge=judge, campaigns=campaigns)


_ROWS: dict[str, Any] = {"outputs": OutputRow, "votes": Vote, "labels": ExpertLabel, "draws": DrawnItem}
_PLAIN = ("release", "release_sha256", "frozen", "is_sample", "protocol", "track", "seed")


def collect(*, release: Release, track: str = "raw", judge: str = "", seed: int = SEED) -> Inputs:
    """Read what the score of one track depends on.

    `judge` is a judge version's label; it may be left out when only one judge has spoken. Raises Refused
    when the track has no outputs, or when the judge has to be named.
    """
    outputs = tuple(output_rows(release, track))
    if not outputs:
        raise Refused(f"{release.name} has no outputs on track {track}.", code="no_outputs")
    chosen = choose_judge(release, track, judge)
    campaigns = graded_campaigns(release, track)
    return Inputs(
        release=release.name,
        release_sha256=release.sha256,
        frozen=release.frozen_at is not None,
        is_sample=release.is_sample,
        protocol=release.benchmark.protocol,
        track=track,
        seed=seed,
        outputs=outputs,
        judge=_judge_info(chosen) if chosen else None,
        votes=tuple(judge_votes(release, track, chosen)) if chosen else (),
        campaigns=tuple(
            CampaignInfo(
                slug=campaign.slug,
                name=campaign.name,
                kind=campaign.kind,
                closed=campaign.closed_at is not None,
                rubric=campaign.rubric.content,
                rubric_sha256=campaign.rubric.sha256,
            )
            for campaign in campaigns
        ),
        labels=tuple(expert_labels(release, track)),
        draws=tuple(drawn_items(release, track)),
    )


def choose_judge(release: Release, track: str, label: str) -> Judge | None:
    """The judge whose verdicts are scored; None when no judge has spoken and none was named."""
    judges = list(judges_with_verdicts(release, track))
    named = [judge for judge in judges if judge.label == label] if label else judges
    if len(named) == 1:
        return named[0]
    known = ", ".join(judge.label for judge in judges) or "none"
    if label:
        raise Refused(
            f"No verdicts of {label} on {release.name} ({track}); there are: {known}.", code="no_judge"
        )
    if named:
        raise Refused(f"Several judges have verdicts; name one of {known}.", code="judge_ambiguous")
    return None


def _judge_info(judge: Judge) -> JudgeInfo:
    return JudgeInfo(
        label=judge.label, model=judge.model, votes=judge.votes, prompts=judge.prompts, sha256=judge.sha256
    )
