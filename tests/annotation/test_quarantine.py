"""Texts that reveal their author stay away from blinded people until somebody decides."""

import datetime as dt
from itertools import count

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

import latex
from accounts.models import AuditEvent
from accounts.refusal import NotAllowed, Refused
from annotation.campaigns import actions as campaigns_actions
from annotation.core.material import material
from annotation.quarantine import actions as quarantine_actions
from annotation.quarantine import api, views
from benchmark import tasks
from benchmark.identities import actions as scanning
from benchmark.identities.actions import add_identity_word, scan_identities
from benchmark.identities.redaction import redact
from benchmark.models import IdentityDecision, IdentityScan, Output, RedactedOutput, RenderedDocument
from benchmark.releases.queries import quarantined, shown_content
from benchmark.rendering.stored import cache_key
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
)

pytestmark = pytest.mark.django_db

TELLING = r"As \textbf{G}PT-5, I reduce to the compact case. Then $x>0$."


@pytest.fixture
def run():
    return RunFactory()


def output(run, text="Let $x>0$.", **changes):
    return OutputFactory(run=run, instance=InstanceFactory(release=run.release), text=text, **changes)


@pytest.fixture
def telling(run):
    made = output(run, TELLING)
    output(run)
    scan_identities(release=run.release)
    return made


def redacted(actor, made):
    return quarantine_actions.decide_identity(actor=actor, output=made, verdict="redacted")


def test_a_scan_reads_each_answered_output_once(run, telling):
    assert list(quarantined(run.release)) == [telling]
    assert scan_identities(release=run.release) == {"scanned": 0, "left": 0, "outputs": 2, "certain": 1}


def test_a_newer_version_of_the_scan_reads_again(run, telling):
    IdentityScan.objects.update(version=0, certain=0, findings=[])
    assert scan_identities(release=run.release) == {"scanned": 2, "left": 0, "outputs": 2, "certain": 1}


def test_what_waits_for_a_decision_is_not_drawn(run, telling, coordinator):
    campaign = CampaignFactory(release=run.release, created_by=coordinator)
    with pytest.raises(Refused, match="1 output may reveal the author") as refusal:
        campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    assert refusal.value.code == "quarantined"
    drawn = campaigns_actions.draw_items(actor=coordinator, campaign=campaign, leave_out_undecided=True)
    assert telling.pk not in {item.output_id for item in drawn}
    assert len(drawn) == 1


def test_a_draw_scans_what_nobody_has_scanned(run, coordinator):
    output(run, "Written by Claude.")
    output(run)
    campaign = CampaignFactory(release=run.release, created_by=coordinator)
    with pytest.raises(Refused, match="quarantine"):
        campaigns_actions.draw_items(actor=coordinator, campaign=campaign)


def test_graders_read_the_redacted_text_and_the_original_stays(run, telling, coordinator):
    redacted(coordinator, telling)
    campaign = CampaignFactory(release=run.release, created_by=coordinator)
    items = campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    item = next(item for item in items if item.output_id == telling.pk)
    shown = material(AssignmentFactory.build(item=item)).proofs[0]
    assert shown.anchored.text.startswith(r"As \textbf{[redacted]}, I reduce")
    assert Output.objects.get(pk=telling.pk).text == TELLING
    assert "GPT" not in shown.anchored.text


def test_judges_read_what_graders_read(telling, coordinator):
    redacted(coordinator, telling)
    fresh = Output.objects.select_related("redacted").get(pk=telling.pk)
    assert "[redacted]" in shown_content(fresh)[1]


def test_every_system_s_outputs_are_redacted_by_one_rule(run, telling, coordinator):
    other = output(RunFactory(release=run.release), "This was written by Claude.")
    scan_identities(release=run.release)
    counts = quarantine_actions.redact_release(actor=coordinator, release=run.release, seconds=60)
    assert counts == {"redacted": 2, "left": 0, "untried": 0}
    texts = {row.output_id: row.text for row in RedactedOutput.objects.all()}
    assert texts[telling.pk].count("[redacted]") == 1
    assert texts[other.pk] == "This was written by [redacted]."


