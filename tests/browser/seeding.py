"""`python -m tests.browser.seeding TEST...` fills a deployment of its own with a reviewer and a place for each test.

For tests whose server is killed: that server is another process with another database than pytest's.
"""

import json
import sys

import django


def prepare() -> None:
    """What a server needs of a deployment besides its database; in this process, which has read all that already."""
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework"])
    call_command("createcachetable", verbosity=0)


def main() -> None:
    """Prints, by test, {"email": of the reviewer, "session": their session key, "handle": of their place}."""
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

    prepare()
    coordinator = member("carl@study.test", "Carl Coordinator", "coordinator")
    told = {}
    for number, test in enumerate(sys.argv[1:]):
        reviewer = member(f"ada{number}@study.test", "Ada Algebraist", "reviewer", "algebra")
        campaign = CampaignFactory(slug=f"faults-{number}", rubric=RubricFactory(), reviewers_per_item=1)
        OutputFactory(run__release=campaign.release, instance=InstanceFactory(release=campaign.release))
        draw_items(actor=coordinator, campaign=campaign)
        place = take_next(reviewer=reviewer, campaign=open_campaign(actor=coordinator, campaign=campaign))
        client = Client()
        client.force_login(reviewer)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        told[test] = {"email": reviewer.email, "session": session, "handle": place.handle}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
