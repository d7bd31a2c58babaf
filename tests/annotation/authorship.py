"""A campaign whose authors can be exchanged while everything else stays, and reviewers who try to find out who wrote.

Rows have given numbers, so that orders and handles are the same in every run and on both databases.
"""

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Conflict, User
from annotation.campaigns.actions import set_least_authors
from annotation.conflicts.actions import decide_conflict
from annotation.models import Campaign, Item, LeastAuthors
from benchmark.models import Output, Run, System
from tests.annotation.samples import COMPLETE
from tests.factories import (
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
)

SYSTEMS = ("aurora", "basalt", "cobalt", "dolerite", "ember")
INVENTED = "zirconium"
SECRET = "the same handles in every run of these tests, " * 2
FIRST = 50_000_000


def campaign_of(rubric: Any, problems: int, *, seed: int, places: int = 1, least: int = 3) -> Campaign:
    """An open campaign in which each of five systems answered every problem, two thirds of them in algebra."""
    draw = random.Random(seed)
    release = ReleaseFactory(name="five")
    runs = [RunFactory(release=release, system__slug=slug, system__name=slug.title()) for slug in SYSTEMS]
    campaign = CampaignFactory(
        pk=FIRST, slug="blind", release=release, rubric=rubric, reviewers_per_item=places, least=None
    )
    LeastAuthors.objects.create(campaign=campaign, least=least)
    number = FIRST
    for problem in range(problems):
        domain = "analysis" if problem % 3 == 2 else "algebra"
        instance = InstanceFactory(pk=FIRST + problem, key=f"p{problem}", release=release, domain=domain)
        for run in draw.sample(runs, len(runs)):
            number += 1
            output = OutputFactory(
                pk=number, run=run, instance=instance, text=f"Proof {number} of {problem}."
            )
            ItemFactory(
                pk=number, campaign=campaign, output=output, instance=instance, stratum=domain, places=places
            )
    campaign.phase, campaign.opened_at = "open", timezone.now()
    campaign.save()
    return campaign


@contextmanager
def other_authors(campaign: Campaign, seed: int | None) -> Iterator[None]:
    """Within the block, who wrote which answer to a problem is exchanged by lot; everything is undone after it."""
    with transaction.atomic():
        if seed is not None:
            lot = random.Random(seed)
            for instance in campaign.release.instances.order_by("pk"):
                outputs = list(Output.objects.filter(instance=instance).order_by("pk"))
                runs = lot.sample([output.run_id for output in outputs], len(outputs))
                spare = Run.objects.create(
                    release=campaign.release, system=System.objects.first(), track=f"spare-{instance.pk}"
                )
                for number, output in enumerate(outputs):  # through a spare run: each answers a problem once
                    Output.objects.filter(pk=output.pk).update(run=spare, attempt=1000 + number)
                for output, run in zip(outputs, runs, strict=True):
                    Output.objects.filter(pk=output.pk).update(run_id=run, attempt=output.attempt)
                spare.delete()
        yield
        transaction.set_rollback(True)


def author_of(handle: str) -> str:
    """Who wrote what the handle shows. For the test, not for the reviewer."""
    return str(Item.objects.get(assignments__handle=handle).output.run.system.slug)


def decide_honestly(coordinator: User) -> None:
    """A coordinator who decides every declaration at once: a system's name means the system."""
    slugs = set(SYSTEMS)
    for conflict in Conflict.objects.filter(decided_at=None):
        targets = [("system", conflict.key)] if conflict.kind == "system" and conflict.key in slugs else []
        decide_conflict(actor=coordinator, conflict=conflict, targets=targets)


