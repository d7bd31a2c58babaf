"""A token in every identity column; no byte that a reviewer receives holds one. Staff see them (control)."""

import base64
import re
from collections import deque
from urllib.parse import quote

import pytest
from django.urls import reverse

from annotation.assigning.actions import apply_plan, plan_assignment
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.models import Assignment
from tests.annotation.samples import COMPLETE
from tests.factories import (
    CampaignFactory,
    InstanceFactory,
    OutputFactory,
    PaperFactory,
    ReleaseFactory,
    RunFactory,
)

pytestmark = pytest.mark.django_db

CANARIES = {
    name: f"canary{number}q{name}"
    for number, name in enumerate(
        [
            "slug",
            "name",
            "family",
            "condition",
            "budget",
            "config",
            "source",
            "outpayload",
            "runsha",
            "outsha",
        ]
    )
}


@pytest.fixture
def tagged(rubric, coordinator, algebraist):
    """A campaign whose outputs carry a canary in every column that could tell where they come from."""
    release = ReleaseFactory(source=CANARIES["source"])
    paper = PaperFactory(release=release)
    run = RunFactory(
        release=release,
        system__slug=CANARIES["slug"],
        system__name=CANARIES["name"],
        system__family=CANARIES["family"],
        condition=CANARIES["condition"],
        budget={"tokens": CANARIES["budget"]},
        config={"temperature": CANARIES["config"]},
        sha256=CANARIES["runsha"],
    )
    for _ in range(3):
        OutputFactory(
            run=run,
            instance=InstanceFactory(release=release, paper=paper),
            payload={"file": CANARIES["outpayload"]},
            sha256=CANARIES["outsha"],
        )
    campaign = CampaignFactory(release=release, rubric=rubric, reviewers_per_item=1)
    draw_items(actor=coordinator, campaign=campaign)
    apply_plan(actor=coordinator, campaign=campaign, sha256=plan_assignment(campaign).sha256)
    return open_campaign(actor=coordinator, campaign=campaign)


def spellings(token: str) -> list[str]:
    raw = token.encode()
    return [token, quote(token), base64.b64encode(raw).decode().rstrip("="), raw.hex()]


def received(reply) -> str:
    headers = "\n".join(f"{name}: {value}" for name, value in reply.items())
    cookies = reply.cookies.output()
    return f"{headers}\n{cookies}\n{reply.content.decode()}"


def steady(text: str) -> str:
    """What was received without what differs at every request by design."""
    changing = r'\b[A-Za-z0-9]{64}\b|Set-Cookie:.*|Expires:.*|(?<=idempotency_key" value=)\S+'
    return re.sub(changing, "", text)


def crawl(client, *starts: str) -> dict[str, str]:
    """Everything reachable by links from `starts` on this site, by address."""
    seen: dict[str, str] = {}
    queue = deque(starts)
    while queue:
        address = queue.popleft()
        if address in seen:
            continue
        reply = client.get(address)
        seen[address] = received(reply)
        queue += [reply.url] if reply.status_code == 302 else []
        links = re.findall(r'(?:href|action|data-api|data-next)="(/[^"#]*)', reply.content.decode())
        queue += [link for link in links if not link.startswith(("/static/", "/accounts/logout"))]
    return seen


def found(pages: dict[str, str]) -> set[tuple[str, str]]:
    return {
        (address, name)
        for address, text in pages.items()
        for name, token in CANARIES.items()
        if any(spelling in text for spelling in spellings(token))
    }


def test_no_identity_reaches_a_reviewer_before_or_after_submitting(client, tagged, algebraist, rubric):
    client.force_login(algebraist)
    first = Assignment.objects.order_by("position").first()
    starts = [reverse("queue"), reverse("finished"), reverse("api-queue"), "/"]
    before = crawl(client, *starts)
    assert sum(1 for address in before if "/grading/items/" in address) >= 3
    assert sum(1 for address in before if "/api/v1/assignments/" in address) >= 3
    assert found(before) == set()
    client.post(
        reverse("api-assignment", args=[first.handle]),
        {"content": COMPLETE, "rubric_sha256": rubric.sha256},
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )
    assert found(crawl(client, *starts)) == set()


def test_no_row_number_of_item_output_or_run_is_in_a_reviewers_address(client, tagged, algebraist):
    client.force_login(algebraist)
    pages = crawl(client, reverse("queue"), reverse("finished"))
    assert all(re.search(r"/\d+(/|$)", address) is None for address in pages)


def test_refusals_and_wrong_methods_tell_nothing_either(client, tagged, algebraist):
    client.force_login(algebraist)
    handle = Assignment.objects.first().handle
    api = reverse("api-assignment", args=[handle])
    replies = {
        "options": client.options(api),
        "delete": client.delete(api),
        "bad put": client.put(api, {"version": "x"}, content_type="application/json"),
        "bad post": client.post(api, {}, content_type="application/json"),
        "campaigns": client.get(reverse("api-campaigns")),
        "schema": client.get(reverse("api-schema")),
        "filter": client.get(reverse("api-queue"), {"item__output__run__system__slug": CANARIES["slug"]}),
    }
    texts = {name: received(reply) for name, reply in replies.items()}
    assert found(texts) == set()
    assert replies["schema"].status_code == 403


def test_two_texts_of_two_systems_differ_in_nothing_but_the_handle(client, rubric, coordinator, algebraist):
    """One text by two systems for one problem: page and JSON are equal but for handle, position and random tokens."""
    release = ReleaseFactory()
    instance = InstanceFactory(release=release)
    for slug in ("short", "a-much-longer-name"):
        run = RunFactory(
            release=release, system__slug=slug, system__name=slug.title(), budget={"tokens": slug}
        )
        OutputFactory(run=run, instance=instance, text="We have $a = b$.", payload={"file": slug})
    campaign = CampaignFactory(release=release, rubric=rubric, reviewers_per_item=1)
    draw_items(actor=coordinator, campaign=campaign)
    apply_plan(actor=coordinator, campaign=campaign, sha256=plan_assignment(campaign).sha256)
    open_campaign(actor=coordinator, campaign=campaign)
    client.force_login(algebraist)
    places = list(Assignment.objects.order_by("position"))
    assert len({place.item.output.run.system_id for place in places}) == 2
    for name in ("grade", "api-assignment"):
        told = []
        for place in places:
            reply = client.get(reverse(name, args=[place.handle]))
            assert reply.status_code == 200
            assert "ETag" not in reply
            assert "Last-Modified" not in reply
            assert reply["Cache-Control"] == "private, no-store"
            own_name = re.sub(
                r" · Proof [PQ]<", "<", received(reply)
            )  # the reviewer's own, in the order of the queue
            told.append(steady(own_name).replace(place.handle, "HANDLE"))
        assert told[0] == told[1]


def test_staff_of_the_study_do_see_identities(coordinator, tagged):
    """The control: the tokens are really there, and reach those who may see them."""
    output = tagged.items.select_related("output__run__system").first().output
    values = {
        output.run.system.slug,
        output.run.system.name,
        output.run.system.family,
        output.run.condition,
        output.run.budget["tokens"],
        output.run.config["temperature"],
        tagged.release.source,
        output.payload["file"],
        output.run.sha256,
        output.sha256,
    }
    assert values == set(CANARIES.values())