def test_a_request_redacts_for_as_long_as_a_person_waits_and_says_what_is_left(
    client, run, telling, coordinator, monkeypatch
):
    client.force_login(coordinator)
    monkeypatch.setattr("annotation.quarantine.views.PATIENCE", 0)
    page = client.post(reverse("quarantine-redact", args=[run.release.name]), follow=True)
    assert "0 outputs redacted. 1 is still to do: press the button again." in page.content.decode()
    assert list(quarantined(run.release)) == [telling]


def test_a_decision_can_be_withdrawn_until_the_output_is_drawn(run, telling, coordinator):
    redacted(coordinator, telling)
    quarantine_actions.withdraw_decision(actor=coordinator, output=telling)
    assert not RedactedOutput.objects.exists()
    assert list(quarantined(run.release)) == [telling]
    redacted(coordinator, telling)
    ItemFactory(output=telling, instance=telling.instance, campaign=CampaignFactory(release=run.release))
    with pytest.raises(Refused, match="drawn into a campaign"):
        quarantine_actions.withdraw_decision(actor=coordinator, output=telling)


def test_the_database_itself_keeps_a_drawn_text(run, telling, coordinator):
    decision = redacted(coordinator, telling)
    ItemFactory(output=telling, instance=telling.instance, campaign=CampaignFactory(release=run.release))
    with pytest.raises(IntegrityError, match="drawn into a campaign"), transaction.atomic():
        RedactedOutput.objects.filter(decision=decision).delete()
    with pytest.raises(IntegrityError, match="withdrawn, not changed"), transaction.atomic():
        RedactedOutput.objects.filter(decision=decision).update(text="other")
    other = output(run)
    ItemFactory(output=other, instance=other.instance, campaign=CampaignFactory(release=run.release))
    with pytest.raises(IntegrityError, match="drawn into a campaign"), transaction.atomic():
        RedactedOutput.objects.create(output=other, decision=decision, text="other")


def test_the_database_itself_keeps_decisions(telling, coordinator):
    decision = redacted(coordinator, telling)
    rows = IdentityDecision.objects.filter(pk=decision.pk)
    with pytest.raises(IntegrityError, match="withdrawn, not changed"), transaction.atomic():
        rows.update(verdict="harmless", reason="no")
    quarantine_actions.withdraw_decision(actor=coordinator, output=telling)
    with pytest.raises(IntegrityError, match="withdrawn, not changed"), transaction.atomic():
        rows.update(withdrawn_at=None)
    with pytest.raises(IntegrityError, match="stays in the history"), transaction.atomic():
        rows._raw_delete(rows.db)


def test_a_harmless_or_excluded_output_needs_a_reason(telling, coordinator):
    for verdict in ("harmless", "excluded"):
        with pytest.raises(Refused, match="Say why"):
            quarantine_actions.decide_identity(actor=coordinator, output=telling, verdict=verdict)


def test_an_excluded_output_is_left_out_of_every_draw(run, telling, coordinator):
    quarantine_actions.decide_identity(
        actor=coordinator, output=telling, verdict="excluded", reason="names its maker"
    )
    campaign = CampaignFactory(release=run.release, created_by=coordinator)
    drawn = campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    assert telling.pk not in {item.output_id for item in drawn}


def test_a_harmless_output_is_drawn_as_it_is(run, telling, coordinator):
    quarantine_actions.decide_identity(
        actor=coordinator, output=telling, verdict="harmless", reason="a school's name"
    )
    campaign = CampaignFactory(release=run.release, created_by=coordinator)
    assert len(campaigns_actions.draw_items(actor=coordinator, campaign=campaign)) == 2


def test_a_person_marks_more_than_the_scan_found(run, coordinator):
    made = output(run, "Our laboratory proves it.")
    scan_identities(release=run.release)
    quarantine_actions.decide_identity(
        actor=coordinator, output=made, verdict="redacted", also=[("text", 4, 14)]
    )
    assert RedactedOutput.objects.get(output=made).text == "Our [redacted] proves it."


@pytest.mark.parametrize("passage", [("text", 5, 5), ("text", 0, 9999), ("payload/x", 0, 1), ("text", -1, 3)])
def test_a_passage_outside_the_shown_texts_is_refused(run, coordinator, passage):
    made = output(run, "Our laboratory proves it.")
    with pytest.raises(Refused, match="has no passage"):
        quarantine_actions.decide_identity(actor=coordinator, output=made, verdict="redacted", also=[passage])


