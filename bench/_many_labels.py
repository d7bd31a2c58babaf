"""Fills the database of DATABASE_URL with labels for measurements: python bench/_many_labels.py LABELS PEOPLE

Rows are copies of rows that factories made, written by PostgreSQL itself with triggers off, because a million grades
through the guards would take longer than the measurement. A campaign that is full holds the labels, two answers to a
grade and five grades to an output; another one over the same outputs is open and empty. Called again with more
labels it adds what is missing. Prints JSON: sessions of the people, the campaign's slug, and its rubric's hash.
"""

import importlib
import json
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import AuditEvent, User  # noqa: E402
from annotation.models import Answer, Assignment, Campaign, Grade, Item  # noqa: E402
from benchmark.models import Instance, Output, Run  # noqa: E402
from tests import factories  # noqa: E402

GRADES_PER_OUTPUT, ANSWERS_PER_GRADE, SYSTEMS = 5, 2, 4
LEAST_OUTPUTS = 2000
TEXT = (
    "Let $a_{n}$ be as above. Then $|a_n - a| \\le 2^{-n}$, because $\\sum_{k > n} 2^{-k} = 2^{-n}$.\n\n" * 30
)


def copied(model: type[models.Model], source: str, **values: str) -> None:
    """One row for each row of the SQL `source`: values are SQL over it, all other columns as in the first row."""
    table = model._meta.db_table
    names = [field.column for field in model._meta.concrete_fields if not field.primary_key]
    chosen = ", ".join(values.get(name, f't."{name}"') for name in names)
    quoted = ", ".join(f'"{name}"' for name in names)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({quoted}) SELECT {chosen} FROM "
            f"(SELECT * FROM {table} ORDER BY id LIMIT 1) t CROSS JOIN {source}"
        )


def people(number: int) -> list[User]:
    """The reviewers, made once: two fields in turn."""
    for n in range(User.objects.filter(email__startswith="load").count(), number):
        person = factories.UserFactory(email=f"load{n}@study.test")
        factories.RoleFactory(user=person)
        factories.ExpertiseFactory(user=person, domain=("algebra", "analysis")[n % 2])
    return list(User.objects.filter(email__startswith="load").order_by("pk")[:number])


def session_of(person: User) -> str:
    store = importlib.import_module(settings.SESSION_ENGINE).SessionStore()
    store[SESSION_KEY] = str(person.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = person.get_session_auth_hash()
    store.create()
    return str(store.session_key)


def first_rows() -> tuple[Campaign, Campaign]:
    """What is copied later; the full campaign and the open one."""
    if found := list(Campaign.objects.order_by("pk")):
        return found[0], found[1]
    release = factories.ReleaseFactory(name="load")
    problem = factories.InstanceFactory(release=release, key="load-0")
    runs = [factories.RunFactory(release=release) for _ in range(SYSTEMS)]
    output = factories.OutputFactory(run=runs[0], instance=problem, text=TEXT)
    opened = {"phase": "open", "opened_at": timezone.now(), "release": release}
    full, empty = (factories.CampaignFactory(slug=name, **opened) for name in ("full", "open"))
    for campaign, taken in ((full, 5), (empty, 0)):
        factories.ItemFactory(campaign=campaign, output=output, places=5, places_taken=taken)
    done = {"state": "submitted", "submitted_at": timezone.now()}
    place = factories.AssignmentFactory(item=full.items.get(), reviewer=people(1)[0], **done)
    grade = Grade.objects.create(assignment=place, rubric_sha256=full.rubric.sha256, idempotency_key="load")
    Answer.objects.create(grade=grade, question="correctness", value="correct")
    AuditEvent.objects.create(
        actor=place.reviewer, verb="submit_grade", target_kind="annotation.grade", target_key="1"
    )
    return full, empty


def grow(labels: int, number: int) -> Campaign:
    """Add outputs, items, places, grades, answers and the trail until there are so many labels."""
    full, empty = first_rows()
    reviewers = [person.pk for person in people(number)]
    outputs = max(LEAST_OUTPUTS, labels // (GRADES_PER_OUTPUT * ANSWERS_PER_GRADE))
    had = Output.objects.count()
    runs = list(Run.objects.order_by("pk").values_list("pk", flat=True))
    series = f"generate_series({had}, {outputs - 1}) n"
    copied(
        Instance, series, key="'load-' || n", domain="CASE WHEN n % 2 = 0 THEN 'algebra' ELSE 'analysis' END"
    )
    last = f"(SELECT max(id) FROM benchmark_instance) - {outputs - 1} + n"
    copied(Output, series, instance_id=last, run_id=f"(ARRAY{runs})[1 + n % {SYSTEMS}]")
    fresh = (
        "(SELECT o.id, o.instance_id, n.domain FROM benchmark_output o "
        f"JOIN benchmark_instance n ON n.id = o.instance_id ORDER BY o.id OFFSET {had}) o"
    )
    for campaign, taken in ((full, 5), (empty, 0)):
        copied(
            Item,
            fresh,
            campaign_id=str(campaign.pk),
            output_id="o.id",
            instance_id="o.instance_id",
            domain="o.domain",
            places_taken=str(taken),
        )
    wanted = labels // ANSWERS_PER_GRADE - Grade.objects.count()
    copied(
        Assignment,
        f"(SELECT i.id, g, row_number() OVER (ORDER BY i.id, g) n FROM annotation_item i "
        f"CROSS JOIN generate_series(1, {GRADES_PER_OUTPUT}) g WHERE i.campaign_id = {full.pk} AND NOT EXISTS "
        f"(SELECT 1 FROM annotation_assignment a WHERE a.item_id = i.id) LIMIT {max(0, wanted)}) p",
        item_id="p.id",
        reviewer_id=f"(ARRAY{reviewers})[1 + (p.n % {len(reviewers)})]",
        handle="md5(p.id || '-' || p.g)",
        position="p.n",
    )
    places = (
        "(SELECT a.id FROM annotation_assignment a WHERE a.state = 'submitted' AND NOT EXISTS "
        "(SELECT 1 FROM annotation_grade g WHERE g.assignment_id = a.id)) p"
    )
    copied(Grade, places, assignment_id="p.id", created_at="now()")
    grades = (
        "(SELECT g.id, q FROM annotation_grade g CROSS JOIN (VALUES ('correctness'), ('rigour')) v(q) "
        "WHERE NOT EXISTS (SELECT 1 FROM annotation_answer a WHERE a.grade_id = g.id AND a.question = q)) p"
    )
    copied(Answer, grades, grade_id="p.id", question="p.q")
    events = (
        "(SELECT id::text target, v FROM annotation_grade CROSS JOIN "
        f"(VALUES ('take_item'), ('open_item'), ('submit_grade')) w(v) ORDER BY id DESC LIMIT {3 * max(0, wanted)}) p"
    )
    copied(AuditEvent, events, target_key="p.target", verb="p.v")
    return empty


def main(labels: int, number: int) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        campaign = grow(labels, number)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    found = {
        "sessions": [session_of(person) for person in people(number)],
        "campaign": campaign.slug,
        "rubric": campaign.rubric.sha256,
        "labels": Answer.objects.count(),
        "outputs": Output.objects.count(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
