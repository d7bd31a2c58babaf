"""What those who run the study meet on the pages of scores; counts are those of sample/README.md."""

import csv
import io
import json
import re

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from benchmark.releases.freezing import freeze_release
from reports.models import Artifact
from reports.scores import views
from reports.scores.inputs import collect
from tests.documents import score_document
from tests.factories import OutputFactory
from tests.reports.conftest import printed_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.fixture
def olga(client, owner):
    client.force_login(owner)
    return client


def page(client, name, *args, **query):
    reply = client.get(reverse(name, args=args), query)
    return reply.status_code, " ".join(reply.content.decode().split())


def rows(reply):
    return list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))


ADDRESSES = [
    ("scores", []),
    ("score", ["sample-re2math"]),
    ("score-numbers", ["sample-re2math"]),
    ("score-json", ["sample-re2math"]),
    ("score-report", ["sample-re2math"]),
    ("labels-csv", ["sample-re2math"]),
    ("labels-jsonl", ["sample-re2math"]),
    ("figure-csv", ["sample-re2math", "forest"]),
    ("outputs-behind", ["sample-re2math"]),
    ("audit-draw", ["sample-re2math"]),
    ("artifacts", ["sample-re2math"]),
    ("artifact", ["sample-re2math", "0" * 64]),
]


@pytest.mark.parametrize(("name", "args"), ADDRESSES)
def test_reviewers_and_people_without_a_role_are_kept_out(client, gaps, algebraist, stranger, name, args):
    address = reverse(name, args=args)
    assert client.get(address).status_code == 302  # to the sign-in page
    for user in (algebraist, stranger):
        client.force_login(user)
        for method in (client.get, client.post):
            reply = method(address)
            assert reply.status_code == 403
            assert b"aurora" not in reply.content


@pytest.mark.slow
@pytest.mark.parametrize(("name", "args"), ADDRESSES[:-2])
def test_coordinators_and_owners_see_scores(client, gaps, coordinator, owner, name, args, monkeypatch):
    monkeypatch.setattr(views, "print_html", lambda html, sheets: printed_once(html, tuple(sheets)))
    for user in (coordinator, owner):
        client.force_login(user)
        assert client.get(reverse(name, args=args)).status_code == 200


def test_the_list_names_systems_judges_and_campaigns_of_every_track(carl, gaps):
    _, text = page(carl, "scores")
    assert "aurora 30, basalt 30, cobalt 30" in text
    assert "sample-judge-v1" in text
    assert "Sample audit" in text
    assert "Sample data" in text


def test_a_system_may_be_called_items(carl, gaps):
    OutputFactory(run__release=gaps, run__system__slug="items", instance=gaps.instances.first())
    status, text = page(carl, "scores")
    assert status == 200
    assert "items 1" in text


def test_the_fixed_judge_score_stands_with_its_counts_and_interval(carl, gaps):
    _, text = page(carl, "score-numbers", "sample-re2math")
    # 16/30 = 53.33 %; Wilson by hand: centre (.5333 + 1.9207/30) / (1 + 3.8415/30) = .52956,
    # half-width 1.96 sqrt(.5333 * .4667 / 30 + .9604 / 900) / 1.12805 = .16838
    assert "16/30" in text
    assert "53.3 %" in text
    assert "36.1 to 69.8" in text


def test_the_corrected_score_stands_beside_the_fixed_one(carl, gaps):
    _, text = page(carl, "score-numbers", "sample-re2math")
    # aurora: 14 of 16 successes confirmed (census), 8 * 1/5, 4 * 0/3, 2 abstained: 15.6 of 30
    assert "52.0 %" in text
    assert "26 of 30" in text  # 16 + 5 + 3 audited, 2 known by rule
    assert "aurora / grounded insufficient" in text


def test_an_unavailable_verdict_is_counted_with_the_values_it_could_give(carl, gaps):
    _, text = page(carl, "score-numbers", "sample-re2math")
    assert "3/29" in text
    assert "between 10.0 and 13.3 % had they been judged" in text  # 3/30 and 4/30


def test_the_audit_shows_its_four_counts_and_what_was_excluded(carl, gaps):
    _, text = page(carl, "score-numbers", "sample-re2math")
    assert "25 true positive, 3 false positive, 2 false negative, 20 true negative" in text
    assert "eligible</a> pairs, 1 excluded" in text


@pytest.mark.slow
def test_undefined_values_give_their_reason_in_words(carl, proofs):
    _, text = page(carl, "score-numbers", "sample-proofs")
    assert "This coefficient is for exactly two raters." in text
    assert "NOT_TWO_RATERS" not in text


def test_whole_proofs_show_judgments_aggregates_and_means(carl, proofs):
    _, text = page(carl, "score-numbers", "sample-proofs")
    assert "No judge has given a verdict on this track." in text
    assert "4 correct, 2 inconclusive, 0 incorrect" in text  # aurora's six proofs, all experts agreeing
    assert "4.83" in text  # aurora's clarity, 87 points of 18 judgments


def test_every_linked_definition_is_on_the_page(carl, gaps):
    _, text = page(carl, "score-numbers", "sample-re2math")
    linked = {part.split('"')[0] for part in text.split('href="#def-')[1:]}
    assert linked
    assert all(f'id="def-{name}"' in text for name in linked)


def test_ids_on_the_page_are_unique(carl, gaps):
    _, text = page(carl, "score-numbers", "sample-re2math")
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_the_page_holds_no_inline_style_or_script(carl, gaps):
    _, text = page(carl, "score-numbers", "sample-re2math")
    assert " style=" not in text
    assert re.findall(r"<script(?![^>]* src=)[^>]*>", text) == []


