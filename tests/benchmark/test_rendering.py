"""The cache of rendered texts, and the report on a run's formulas."""

import datetime as dt
from unittest.mock import Mock

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

import latex
from benchmark.models import RenderedDocument
from benchmark.rendering import stored as rendering
from benchmark.rendering.actions import LEASE, MAX_TRIES, render_waiting, renew
from benchmark.rendering.formulas import report_formulas
from benchmark.rendering.stored import rendered, rendered_all
from tests.benchmark.test_pages import fill
from tests.factories import InstanceFactory, OutputFactory, ReleaseFactory, RunFactory

CALL_WORKER = rendering.call_worker
pytestmark = pytest.mark.django_db
TEXT = "Let $x>0$.\n\nThen $$x^2>0.$$"


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def test_a_text_is_rendered_once(monkeypatch):
    first = rendered(TEXT, "latex")
    monkeypatch.setattr(latex, "render_checked", None)  # a second rendering would fail
    assert rendered(TEXT, "latex") == first
    assert first.report["formulas"] == 2
    assert " ".join(block.source for block in first.blocks).split() == TEXT.split()


def test_a_text_is_stored_once_for_each_format_whatever_the_prefix_of_its_ids():
    linked = "See \\eqref{a}. \\begin{equation}x\\label{a}\\end{equation} \ue020"
    rendered(linked, "plain")
    one, two = rendered(linked, "latex", prefix="d1-"), rendered(linked, "latex", prefix="d2-")
    assert [block.id for block in one.blocks] == ["d1-b1", "d1-b2", "d1-b3"]
    assert 'href="#d1-b2"' in one.blocks[0].html
    assert 'href="#d2-b2"' in two.blocks[0].html
    # The author's own character of the kind that marks the prefix is not a prefix.
    assert (one.blocks[2].html, two.blocks[2].html) == ("<p>\ufffd</p>",) * 2
    assert [block.html for block in one.blocks] == [
        block.html for block in latex.render(linked, "latex", prefix="d1-").blocks
    ]
    assert RenderedDocument.objects.count() == 2


def test_what_an_older_renderer_made_is_shown_until_it_is_renewed(monkeypatch):
    before = rendered(TEXT, "latex")
    monkeypatch.setattr(latex, "RENDER_VERSION", "next")
    monkeypatch.setattr(latex, "render_checked", lambda *_, **__: latex.render("New.", "plain"))
    assert rendered(TEXT, "latex") == before
    assert render_waiting() == 0
    call_command("render_documents", "--renew")
    assert [block.html for block in rendered(TEXT, "latex").blocks] == ["<p>New.</p>"]
    assert renew() == 0


def test_a_page_shows_the_source_until_a_worker_was_there(no_worker):
    waiting = rendered("Let $x<1$.", "latex")
    assert waiting.blocks == ()
    (stand_in,) = waiting.shown
    assert "being prepared" in stand_in.html
    assert "Let $x&lt;1$." in stand_in.html
    assert render_waiting() == 1
    assert 'class="math"' in rendered("Let $x<1$.", "latex").blocks[0].html
    assert render_waiting() == 0


def test_two_workers_never_hold_the_same_text_and_a_dead_ones_text_is_taken_over(no_worker):
    rendered(TEXT, "latex")
    RenderedDocument.objects.update(leased_until=timezone.now() + LEASE, tries=1)
    assert render_waiting() == 0
    RenderedDocument.objects.update(leased_until=timezone.now())
    assert render_waiting() == 1
    assert RenderedDocument.objects.get().tries == 2


def test_a_text_whose_worker_died_before_the_clock_was_set_back_is_taken_over(no_worker):
    rendered(TEXT, "latex")
    RenderedDocument.objects.update(leased_until=timezone.now() + dt.timedelta(hours=1), tries=1)
    assert render_waiting() == 1


def test_a_text_that_ends_its_worker_again_and_again_is_shown_as_plain_text(no_worker):
    rendered(TEXT, "latex")
    RenderedDocument.objects.update(tries=MAX_TRIES)
    assert render_waiting() == 1
    assert "$x&gt;0$" in rendered(TEXT, "latex").blocks[0].html


