"""`python -m tests.browser.seeding` fills a deployment of its own with one place and prints how to reach it.

For tests whose server is killed: that server is another process with another database than pytest's.
"""

import json

import django


def main() -> None:
    """Prints {"handle": of the place, "session": the reviewer's session key}."""
    django.setup()
    from django.conf import settings
    from django.test import Client

    from annotation.assigning.taking import take_next
    from annotation.campaigns.actions import draw_items, open_campaign
    from tests.conftest import member
    from tests.factories import (
        CampaignFactory,
        InstanceFactory,
        OutputFactory,
        RubricFactory,
    )

    reviewer = member("ada@study.test", "Ada Algebraist", "reviewer", "algebra")
    coordinator = member("carl@study.test", "Carl Coordinator", "coordinator")
    campaign = CampaignFactory(slug="faults", rubric=RubricFactory(), reviewers_per_item=1)
    OutputFactory(run__release=campaign.release, instance=InstanceFactory(release=campaign.release))
    draw_items(actor=coordinator, campaign=campaign)
    place = take_next(reviewer=reviewer, campaign=open_campaign(actor=coordinator, campaign=campaign))
    client = Client()
    client.force_login(reviewer)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    print(json.dumps({"handle": place.handle, "session": session}))


if __name__ == "__main__":
    main()