def test_nothing_to_redact_is_said(run, coordinator):
    with pytest.raises(Refused, match="nothing to redact"):
        redacted(coordinator, output(run))


def test_two_decisions_do_not_stand_side_by_side(telling, coordinator):
    redacted(coordinator, telling)
    with pytest.raises(Refused, match="Someone has already decided"):
        redacted(coordinator, telling)


def test_reviewers_and_strangers_decide_nothing(telling, algebraist, stranger):
    for person in (algebraist, stranger):
        with pytest.raises(NotAllowed):
            redacted(person, telling)


def test_decisions_stand_in_the_audit_trail(telling, coordinator):
    redacted(coordinator, telling)
    quarantine_actions.withdraw_decision(actor=coordinator, output=telling)
    verbs = list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs[-2:] == ["decide_identity", "withdraw_identity_decision"]


@pytest.mark.parametrize(
    ("source", "taken", "left"),
    [
        (r"\textbf{G}PT-5 x", "G}PT-5", r"\textbf{[redacted]} x"),
        (r"a $\mathrm{GPT}$-5 b", r"GPT}$-5", r"a $\mathrm{[redacted]}$ b"),
        (r"a \(\mathrm{GPT}\)-5 b", r"GPT}\)-5", r"a \(\mathrm{[redacted]}\) b"),
        (r"a \[\text{GPT}\]-5\\[2pt] b", r"GPT}\]-5\\[2pt]", r"a \[\text{[redacted]}\] b"),
        (r"a $$\text{GPT}$$-5 b", r"GPT}$$-5", r"a $$\text{[redacted]}$$ b"),
        (r"a GPT-$5$ b", r"GPT-$5", r"a [redacted]$ $ b"),
        (r"a\\GPT-5 b", "GPT-5", r"a\\{}[redacted] b"),
        (r"\item GPT-5 b", "GPT-5", r"\item {}[redacted] b"),
        (r"\begin{proof} GPT-5 b", "GPT-5", r"\begin{proof} {}[redacted] b"),
        (r"a \emph{by GPT-5", r"\emph{by GPT-5", "a [redacted]{"),
        (r"a \{GPT\} b", r"\{GPT\}", "a [redacted] b"),
        ("x % by GPT-5\ny", "% by GPT-5\n", "x [redacted]\ny"),
    ],
)
def test_a_redaction_leaves_the_rest_of_the_document_as_it_was(source, taken, left):
    start = source.index(taken)
    assert redact(source, [(start, start + len(taken))], "latex") == left


def test_overlapping_passages_become_one_mark():
    assert redact("abcdef", [(1, 3), (2, 4), (4, 5)], "plain") == "a[redacted]f"


def test_the_page_shows_passages_in_context_and_decides(client, telling, run, coordinator):
    client.force_login(coordinator)
    page = client.get(f"/grading/quarantine/{run.release.name}/").content.decode()
    assert "<mark>G}PT-5</mark>" in page
    assert "Redact all 1" in page
    client.post(f"/grading/quarantine/{run.release.name}/outputs/{telling.pk}/", {"verdict": "redacted"})
    page = client.get(f"/grading/quarantine/{run.release.name}/").content.decode()
    assert "Redacted</strong> by Carl Coordinator" in page
    assert "Redact all" not in page
    client.post(f"/grading/quarantine/{run.release.name}/outputs/{telling.pk}/", {"verdict": "withdraw"})
    client.post(f"/grading/quarantine/{run.release.name}/redact/")
    assert RedactedOutput.objects.count() == 1


def test_enter_in_the_reason_chooses_no_verdict(client, telling, run, coordinator):
    client.force_login(coordinator)
    page = client.get(f"/grading/quarantine/{run.release.name}/").content.decode()
    form = next(form for form in page.split("<form")[1:] if 'name="reason"' in form)
    assert form[form.index("<button") :].startswith('<button class="no-default" hidden disabled>')


