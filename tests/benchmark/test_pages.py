"""Pages of releases: who may see them, what they show, how many queries they take."""

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from benchmark.models import Instance, Release
from tests.factories import InstanceFactory, OutputFactory, PaperFactory, ReleaseFactory, RunFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def fill(release: Release, domains: int, instances: int, runs: int) -> Release:
    """A release with `instances` in each domain, an output by every run for each."""
    made = [RunFactory(release=release) for _ in range(runs)]
    for domain in range(domains):
        for _ in range(instances):
            paper = PaperFactory(release=release)
            row = InstanceFactory(release=release, domain=f"domain-{domain}", paper=paper)
            for run in made:
                OutputFactory(run=run, instance=row)
    return release


@pytest.mark.parametrize("who", ["algebraist", "stranger"])
@pytest.mark.parametrize("page", ["releases", "release", "release-freeze", "instance"])
def test_only_those_who_run_the_study_see_releases(client, request, who, page):
    output = OutputFactory()
    args = {"releases": [], "instance": [output.run.release.name, output.instance.key]}
    client.force_login(request.getfixturevalue(who))
    address = reverse(page, args=args.get(page, [output.run.release.name]))
    assert client.get(address).status_code == 403
    assert client.post(address).status_code == 403


def test_a_visitor_is_sent_to_the_sign_in_page(client):
    assert client.get(reverse("releases")).url.startswith(reverse("account_login"))


def test_a_release_shows_domains_runs_and_states(carl):
    release = fill(ReleaseFactory(name="small"), domains=2, instances=2, runs=1)
    run = release.runs.get()
    run.outputs.filter(pk=run.outputs.first().pk).update(state="abstained", text="")
    page = carl.get(reverse("release", args=["small"]))
    assert page.context["domains"] == [
        {"domain": "domain-0", "instances": 2, "papers": 2},
        {"domain": "domain-1", "instances": 2, "papers": 2},
    ]
    (shown,) = page.context["runs"]
    assert (shown.output_count, shown.answered, shown.abstained, shown.failed) == (4, 3, 1, 0)
    assert (shown.not_released, shown.missing) == (0, 0)
    assert release.sha256 in page.content.decode()


def test_what_a_run_has_no_output_for_is_counted_by_instance_not_by_attempt(carl):
    release = fill(ReleaseFactory(name="small"), domains=1, instances=4, runs=2)
    partial = release.runs.earliest("pk")
    first, second, *_ = partial.outputs.order_by("pk")
    partial.outputs.exclude(pk__in=[first.pk, second.pk]).delete()
    OutputFactory(run=partial, instance=first.instance, attempt=2)
    page = carl.get(reverse("release", args=["small"]))
    assert {run.pk: run.missing for run in page.context["runs"]} == {
        partial.pk: 2,
        release.runs.latest("pk").pk: 0,
    }
    assert "Missing" in page.content.decode()


def test_instances_are_filtered_by_domain_and_paged(carl):
    release = fill(ReleaseFactory(), domains=2, instances=26, runs=0)
    page = carl.get(reverse("release", args=[release.name]))
    assert (len(page.context["page"]), page.context["page"].paginator.num_pages) == (50, 2)
    page = carl.get(reverse("release", args=[release.name]), {"domain": "domain-1"})
    assert {row.domain for row in page.context["page"]} == {"domain-1"}
    assert len(page.context["page"]) == 26
    assert len(carl.get(reverse("release", args=[release.name]), {"domain": "nonesuch"}).context["page"]) == 0


@pytest.mark.parametrize("size", [1, 4])
def test_the_pages_take_the_same_queries_whatever_their_size(carl, django_assert_num_queries, size):
    for _ in range(size):
        release = fill(ReleaseFactory(), domains=size, instances=size, runs=size)
    carl.get(reverse("studies"))
    with django_assert_num_queries(
        6
    ):  # session, user with roles; the releases with their counts; three of campaigns
        carl.get(reverse("studies"))
    with django_assert_num_queries(
        8
    ):  # session, user with roles; release, domains, runs, instances: their number, the page; overlaps once
        carl.get(reverse("release", args=[release.name]))


def test_freezing_asks_first_and_is_recorded(carl, coordinator, small_release):
    address = reverse("release-freeze", args=[small_release.name])
    assert "never changes again" in carl.get(address).content.decode()
    small_release.refresh_from_db()
    assert small_release.frozen_at is None
    page = carl.post(address, follow=True)
    assert "has been frozen" in page.content.decode()
    small_release.refresh_from_db()
    assert small_release.frozen_at is not None
    event = AuditEvent.objects.get(verb="freeze_release")
    assert (event.actor, event.details["sha256"]) == (coordinator, small_release.sha256)


def test_a_release_that_was_changed_behind_our_back_is_not_frozen(carl, small_release):
    Instance.objects.update(domain="elsewhere")
    page = carl.post(reverse("release-freeze", args=[small_release.name]), follow=True)
    assert "no longer has the content" in page.content.decode()
    small_release.refresh_from_db()
    assert small_release.frozen_at is None


def test_an_unknown_release_or_instance_is_not_found(carl):
    release = ReleaseFactory()
    assert carl.get(reverse("release", args=["nonesuch"])).status_code == 404
    assert carl.get(reverse("instance", args=[release.name, "nonesuch"])).status_code == 404
