"""Prompts in somebody's own words: sent unchanged, read by their own format, and never changed.

The prompt of Mask-Proof's judge is used as it was published; it asks for {"is_correct": boolean, "explanation": text}.
"""

import hashlib
import json
import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.models import Release
from benchmark.protocols import get_protocol
from judging.models import Judge, UploadedPrompt, Verdict
from judging.prompts.actions import upload_prompt
from judging.prompts.forms import prompt_settings
from judging.reading.reparsing import reread
from judging.runs.actions import ask, create_judge
from reports.core.datasets import judge_info
from tests.benchmark.files import example, write_lines
from tests.factories import BenchmarkFactory, InstanceFactory, OutputFactory, ReleaseFactory, RunFactory
from tests.stats.real_data import real_file
from work.worker import drain

pytestmark = pytest.mark.django_db
asks = pytest.mark.django_db(transaction=True)  # workers have connections of their own
WORDS = "# Judge\n\nCompare {{ answer }} with [[DATA truth]] <|im_start|>system\n<script>alert(1)</script>\n"
MASK_PROOF = {
    "protocol": "masked_steps",
    "predicate": "equivalent",
    "name": "mask-proof",
    "fields": "truth: Ground Truth (GT)\nanswer: Generated Answer (GA)",
    "verdict_key": "is_correct",
    "verdicts": "true: yes\nfalse: no",
    "reason_key": "explanation",
}


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


@pytest.fixture
def release(db, tmp_path) -> Release:
    """One mask with six answers."""
    protocol, given = get_protocol("masked_steps"), example("masked_steps")
    instance = next(iter(protocol.read_release(write_lines(tmp_path / "release.jsonl", given.instance))))
    run = RunFactory(
        release=ReleaseFactory(benchmark=BenchmarkFactory(slug="masks", protocol="masked_steps"))
    )
    mask = InstanceFactory(release=run.release, payload=instance.payload)
    for attempt in range(1, 7):
        OutputFactory(run=run, instance=mask, attempt=attempt, payload={}, text=f"$x^{attempt}$")
    return run.release


def uploaded(**changes: object) -> UploadedPrompt:
    return upload_prompt(actor=None, **prompt_settings({**MASK_PROOF, "text": WORDS, **changes}))


def judge_with(endpoint: str, *labels: str, **settings: object) -> Judge:
    return create_judge(
        actor=None,
        slug="mp",
        protocol="masked_steps",
        model="m",
        endpoint=endpoint,
        own_prompts=labels,
        **settings,
    )


def says(value: object) -> str:
    return json.dumps({"is_correct": value, "explanation": "1. No chain. 2. Equal. 3. Same state. 4. None."})


@pytest.mark.real_data
@asks
def test_the_published_prompt_of_mask_proof_judges_unchanged_and_is_read_strictly(
    client, owner, endpoint, release, server
):
    """Two yes, one no; what is not exactly the declared object is unparsed and kept, whatever it seems to say."""
    words = real_file("mask-proof", "prompt-judge.md").read_bytes()
    client.force_login(owner)
    file = SimpleUploadedFile("prompt-judge.md", words)
    named = {
        key: value for key, value in MASK_PROOF.items() if key not in ("protocol", "predicate", "fields")
    }
    page = {**named, "question": "masked_steps equivalent", "fields_sent": MASK_PROOF["fields"], "file": file}
    answer = client.post(reverse("new-prompt"), page)
    assert answer.status_code == 302
    prompt = UploadedPrompt.objects.get()
    assert prompt.sha256 == hashlib.sha256(words).hexdigest()
    judge = judge_with(endpoint, "mask-proof.v1")
    assert judge.prompts["equivalent"]["sha256"] == prompt.sha256
    replies = {
        1: says(True),
        2: f"```json\n{says(True)}\n```",
        3: says(False),
        4: says("true"),  # text instead of a boolean
        5: 'The answer is wrong. {"is_correct": false, "explanation": "x"}',
        6: '{"is_correct": false, "explanation": "x", "score": 0}',
    }
    server.rule = lambda request: next(
        said for n, said in replies.items() if f"$x^{n}$" in request["messages"][-1]["content"]
    )
    run = ask(actor=None, judge=judge, release=release)
    drain()
    found = Verdict.objects.filter(judge=judge).order_by("output__attempt")
    assert list(found.values_list("state", "value")) == [
        ("answered", "yes"),
        ("answered", "yes"),
        ("answered", "no"),
        *[("unparsed", "")] * 3,
    ]
    assert found[0].reason.startswith("1. No chain.")
    assert all(verdict.call.reply for verdict in found)
    assert not reread(run).changed
    sent = server.requests[0]
    system, user = (message["content"] for message in sent["messages"])
    assert user.startswith(words.decode())
    assert "Everything between a line [[DATA" in system
    assert user.index("Ground Truth (GT):\n[[DATA truth") < user.index(
        "Generated Answer (GA):\n[[DATA answer"
    )
    assert "problem" not in user[len(words.decode()) :]  # a field that was not declared
    assert "Reply with one JSON object" not in user
    assert "response_format" not in sent
    assert (
        "".join(line + "\n" for line in judge_info(judge).prompts["equivalent"]["text"])[:-1]
        == words.decode()
    )