def test_the_page_costs_the_same_for_many_outputs(client, run, coordinator, django_assert_max_num_queries):
    for _ in range(12):
        output(run, TELLING)
    scan_identities(release=run.release)
    client.force_login(coordinator)
    with django_assert_max_num_queries(15):
        assert client.get(f"/grading/quarantine/{run.release.name}/").content.count(b"<article") == 12


ON_THE_PAGE = r"\newcommand{\who}[1]{Deep#1}" + "\n\nLet $x>0$.\n\n" + r"This was written by \who{Seek}."


@pytest.fixture
def assembled(run):
    made = output(run, ON_THE_PAGE)
    output(run)
    scan_identities(release=run.release)
    return made


def test_a_name_that_only_the_page_says_waits_for_a_person(run, assembled, coordinator):
    assert list(quarantined(run.release)) == [assembled]
    with pytest.raises(Refused, match="The page says “DeepSeek”") as refusal:
        redacted(coordinator, assembled)
    assert refusal.value.code == "only_on_the_page"
    counts = quarantine_actions.redact_release(actor=coordinator, release=run.release, seconds=60)
    assert counts == {"redacted": 0, "left": 1, "untried": 0}
    campaign = CampaignFactory(release=run.release, created_by=coordinator)
    drawn = campaigns_actions.draw_items(actor=coordinator, campaign=campaign, leave_out_undecided=True)
    assert assembled.pk not in {item.output_id for item in drawn}


@pytest.mark.parametrize(("version", "certain"), [(latex.RENDER_VERSION, 1), ("older", 0)])
def test_a_page_that_is_stored_is_scanned_as_it_is_stored(run, version, certain):
    made = output(run)
    blocks = [{"id": "b1", "kind": "paragraph", "html": "<p>By <em>GPT</em>-5.</p>", "start": 0, "end": 10}]
    RenderedDocument.objects.create(
        sha256=cache_key(made.text, made.text_format),
        version=version,
        rendered_at=timezone.now(),
        blocks=[block | {"label": "", "within": []} for block in blocks],
    )
    assert scan_identities(release=run.release)["certain"] == certain


def test_a_person_marks_what_only_the_page_says(run, assembled, coordinator):
    def mark(passage):
        start = ON_THE_PAGE.index(passage)
        quarantine_actions.decide_identity(
            actor=coordinator,
            output=assembled,
            verdict="redacted",
            also=[("text", start, start + len(passage))],
        )

    with pytest.raises(Refused) as refusal:
        mark("Let")
    assert refusal.value.code == "still_tells"
    mark(r"\who{Seek}")
    assert RedactedOutput.objects.get(output=assembled).text.endswith("This was written by [redacted].")


def test_the_redaction_of_a_source_leaves_no_name_that_only_the_page_says(run, coordinator):
    made = output(run, TELLING + "\n\n" + ON_THE_PAGE)
    scan_identities(release=run.release)
    with pytest.raises(Refused) as refusal:
        redacted(coordinator, made)
    assert refusal.value.code == "still_tells"


def test_the_quarantine_quotes_the_source_of_what_only_the_page_says(client, run, assembled, coordinator):
    client.force_login(coordinator)
    page = client.get(f"/grading/quarantine/{run.release.name}/").content.decode()
    assert r"<mark>This was written by \who{Seek}.</mark>" in page
    assert "the page says: DeepSeek" in page


def test_an_excerpt_is_redacted_as_latex_whatever_the_format_of_its_output(coordinator):
    release = ReleaseFactory(benchmark__protocol="re2math")
    payload = {"selected_source": {"title": "A title"}, "source_excerpt": r"By \textbf{G}P\textit{T}-5 $a$."}
    made = output(RunFactory(release=release), "A statement.", text_format="plain", payload=payload)
    assert scan_identities(release=release)["certain"] == 1
    redacted(coordinator, made)
    assert RedactedOutput.objects.get(output=made).payload["source_excerpt"] == (
        r"By \textbf{[redacted]} $a$."
    )


def test_an_empty_quarantine_says_so(client, run, coordinator):
    output(run)
    scan_identities(release=run.release)
    client.force_login(coordinator)
    page = client.get(f"/grading/quarantine/{run.release.name}/").content.decode()
    assert "Nothing in the 1 output reveals who wrote them." in page


