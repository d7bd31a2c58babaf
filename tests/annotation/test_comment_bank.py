"""Comments to use again: a person's own, and those that a study shares without saying whose they are."""

import pytest
from django.db import IntegrityError, transaction
from django.template import Context, Template
from django.urls import reverse

from accounts.models import AuditEvent, SavedComment
from accounts.people.erasure import erase_person
from accounts.profile.saved_comments import change_comment, delete_comment, save_comment
from accounts.refusal import NotAllowed, Refused
from annotation.comments.actions import decide_comment, propose_comment, share_comment
from annotation.comments.bank import bank_of, shared_in
from annotation.core.identities import name_in
from annotation.core.own_data import own_data
from annotation.models import SharedComment
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db
GAP = "The step from $x>0$ to $x\\ge1$ needs that $x$ is an integer."


def shared_texts(place):
    return bank_of(place)["shared"]


def test_the_same_words_are_kept_once_and_only_by_their_owner(algebraist, analyst):
    first = save_comment(actor=algebraist, text=f"  {GAP}\r\n")
    assert save_comment(actor=algebraist, text=GAP) == first
    assert save_comment(actor=analyst, text=GAP) != first
    with pytest.raises(NotAllowed):
        change_comment(actor=analyst, comment=first, text="Mine now.")
    with pytest.raises(NotAllowed):
        delete_comment(actor=analyst, comment=first)
    other = save_comment(actor=algebraist, text="Why?")
    with pytest.raises(Refused, match="already"):
        change_comment(actor=algebraist, comment=other, text=GAP)
    assert change_comment(actor=algebraist, comment=other, text="Why so?").text == "Why so?"
    delete_comment(actor=algebraist, comment=first)
    assert [row.text for row in algebraist.saved_comments.all()] == ["Why so?"]
    # The trail says that it was done; what somebody keeps for themselves stays out of it.
    assert not AuditEvent.objects.filter(details__icontains="Why").exists()


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001, "a\0b"])
def test_an_empty_overlong_or_broken_comment_is_refused(algebraist, text):
    with pytest.raises(Refused) as refusal:
        save_comment(actor=algebraist, text=text)
    assert refusal.value.code == "bad_comment"
    assert not SavedComment.objects.exists()


def test_a_bank_has_a_bound(algebraist):
    SavedComment.objects.bulk_create(SavedComment(user=algebraist, text=str(n)) for n in range(500))
    with pytest.raises(Refused) as refusal:
        save_comment(actor=algebraist, text="one more")
    assert refusal.value.code == "too_many_comments"


def test_the_database_refuses_an_empty_saved_comment(algebraist):
    with pytest.raises(IntegrityError, match="saved_comment_says_something"):
        SavedComment.objects.create(user=algebraist, text="")


def test_saved_comments_go_with_their_person_and_are_among_their_data(algebraist):
    save_comment(actor=algebraist, text=GAP)
    assert [row["text"] for row in own_data(algebraist)["saved_comments"]] == [GAP]
    erase_person(actor=algebraist, member=algebraist)
    assert not SavedComment.objects.exists()


def test_a_proposed_comment_reaches_others_only_when_shared_and_says_nothing_of_its_author(
    place, opened, algebraist, coordinator, client, second_algebraist
):
    row = propose_comment(reviewer=algebraist, campaign=opened, text=GAP)
    assert propose_comment(reviewer=algebraist, campaign=opened, text=GAP) == row
    assert shared_texts(place) == []
    client.force_login(coordinator)
    page = client.get(reverse("shared-comments", args=[opened.slug])).content.decode()
    assert "needs that" in page
    assert algebraist.name not in page
    assert algebraist.email not in page
    client.post(reverse("shared-comment-decide", args=[opened.slug, row.pk]), {"state": "shared"})
    assert shared_texts(place) == [GAP]
    assert own_data(algebraist)["proposed_comments"][0]["state"] == "shared"
    decide_comment(actor=coordinator, comment=row, state="withdrawn")
    assert shared_texts(place) == []