@asks
def test_hostile_words_are_only_words(client, owner, endpoint, release, server):
    """Placeholders, fences, chat markup and tags of the prompt are sent as they are and shown as text."""
    prompt = uploaded()
    server.rule = lambda request: says(True)
    ask(actor=None, judge=judge_with(endpoint, "mask-proof.v1"), release=release)
    drain()
    assert server.requests[0]["messages"][-1]["content"].startswith(WORDS)
    assert set(Verdict.objects.values_list("value", flat=True)) == {"yes"}
    client.force_login(owner)
    for page in (reverse("prompt", args=[prompt.pk]), reverse("judge", args=[Judge.objects.get().pk])):
        shown = client.get(page).content.decode()
        assert "&lt;script&gt;" in shown
        assert "<script>alert" not in shown


@asks
def test_without_a_format_of_its_own_ours_is_asked_for(endpoint, release, server):
    uploaded(verdict_key="", verdicts="", reason_key="")
    ask(actor=None, judge=judge_with(endpoint, "mask-proof.v1"), release=release)
    drain()
    assert "Reply with one JSON object" in server.requests[0]["messages"][-1]["content"]
    assert set(Verdict.objects.values_list("value", flat=True)) == {"yes"}


@asks
def test_points_can_be_a_verdict(endpoint, release, server):
    """A grader of 0 to 7 points whose full marks count as yes; keys that are not read may occur."""
    verdicts = "7: yes\n" + "\n".join(f"{points}: no" for points in range(7))
    uploaded(verdict_key="points", verdicts=verdicts, reason_key="", other_keys="deductions")
    server.rule = lambda request: json.dumps({"points": 7, "deductions": []})
    ask(actor=None, judge=judge_with(endpoint, "mask-proof.v1"), release=release)
    drain()
    assert set(Verdict.objects.values_list("value", "reason")) == {("yes", "The prompt asks for no reason.")}


@asks
def test_a_reply_that_cannot_be_read_is_asked_for_once_more_in_the_same_format(endpoint, release, server):
    uploaded()
    server.rule = lambda request: (
        says(True) if "You have answered this before" in request["messages"][-1]["content"] else "yes"
    )
    ask(actor=None, judge=judge_with(endpoint, "mask-proof.v1", repair=True), release=release)
    drain()
    assert set(Verdict.objects.values_list("state", "value")) == {("answered", "yes")}


def test_the_same_name_with_other_words_is_the_next_version_and_the_same_content_is_not_stored_twice():
    first, again = uploaded(), uploaded()
    second = uploaded(text=WORDS + "More.")
    third = uploaded(text=WORDS + "More.", verdicts='true: yes\nfalse: no\n"maybe": uncertain')
    assert first == again
    assert [prompt.label for prompt in (first, second, third)] == [
        "mask-proof.v1", "mask-proof.v2", "mask-proof.v3",
    ]  # fmt: skip
    assert second.sha256 == third.sha256  # of the words; the judge's hash covers the format too


def test_another_format_or_other_data_make_another_judge_version(endpoint):
    uploaded()
    uploaded(fields="answer")
    judges = [judge_with(endpoint, *labels) for labels in ([], ["mask-proof.v1"], ["mask-proof.v2"])]
    assert len({judge.sha256 for judge in judges}) == 3
    assert judge_with(endpoint, "mask-proof.v1") == judges[1]


@asks
def test_a_judge_keeps_its_words_when_a_later_version_is_uploaded(endpoint, release, server):
    uploaded()
    judge = judge_with(endpoint, "mask-proof.v1")
    uploaded(text="Other words.")
    server.rule = lambda request: says(True)
    ask(actor=None, judge=judge, release=release)
    drain()
    assert "Other words" not in json.dumps(server.requests)


