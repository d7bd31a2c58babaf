"""The versions that a score depends on: a judge's and a rubric's, with the words they were asked in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Campaign
from benchmark.prompt_files import prompt_text
from benchmark.protocols import get_protocol
from judging.models import Judge


@dataclass(frozen=True)
class CampaignInfo:
    """What a score needs of a campaign; `rubric` is the rubric's content, `seed` that of its draw."""

    slug: str
    name: str
    kind: str
    closed: bool
    rubric: Mapping[str, Any]
    rubric_sha256: str
    seed: int
    reviewers_per_item: int


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
    )


def judge_info(judge: Judge) -> JudgeInfo:
    """A judge version with the text of its prompts."""
    protocol = get_protocol(judge.protocol)
    prompts = {}
    for predicate, identity in judge.prompts.items():
        text = prompt_text(protocol, str(identity.get("name")), str(identity.get("sha256")))
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