def test_the_broker_may_be_away(no_worker, monkeypatch, django_capture_on_commit_callbacks):
    monkeypatch.setattr(rendering, "call_worker", CALL_WORKER)
    monkeypatch.setattr(rendering.current_app, "send_task", Mock(side_effect=OperationalError))
    with django_capture_on_commit_callbacks(execute=True):
        assert rendered(TEXT, "latex").waiting


def test_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="not a text format"):
        rendered(TEXT, "docx")


def test_many_texts_take_one_query_once_they_are_there(no_worker, django_assert_num_queries):
    texts = [(f"Text ${n}$.", "latex", "") for n in range(5)]
    with django_assert_num_queries(3):  # what is there, what is asked for, what is there now
        assert rendered_all([*texts, *texts])[0].waiting
    render_waiting()
    fresh = rendered_all(texts) * 2
    with django_assert_num_queries(1):
        assert rendered_all([*texts, *texts]) == fresh
    assert [part.blocks[0].source for part in fresh[:5]] == [text for text, _, _ in texts]


def test_the_report_names_each_formula_that_is_shown_as_source():
    run = RunFactory()
    OutputFactory(run=run, text="Fine: $x$.", text_format="latex")
    bad = OutputFactory(run=run, text="Bad: $\\frac{1$ and $y$.", text_format="latex")
    OutputFactory(run=run, state="abstained", text="$z$")
    report = report_formulas(run)
    assert (report.documents, report.waiting, report.failed) == (2, 0, 1)
    (failure,) = report.failures
    assert (failure["instance"], failure["attempt"]) == (bad.instance.key, 1)
    assert failure["reason"]


def test_documents_beyond_the_time_given_wait():
    run = RunFactory()
    OutputFactory(run=run)
    assert report_formulas(run, seconds=0).waiting == 1


def test_an_instance_stands_beside_all_outputs_with_systems_named(carl):
    release = ReleaseFactory()
    row = InstanceFactory(release=release, payload={"title": "Sums", "statement": "Show $1+1=2$."})
    for slug, state in [("aurora", "answered"), ("basalt", "abstained")]:
        run = RunFactory(release=release, system__slug=slug, system__name=slug.title())
        OutputFactory(run=run, instance=row, state=state, text="Clear $x$.", text_format="latex")
    page = carl.get(reverse("instance", args=[release.name, row.key])).content.decode()
    assert "<h1>Sums</h1>" in page
    assert page.index("Aurora") < page.index("Basalt")
    assert page.count("Clear ") == 1
    assert "this output counts by rule" in page


def test_ids_stay_apart_though_outputs_are_alike(carl):
    release = fill(ReleaseFactory(), domains=1, instances=1, runs=3)
    page = carl.get(reverse("instance", args=[release.name, release.instances.get().key])).content.decode()
    ids = [piece.split('"')[0] for piece in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    assert len(ids) > 5


@pytest.mark.parametrize("runs", [1, 4])
def test_the_page_takes_the_same_queries_however_many_systems(carl, django_assert_num_queries, runs):
    release = fill(ReleaseFactory(), domains=1, instances=1, runs=runs)
    address = reverse("instance", args=[release.name, release.instances.get().key])
    carl.get(address)
    # session, user, roles; the instance, its outputs, the cache; files of the instance and of the outputs
    with django_assert_num_queries(8):
        carl.get(address)


def test_hostile_keys_and_titles_are_shown_as_text(carl):
    hostile = "<script>alert(1)</script>/x?y#z"
    row = InstanceFactory(key=hostile, payload={"title": hostile, "statement": "$x$"})
    page = carl.get(reverse("instance", args=[row.release.name, hostile]))
    assert page.status_code == 200
    assert "<script>alert" not in page.content.decode()
    assert "<script>alert" not in carl.get(reverse("release", args=[row.release.name])).content.decode()
