"""Referee reports and tables of labels with comments, imported in the browser and exported again."""

import csv
import io
import zipfile
from collections import Counter

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotation.models import Campaign, Comment, Grade
from benchmark.importing.uploading import work_imports
from benchmark.models import ImportState, ImportUpload, Release
from reports.referees.views import EXAMPLES
from tests.reports.refereed import Made, hundred

pytestmark = pytest.mark.django_db
NAME = "referee-reports"


def archive(files: dict[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as target:
        for name, text in files.items():
            target.writestr(name, text)
    return packed.getvalue()


@pytest.fixture
def client(owner) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def send(
    client: Client, release: Release, name: str, data: bytes, comments: bytes | None = None
) -> ImportUpload:
    """Upload what people have; a worker checks it."""
    fields = {"file": SimpleUploadedFile(name, data), "release": release.name, "campaign": NAME}
    if comments is not None:
        fields["comments"] = SimpleUploadedFile("comments.csv", comments)
    answer = client.post(reverse("import-labels"), fields)
    assert answer.status_code == 302, answer.content.decode()
    work_imports()
    return ImportUpload.objects.get(handle=answer.url.rstrip("/").rpartition("/")[2])


def apply(client: Client, upload: ImportUpload) -> ImportUpload:
    assert upload.state == ImportState.CHECKED, (upload.refusal, upload.faults[:5])
    client.post(reverse("import-apply", args=[upload.handle]))
    work_imports()
    upload.refresh_from_db()
    assert upload.state == ImportState.APPLIED, upload.refusal
    return upload


def exported(client: Client, release: Release, table: str) -> bytes:
    address = reverse(f"{table}-csv", args=[release.name])
    answer = client.get(f"{address}?identities=1&campaign={NAME}")
    return b"".join(answer.streaming_content)


def rows_of(data: bytes) -> list[dict[str, str]]:
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    return [{name: _unquoted(cell) for name, cell in row.items()} for row in rows]


def _unquoted(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in "=+-@\t\r\n'" else cell


def said(one: Made | dict[str, str]) -> tuple[str, ...]:
    """What a comment says, whatever breaks its lines."""
    get = one.get if isinstance(one, dict) else vars(one).get
    about = get("anchor") if isinstance(one, dict) else get("about")
    words = [
        " ".join(str(get(name)).split()) for name in ("subject", "rater", "severity", "kind", "text", "quote")
    ]
    return about, *words, get("block"), str(get("start"))


def test_a_hundred_reports_with_four_hundred_comments_come_out_as_they_went_in(proofs, client):
    files, made = hundred(proofs)
    assert (len(files), len(made)) == (100, 400)
    assert Counter(name.rpartition(".")[2] for name in files) == {"tex": 50, "md": 50}
    before = transaction.savepoint()
    checked = send(client, proofs, "reports.zip", archive(files))
    assert not Campaign.objects.filter(slug=NAME).exists(), "a dry run stores nothing"
    report = checked.report
    lost = sum(one.about == "lost" for one in made)
    assert (report["reports"], report["comments"], report["raters"]) == (100, 400, 5)
    assert (report["expert_labels"], report["lost_count"], report["unsure_count"]) == (300, lost, 0)
    apply(client, checked)
    labels, comments = (exported(client, proofs, table) for table in ("labels", "comments"))
    assert sorted(map(said, rows_of(comments))) == sorted(map(said, made))
    answers = Counter((row["question"], row["value"], row["state"]) for row in rows_of(labels))
    assert answers == {
        ("correctness", "incorrect", "answered"): 100,
        ("logic", "2", "answered"): 100,
        ("clarity", "", "abstain"): 100,
    }
    assert Counter(row["rater"] for row in rows_of(labels)) == {row.rater: 60 for row in made}
    again = send(client, proofs, "reports.zip", archive(files))
    assert not apply(client, again).report["changed"]
    transaction.savepoint_rollback(before)  # as another site, which has the texts only
    assert not Grade.objects.filter(assignment__item__campaign__slug=NAME).exists()
    apply(client, send(client, proofs, "labels.csv", labels, comments))
    assert exported(client, proofs, "labels") == labels
    assert exported(client, proofs, "comments") == comments
