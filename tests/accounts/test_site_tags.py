"""Template tags of the site's frame."""

import re

import pytest
from django.urls import reverse

from accounts.templatetags.site import in_words, pairs
from tests.factories import CampaignFactory


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"aurora/ungrounded": 1, "basalt": {"n": 0}}, "aurora/ungrounded 1, basalt n 0"),
        (["a", True, None, 1.5], "a, yes, none, 1.5"),
        ({}, "none"),
        ([], "none"),
        (1, "1"),
        (False, "no"),
    ],
)
def test_a_json_value_reads_without_quotes_and_brackets(value: object, words: str) -> None:
    assert in_words(value) == words


def test_a_mapping_with_a_key_called_items_is_listed_like_any_other() -> None:
    assert pairs({"items": 3, "keys": 4}) == [("items", 3), ("keys", 4)]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["campaign-results", "monitoring", "campaign-verdicts"])
def test_pages_of_a_campaign_that_show_figures_belong_to_the_studies_in_the_navigation(
    client, coordinator, name
):
    campaign = CampaignFactory()
    client.force_login(coordinator)
    page = client.get(reverse(name, args=[campaign.slug])).content.decode()
    marked = re.findall(r'<a href="([^"]+)" aria-current="true">', page)
    assert marked == [reverse("studies")]