def test_declining_and_deciding_twice(place, opened, algebraist, coordinator):
    row = propose_comment(reviewer=algebraist, campaign=opened, text=GAP)
    decide_comment(actor=coordinator, comment=row, state="declined")
    with pytest.raises(Refused) as refusal:
        decide_comment(actor=coordinator, comment=row, state="withdrawn")
    assert refusal.value.code == "wrong_state"
    decide_comment(actor=coordinator, comment=row, state="shared", everywhere=True)
    assert shared_texts(place) == [GAP]
    with pytest.raises(NotAllowed):
        decide_comment(actor=algebraist, comment=row, state="withdrawn")


def test_what_is_shared_in_one_campaign_stays_there_unless_it_is_shared_everywhere(
    place, opened, coordinator, rubric
):
    other = CampaignFactory(slug="round-2", release=opened.release, rubric=rubric)
    share_comment(actor=coordinator, campaign=other, text="Only there.")
    share_comment(actor=coordinator, campaign=other, text="Anywhere.", everywhere=True)
    assert shared_texts(place) == ["Anywhere."]
    assert {row.text for row in shared_in(opened)} == {"Anywhere."}


def test_who_has_no_place_proposes_nothing(opened, geometer, coordinator):
    for person in (geometer, coordinator):
        with pytest.raises(NotAllowed):
            propose_comment(reviewer=person, campaign=opened, text=GAP)
    assert not SharedComment.objects.exists()


@pytest.mark.parametrize("words", ["as FIRST-SYSTEM does", "ask Ada\n Algebraist", "see ada@study.test."])
def test_a_comment_that_names_a_system_or_a_person_is_not_shared(
    place, opened, algebraist, coordinator, words
):
    row = propose_comment(reviewer=algebraist, campaign=opened, text=words)
    with pytest.raises(Refused) as refusal:
        decide_comment(actor=coordinator, comment=row, state="shared")
    assert refusal.value.code == "names_somebody"
    with pytest.raises(Refused):
        share_comment(actor=coordinator, campaign=opened, text=words)
    assert shared_texts(place) == []


def test_names_are_sought_as_whole_words():
    assert name_in("By GPT-4o, of course", ["gpt-4o"]) == "gpt-4o"
    assert name_in("By GPT-4or", ["gpt-4o", "", "-"]) == ""


@pytest.mark.parametrize("words", ["By GPT 5 pro.", "by gpt-5-Pro", "GPT5PRO", "(GPT‑5\n pro)"])
def test_names_are_sought_whatever_is_between_their_parts(words):
    assert name_in(words, ["GPT-5 Pro"]) == "GPT-5 Pro"


def test_the_words_of_a_shared_comment_never_change_and_it_is_never_deleted(opened, coordinator, algebraist):
    row = share_comment(actor=coordinator, campaign=opened, text=GAP)
    for change in ({"text": "Other words."}, {"proposed_by": algebraist}, {"protocol": "lemmas"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            SharedComment.objects.filter(pk=row.pk).update(**change)
    with pytest.raises(IntegrityError, match="withdrawn, not deleted"), transaction.atomic():
        row.delete()


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"text": ""}, "shared_comment_says_something"),
        ({"state": "hidden"}, "shared_comment_state_is_known|shared_comment_is_proposed_or_decided"),
        ({"state": "shared"}, "shared_comment_is_proposed_or_decided"),
    ],
)
def test_a_shared_comment_outside_its_rules_is_refused(opened, algebraist, fields, name):
    with pytest.raises(IntegrityError, match=name):
        SharedComment.objects.create(
            **({"protocol": "proofs", "campaign": opened, "text": "x", "proposed_by": algebraist} | fields)
        )


def test_the_page_of_the_bank_saves_changes_proposes_and_deletes(place, opened, algebraist, client):
    client.force_login(algebraist)
    bank = reverse("comment-bank")
    assert "Nothing saved yet" in client.get(bank).content.decode()
    assert client.post(bank, {"text": " "}).status_code == 422
    client.post(bank, {"text": GAP})
    row = SavedComment.objects.get()
    assert 'data-source="$x&gt;0$">x&gt;0</span>' in client.get(bank).content.decode()
    changing = reverse("saved-comment", args=[row.pk])
    assert client.post(changing, {"text": ""}).status_code == 422
    client.post(changing, {"text": "Is $x$ an integer?"})
    client.post(reverse("saved-comment-propose", args=[row.pk]), {"campaign": opened.slug})
    assert SharedComment.objects.get().text == "Is $x$ an integer?"
    client.post(reverse("saved-comment-delete", args=[row.pk]))
    page = client.get(bank).content.decode()
    assert not SavedComment.objects.exists()
    assert "Round one: proposed" in page


