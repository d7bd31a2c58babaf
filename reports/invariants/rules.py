"""Rules over several tables that no single constraint can hold; run after every fault and every restore.

Each rule is a function that yields a sentence per violation. Rules live here, on the floor that sees all.
"""

import json
from collections.abc import Callable, Iterator

from django.db.models import Count, F, Prefetch, Q

from accounts.access import STUDY_STAFF
from annotation.core.material import material, shown_first
from annotation.models import Answer, Assignment, AssignmentState, Campaign, Grade, Item, Rubric
from benchmark.models import Output
from benchmark.rubrics import RubricError, rubric_from_content
from judging.asking.subjects import FIELDS as SUBJECT
from judging.models import JudgeTask, Verdict
from reports.artifact.freezing import FORMATS
from reports.artifact.manifest import read_manifest
from reports.core.canonical import sha256
from reports.core.datasets import PLAIN
from reports.invariants.of_draws import DRAWS
from reports.invariants.of_records import RECORDS
from reports.models import Artifact
from work.models import TaskState

Rule = Callable[[], Iterator[str]]


def outputs_answer_instances_of_their_release() -> Iterator[str]:
    """An output's run and instance belong to one release."""
    for output in Output.objects.exclude(instance__release=F("run__release")).values_list("id", flat=True):
        yield f"output {output} answers an instance of another release"


def items_belong_to_the_release_of_their_campaign() -> Iterator[str]:
    """A campaign only draws from its own release."""
    stray = Item.objects.exclude(instance__release=F("campaign__release"))
    for item in stray.values_list("id", flat=True):
        yield f"item {item} was drawn from another release than its campaign's"


def campaigns_ask_by_a_rubric_of_their_protocol() -> Iterator[str]:
    """The rubric names the same protocol as the release's benchmark: pages take the protocol from the rubric."""
    stray = Campaign.objects.exclude(rubric__protocol=F("release__benchmark__protocol"))
    for slug in stray.values_list("slug", flat=True):
        yield f"campaign {slug} asks by a rubric of another protocol than its release's"


def places_taken_are_counted() -> Iterator[str]:
    """The counter that guards the quota equals the assignments that hold a place; a mirrored repeat holds none."""
    holding = ~Q(assignments__state=AssignmentState.RELEASED) & Q(assignments__repeat=False)
    held = Count("assignments", filter=holding)
    for item in Item.objects.annotate(held=held).exclude(held=F("places_taken")):
        yield f"item {item.pk} counts {item.places_taken} places taken, {item.held} assignments hold one"


def quotas_hold() -> Iterator[str]:
    """No item has more reviewers than its campaign wants."""
    over = Item.objects.filter(places_taken__gt=F("campaign__reviewers_per_item"))
    for item in over.values_list("id", flat=True):
        yield f"item {item} has more places taken than its campaign wants"


def submitted_assignments_have_one_live_grade() -> Iterator[str]:
    """A submitted assignment has exactly one grade that no other supersedes; others have none."""
    live = Count("grades", filter=Q(grades__superseded_by=None))
    for assignment in Assignment.objects.annotate(live=live).exclude(
        Q(state=AssignmentState.SUBMITTED, live=1) | (~Q(state=AssignmentState.SUBMITTED) & Q(live=0))
    ):
        yield f"assignment {assignment.pk} is {assignment.state} and has {assignment.live} live grades"


def corrections_stay_on_their_assignment() -> Iterator[str]:
    """A grade supersedes a grade of the same assignment."""
    for grade in Grade.objects.filter(supersedes__isnull=False).exclude(
        assignment=F("supersedes__assignment")
    ):
        yield f"grade {grade.pk} supersedes a grade of another assignment"


def grades_keep_what_was_shown() -> Iterator[str]:
    """What a grade refers to is still the text of its output (of a pair the first shown) or instance, or for a grade
    given here its page."""
    rows = Assignment.objects.select_related(
        "item__campaign__release__benchmark",
        "item__instance",
        "item__output__redacted",
        "item__second__redacted",
    )
    for grade in Grade.objects.exclude(shown_sha256="").prefetch_related(Prefetch("assignment", rows)):
        place = grade.assignment
        item = place.item
        judged = shown_first(place)[0] if item.second else item.output or item.instance
        if grade.shown_sha256 not in (judged.sha256, material(place).sha256):
            yield f"grade {grade.pk} was given on a different text from the one its subject holds now"


