"""What comes in addresses, forms and bodies: parameters from lists, no NUL, no nesting without end."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLResolver, get_resolver
from rest_framework.parsers import JSONParser
from rest_framework.views import APIView

from accounts.models import SavedComment, User
from tests.factories import ReleaseFactory


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    ["item__output__run__system__slug=gpt", "ordering=item__output__run__system", "search=gpt", "page=1"],
)
def test_the_queue_takes_no_parameter_so_none_can_be_an_oracle(
    client: Client, algebraist: User, query: str
) -> None:
    client.force_login(algebraist)
    answer = client.get(f"/api/v1/queue/?{query}")
    assert (answer.status_code, answer.json()["field"]) == (400, query.split("=")[0])


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/releases/{}/labels/?question=one&question=other",
        "/api/v1/outputs/?system=one&system=other",
        "/api/v1/releases/{}/source-questions/?state=open&state=settled",
        "/api/v1/people/?page_size=1&page_size=2",
    ],
)
def test_a_repeated_parameter_is_refused_as_all_values_but_the_last_would_be_ignored(
    client: Client, owner: User, address: str
) -> None:
    client.force_login(owner)
    answer = client.get(address.format(ReleaseFactory().name))
    assert (answer.status_code, answer.json()["reason"]) == (400, "is given more than once")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/people/audit-trail/?verb=%00",
        "/grading/items/%00/",
        "/analyse/files/a%00b/",
        "/api/v1/assignments/%00/",
        "/api/v1/audit-trail/?verb=%00",
        "/api/v1/me/?x=%00",
    ],
)
def test_a_nul_in_an_address_is_bad_input(client: Client, owner: User, address: str) -> None:
    client.force_login(owner)
    answer = client.get(address)
    assert answer.status_code == 400
    if address.startswith("/api/"):
        assert set(answer.json()) >= {"code", "reason", "line", "field"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "status"),
    [
        *((f"page_size={size}", 400) for size in ("", "x", "0", "-1", "1.5", "NaN", "٣")),
        *(
            (f"cursor={cursor}", 404)
            for cursor in ("[]", "'", "x", "cD0=x", "eD0x", "cD0x!", "cD14", "cD0=", "cD0lMDA=", "bz14")
        ),
        *((query, 200) for query in ("page_size=1", "page_size=1000", "cursor=", "cursor=cD0x")),
    ],
)
def test_a_size_or_cursor_that_is_none_is_refused_and_not_answered_with_the_first_page(
    client: Client, owner: User, query: str, status: int
) -> None:
    client.force_login(owner)
    assert client.get(f"/api/v1/releases/?{query}").status_code == status


@pytest.mark.django_db
@pytest.mark.parametrize("as_form", ["multipart/form-data", "application/x-www-form-urlencoded"])
def test_a_nul_in_a_form_is_kept_as_a_replacement_character(
    client: Client, algebraist: User, as_form: str
) -> None:
    client.force_login(algebraist)
    if as_form.startswith("multipart"):
        client.post("/grading/comments/", {"text": "As in\0 the lemma."})
    else:
        client.post("/grading/comments/", "text=As+in%00+the+lemma.", content_type=as_form)
    assert SavedComment.objects.get().text == "As in\ufffd the lemma."


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        *(b"[" * 100_000, b'{"label":' * 50_000, b'{"label": ' + b"[" * 600 + b"]" * 600 + b"}"),
        *(b"\xff\xfe{}", b'{"label": NaN}', b'{"label": 1e999}', b'{"label": "a", "label": "b"}'),
    ],
)
def test_a_body_that_is_no_strict_json_or_nests_without_end_is_bad_input(
    client: Client, algebraist: User, body: bytes
) -> None:
    client.force_login(algebraist)
    answer = client.post("/api/v1/tokens/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")


def test_every_address_reads_json_as_strictly() -> None:
    lax = [view.__name__ for view in _rest_views(get_resolver()) if JSONParser in view.parser_classes]
    assert lax == []


def _rest_views(resolver: URLResolver) -> Iterator[type[APIView]]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from _rest_views(entry)
        elif view := getattr(entry.callback, "cls", None):
            yield view


@pytest.mark.django_db
@pytest.mark.parametrize("half", ["\\ud83d", "\\udc4d", "\\udc4d\\ud83d"])
def test_half_a_surrogate_pair_is_kept_as_a_replacement_character(
    client: Client, algebraist: User, half: str
) -> None:
    client.force_login(algebraist)
    body = f'{{"text": "As {half} we said \\ud83d\\udc4d"}}'
    answer = client.post("/api/v1/comment-bank/", body, content_type="application/json")
    assert answer.status_code == 201
    marks = "\ufffd" * (len(half) // 6)
    assert SavedComment.objects.get().text == f"As {marks} we said \U0001f44d"


@pytest.mark.django_db
def test_a_field_that_is_not_known_is_refused_by_its_name(client: Client, algebraist: User) -> None:
    client.force_login(algebraist)
    body = {"text": "As in (1).", "colour": "red", "pk": 3}
    answer = client.post("/api/v1/comment-bank/", body, content_type="application/json")
    assert answer.status_code == 400
    assert set(answer.json()["problems"]) == {"colour", "pk"}
    assert not SavedComment.objects.exists()