def test_rest_lists_and_decides(client, telling, run, coordinator):
    client.force_login(coordinator)
    base = f"/api/v1/releases/{run.release.name}/quarantine/"
    (row,) = client.get(base).json()["results"]
    assert (row["output"], row["verdict"], row["findings"][0]["evidence"]) == (telling.pk, "", "GPT-5")
    sent = {"verdict": "excluded", "reason": "names its maker"}
    reply = client.post(f"{base}{telling.pk}/", sent, content_type="application/json")
    assert (reply.status_code, reply.json()["verdict"]) == (200, "excluded")
    reply = client.post(f"{base}{telling.pk}/", sent, content_type="application/json")
    assert (reply.status_code, reply.json()["code"]) == (409, "decided")


def test_rest_scans_and_redacts_all(client, telling, run, coordinator):
    client.force_login(coordinator)
    base = f"/api/v1/releases/{run.release.name}/quarantine/"
    assert client.post(f"{base}scan/").json()["certain"] == 1
    assert list(quarantined(run.release)) == [telling]
    assert client.post(f"{base}redact/").json() == {"redacted": 1, "left": 0, "untried": 0}
    assert not quarantined(run.release).exists()


@pytest.fixture
def a_second_each(monkeypatch) -> None:
    """Each look at the clock is a second later, and a batch is one output."""
    monkeypatch.setattr(scanning, "BATCH", 1)
    monkeypatch.setattr(scanning, "monotonic", count().__next__)


def test_a_long_scan_keeps_nobody_waiting_and_a_worker_does_the_rest(
    client, run, coordinator, monkeypatch, a_second_each
):
    for number in range(5):
        output(run, f"As GPT-5, I reduce it to {number}.")
    called = []
    for module in (views, tasks):
        monkeypatch.setattr(module, "call_worker", lambda *told: called.append(told))
    monkeypatch.setattr(views, "PATIENCE", 3)
    client.force_login(coordinator)
    page = client.post(reverse("quarantine-scan", args=[run.release.name]), follow=True).content.decode()
    assert "2 outputs scanned; 2 have a certain finding. A worker scans the other 3" in page
    monkeypatch.setattr(tasks, "AT_ONCE", 3)
    assert called == [("benchmark.scan_identities", run.release_id)]
    assert [tasks.scan(run.release_id), tasks.scan(run.release_id)] == [1, 0]
    assert called == [("benchmark.scan_identities", run.release_id)] * 2
    assert quarantined(run.release).count() == 5


def test_rest_says_how_many_outputs_are_left_to_scan(client, run, coordinator, monkeypatch, a_second_each):
    for number in range(3):
        output(run, f"Two and {number}.")
    monkeypatch.setattr(api, "PATIENCE", 3)
    client.force_login(coordinator)
    address = f"/api/v1/releases/{run.release.name}/quarantine/scan/"
    assert [client.post(address).json()["left"] for _ in range(2)] == [1, 0]


def test_a_draw_scans_only_so_much_as_a_person_waits_for(coordinator, run, monkeypatch):
    made = {row.pk: row for row in (output(run, f"Two and {number}.") for number in range(3))}
    monkeypatch.setattr(quarantine_actions, "MOST_SCANNED_BY_A_DRAW", 2)
    with pytest.raises(Refused, match="3 outputs are not scanned yet for what reveals who wrote them"):
        quarantine_actions.eligible(run.release, made, leave_out_undecided=False)
    scan_identities(release=run.release)
    assert quarantine_actions.eligible(run.release, made, leave_out_undecided=False) == made


def test_a_word_of_the_study_holds_back_what_the_general_list_cannot_know(client, coordinator, run):
    made = output(run, r"The N{\"o}rdlicht engine and its nordlicht-proof run: see p. 3.")
    assert scan_identities(release=run.release)["certain"] == 0
    client.force_login(coordinator)
    address = f"/grading/quarantine/{run.release.name}/"
    client.post(f"{address}words/", {"word": "  Nördlicht  "})
    page = client.get(address).content.decode()
    assert "Nördlicht" in page
    assert "Scan 1 output" in page
    assert scan_identities(release=run.release) == {"scanned": 1, "left": 0, "outputs": 1, "certain": 1}
    assert list(quarantined(run.release)) == [made]
    redacted(coordinator, made)
    shown = shown_content(Output.objects.select_related("redacted").get(pk=made.pk))[1]
    assert shown == "The [redacted] engine and its [redacted]-proof run: see p. 3."


