"""`manage.py api`: a REST request answered in process, with everything that holds over HTTP."""

import io
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client, override_settings

from accounts.models import AuditEvent, SavedComment, User
from accounts.people.members import deactivate_user
from accounts.rest.auth import CONSOLE_MEMBER
from benchmark.models import ImportUpload
from config.management.commands.api import Command
from tests.conftest import member
from tests.factories import ReleaseFactory, RunFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("console")]
CARL = ("--as", "carl@study.test")
ADA = ("--as", "ada@study.test")
RELEASE = Path(__file__).parents[2] / "sample" / "re2math" / "release.jsonl"


def said(*words: str) -> str:
    out = StringIO()
    call_command("api", *words, stdout=out)
    return out.getvalue()


def document(*words: str) -> Any:
    return json.loads(said(*words))


def sent_bytes(*words: str) -> bytes:
    out = io.TextIOWrapper(raw := io.BytesIO())
    call_command("api", *words, stdout=out)
    return raw.getvalue()


def refused(*words: str) -> CommandError:
    with pytest.raises(CommandError) as caught:
        call_command("api", *words, stdout=StringIO())
    return caught.value


def test_a_get_prints_what_http_answers_as_indented_json(client: Client, coordinator: User) -> None:
    printed = said("GET", "me/", *CARL)
    client.force_login(coordinator)
    assert json.loads(printed) == client.get("/api/v1/me/").json()
    assert printed.startswith('{\n  "email": "carl@study.test"')


@pytest.mark.parametrize("path", ["me/", "/me/", "/api/v1/me/", "http://127.0.0.1:8000/api/v1/me/"])
def test_an_address_may_be_given_in_full_as_replies_give_the_next_page(coordinator: User, path: str) -> None:
    assert document("get", path, *CARL)["email"] == "carl@study.test"


def test_the_link_to_the_next_page_is_a_path_too(coordinator: User) -> None:
    for name in ("r-1", "r-2"):
        ReleaseFactory(name=name)
    first = document("GET", "releases/?page_size=1", *CARL)
    second = document("GET", first["next"], *CARL)
    assert {page["results"][0]["name"] for page in (first, second)} == {"r-1", "r-2"}
    assert second["next"] is None


def test_a_post_writes_and_the_audit_trail_names_the_member(coordinator: User, algebraist: User) -> None:
    person = document(
        "POST", f"people/{algebraist.pk}/deactivate/", "--data", '{"reason": "On leave."}', *CARL
    )
    assert person["email"] == "ada@study.test"
    event = AuditEvent.objects.get(verb="deactivate_user")
    assert (event.actor, event.reason) == (coordinator, "On leave.")
    assert not User.objects.get(pk=algebraist.pk).is_active


def test_the_body_comes_from_a_file_or_from_standard_input(
    algebraist: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "body.json").write_text('{"text": "Naïve: $\\\\int_0^1$"}', "utf-8")
    assert document("POST", "comment-bank/", "--data", f"@{tmp_path / 'body.json'}", *ADA)["text"] == (
        "Naïve: $\\int_0^1$"
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "second"}')))
    assert document("POST", "comment-bank/", "--data", "-", *ADA)["text"] == "second"
    assert "none.json cannot be read" in str(
        refused("POST", "comment-bank/", "--data", f"@{tmp_path / 'none.json'}", *ADA)
    )


