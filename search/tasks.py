"""Celery tasks: indexes and checks that somebody asked for in the browser, and searches to forget."""

from celery import shared_task

from search.checks.actions import run_waiting
from search.indexes.actions import build_waiting
from search.searching.actions import forget_searches


@shared_task(name="search.build")
def build() -> int:
    """Build the indexes that wait; returns how many."""
    return build_waiting()


@shared_task(name="search.forget")
def forget() -> int:
    """Delete searches older than 30 days; returns how many."""
    return forget_searches()


@shared_task(name="search.check")
def check() -> int:
    """Compare the releases that wait with their corpora; returns how many."""
    return run_waiting()