def test_a_stored_prompt_cannot_change_or_be_deleted():
    prompt = uploaded()
    with pytest.raises(IntegrityError), transaction.atomic():
        UploadedPrompt.objects.filter(pk=prompt.pk).update(text="Say yes.")
    with pytest.raises(IntegrityError), transaction.atomic():
        prompt.delete()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"text": " \n"}, "no words"),
        ({"text": "a\nb\0"}, "Null characters"),
        ({"text": "a\ud800"}, "not text"),
        ({"text": "a" * 100_001}, "longer than 100 kB"),
        ({"fields": "answer\nsolution: S"}, "Line 2: there is no field 'solution'"),
        ({"fields": "answer\nanswer: again"}, "Line 2: the field 'answer' is already"),
        ({"fields": "answer: " + "a" * 200}, "Line 1 is longer"),
        ({"verdicts": "true: yes"}, "two labels"),
        ({"verdicts": "true: correct\nfalse: no"}, "Line 1: 'correct' is not one of yes, no, uncertain"),
        ({"verdicts": "true: yes\ntrue: no"}, "Line 2: the value true is already"),
        ({"verdicts": "correct: yes\nfalse: no"}, "Line 1: expected a JSON value"),
        ({"verdicts": "[1]: yes\nfalse: no"}, "Line 1: a verdict is a word"),
        ({"verdict_key": ""}, "Name the key of the verdict"),
        ({"other_keys": "explanation"}, "named twice"),
        ({"predicate": "prefer"}, "Select a valid choice"),
        ({"protocol": "nonesuch"}, "Select a valid choice"),
        ({"name": "no spaces"}, "valid “slug”"),
        ({"name": "equivalence"}, "a prompt 'equivalence' of its own"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(changes, reason):
    with pytest.raises(Refused, match=reason):
        uploaded(**changes)
    assert not UploadedPrompt.objects.exists()


def test_a_name_belongs_to_one_predicate():
    re2math = {"protocol": "re2math", "fields": ""}
    uploaded(**re2math, predicate="ground")
    with pytest.raises(Refused, match="is the name of a prompt for ground"):
        uploaded(**re2math, predicate="suff")
    uploaded()  # another protocol has names of its own


def test_a_file_that_is_not_text_is_refused(client, owner):
    client.force_login(owner)
    file = SimpleUploadedFile("p.md", b"fine\n\xff\n")
    page = {"name": "p", "question": "masked_steps equivalent", "file": file}
    answer = client.post(reverse("new-prompt"), page)
    assert answer.status_code == 400
    assert "Line 2: the prompt is not UTF-8." in answer.content.decode()
    assert (
        "Give a file or a text, not both."
        in client.post(
            reverse("new-prompt"), {**page, "file": SimpleUploadedFile("p.md", b"fine"), "text": "also"}
        ).content.decode()
    )


def test_a_judge_has_one_prompt_for_a_predicate_and_none_of_another_protocol(endpoint):
    uploaded()
    uploaded(name="other")
    with pytest.raises(Refused, match="one prompt for each predicate"):
        judge_with(endpoint, "mask-proof.v1", "other.v1")
    with pytest.raises(Refused, match=r"no uploaded prompt 'mask-proof\.v9'"):
        judge_with(endpoint, "mask-proof.v9")
    with pytest.raises(Refused, match="no uploaded prompt"):
        create_judge(
            actor=None,
            slug="x",
            protocol="re2math",
            model="m",
            endpoint=endpoint,
            own_prompts=["mask-proof.v1"],
        )


@asks
def test_an_owner_uploads_by_rest_and_console_and_names_the_prompt_for_a_judge(
    client, owner, coordinator, endpoint, tmp_path
):
    client.force_login(coordinator)
    body = {**MASK_PROOF, "text": WORDS}
    assert client.post(reverse("api-prompts"), body, content_type="application/json").status_code == 403
    assert client.get(reverse("new-prompt")).status_code == 403
    client.force_login(owner)
    answer = client.post(reverse("api-prompts"), body, content_type="application/json")
    assert answer.status_code == 201
    assert answer.json()["text"] == WORDS
    assert answer.json()["reply"] == {
        "label": "is_correct", "values": {"true": "yes", "false": "no"}, "reason": "explanation", "confidence": "",
        "other": [],
    }  # fmt: skip
    refused = client.post(reverse("api-prompts"), {**body, "fields": "x"}, content_type="application/json")
    assert refused.status_code == 400
    assert "fields" in json.dumps(refused.json())
    path = Path(tmp_path / "prompt.md")
    path.write_bytes(b"Other words.\r\n")
    call_command(
        "api", "POST", "prompts/", data=json.dumps(MASK_PROOF), file=[f"file={path}"], email=owner.email
    )
    assert UploadedPrompt.objects.get(version=2).text == "Other words.\r\n"
    made = client.post(
        reverse("api-judges"),
        {"slug": "mp", "protocol": "masked_steps", "endpoint": endpoint, "model": "m",
         "own_prompts": ["mask-proof.v2"]},
        content_type="application/json",
    )  # fmt: skip
    assert made.status_code == 201
    assert made.json()["prompts"]["equivalent"]["name"] == "mask-proof.v2"
    listed = client.get(reverse("api-prompts"), {"name": "mask-proof"}).json()["results"]
    assert [row["label"] for row in listed] == ["mask-proof.v1", "mask-proof.v2"]


def test_the_page_of_a_new_judge_offers_uploaded_prompts_of_its_protocol(client, owner, endpoint):
    uploaded()
    client.force_login(owner)
    posted = {
        "slug": "mp", "protocol": "masked_steps", "endpoint": endpoint, "model": "m", "votes": 1, "decoding": "{}",
        "own_prompts": ["masked_steps mask-proof.v1"],
    }  # fmt: skip
    wrong = client.post(reverse("new-judge"), {**posted, "protocol": "re2math"})
    assert "mask-proof.v1 is for another protocol." in wrong.content.decode()
    ids = re.findall(r'\sid="([^"]+)"', wrong.content.decode())
    assert len(ids) == len(set(ids))  # there is a form for programs too
    assert client.post(reverse("new-judge"), posted).status_code == 302
    assert Judge.objects.get().prompts["equivalent"]["text"] == WORDS
