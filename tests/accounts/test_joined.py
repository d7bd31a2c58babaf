"""Rows of several models from one SQL text are what querysets give, on both databases."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.database.joined import Joined, set_related
from accounts.models import AuditEvent, Expertise, Role, User
from annotation.models import Assignment, Draft
from tests.factories import AssignmentFactory, ExpertiseFactory, RoleFactory, UserFactory

pytestmark = pytest.mark.django_db
PEOPLE = Joined(
    "accounts_user u LEFT JOIN accounts_role r ON r.user_id = u.id WHERE u.name = %(name)s ORDER BY r.name",
    "u.id * 2",
    u=User,
    r=Role,
)


def fields_of(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_rows_hold_every_column_as_a_queryset_reads_it():
    """Times know their zone, truth values are such, JSON is decoded."""
    person = UserFactory(name="ada", away_until=timezone.now().date())
    RoleFactory(user=person)
    ((read, role, doubled),) = PEOPLE.rows(name="ada")
    assert fields_of(read) == fields_of(User.objects.get(pk=person.pk))
    assert fields_of(role) == fields_of(Role.objects.get(user=person))
    assert read.is_active is True
    assert abs(read.date_joined - timezone.now()) < timedelta(hours=1)
    assert doubled == 2 * person.pk
    event = AuditEvent.objects.create(
        verb="look", target_kind="x", target_key="1", details={"a": [1, None, "é"]}
    )
    events = Joined("accounts_auditevent e WHERE e.id = %(event)s", e=AuditEvent)
    assert events.first(event=event.pk)[0].details == {"a": [1, None, "é"]}


def test_an_outer_join_without_a_row_gives_none_and_no_match_gives_nothing():
    UserFactory(name="bela")
    person, role, _ = PEOPLE.first(name="bela")
    assert (person.name, role) == ("bela", None)
    assert PEOPLE.first(name="nobody") is None
    assert list(PEOPLE.rows(name="nobody")) == []


def test_one_row_for_each_match_in_the_order_that_was_asked():
    person = UserFactory(name="carl")
    for name in ("reviewer", "coordinator"):
        RoleFactory(user=person, name=name)
    assert [role.name for _, role, _ in PEOPLE.rows(name="carl")] == ["coordinator", "reviewer"]


@pytest.mark.parametrize(
    "hostile", ["'; DROP TABLE accounts_user; --", "$1", "%s", "%(name)s", "%", "\\'", "{0}"]
)
def test_parameters_are_never_read_as_sql(hostile):
    UserFactory(name="dora")
    assert PEOPLE.first(name=hostile) is None
    person = UserFactory(name=hostile)
    assert PEOPLE.first(name=hostile)[0] == person


def test_a_missing_parameter_is_an_error():
    with pytest.raises(Exception, match="name"):
        PEOPLE.first(nome="ada")


def test_values_alone_are_plain_rows():
    person = UserFactory()
    ExpertiseFactory(user=person, domain="algebra", confidence=3)
    stated = Joined("accounts_expertise s WHERE s.user_id = %(person)s", "s.domain", "s.confidence")
    assert dict(stated.rows(person=person.pk)) == dict(Expertise.objects.values_list("domain", "confidence"))


def test_a_row_read_is_saved_as_any_other():
    person = UserFactory(name="emil")
    read, *_ = PEOPLE.first(name="emil")
    read.name = "Emil"
    read.save()
    assert User.objects.get(pk=person.pk).name == "Emil"


def test_a_related_row_that_is_set_or_known_to_be_absent_costs_no_statement():
    place = Assignment.objects.get(pk=AssignmentFactory().pk)
    draft = Draft(assignment_id=place.pk, content={})
    with CaptureQueriesContext(connection) as captured:
        set_related(place, "draft", None)
        assert getattr(place, "draft", None) is None
        set_related(place, "draft", draft)
        assert place.draft is draft
        assert draft.assignment is place
    assert not captured.captured_queries
