"""A worker's shift serves several kinds of work through the same lanes."""

import asyncio
from random import Random

from django.db.models import Q

from work import worker


class Grinding:
    """A row of some other kind."""


class Polishing:
    """And of a third."""


class FakeKind:
    def __init__(self, tasks, endpoint, own_endpoint=""):
        self.tasks, self.endpoint, self.own_endpoint = tasks, endpoint, own_endpoint

    async def ask(self, task, client, rng):
        return self.tasks.__name__, client


KINDS = [FakeKind(Grinding, "mill__endpoint"), FakeKind(Polishing, "cloth__endpoint")]


def test_each_task_is_asked_by_its_own_kind(monkeypatch):
    monkeypatch.setattr(worker, "kinds", lambda: KINDS)
    shift = object.__new__(worker._Shift)
    shift.rng = Random(1)
    ask = shift._by("a client")
    assert asyncio.run(ask(Polishing())) == ("Polishing", "a client")
    assert asyncio.run(ask(Grinding())) == ("Grinding", "a client")


def test_the_second_kind_gets_the_lanes_that_the_first_leaves(monkeypatch):
    """Four lanes and three tasks of the first kind: the second gets one, and none when all are taken."""
    claims = []

    def claim(kind, *, owner, limit, which):
        claims.append((kind.tasks, limit, which))
        return [kind.tasks() for _ in range(min(limit, 3))]

    monkeypatch.setattr(worker, "kinds", lambda: KINDS)
    monkeypatch.setattr(worker, "claim", claim)
    tasks = worker._claim(owner="me", limit=4, names=["local"], others=False, breaker="")
    assert [type(task) for task in tasks] == [Grinding] * 3 + [Polishing]
    assert claims == [
        (Grinding, 4, Q(mill__endpoint__in=["local"])),
        (Polishing, 1, Q(cloth__endpoint__in=["local"])),
    ]
    claims.clear()
    worker._claim(owner="me", limit=2, names=["local"], others=True, breaker="")
    assert claims == [(Grinding, 2, ~Q(mill__endpoint__in=["local"]))]


def test_tasks_that_name_their_own_endpoint_are_claimed_by_it(monkeypatch):
    claims = []

    def claim(kind, *, owner, limit, among):
        claims.append(among)
        return []

    monkeypatch.setattr(worker, "kinds", lambda: [FakeKind(Grinding, "", "endpoint")])
    monkeypatch.setattr(worker, "claim", claim)
    worker._claim(owner="me", limit=2, names=["local"], others=False, breaker="")
    worker._claim(owner="me", limit=2, names=["local"], others=True, breaker="")
    assert claims == [Q(endpoint__in=["local"]), ~Q(endpoint__in=["local"])]
