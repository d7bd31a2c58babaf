"""Two who publish, or publish and open a campaign, at the same moment."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from accounts.refusal import Refused
from annotation.campaigns import actions as campaigns
from annotation.models import Campaign
from benchmark.describing.actions import describe_release
from benchmark.models import ReleaseDescription
from benchmark.releases.freezing import freeze_release
from reports.artifact.freezing import freeze_artifact
from reports.models import Artifact, PublicRecord
from reports.records import actions as records
from reports.records import folder
from tests.conftest import member
from tests.meanwhile import Meanwhile
from tests.reports.conftest import load_proofs

pytestmark = pytest.mark.django_db(transaction=True)
WISH = records.Wish(name="gaps", title="Gaps in proofs", asked="Find a statement.", limitations="Few gaps.")


@pytest.fixture
def carl(db):
    return member("carl@study.test", "Carl", "coordinator")


@pytest.fixture
def frozen(db, settings, tmp_path) -> Artifact:
    settings.RECORD_DIR = tmp_path / "records"
    release = load_proofs()
    said = {"licence": "CC-BY-4.0", "creators": "Nora Feld", "published_on": date(2026, 11, 1)}
    describe_release(actor=None, release=release, **said)
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    return freeze_artifact(actor=None, release=release)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["publish", "open"])
def test_answers_are_not_published_while_a_campaign_over_them_opens(carl, frozen, monkeypatch, first):
    terms = {"name": "Second", "rubric": "proofs-v1", "least_authors": 1}
    campaign = campaigns.create_campaign(actor=carl, release=frozen.release, **terms)
    campaigns.draw_items(actor=carl, campaign=campaign, leave_out_undecided=True)

    def publish() -> Any:
        return records.publish_record(actor=None, artifact=frozen, wish=replace(WISH, show_outputs=True))

    def open_() -> Any:
        return campaigns.open_campaign(actor=carl, campaign=campaign)

    if first == "publish":
        other = Meanwhile(monkeypatch, records, "prepare_record", open_)
        publish()
    else:
        other = Meanwhile(monkeypatch, campaigns, "public_answers", publish)
        open_()
    refused = other.end()
    assert isinstance(refused, Refused)
    assert other.waited
    assert refused.code == ("answers_public" if first == "publish" else "open")
    is_open = Campaign.objects.get(pk=campaign.pk).phase == "open"
    assert is_open != bool(ReleaseDescription.objects.get().answers_public_at)


@pytest.mark.slow
def test_the_list_of_records_has_both_of_two_that_are_published_at_once(frozen, monkeypatch):
    def publish(name: str) -> PublicRecord:
        return records.publish_record(actor=None, artifact=frozen, wish=replace(WISH, name=name))

    monkeypatch.setattr(folder, "refresh", lambda name: None)
    other = Meanwhile(monkeypatch, folder, "render_to_string", lambda: publish("others"))
    monkeypatch.setattr(records, "refresh", lambda name: None)
    publish("gaps")
    other.end()
    page = (folder.root() / "index.html").read_text("utf-8")
    assert [name for name in ("gaps/1/", "others/1/") if name not in page] == []
