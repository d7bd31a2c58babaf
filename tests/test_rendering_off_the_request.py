"""A reviewer's request never renders: the renderer fails in this process, and every page is still there."""

import pytest
from django.test import Client
from django.urls import reverse

import latex
from accounts.models import User
from accounts.refusal import Refused
from annotation.core.documents import texts
from annotation.core.material import item_material, material
from annotation.models import Assignment, Campaign
from annotation.tasks import prepare_campaign
from benchmark.models import RenderedDocument
from benchmark.rendering.actions import render_waiting
from latex.formulas import katex
from latex.markdown import _PARSER
from latex.reading.engine import Engine
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.test_canaries import crawl
from tests.test_canaries import own_study as study

__all__ = ["study"]


@pytest.fixture
def renderer_fails(no_worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("something is rendered in a request")

    monkeypatch.setattr(Engine, "__init__", fail)
    monkeypatch.setattr(_PARSER, "parse", fail)
    monkeypatch.setattr(latex, "render_checked", fail)
    monkeypatch.setattr(latex, "render", fail)
    monkeypatch.setattr(katex, "ask", fail)
    monkeypatch.setattr(katex, "_kept", fail)


def starts() -> list[str]:
    return ["/", *(reverse(name) for name in ("finished", "profile", "own-data"))]


def sheets(client: Client, reviewer: User) -> list[str]:
    """The grading pages and the REST sheets of the reviewer's places."""
    handles = Assignment.objects.filter(reviewer=reviewer).values_list("handle", flat=True)
    names = ("grade", "api-assignment")
    replies = [client.get(reverse(name, args=[handle])) for name in names for handle in handles]
    assert {reply.status_code for reply in replies} <= {200, 302}
    return [reply.content.decode() for reply in replies if reply.status_code == 200]


@pytest.mark.slow
def test_every_page_of_a_reviewer_is_there_before_anything_is_rendered(
    client: Client, study: Campaign, algebraist: User, renderer_fails: None
) -> None:
    RenderedDocument.objects.all().delete()
    client.force_login(algebraist)
    _, seen = crawl(client, *starts())
    assert sum("/grading/items/" in address for address in seen) >= 2
    assert any("being prepared" in page for page in sheets(client, algebraist))
    assert RenderedDocument.objects.filter(version="").exists()


@pytest.mark.slow
def test_every_page_of_a_reviewer_shows_what_a_worker_has_rendered(
    client: Client, study: Campaign, algebraist: User, no_worker: None, request: pytest.FixtureRequest
) -> None:
    RenderedDocument.objects.all().delete()
    client.force_login(algebraist)
    crawl(client, *starts())
    assert render_waiting() > 0
    request.getfixturevalue("renderer_fails")
    crawl(client, *starts())
    assert not any("being prepared" in page for page in sheets(client, algebraist))
    assert not RenderedDocument.objects.filter(version="").exists()


@pytest.mark.slow
def test_an_answer_without_places_is_taken_while_the_text_waits_and_one_with_places_is_kept(
    client: Client, study: Campaign, algebraist: User, renderer_fails: None
) -> None:
    RenderedDocument.objects.all().delete()
    place = Assignment.objects.filter(reviewer=algebraist, state="waiting").first()
    assert place is not None
    anchored = {**COMPLETE, "anchored": [{"block": "b1", "severity": "minor", "kind": "", "text": "Why?"}]}
    sent = {"reviewer": algebraist, "assignment": place, "rubric_sha256": study.rubric.sha256}
    with pytest.raises(Refused, match="still being prepared") as refusal:
        submit_grade(content=anchored, idempotency_key="one", **sent)
    assert refusal.value.code == "being_prepared"
    assert submit_grade(content=COMPLETE, idempotency_key="two", **sent).assignment == place


@pytest.mark.slow
def test_an_opened_campaign_has_its_texts_rendered_before_anybody_comes(
    study: Campaign, no_worker: None
) -> None:
    RenderedDocument.objects.all().delete()
    assert prepare_campaign(study.pk) == study.items.count()
    wanted = {text[:2] for item in study.items.all() for text in texts(item_material(item))}
    assert set(RenderedDocument.objects.values_list("text", "text_format")) == wanted
    place = Assignment.objects.filter(item__campaign=study).first()
    assert place is not None
    assert {text[:2] for text in texts(material(place))} <= wanted
