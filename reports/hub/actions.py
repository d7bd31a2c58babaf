"""A study copied as a new one, and the names and dates of its campaigns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from django.db import transaction

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import NotAllowed
from accounts.trail import record
from annotation.campaigns.actions import create_campaign
from annotation.campaigns.revising import revise_campaign
from annotation.conflicts.resolving import least_authors
from annotation.guessing.actions import ask_for_guesses
from annotation.models import Campaign, GuessQuestion
from benchmark.describing.actions import describe_release
from benchmark.models import Release, ReleaseDescription
from benchmark.releases.copying import copy_release


@dataclass(frozen=True)
class NameAndDate:
    """What a campaign is called and when its reports are due."""

    name: str
    due_on: date | None


@transaction.atomic
def copy_study(
    *,
    actor: User,
    release: Release,
    name: str,
    described: bool,
    campaigns: Iterable[Campaign],
    due_on: date | None = None,
) -> Release:
    """A new study with the same problems, and if wanted its description and these campaigns, as drafts.

    A campaign comes with its form, settings and instructions, due on `due_on`; nothing that systems or referees made
    comes along, and no place. Reviewers belong to the site, so they are there already. Raises NotAllowed for anyone
    but the study's staff, and Refused as the actions do that it consists of.
    """
    if not is_study_staff(actor):
        raise NotAllowed("Only coordinators and owners can copy a study.")
    made = copy_release(actor=actor, release=release, name=name)
    before = ReleaseDescription.objects.filter(release=release).first() if described else None
    if before is not None:
        describe_release(
            actor=actor,
            release=made,
            licence=before.licence,
            creators=before.creators,
            published_on=before.published_on,
            citation=before.citation,
            homepage=before.homepage,
            version=before.version,
        )
    copied = []
    for campaign in campaigns:
        draft = create_campaign(
            actor=actor,
            name=campaign.name,
            release=made,
            rubric=campaign.rubric.label,
            reviewers_per_item=campaign.reviewers_per_item,
            track=campaign.track,
            condition=campaign.condition,
            seed=campaign.seed,
            slug=f"{made.name}-{campaign.slug}"[:100],
            instructions=campaign.instructions,
            due_on=due_on,
            problem_rule=campaign.problem_rule,
            most_per_reviewer=campaign.most_per_reviewer,
            least_authors=least_authors(campaign),
            with_search=campaign.with_search,
        )
        revise_campaign(actor=actor, campaign=draft, split_by=campaign.split_by)
        if GuessQuestion.objects.filter(campaign=campaign).exists():
            ask_for_guesses(actor=actor, campaign=draft)
        copied.append(draft.slug)
    record(
        actor=actor,
        verb="copy_study",
        target=made,
        details={"of": release.name, "campaigns": copied, "described": before is not None},
    )
    return made


@transaction.atomic
def rename_campaigns(*, actor: User, wanted: Mapping[Campaign, NameAndDate]) -> None:
    """Give campaigns names and due dates, all or none. Raises Refused where a campaign's phase forbids the change."""
    for campaign, said in wanted.items():
        revise_campaign(actor=actor, campaign=campaign, name=said.name, due_on=said.due_on)
