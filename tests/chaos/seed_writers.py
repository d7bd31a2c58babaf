"""`python -m tests.chaos.seed_writers REVIEWERS ITEMS` opens a campaign in which each of them may grade every item.

Prints {"campaign": short name, "rubric_sha256": of its questions, "tokens": one access token per reviewer,
"password": that each of them, r0@study.test and so on, signs in with}.
"""

import json
import sys

import django


def main(reviewers: int, items: int) -> None:
    django.setup()
    from accounts.profile.tokens import create_token
    from annotation.campaigns.actions import draw_items, open_campaign
    from tests.conftest import PASSWORD, member
    from tests.factories import (
        CampaignFactory,
        InstanceFactory,
        OutputFactory,
        RubricFactory,
        RunFactory,
        hash_as_imported,
    )

    coordinator = member("carl@study.test", "Carl Coordinator", "coordinator")
    campaign = CampaignFactory(slug="fire", rubric=RubricFactory(), reviewers_per_item=reviewers)
    run = RunFactory(release=campaign.release)
    for _ in range(items):
        OutputFactory(run=run, instance=InstanceFactory(release=campaign.release))
    hash_as_imported(run)
    draw_items(actor=coordinator, campaign=campaign)
    open_campaign(actor=coordinator, campaign=campaign)
    people = [member(f"r{n}@study.test", f"Reviewer {n}", "reviewer", "algebra") for n in range(reviewers)]
    tokens = [create_token(actor=person, label="fire", scope="manage").secret for person in people]
    seed = {"campaign": campaign.slug, "rubric_sha256": campaign.rubric.sha256, "tokens": tokens}
    print(json.dumps(seed | {"password": PASSWORD}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