def test_nobody_reaches_the_comments_of_another(algebraist, analyst, client):
    row = save_comment(actor=algebraist, text=GAP)
    client.force_login(analyst)
    for name in ("saved-comment", "saved-comment-delete", "saved-comment-propose", "api-saved-comment"):
        assert client.post(reverse(name, args=[row.pk]), {"text": "x"}).status_code in (404, 405)
    assert client.put(reverse("api-saved-comment", args=[row.pk]), {"text": "x"}).status_code == 404
    assert SavedComment.objects.get().text == GAP


def test_the_bank_through_rest(place, opened, algebraist, coordinator, client):
    client.force_login(algebraist)
    bank = reverse("api-comment-bank")
    sent = {"content_type": "application/json", "headers": {"Idempotency-Key": "save-1"}}
    made = client.post(bank, {"text": GAP}, **sent)
    assert made.status_code == 201
    assert client.post(bank, {"text": GAP}, **sent).json() == made.json()
    one = reverse("api-saved-comment", args=[made.json()["id"]])
    changed = client.put(one, {"text": "Is it?"}, content_type="application/json")
    assert changed.json()["text"] == "Is it?"
    asked = reverse("api-propose-comment", args=[made.json()["id"]])
    assert client.post(asked, {"campaign": "elsewhere"}, content_type="application/json").status_code == 404
    proposed = client.post(asked, {"campaign": opened.slug}, content_type="application/json").json()
    assert set(proposed) == {"id", "text", "state", "everywhere"}
    client.force_login(coordinator)
    assert client.get(bank).status_code == 403
    shared = reverse("api-shared-comments", args=[opened.slug])
    assert client.get(shared).json() == [proposed]
    decided = reverse("api-shared-comment-decide", args=[opened.slug, proposed["id"]])
    reply = client.post(decided, {"state": "shared"}, content_type="application/json")
    assert reply.json()["state"] == "shared"
    unknown = reverse("api-shared-comment-decide", args=[opened.slug, 99])
    assert client.post(unknown, {"state": "declined"}, content_type="application/json").status_code == 404
    assert client.post(shared, {"text": "Ours."}, content_type="application/json").status_code == 201
    client.force_login(algebraist)
    assert client.get(bank).json() == {
        "own": [{"id": made.json()["id"], "text": "Is it?"}],
        "shared": [{"campaign": "round-1", "texts": ["Is it?", "Ours."]}],
    }
    assert client.delete(one).status_code == 204
    assert not SavedComment.objects.exists()


def test_the_bank_page_asks_as_many_questions_whatever_its_length(
    place, opened, algebraist, coordinator, client, django_assert_max_num_queries
):
    for number in range(12):
        save_comment(actor=algebraist, text=f"Remark {number}.")
        share_comment(actor=coordinator, campaign=opened, text=f"Hint {number}.")
    client.force_login(algebraist)
    with django_assert_max_num_queries(14):
        client.get(reverse("comment-bank"))


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (
            "a <b> $x<y$",
            'a &lt;b&gt; <span class="math" data-display="false" data-source="$x&lt;y$">x&lt;y</span>',
        ),
        ("cost \\$5 and $6", "cost \\$5 and $6"),
        ("from $5 to $6, 1 $ a piece $", "from $5 to $6, 1 $ a piece $"),
        ("\\[x\\]", '<span class="math" data-display="true" data-source="\\[x\\]">x</span>'),
        ("$$x$$", '<span class="math" data-display="true" data-source="$$x$$">x</span>'),
        ("\\(x\\)", '<span class="math" data-display="false" data-source="\\(x\\)">x</span>'),
    ],
)
def test_formulas_in_what_people_type_are_marked_and_the_rest_is_text(text, marked):
    page = Template("{% load grading %}{{ text|words_math }}")
    assert page.render(Context({"text": text})) == marked
