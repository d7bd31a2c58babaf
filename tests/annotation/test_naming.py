"""Names of campaigns, which are parts of addresses."""

import re
from collections.abc import Iterator
from importlib import import_module

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.urls import URLResolver, get_resolver

from accounts.refusal import Refused
from annotation.campaigns.actions import create_campaign
from annotation.campaigns.naming import TAKEN_BY_PAGES, objection_to
from annotation.models import Campaign
from tests.factories import CampaignFactory, ReleaseFactory

OF_A_CAMPAIGN = "<slug:slug>/"  # in a route


def routes(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, route)
        else:
            yield route


def test_the_names_that_no_campaign_can_have_are_those_of_pages_next_to_its_own():
    """A new page in such a place has to be named in TAKEN_BY_PAGES."""
    known = list(routes(get_resolver()))
    places = {route.split(OF_A_CAMPAIGN)[0] for route in known if OF_A_CAMPAIGN in route}
    assert any(place.endswith("campaigns/") for place in places)
    found = {
        taken["name"]
        for route in known
        for place in places
        if (taken := re.fullmatch(rf"{re.escape(place)}(?P<name>[-\w]+)/.*", route))
    }
    assert found == TAKEN_BY_PAGES


@pytest.mark.parametrize("name", ["", " ", "a b", "a.b", "..", "a/b", "a" * 101, "é", "٣", "a\n", "new"])
def test_what_is_no_address_of_its_own_is_no_name(name):
    assert objection_to(name)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "slug"), [("New", ""), ("Pilot", "new"), ("Pilot", "a b"), ("Pilot", "a" * 101)]
)
def test_a_campaign_made_here_follows_the_same_rule(coordinator, name, slug):
    release = ReleaseFactory(benchmark__protocol="proofs")
    with pytest.raises(Refused, match="name of a campaign"):
        create_campaign(actor=coordinator, name=name, slug=slug, release=release, rubric="proofs-v1")
    assert not Campaign.objects.exists()


@pytest.mark.django_db
def test_rest_says_why_a_campaign_cannot_be_called_new(client, coordinator):
    release = ReleaseFactory(benchmark__protocol="proofs")
    client.force_login(coordinator)
    answer = client.post(
        "/api/v1/campaigns/",
        {"name": "New", "release": release.name, "rubric": "proofs-v1"},
        content_type="application/json",
    )
    assert 400 <= answer.status_code < 500
    assert "a page of this site has that address" in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["", "new", "a b", "a/b", "a.b", "é", "٣", "a\n"])
def test_the_database_refuses_a_name_that_is_no_part_of_an_address(slug):
    campaign = CampaignFactory(slug="pilot")
    with pytest.raises(IntegrityError, match="part of an address"), transaction.atomic():
        Campaign.objects.update(slug=slug)
    with pytest.raises(IntegrityError, match="part of an address"):
        CampaignFactory(slug=slug, release=campaign.release, rubric=campaign.rubric)


@pytest.mark.django_db
def test_names_that_imports_once_let_through_are_changed_and_their_studies_can_be_opened(client, owner):
    migration = import_module("annotation.migrations.0033_names_of_campaigns")
    with connection.cursor() as cursor:  # the test's transaction brings them back
        for guard in migration.GUARDS:
            cursor.execute(guard.removal(connection.vendor))
    old = ["round-1", "Round/1", "Round 1?", "new", "…", "a" * 99 + "."]
    campaigns = [CampaignFactory(slug=slug) for slug in old]
    migration.rename(apps, None)
    now = [Campaign.objects.get(pk=campaign.pk).slug for campaign in campaigns]
    assert now == ["round-1", "round1", "round-1-2", "new-2", "campaign", "a" * 90]
    client.force_login(owner)
    assert client.get("/studies/").status_code == 200