class Reviewer:
    """A signed-in reviewer with nothing but their account; keeps what every request brought.

    Who `keeps` nothing opens no page after a form either.
    """

    def __init__(self, person: User, *, keeps: bool = True) -> None:
        cache.clear()
        self.keeps = keeps
        self.client = Client(raise_request_exception=True)
        self.client.force_login(person)
        self.transcript: list[tuple[str, int, str]] = []
        self.handles: list[str] = []

    def ask(self, method: str, address: str, body: Any = None, **headers: str) -> Any:
        kind = {} if body is None else {"data": body, "content_type": "application/json"}
        return self._kept(
            f"{method} {address} {body}", getattr(self.client, method)(address, **kind, headers=headers)
        )

    def send(self, address: str, **fields: Any) -> Any:
        return self._kept(f"form {address} {fields}", self.client.post(address, fields, follow=self.keeps))

    def _kept(self, asked: str, reply: Any) -> Any:
        if self.keeps:
            self.transcript.append((asked, reply.status_code, steady(reply.content.decode())))
        return reply

    def take(self) -> str | None:
        """The handle of one more item, or None."""
        reply = self.ask("post", reverse("api-queue"), {"campaign": "blind"})
        if reply.status_code != 201:
            return None
        handle = str(reply.json()["handle"])
        self.handles.append(handle)
        return handle

    def declare(self, name: str, kind: str = "system") -> None:
        self.ask("put", "/api/v1/me/conflicts/", {"kind": kind, "key": name, "reason": "Mine."})

    def withdraw(self, name: str, kind: str = "system") -> None:
        self.ask("delete", f"/api/v1/me/conflicts/{kind}/{name}/")

    def free(self) -> str:
        """What the queue's page says about free items."""
        page = self.ask("get", reverse("queue")).content.decode()
        found = re.search(r"(\d+|over \d+) items? in your", page)
        return found.group(1) if found else ""


CHANGING = re.compile(
    r"\b[A-Za-z0-9]{64}\b"  # tokens against forged requests
    r"|\b[0-9a-f]{32}\b"  # keys of submissions
    r"|\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)?"
    r"|\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d"
    r"|(?<=\"target_key\": \")\d+"  # numbers of rows in one's own trail: they only count up
)


def steady(text: str) -> str:
    """A reply without what differs at every request by design."""
    return CHANGING.sub("*", text)


def step(reviewer: Reviewer, lot: random.Random) -> None:
    """One thing that a reviewer can do, by lot."""
    name = lot.choice([*SYSTEMS, INVENTED])
    mine = lot.choice(reviewer.handles) if reviewer.handles else "nothing"
    rubric = reviewer.rubric  # type: ignore[attr-defined]
    actions = [
        reviewer.take,
        reviewer.take,
        reviewer.free,
        lambda: reviewer.declare(name),
        lambda: reviewer.withdraw(name),
        lambda: reviewer.declare(lot.choice(["p1", "nowhere"]), "problem"),
        lambda: reviewer.send(
            reverse("profile-conflict"), kind=lot.choice(["person", "institution"]), key=name
        ),
        lambda: reviewer.send(reverse("profile-expertise"), domain="analysis", confidence=lot.randint(1, 3)),
        lambda: reviewer.send(reverse("profile-expertise-remove"), domain="analysis"),
        lambda: reviewer.send(
            reverse("profile-preferences"),
            capacity=lot.choice(["", 1, 3]),
            away_until=lot.choice(["", "2031-01-01", "2020-01-01"]),
            credit="anonymous",
        ),
        lambda: reviewer.send(reverse("grade-next")),
        lambda: reviewer.ask(
            "get", f"/api/v1/queue/?{lot.choice(['system=aurora', 'ordering=run', 'page=2'])}"
        ),
        lambda: reviewer.ask("get", reverse("api-queue")),
        lambda: reviewer.ask("get", reverse("profile")),
        lambda: reviewer.ask("get", reverse("own-data")),
        lambda: reviewer.ask("get", reverse("finished")),
        lambda: reviewer.ask("get", f"/grading/items/{mine}/"),
        lambda: reviewer.ask("get", reverse("api-guess", args=[mine])),
        lambda: reviewer.ask("post", reverse("api-guess", args=[mine]), {"system": name}),
        lambda: reviewer.ask("post", reverse("api-out-of-field", args=[mine]), {"note": "Not mine."}),
        lambda: reviewer.ask(
            "post",
            reverse("api-assignment", args=[mine]),
            {"content": COMPLETE, "rubric_sha256": rubric},
            **{"Idempotency-Key": f"{mine}-{len(reviewer.transcript)}"},
        ),
        lambda: reviewer.ask("post", reverse("api-reopen", args=[mine])),
    ]
    lot.choice(actions)()


__all__ = [
    "INVENTED",
    "SYSTEMS",
    "Reviewer",
    "author_of",
    "campaign_of",
    "decide_honestly",
    "set_least_authors",
]
