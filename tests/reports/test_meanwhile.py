"""A record is being published when somebody begins something else: it waits, and finds what became public."""

from datetime import date

import pytest

from accounts.refusal import Refused
from annotation.campaigns.actions import create_campaign, draw_items, open_campaign
from annotation.models import Campaign
from benchmark.describing.actions import describe_release
from benchmark.releases.freezing import freeze_release
from reports.artifact.freezing import freeze_artifact
from reports.records import actions as records
from tests.conftest import member
from tests.meanwhile import Meanwhile
from tests.reports.conftest import load_proofs

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_campaign_that_opens_while_its_answers_are_published_hears_of_it(monkeypatch, settings, tmp_path):
    settings.RECORD_DIR = tmp_path
    carl = member("carl@study.test", "Carl", "coordinator")
    release = load_proofs()
    describe_release(
        actor=None, release=release, licence="MIT", creators="Nora", published_on=date(2026, 11, 1)
    )
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    artifact = freeze_artifact(actor=None, release=release)
    again = create_campaign(actor=carl, name="Again", release=release, rubric="proofs-v1")
    draw_items(actor=carl, campaign=again)
    meanwhile = Meanwhile(
        monkeypatch, records, "prepare_record", lambda: open_campaign(actor=carl, campaign=again)
    )
    wish = records.Wish(name="proofs", title="Proofs", asked="?", limitations="Few.", show_outputs=True)
    records.publish_record(actor=None, artifact=artifact, wish=wish)
    refusal = meanwhile.end()
    assert isinstance(refusal, Refused)
    assert refusal.code == "answers_public"
    assert Campaign.objects.get(pk=again.pk).phase == "draft"
