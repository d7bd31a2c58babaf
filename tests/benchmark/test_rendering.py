"""The cache of rendered texts, and the report on a run's formulas."""

import pytest
from django.urls import reverse

import latex
from benchmark.formulas import report_formulas
from benchmark.models import RenderedDocument
from benchmark.rendering import rendered, rendered_all
from tests.benchmark.test_pages import fill
from tests.factories import InstanceFactory, OutputFactory, ReleaseFactory, RunFactory

pytestmark = pytest.mark.django_db
TEXT = "Let $x>0$.\n\nThen $$x^2>0.$$"


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def test_a_text_is_rendered_once(monkeypatch):
    first = rendered(TEXT, "latex")
    monkeypatch.setattr(latex, "render", None)  # a second rendering would fail
    assert rendered(TEXT, "latex") == first
    assert first.report["formulas"] == 2
    assert " ".join(block.source for block in first.blocks).split() == TEXT.split()


def test_version_format_and_prefix_are_part_of_the_key(monkeypatch):
    rendered(TEXT, "latex")
    rendered(TEXT, "plain")
    assert rendered(TEXT, "latex", prefix="d1-").blocks[0].id == "d1-b1"
    monkeypatch.setattr(latex, "RENDER_VERSION", "next")
    rendered(TEXT, "latex")
    assert RenderedDocument.objects.count() == 4


def test_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="no text format"):
        rendered(TEXT, "docx")


def test_many_texts_take_one_query_to_read_and_one_to_fill(django_assert_num_queries):
    texts = [(f"Text ${n}$.", "latex", "") for n in range(5)]
    with django_assert_num_queries(2):
        fresh = rendered_all([*texts, *texts])
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
    with django_assert_num_queries(6):  # session, user, roles; the instance, its outputs, the cache
        carl.get(address)


def test_hostile_keys_and_titles_are_shown_as_text(carl):
    hostile = "<script>alert(1)</script>/x?y#z"
    row = InstanceFactory(key=hostile, payload={"title": hostile, "statement": "$x$"})
    page = carl.get(reverse("instance", args=[row.release.name, hostile]))
    assert page.status_code == 200
    assert "<script>alert" not in page.content.decode()
    assert "<script>alert" not in carl.get(reverse("release", args=[row.release.name])).content.decode()
