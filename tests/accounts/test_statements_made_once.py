"""Statements made once give what their querysets would give, on both databases, and outlive changes of the schema."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, F, OuterRef
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.database.statements import OneOf, Parameter, Statement
from accounts.models import AuditEvent, Expertise, Role, User
from tests.factories import ExpertiseFactory, RoleFactory, UserFactory


@pytest.fixture
def people(db):
    people = [UserFactory(email=f"{name}@study.test", name=name) for name in ("ada", "bela", "carl")]
    for person, domain in zip(people, ("algebra", "analysis", "100 % algebra"), strict=True):
        ExpertiseFactory(user=person, domain=domain)
    RoleFactory(user=people[0])
    return people


def test_rows_come_with_what_is_joined_and_annotated_as_from_the_queryset(people):
    def expertise(domain):
        role = Role.objects.filter(user=OuterRef("user"))
        return Expertise.objects.select_related("user").filter(domain=domain).annotate(has_role=Exists(role))

    statement = Statement(lambda: expertise(Parameter("domain")))
    for domain in ("algebra", "analysis", "algebra"):
        (row,), (expected,) = statement.rows(domain=domain), expertise(domain)
        with CaptureQueriesContext(connection) as captured:
            assert (row, row.user, row.has_role) == (expected, expected.user, expected.has_role)
            assert row.user.email == expected.user.email
        assert not captured.captured_queries
    assert statement.first(domain="geometry") is None


def test_values_and_unions_are_read_too(people):
    mine = Statement(
        lambda: (
            Expertise.objects.filter(user=Parameter("person"))
            .values_list("domain", "confidence")
            .union(Role.objects.filter(user=Parameter("person")).values_list("name", "pk"), all=True)
        )
    )
    assert sorted(mine.rows(person=people[0].pk))[0] == ("algebra", 2)
    assert len(mine.rows(person=people[0].pk)) == 2
    assert len(mine.rows(person=people[1].pk)) == 1
    names = Statement(lambda: User.objects.order_by("pk").values_list("name", flat=True))
    assert names.rows() == ["ada", "bela", "carl"]


@pytest.mark.parametrize(
    "domains", [[], ["algebra"], ["algebra", "100 % algebra"], {"O'Hara", '"', "\\", "%s"}]
)
def test_a_list_parameter_takes_any_number_of_values(people, domains):
    statement = Statement(
        lambda: Expertise.objects.filter(OneOf(F("domain"), "domains")).values_list("domain", flat=True)
    )
    known = {"algebra", "analysis", "100 % algebra"}
    assert set(statement.rows(domains=domains)) == known & set(domains)


def test_lists_of_numbers_meet_calculated_columns(people):
    odd = Statement(lambda: User.objects.annotate(rest=F("pk") % 2).filter(OneOf(F("rest"), "rests")))
    assert {person.pk % 2 for person in odd.rows(rests=[1])} == {1}
    assert len(odd.rows(rests=[0, 1])) == 3


def test_times_and_changed_values_are_given_as_the_database_takes_them(people):
    now = timezone.now()
    AuditEvent.objects.create(verb="looked", target_kind="thing", target_key=str(people[0].pk), at=now)
    statement = Statement(
        lambda: AuditEvent.objects.filter(
            target_key=Parameter("person", str), at__gt=Parameter("since", output_field=DateTimeField())
        )
    )
    assert len(statement.rows(person=people[0].pk, since=now - timedelta(seconds=1))) == 1
    assert statement.rows(person=people[0].pk, since=now + timedelta(seconds=1)) == []


def test_values_are_never_read_as_sql(people):
    statement = Statement(lambda: User.objects.filter(name=Parameter("name")))
    for hostile in ("'; DROP TABLE accounts_user; --", "$1", "%s", "%", "\\'"):
        assert statement.rows(name=hostile) == []
    with pytest.raises(KeyError, match="name"):
        statement.rows(nome="ada")


def test_a_failed_transaction_does_not_spoil_the_next_one(people):
    statement = Statement(lambda: User.objects.filter(name=Parameter("name")))
    with transaction.atomic():
        statement.rows(name="ada")
        transaction.set_rollback(True)
    assert len(statement.rows(name="ada")) == 1


@pytest.mark.parametrize("prepared", [True, False])
def test_a_kept_connection_is_sent_the_text_once_unless_a_pooler_stands_between(people, settings, prepared):
    settings.PREPARED_STATEMENTS = prepared
    statement = Statement(lambda: User.objects.filter(name=Parameter("name")))
    with CaptureQueriesContext(connection) as captured:
        for name in ("ada", "bela"):
            assert statement.first(name=name).name == name
    texts = [query["sql"].split()[0] for query in captured.captured_queries]
    once = prepared and connection.vendor == "postgresql"
    assert texts == (["PREPARE", "EXECUTE", "EXECUTE"] if once else ["SELECT", "SELECT"])


@pytest.mark.django_db(transaction=True)
def test_a_column_that_changes_its_type_is_planned_for_again(settings):
    UserFactory(name="ada")
    statement = Statement(lambda: User.objects.filter(name=Parameter("name")))
    assert len(statement.rows(name="ada")) == 1
    if connection.vendor == "postgresql":
        _widen(300)
    try:
        assert len(statement.rows(name="ada")) == 1
    finally:
        if connection.vendor == "postgresql":
            _widen(User._meta.get_field("name").max_length)


def _widen(length):
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE accounts_user ALTER COLUMN name TYPE varchar({length})")