def test_an_unknown_track_or_judge_is_answered_with_what_exists(carl, gaps):
    assert page(carl, "score-numbers", "sample-re2math", track="oracle")[0] == 404
    status, text = page(carl, "score-numbers", "sample-re2math", judge="nobody-v1")
    assert status == 404
    assert "there are: sample-judge-v1" in text


def test_an_unknown_parameter_is_refused_by_name(carl, gaps):
    status, text = page(carl, "score-numbers", "sample-re2math", model="aurora")
    assert status == 400
    assert "model" in text


@pytest.mark.slow
def test_the_json_is_the_score_document(carl, gaps):
    reply = carl.get(reverse("score-json", args=["sample-re2math"]))
    assert json.loads(reply.content) == json.loads(json.dumps(score_document(collect(release=gaps))))


def test_labels_are_blinded_unless_identities_are_asked_for(carl, gaps):
    blind = rows(carl.get(reverse("labels-csv", args=["sample-re2math"])))
    open_ = rows(carl.get(reverse("labels-csv", args=["sample-re2math"]), {"identities": "1"}))
    assert {row["rater_kind"] for row in blind} == {"expert"}
    assert not any("aurora" in cell for row in blind for cell in row.values())
    assert {row["system"] for row in open_} == {"aurora", "basalt", "cobalt"}


def test_labels_can_be_filtered_but_a_blinded_table_not_by_system(carl, gaps):
    address = reverse("labels-csv", args=["sample-re2math"])
    some = rows(carl.get(address, {"identities": "1", "system": "cobalt", "rater_kind": "judge"}))
    assert {(row["system"], row["rater_kind"]) for row in some} == {("cobalt", "judge")}
    assert carl.get(address, {"system": "cobalt"}).status_code == 400


def test_json_lines_hold_the_same_labels(carl, gaps):
    table = rows(carl.get(reverse("labels-csv", args=["sample-re2math"])))
    reply = carl.get(reverse("labels-jsonl", args=["sample-re2math"]))
    lines = b"".join(reply.streaming_content).decode().splitlines()
    assert [json.loads(line)["subject"] for line in lines] == [row["subject"] for row in table]


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        ("forest", {"metric": "tool_acc", "system": "cobalt", "kind": "fixed judge", "k": "3", "n": "29"}),
        ("decomposition", {"system": "aurora", "bucket": "success", "outputs": "16"}),
        ("confusion", {"metric": "tool_acc", "tp": "25", "fp": "3", "fn": "2", "tn": "20", "excluded": "1"}),
    ],
)
def test_the_data_behind_each_figure_is_a_table(carl, gaps, figure, expected):
    found = rows(carl.get(reverse("figure-csv", args=["sample-re2math", figure])))
    assert any(expected.items() <= row.items() for row in found)


def test_only_owners_freeze_a_score(carl, gaps, coordinator):
    freeze_release(actor=coordinator, release=gaps)
    reply = carl.post(reverse("artifacts", args=["sample-re2math"]), follow=True)
    assert "Only owners freeze a score." in reply.content.decode()
    assert not Artifact.objects.exists()


@pytest.mark.slow
def test_an_owner_freezes_a_score_once_and_downloads_it(olga, gaps, owner):
    freeze_release(actor=owner, release=gaps)
    for _ in range(2):
        olga.post(reverse("artifacts", args=["sample-re2math"]), {"track": "raw", "judge": ""})
    artifact = Artifact.objects.get()
    assert AuditEvent.objects.filter(verb="freeze artifact", actor=owner).count() == 1
    reply = olga.get(reverse("artifact", args=["sample-re2math", artifact.sha256]))
    assert reply.content.decode() == artifact.content
    assert artifact.sha256 in olga.get(reverse("artifacts", args=["sample-re2math"])).content.decode()


def test_a_score_of_an_unfrozen_release_cannot_be_frozen(olga, gaps):
    reply = olga.post(reverse("artifacts", args=["sample-re2math"]), {"track": "raw"}, follow=True)
    assert "is not frozen" in reply.content.decode()
    assert not Artifact.objects.exists()


def test_a_coordinator_cannot_download_an_artifact(carl, gaps, owner):
    assert carl.get(reverse("artifact", args=["sample-re2math", "0" * 64])).status_code == 403


def test_the_number_of_queries_does_not_grow_with_what_is_shown(
    carl, gaps, proofs, django_assert_max_num_queries
):
    with django_assert_max_num_queries(12):
        carl.get(reverse("scores"))
    with django_assert_max_num_queries(26):  # one for the tuples to choose from, four to keep the score
        carl.get(reverse("score-numbers", args=["sample-re2math"]))


def test_the_outputs_behind_a_count_are_listed_with_links_to_read_them(carl, gaps):
    reply = carl.get(
        reverse("outputs-behind", args=["sample-re2math"]), {"system": "aurora", "bucket": "success"}
    )
    found = list(reply.context["page"])
    assert len(found) == 16  # as the score page says
    assert {(output.system, output.judge["ground"], output.judge["suff"]) for output in found} == {
        ("aurora", "yes", "yes")
    }
    assert reverse("instance", args=["sample-re2math", found[0].instance]) in reply.content.decode()


def test_a_filter_that_fits_nothing_says_so(carl, gaps):
    assert "No outputs match" in page(carl, "outputs-behind", "sample-re2math", system="nobody")[1]


def test_an_interval_says_whether_problems_or_papers_are_left_out(carl):
    """Agreement of experts takes the outputs of a paper together, as a judge's audit does."""
    found = [
        page(carl, "question-reliability", "sample-audit", "ground")[1],
        page(carl, "judge-audit", "sample-re2math")[1],
    ]
    for text in found:
        assert re.search(
            r"95 %, papers left out in turn</dd></div><div><dt>Clusters</dt><dd>\d+ papers<", text
        )
        assert "problems or papers" not in text