def reviewers_do_not_run_the_study() -> Iterator[str]:
    """Nobody who sees identities is given items or grades blind; what they were given and graded before they joined
    those who run the study stays."""
    places = Assignment.objects.filter(
        Q(assigned_at__gte=F("reviewer__roles__granted_at"))
        | Q(grades__created_at__gte=F("reviewer__roles__granted_at")),
        reviewer__roles__name__in=STUDY_STAFF,
    )
    for assignment in places.exclude(state=AssignmentState.RELEASED).distinct():
        yield f"assignment {assignment.pk} belongs to {assignment.reviewer_id}, who runs the study"


def rubrics_have_their_hash() -> Iterator[str]:
    """A stored rubric's hash is that of its content."""
    for row in Rubric.objects.all():
        try:
            matches = rubric_from_content(row.content).sha256 == row.sha256
        except RubricError:
            matches = False
        if not matches:
            yield f"rubric {row.label} does not have the hash of its content"


def answers_are_on_the_scale() -> Iterator[str]:
    """Every answer is to a question of its campaign's rubric, in canonical text."""
    for campaign in Campaign.objects.select_related("rubric"):
        rubric = rubric_from_content(campaign.rubric.content)
        answers = Answer.objects.filter(grade__assignment__item__campaign=campaign, state="answered")
        for question, value in answers.order_by().values_list("question", "value").distinct():
            try:
                ok = rubric.question(question).canonical(value) == value
            except RubricError:
                ok = False
            if not ok:
                yield f"campaign {campaign.slug} holds {question} = {value!r}, which is not on the scale"


def done_judge_tasks_have_their_verdict() -> Iterator[str]:
    """A finished task left exactly one verdict."""
    answered = set(Verdict.objects.values_list("judge_id", *SUBJECT, "vote"))
    done = JudgeTask.objects.filter(state=TaskState.DONE).values_list("id", "run__judge_id", *SUBJECT, "vote")
    for task, *key in done.iterator():
        if tuple(key) not in answered:
            yield f"judge task {task} is done and has no verdict"


def artifacts_have_their_hash() -> Iterator[str]:
    """A stored artifact's bytes have the hash it is known by."""
    for artifact in Artifact.objects.iterator():
        document = json.loads(artifact.content)
        claimed = document.pop("sha256", "")
        if claimed != artifact.sha256 or sha256(document) != artifact.sha256:
            yield f"artifact {artifact.pk} does not have the hash {artifact.sha256}"


def artifacts_are_about_what_is_stored() -> Iterator[str]:
    """The instances and runs that an artifact names by hash are those of its release today."""
    for artifact in Artifact.objects.select_related("release").iterator():
        document = json.loads(artifact.content)
        if document.get("format") not in FORMATS:
            continue  # of a former version: verify_artifact of that version checks it
        stored = read_manifest(
            artifact.release, document["inputs"]["track"], document["inputs"].get("condition", PLAIN)
        ).as_json()
        if document["inputs"]["release_sha256"] != artifact.release.sha256:
            yield f"artifact {artifact.pk} is about another content of release {artifact.release}"
        for name, rows in document["manifest"].items():
            missing = len({*map(tuple, rows)} - {*map(tuple, stored.get(name, []))})
            if missing:
                yield f"artifact {artifact.pk} names {missing} {name} that are not stored so"


RULES: tuple[Rule, ...] = (
    outputs_answer_instances_of_their_release,
    items_belong_to_the_release_of_their_campaign,
    campaigns_ask_by_a_rubric_of_their_protocol,
    places_taken_are_counted,
    quotas_hold,
    submitted_assignments_have_one_live_grade,
    corrections_stay_on_their_assignment,
    grades_keep_what_was_shown,
    reviewers_do_not_run_the_study,
    rubrics_have_their_hash,
    answers_are_on_the_scale,
    done_judge_tasks_have_their_verdict,
    artifacts_have_their_hash,
    artifacts_are_about_what_is_stored,
    *DRAWS,
    *RECORDS,
)


def violations() -> dict[str, list[str]]:
    """Rule name to its violations, for every rule, kept or broken."""
    return {rule.__name__: list(rule()) for rule in RULES}
