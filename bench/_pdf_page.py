"""The seeding process of bench.pdf_page: two places on outputs that are PDFs of PAGES pages, one of them MB large.

Prints {"session", "plain", "heavy", "bytes"}: handles, and the sizes of the two copies.
"""

import io
import json
import random
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402
from PIL import Image  # noqa: E402
from weasyprint import HTML  # noqa: E402

from annotation.assigning.taking import take_next  # noqa: E402
from annotation.campaigns.actions import draw_items, open_campaign  # noqa: E402
from benchmark.files.actions import attach  # noqa: E402
from tests import factories  # noqa: E402
from tests.benchmark.pdfs import PARAGRAPH  # noqa: E402
from tests.conftest import member  # noqa: E402


def printed(pages: int, folder: str, megabytes: int) -> bytes:
    """A PDF of so many pages, with a photograph of noise on each for a large one."""
    chance, body = random.Random(1), ""
    for number in range(pages):
        picture = ""
        if megabytes:
            side = int((megabytes * 1_000_000 / pages / 0.35) ** 0.5)  # about a third of a byte for a pixel
            noise = io.BytesIO()
            Image.frombytes("L", (side, side), chance.randbytes(side * side)).save(noise, "JPEG", quality=35)
            path = f"{folder}/{number}.jpg"
            with open(path, "wb") as file:
                file.write(noise.getvalue())
            picture = f'<img width="200" src="file://{path}">'
        body += f"<section><h1>{number + 1}. Section</h1>{picture}<p>{PARAGRAPH * 5}</p></section>"
    made: bytes = HTML(string=f"<style>section{{break-after:page}}</style>{body}").write_pdf()
    return made


def main(pages: int, megabytes: int, folder: str) -> None:
    reviewer = member("ada@bench.test", "Ada", "reviewer", "algebra")
    coordinator = member("carl@bench.test", "Carl", "coordinator")
    campaign = factories.CampaignFactory(slug="bench", rubric=factories.RubricFactory(), reviewers_per_item=1)
    found: dict[str, object] = {"bytes": {}}
    names = {}
    for name, size in (("plain", 0), ("heavy", megabytes)):
        instance = factories.InstanceFactory(release=campaign.release)
        output = factories.OutputFactory(run__release=campaign.release, instance=instance, text="")
        row = attach(actor=None, subject=output, name="proof.pdf", data=printed(pages, folder, size))
        names[output.pk] = (name, len(row.copy.data))
    draw_items(actor=coordinator, campaign=campaign)
    campaign = open_campaign(actor=coordinator, campaign=campaign)
    for _ in names:
        place = take_next(reviewer=reviewer, campaign=campaign)
        name, length = names[place.item.output_id]
        found |= {name: place.handle, f"{name} bytes": length}
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(reviewer)
    print(json.dumps(found | {"session": client.cookies[settings.SESSION_COOKIE_NAME].value}))


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