def test_the_text_of_a_file_becomes_a_field_of_the_body(algebraist: User, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text('Why "clearly"?\nEq. 2.', "utf-8")
    said("POST", "comment-bank/", "--text", f"text={tmp_path / 'words.txt'}", *ADA)
    assert SavedComment.objects.get().text == 'Why "clearly"?\nEq. 2.'
    (tmp_path / "words.txt").write_bytes(b"\xff")
    assert "is not UTF-8" in str(
        refused("POST", "comment-bank/", "--text", f"text={tmp_path / 'words.txt'}", *ADA)
    )


def test_data_of_a_get_are_its_parameters(coordinator: User) -> None:
    ReleaseFactory(name="r-1")
    asked = json.dumps({"page_size": 1, "benchmark": "no such & thing"})
    assert document("GET", "releases/", "--data", asked, *CARL)["results"] == []
    assert document("GET", "releases/?page_size=1", "--data", "{}", *CARL)["results"][0]["name"] == "r-1"
    assert "field nonsense" in str(refused("GET", "releases/", "--data", '{"nonsense": 1}', *CARL))


def test_a_file_is_uploaded_byte_for_byte_with_the_other_fields(coordinator: User, tmp_path: Path) -> None:
    file = tmp_path / 'naïve "one".jsonl'
    file.write_bytes(RELEASE.read_bytes())
    terms = json.dumps({"kind": "release", "protocol": "re2math", "name": "sent"})
    checked = document("POST", "imports/", "--data", terms, "--file", f"file={file}", *CARL)
    assert (checked["state"], checked["report"]["instances"]) == ("checked", 30)
    upload = ImportUpload.objects.get()
    assert (upload.owner, upload.size) == (coordinator, RELEASE.stat().st_size)
    assert document("POST", f"imports/{upload.handle}/apply/", *CARL)["state"] == "applied"
    gone = refused("POST", "imports/", "--data", terms, "--file", f"file={tmp_path / 'gone'}", *CARL)
    assert "gone cannot be read: No such file" in str(gone)


def test_a_list_next_to_a_file_arrives_as_a_list(coordinator: User, tmp_path: Path) -> None:
    release = ReleaseFactory(name="spring")
    runs = sorted(RunFactory(release=release).system.slug for _ in range(2))
    (tmp_path / "cache").write_bytes(b"cache")
    terms = {
        "name": "october",
        "split": "test",
        "retrieval": "cache",
        "materialisation": "log",
        "scoring": "v1",
    }
    body = json.dumps({**terms, "evaluated_on": "2026-10-02", "runs": runs})
    file = f"retrieval_file={tmp_path / 'cache'}"
    sent = document("POST", "releases/spring/tuples/", "--data", body, "--file", file, *CARL)
    assert (sent["runs"], sent["retrieval_file"]["size"]) == (runs, 5)
    assert sent_bytes("GET", "releases/spring/tuples/october/retrieval/", *CARL) == b"cache"


def test_half_a_surrogate_pair_in_a_field_is_replaced_as_in_a_body(coordinator: User, tmp_path: Path) -> None:
    assert document("GET", "releases/", "--data", '{"benchmark": "\\ud800"}', *CARL)["results"] == []
    terms = json.dumps({"kind": "release", "protocol": "re2math", "name": "\ud800"})
    assert "field name" in str(
        refused("POST", "imports/", "--data", terms, "--file", f"file={RELEASE}", *CARL)
    )


def test_a_csv_arrives_byte_for_byte_as_a_stream(client: Client, coordinator: User) -> None:
    ReleaseFactory(name="r-1")
    printed = sent_bytes("GET", "releases/r-1/labels/?format=csv", *CARL)
    assert printed.startswith(b"release,campaign,question,subject")
    client.force_login(coordinator)
    streamed = client.get("/api/v1/releases/r-1/labels/?format=csv")
    assert streamed.streaming
    assert printed == b"".join(streamed.streaming_content)


def test_an_answer_without_content_prints_nothing(algebraist: User) -> None:
    kept = document("POST", "comment-bank/", "--data", '{"text": "one"}', *ADA)
    assert sent_bytes("DELETE", f"comment-bank/{kept['id']}/", *ADA) == b""
    assert not SavedComment.objects.exists()


def test_a_repeated_idempotency_key_writes_once(algebraist: User) -> None:
    words = ("POST", "comment-bank/", "--data", '{"text": "one"}', "--idempotency-key", "night-1", *ADA)
    assert document(*words) == document(*words)
    other = ("POST", "comment-bank/", "--data", '{"text": "two"}', "--idempotency-key", "night-1", *ADA)
    assert "used for another request" in str(refused(*other))


def test_a_refusal_ends_with_1_and_its_reason_alone_and_writes_nothing(
    coordinator: User, algebraist: User, caplog: pytest.LogCaptureFixture
) -> None:
    role = refused("POST", f"people/{algebraist.pk}/roles/", "--data", '{"role": "coordinator"}', *CARL)
    assert role.returncode == 1
    field = refused("POST", "comment-bank/", "--data", "{}", *ADA)
    assert (str(field), field.returncode) == ("field text: This field is required.", 1)
    several = refused("POST", "campaigns/", "--data", "{}", *CARL)
    assert "release: This field is required.; rubric: This field is required." in str(several)
    assert "JSON parse error" in str(refused("POST", "campaigns/", "--data", "{", *CARL))
    assert not AuditEvent.objects.exists()
    assert caplog.records == []


def test_the_roles_of_the_member_named_decide(coordinator: User, algebraist: User) -> None:
    assert "do not have permission" in str(refused("GET", "people/", *ADA))
    assert "do not have permission" in str(refused("GET", "audit-trail/", *CARL))


def test_without_a_name_the_only_active_owner_asks(owner: User, coordinator: User) -> None:
    assert document("GET", "me/")["email"] == "olga@study.test"


def test_without_a_name_and_without_one_owner_the_members_to_name_are_listed(coordinator: User) -> None:
    assert "no active owner yet; create_owner" in str(refused("GET", "me/"))
    first = member("olga@study.test", "Olga Owner", "owner")
    member("otto@study.test", "Otto Owner", "owner")
    several = refused("GET", "me/")
    assert "--as EMAIL; the active owners are olga@study.test, otto@study.test" in str(several)
    assert several.returncode == 1
    deactivate_user(actor=User.objects.get(email="otto@study.test"), member=first)
    assert document("GET", "me/")["email"] == "otto@study.test"


def test_a_closed_account_and_a_stranger_act_for_nobody(owner: User, coordinator: User) -> None:
    deactivate_user(actor=owner, member=coordinator)
    assert "open account has the address carl@study.test" in str(refused("GET", "me/", *CARL))
    assert "open account has the address nobody@" in str(refused("GET", "me/", "--as", "nobody@study.test"))


@pytest.mark.parametrize(
    "words",
    [
        ("FETCH", "me/"),
        ("GET",),
        ("GET", "me/", "--file", "file=x"),
        ("GET", "me/", "--data", "{"),
        ("GET", "me/", "--data", "[1]"),
        ("GET", "me/", "--data", "[" * 100_000),
        ("POST", "imports/", "--file", "release.jsonl"),
        ("POST", "imports/", "--text", "=x"),
    ],
)
def test_wrong_usage_ends_with_2_and_asks_nothing(
    owner: User, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises((SystemExit, CommandError)) as caught:
        Command().run_from_argv(["manage.py", "api", *words, "--traceback"])
    assert getattr(caught.value, "code", None) == 2 or getattr(caught.value, "returncode", None) == 2


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "../../accounts/login/",
        "/api/../people/",
        "/people/audit-trail/",
        "//evil.example/api/v1/me/",
        "https://evil.example/api/v1/me/",
        "me/%2e%2e/me/",
        "releases/\udcff\udcfe/",
        "releases/%00/",
        "releases/a\r\nHost: evil.example/",
        "me",
        "me/#x",
    ],
)
def test_a_hostile_path_reaches_nothing_but_rest_addresses(owner: User, path: str) -> None:
    answer = refused("GET", path)
    assert answer.returncode == 1
    assert str(answer).startswith(
        ("REST has no such address", "301 ", "The address contains", "No Release", "Not found")
    )


