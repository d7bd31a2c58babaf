"""The seeding process of bench.grading_page: one place on a proof of PAGES pages, and how fast its page is made.

Prints {"handle", "session", "characters", "formulas", "blocks", "cold", "warm"}: seconds by the clock and of the
processor, first with an empty cache of rendered texts, then with a full one.
"""

import json
import sys
import time
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402

from annotation.assigning.taking import take_next  # noqa: E402
from annotation.campaigns.actions import draw_items, open_campaign  # noqa: E402
from benchmark.models import RenderedDocument  # noqa: E402
from benchmark.rendering.actions import render_waiting  # noqa: E402
from tests import factories  # noqa: E402
from tests.conftest import member  # noqa: E402

A_PAGE = 1800  # characters of LaTeX on a printed page: a million made 566 pages (docs/performance.md)
RUNS = 15
SAMPLE = Path(__file__).resolve().parents[1] / "sample" / "proofs" / "outputs"


def long_proof(pages: int) -> str:
    """Bodies of the sample's proofs, one after the other and over again, to the length of `pages` pages."""
    texts = [path.read_text("utf-8") for path in sorted(SAMPLE.rglob("*.tex"))]
    macros = [line for text in texts for line in text.splitlines() if line.startswith("\\newcommand")]
    bodies = [text.partition("\\begin{document}")[2].partition("\\end{document}")[0] for text in texts]
    found: list[str] = []
    while sum(map(len, found)) < pages * A_PAGE:
        found.append(bodies[len(found) % len(bodies)])
    text = "\n\n".join(found)[: pages * A_PAGE].rpartition("\n\n")[0]
    return "\n".join(
        ["\\documentclass{article}", *dict.fromkeys(macros), "\\begin{document}", text, "\\end{document}"]
    )


def main(pages: int) -> None:
    reviewer = member("ada@bench.test", "Ada", "reviewer", "algebra")
    coordinator = member("carl@bench.test", "Carl", "coordinator")
    campaign = factories.CampaignFactory(slug="bench", rubric=factories.RubricFactory(), reviewers_per_item=1)
    text = long_proof(pages)
    instance = factories.InstanceFactory(release=campaign.release)
    factories.OutputFactory(run__release=campaign.release, instance=instance, text=text)
    draw_items(actor=coordinator, campaign=campaign)
    place = take_next(reviewer=reviewer, campaign=open_campaign(actor=coordinator, campaign=campaign))
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(reviewer)
    address = reverse("grade", args=[place.handle])

    def opened() -> tuple[float, float]:
        start = time.perf_counter(), time.process_time()
        assert client.get(address).status_code == 200
        return time.perf_counter() - start[0], time.process_time() - start[1]

    RenderedDocument.objects.all().delete()
    cold = opened()
    render_waiting()  # as a worker does; until then the page shows the source
    warm = [opened() for _ in range(RUNS)]
    page = client.get(address).content.decode()
    print(
        json.dumps(
            {
                "handle": place.handle,
                "session": client.cookies[settings.SESSION_COOKIE_NAME].value,
                "characters": len(text),
                "formulas": page.count('class="math"'),
                "blocks": page.count('class="passage"'),
                "cold": cold,
                "warm": warm,
            }
        )
    )


main(int(sys.argv[1]))
