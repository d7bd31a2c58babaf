"""Pictures of a text: attached, shown where the text has them, and nowhere called what their files were called."""

import base64
import io
import re

import pytest
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.core.item_names import item_name
from annotation.core.visibility import viewer
from annotation.grading.shown import own_place
from annotation.models import Assignment, Campaign
from annotation.quarantine.actions import redact_release
from benchmark.files.actions import attach
from benchmark.files.pictures import is_called
from benchmark.identities.actions import scan_identities
from benchmark.models import Attachment, Output
from benchmark.rendering.actions import render_waiting
from reports.printing.items import printed_items
from reports.printing.pages import print_html
from tests.benchmark.pdfs import paper, png

WORD = "zqsystem"
TEXT = (
    "A proof in words.\n\n\\begin{figure}\\includegraphics[width=.5\\textwidth]{figs/NAME-tower}"
    "\\caption{A tower of fields.}\\end{figure}\n\nAnd \\includegraphics{NAME-plot.png} at the end."
).replace("NAME", WORD)


@pytest.fixture
def illustrated_place(drafted: Campaign, coordinator, algebraist) -> Assignment:
    figure, plot = paper(f"Tower of {WORD}s"), png(WORD)
    for output in Output.objects.filter(run__release=drafted.release):
        Output.objects.filter(pk=output.pk).update(text=TEXT)
        output.refresh_from_db()
        attach(actor=None, subject=output, name=f"p1.zip: source/figs/{WORD}-tower.pdf", data=figure)
        attach(actor=None, subject=output, name=f"{WORD}-plot.png", data=plot)
    draw_items(actor=coordinator, campaign=drafted)
    place = take_next(reviewer=algebraist, campaign=open_campaign(actor=coordinator, campaign=drafted))
    own_place(place)  # asks for the texts
    render_waiting()
    return place


@pytest.mark.parametrize(
    ("path", "name", "same"),
    [
        ("plot.png", "plot", True),
        ("plot.png", "plot.png", True),
        ("plot.png", "figures/plot", True),
        ("source/figs/plot.png", "figs/plot", True),
        ("a.zip: figs/plot.png", "./plot.png", True),
        ("plot-eps-converted-to.pdf", "plot", True),
        ("a/plot.png", "b/plot", False),
        ("plot.png", "plot2", False),
        ("plot.v2.png", "plot", False),
        ("plot.png", "", False),
    ],
)
def test_a_file_is_what_a_text_calls_it(path: str, name: str, same: bool) -> None:
    assert is_called(path, name) is same


@pytest.mark.slow
@pytest.mark.django_db
def test_a_figure_that_is_a_pdf_becomes_a_picture_whose_words_are_scanned(illustrated_place) -> None:
    figure, plot = Attachment.objects.filter(output=illustrated_place.item.output).order_by("number")
    assert (figure.copy.kind, figure.shown_as, plot.shown_as) == (
        "image",
        [f"figs/{WORD}-tower"],
        [f"{WORD}-plot.png"],
    )
    assert figure.copy.pages == [[559, 794]]  # A5 at 96 pixels an inch
    assert Image.open(io.BytesIO(figure.copy.data)).size[1] == pytest.approx(1588, abs=2)
    assert WORD in figure.copy.words[0]


@pytest.mark.slow
@pytest.mark.django_db
def test_a_reviewer_sees_the_pictures_in_their_places_and_no_name(illustrated_place, client) -> None:
    client.force_login(illustrated_place.reviewer)
    page = client.get(reverse("grade", args=[illustrated_place.handle])).content.decode()
    first, second = (reverse("item-file", args=[illustrated_place.handle, number]) for number in (1, 2))
    assert f'src="{first}" width="320" height="455" loading="lazy" alt="Figure 1. A tower of fields."' in page
    assert f'src="{second}" width="16" height="8" loading="lazy" alt="Picture 2 of the proof"' in page
    assert page.count(first) == page.count(second) == 2  # the picture, and the link to it
    assert WORD not in page
    assert client.get(first)["Content-Type"] == "image/webp"
    told = client.get(reverse("api-assignment", args=[illustrated_place.handle])).content.decode()
    assert WORD not in told


@pytest.mark.slow
@pytest.mark.django_db
def test_a_picture_whose_name_was_redacted_is_shown(drafted, coordinator, algebraist, client) -> None:
    for output in Output.objects.filter(run__release=drafted.release):
        text = r"Two: \includegraphics{a/gpt-5-one}, \includegraphics{a/gpt-5-two} and \includegraphics{gpt-5-no}."
        Output.objects.filter(pk=output.pk).update(text=text)
        output.refresh_from_db()
        for name in ("one", "two"):
            attach(actor=None, subject=output, name=f"gpt-5-{name}.png", data=png(name))
    scan_identities(release=drafted.release)
    redact_release(actor=coordinator, release=drafted.release, seconds=60)
    draw_items(actor=coordinator, campaign=drafted)
    place = take_next(reviewer=algebraist, campaign=open_campaign(actor=coordinator, campaign=drafted))
    own_place(place)
    render_waiting()
    client.force_login(algebraist)
    page = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert re.findall(r'<img class="picture" src="[^"]*/files/(\d)/"', page) == ["1", "2"]
    assert page.count("[picture: [redacted]-no, which did not come with the text]") == 1
    assert "gpt" not in page.lower()


@pytest.mark.django_db
def test_those_who_adjudicate_and_staff_see_them_too(illustrated_place, client, owner) -> None:
    item = illustrated_place.item
    client.force_login(owner)
    address = reverse("adjudicate", args=[item.campaign.slug, item_name(item.pk)])
    assert len(re.findall('<img class="picture"', client.get(address).content.decode())) == 2
    instance = reverse("instance", args=[item.campaign.release.name, item.instance.key])
    client.get(instance)
    render_waiting()
    assert '<img class="picture"' in client.get(instance).content.decode()


@pytest.mark.slow
@pytest.mark.django_db
def test_a_report_prints_them_and_fetches_nothing_else(illustrated_place) -> None:
    Campaign.objects.filter(pk=illustrated_place.item.campaign_id).update(
        phase="closed", closed_at=timezone.now()
    )
    who = viewer(signed_in=True, staff=True, informed=False, holds=False, released=False)
    campaign = Campaign.objects.get(pk=illustrated_place.item.campaign_id)
    html = "".join(
        passage.block.html
        for batch in printed_items([campaign], who, identities=False)
        for one in batch
        for part in one.parts
        for passage in part.passages
    )
    (first, *_) = re.findall(r'src="data:image/webp;base64,([^"]+)"', html)
    assert base64.b64decode(first)[8:12] == b"WEBP"
    assert WORD not in html
    with_picture, without = (
        print_html(f"<p>{words}</p>", []) for words in (html, re.sub("<img[^>]*>", "", html))
    )
    assert len(with_picture.content) > len(without.content) + 1_000