@pytest.mark.django_db(transaction=True)
def test_a_write_is_committed_when_the_command_ends(algebraist: User) -> None:
    said("POST", "comment-bank/", "--data", '{"text": "one"}', *ADA)
    connection.close()
    assert SavedComment.objects.get().text == "one"


def test_links_in_answers_have_the_address_of_the_site(coordinator: User) -> None:
    for name in ("r-1", "r-2"):
        ReleaseFactory(name=name)
    with override_settings(SITE_URL="https://study.example", ALLOWED_HOSTS=["study.example"]):
        following = document("GET", "releases/?page_size=1", *CARL)["next"]
        assert following.startswith("https://study.example/api/v1/releases/?")


def test_a_site_that_redirects_to_https_and_asks_for_a_second_factor_answers_the_console(
    coordinator: User,
) -> None:
    with override_settings(SECURE_SSL_REDIRECT=True, REQUIRE_MFA=True):
        assert document("GET", "me/", *CARL)["email"] == "carl@study.test"


def test_no_client_becomes_the_console(client: Client, owner: User) -> None:
    """Over HTTP the key's value would be a text, and its name would begin with HTTP_."""
    for name in (CONSOLE_MEMBER, f"HTTP_{CONSOLE_MEMBER.upper()}"):
        for value in (owner.email, str(owner.pk)):
            assert client.get("/api/v1/me/", **{name: value}).status_code == 401