def test_a_draw_scans_again_after_a_word_was_added(coordinator, run):
    output(run, "The Nordlicht engine says so.")
    scan_identities(release=run.release)
    add_identity_word(actor=coordinator, release=run.release, word="Nordlicht")
    campaign = CampaignFactory(release=run.release, created_by=coordinator)
    with pytest.raises(Refused) as refusal:
        campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    assert refusal.value.code == "quarantined"


def test_a_word_that_is_added_in_the_middle_of_a_scan_is_looked_for_by_the_next(
    coordinator, run, monkeypatch
):
    made = output(run, "The Nordlicht engine says so.")
    find = scanning.find

    def find_meanwhile(*given):
        monkeypatch.setattr(scanning, "find", find)
        add_identity_word(actor=coordinator, release=run.release, word="Nordlicht")
        return find(*given)

    monkeypatch.setattr(scanning, "find", find_meanwhile)
    scan_identities(release=run.release)
    assert scan_identities(release=run.release)["scanned"] == 1
    assert list(quarantined(run.release)) == [made]


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_scan_on_a_host_whose_clock_is_wrong_counts_for_the_words_that_it_looked_for(
    coordinator, run, hours
):
    output(run, "The Nordlicht engine says so.")
    add_identity_word(actor=coordinator, release=run.release, word="Polaris")
    scan_identities(release=run.release)
    IdentityScan.objects.update(scanned_at=timezone.now() + dt.timedelta(hours=hours))
    assert scan_identities(release=run.release)["scanned"] == 0
    add_identity_word(actor=coordinator, release=run.release, word="Nordlicht")
    assert scan_identities(release=run.release)["certain"] == 1


def test_what_a_new_word_finds_in_a_drawn_output_can_be_called_harmless(client, coordinator, run):
    made = output(run, "The Nordlicht engine says so.")
    ItemFactory(output=made, instance=made.instance, campaign=CampaignFactory(release=run.release))
    add_identity_word(actor=coordinator, release=run.release, word="Nordlicht")
    scan_identities(release=run.release)
    client.force_login(coordinator)
    page = client.get(reverse("quarantine", args=[run.release.name])).content.decode()
    assert "Mark it as harmless if nobody learns from it who wrote it" in page
    assert 'value="harmless"' in page
    assert 'value="redacted"' not in page
    for verdict in ("redacted", "excluded"):
        with pytest.raises(Refused, match="drawn into a campaign"):
            quarantine_actions.decide_identity(actor=coordinator, output=made, verdict=verdict, reason="So.")
    address = reverse("quarantine-decide", args=[run.release.name, made.pk])
    client.post(address, {"verdict": "harmless", "reason": "A street in the text."})
    assert not quarantined(run.release).exists()
    client.post(address, {"verdict": "withdraw"})
    assert list(quarantined(run.release)) == [made]


def test_words_are_added_and_removed_over_rest_and_each_only_once(client, coordinator, run):
    client.force_login(coordinator)
    address = f"/api/v1/releases/{run.release.name}/quarantine/words/"

    def add(word: str):
        return client.post(address, {"word": word}, content_type="application/json")

    made = add("Nordlicht")
    assert made.status_code == 201
    assert (add("NORDLICHT").status_code, add("x").status_code, add("--").status_code) == (409, 409, 409)
    assert [row["word"] for row in client.get(address).json()] == ["Nordlicht"]
    assert client.delete(f"{address}{made.json()['id']}/").status_code == 204
    assert client.delete(f"{address}{made.json()['id']}/").status_code == 409
    assert client.get(address).json() == []
    assert add("Nordlicht").status_code == 201, "after it was removed"
    verbs = (
        AuditEvent.objects.filter(verb__contains="identity_word")
        .order_by("pk")
        .values_list("verb", flat=True)
    )
    assert list(verbs) == ["add_identity_word", "remove_identity_word", "add_identity_word"]
