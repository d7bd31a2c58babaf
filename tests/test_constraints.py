"""Every constraint of every model refuses a copy of a row of a whole study that breaks it, by name.

Unique constraints refuse the copy as it is; check constraints one with the values listed here, unless the tests of
the app violate them in words of their own (tests/*/test_constraints.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from accounts.models import Conflict, IdempotencyRecord, User
from annotation.models import (
    Adjudication,
    Answer,
    Assignment,
    CalibrationRemark,
    CalibrationRound,
    Campaign,
    ClaimMark,
    ConflictTarget,
    Exclusion,
    Flag,
    FlagSpan,
    Grade,
    Item,
    LaterGrade,
    LeastAuthors,
    Reminder,
    Reveal,
    SeenBefore,
    ShownClaim,
    ShownVerdict,
    SideDraft,
    SystemGuess,
    TrainingGold,
    TrainingItem,
    TrainingSkip,
    Unblinding,
    Unjudged,
)
from benchmark.models import Abstention, Attachment, CleanCopy, OriginalFile, Output, UnreleasedOutput
from construction.models import (
    Build,
    BuildPaper,
    Candidate,
    Pairing,
    Publication,
    Reading,
    Review,
    Source,
    Step,
    UploadedArchive,
)
from judging.models import Judge, JudgeRun, JudgeTask, StepVerdict, UploadedPrompt, Verdict
from reports.history.chain import seal
from reports.models import Artifact, ExclusionRule, HistoryLink, PublicRecord, ReportJob
from search.models import (
    Corpus,
    Feedback,
    Finding,
    Index,
    Query,
    ReleaseCheck,
    Slogan,
    SloganCall,
    SloganRun,
    SloganTask,
    Statement,
)
from solving.models import Attempt, Material, MemoryEntry, SolveCall, Solver, SolveRun
from solving.models import Step as SolveStep
from tests.conftest import without_guards
from tests.databases import ON_BOTH
from tests.factories import InstanceFactory, ItemFactory, JudgeTaskFactory, VerdictFactory
from tests.test_canaries import own_study as study

__all__ = ["study"]  # the fixture: a row of every model, made by the verbs of the project
pytestmark = pytest.mark.django_db
NOW = timezone.now()
OURS = (
    "accounts",
    "annotation",
    "benchmark",
    "construction",
    "judging",
    "reports",
    "search",
    "solving",
    "work",
)
Values = dict[str, Any]
# A printed report of which nothing is known, so that one rule alone is broken.
QUIET: Values = {
    "error": "", "lease_owner": "", "lease_until": None, "sha256": "", "file": "", "expires_at": None,
}  # fmt: skip

BROKEN: dict[str, tuple[type[models.Model], Values]] = {
    "user_credit_is_known": (User, {"credit": "famous"}),
    "user_pseudonym_is_given": (User, {"credit": "pseudonym", "pseudonym": ""}),
    "user_capacity_from_one": (User, {"capacity": 0}),
    "user_erased_has_nothing_left": (User, {"erased_at": NOW, "is_active": True}),
    "conflict_decided_by_someone_at_some_time": (Conflict, {"decided_at": NOW, "decided_by": None}),
    "campaign_of_instances_alone_has_no_track": (Campaign, {"kind": "grade", "track": ""}),
    "campaign_condition_is_of_runs": (Campaign, {"condition": ""}),
    "campaign_problem_rule_is_known": (Campaign, {"problem_rule": "somehow"}),
    "campaign_split_by_is_known": (Campaign, {"split_by": "mood"}),
    "campaign_most_per_reviewer_from_one": (Campaign, {"most_per_reviewer": 0}),
    "item_pair_has_an_order_and_only_pairs_are_mirrored": (Item, {"second": None, "mirrored": True}),
    "unblinding_has_a_reason": (Unblinding, {"reason": ""}),
    "unblinding_is_confirmed_or_withdrawn": (Unblinding, {"confirmed_at": NOW, "confirmed_by": None}),
    "unblinding_takes_two_people": (Unblinding, {"confirmed_by": models.F("requested_by"), "confirmed_at": NOW}),
    "reminder_of_something": (Reminder, {"waiting": 0}),
    "adjudication_has_a_value": (Adjudication, {"value": ""}),
    "adjudication_cause_is_known": (Adjudication, {"cause": "mood"}),
    "adjudication_overruling_has_cause_and_note": (Adjudication, {"overrules": True, "cause": "", "note": ""}),
    "calibration_is_revealed_before_it_ends": (CalibrationRound, {"ended_at": NOW, "revealed_at": None}),
    "calibration_remark_says_something": (CalibrationRemark, {"text": ""}),
    "conflict_target_kind_is_known": (ConflictTarget, {"kind": "mood"}),
    "conflict_target_names_something": (ConflictTarget, {"key": ""}),
    "least_authors_1_to_100": (LeastAuthors, {"least": 101}),
    "flag_kind_is_known_and_has_its_subject": (Flag, {"kind": "mood"}),
    "flag_link_is_http": (Flag, {"link": "javascript:alert(1)"}),
    "flag_of_a_public_solution_says_where": (Flag, {"kind": "public_solution", "link": "", "output": None}),
    "flag_span_marks_something": (FlagSpan, {"start": 3, "end": 3}),
    "assignment_repeats_only_pairs": (Assignment, {"repeat": True, "swapped": None}),
    "answer_prefers_one_of_two": (Answer, {"preferred_id": "output", "value": "tie"}),
    "guess_named_or_chosen": (SystemGuess, {"named": "another", "system_id": "system"}),
    "later_grade_occasion_is_known": (LaterGrade, {"occasion": "whim"}),
    "later_grade_has_a_reason": (LaterGrade, {"reason": ""}),
    "unjudged_reason_is_known": (Unjudged, {"reason": "mood"}),
    "unjudged_otherwise_says_why": (Unjudged, {"reason": "other", "note": ""}),
    "seen_before_says_where": (SeenBefore, {"place": ""}),
    "reveal_share_0_to_1": (Reveal, {"before_share": 1.5}),
    "shown_verdict_has_a_value": (ShownVerdict, {"value": ""}),
    "shown_claim_says_something": (ShownClaim, {"text": ""}),
    "claim_mark_is_known": (ClaimMark, {"mark": "mood"}),
    "training_items_count_from_one": (TrainingItem, {"number": 0}),
    "training_gold_has_a_value": (TrainingGold, {"value": ""}),
    "abstention_has_a_reason": (Abstention, {"reason": "", "output_id": "output"}),
    "clean_copy_kind_is_known": (CleanCopy, {"kind": "mood"}),
    "attachment_has_one_subject": (Attachment, {"output": None, "instance": None, "number": 9}),
    "attachments_count_from_one": (Attachment, {"number": 0}),
    "original_file_has_a_name": (OriginalFile, {"name": ""}),
    "judge_votes_1_to_99": (Judge, {"votes": 100}),
    "judge_program_has_no_model_and_one_vote": (Judge, {"program": "matcher", "votes": 3}),
    "uploaded_prompt_has_words": (UploadedPrompt, {"text": "", "version": 2}),
    "uploaded_prompt_version_from_1": (UploadedPrompt, {"version": 0}),
    "judge_run_on_instances_has_no_condition": (
        JudgeRun, {"subject": "instance", "track": "", "after": None, "condition": "usual"},
    ),
    "judge_run_on_instances_has_no_track": (JudgeRun, {"subject": "output", "track": ""}),
    "judge_task_has_one_subject": (JudgeTask, {"instance": None, "output": None, "second": None}),
    "judge_task_pair_is_in_order": (JudgeTask, {"second_id": models.F("output_id")}),
    "judge_task_leased_iff_it_has_an_owner": (JudgeTask, {"state": "leased", "lease_owner": "", "lease_until": None}),
    "judge_task_reserves_only_while_leased": (
        JudgeTask, {"state": "waiting", "lease_owner": "", "lease_until": None, "tokens_reserved": 7},
    ),
    "verdict_has_one_subject": (Verdict, {"instance": None, "output": None, "second": None}),
    "verdict_pair_is_in_order": (Verdict, {"second_id": models.F("output_id")}),
    "verdict_has_a_value_iff_answered": (Verdict, {"state": "answered", "value": ""}),
    "step_verdict_is_complete": (StepVerdict, {"label": ""}),
    "verdict_confidence_0_to_1": (Verdict, {"confidence": 1.5}),
    "history_position_from_one": (HistoryLink, {"position": 0}),
    "record_versions_from_one": (PublicRecord, {"version": 0}),
    "record_withdrawn_with_a_reason": (PublicRecord, {"withdrawn_at": None, "withdrawn_reason": "why", "version": 9}),
    "corpus_frozen_with_hash": (Corpus, {"slug": "c", "frozen_at": NOW, "sha256": ""}),
    "bound_corpus_is_for_staff": (Corpus, {"slug": "c", "visibility": "anyone"}),
    "corpus_visibility": (Corpus, {"slug": "c", "visibility": "mood", "release": None}),
    "source_state": (Source, {"state": "mood", "code": "x", "main": ""}),
    "source_has_a_main_file_or_a_code": (Source, {"main": ""}),
    "source_choice_has_who_and_when": (Source, {"main_chosen_at": None}),
    "reading_pairs_proofs_it_has": (Reading, {"proofs": 1, "paired": 2}),
    "pairing_with_nothing_has_no_place": (Pairing, {"statement_file": "", "statement_start": 7}),
    "publication_found": (Publication, {"found": "mood", "decision": "", "decided_by": None, "decided_at": None}),
    "publication_decided_where_asked": (Publication, {"found": "same"}),
    "publication_decision_has_who_and_when": (Publication, {"decided_at": None}),
    "uploaded_archive_done_if_it_has_an_outcome": (UploadedArchive, {"outcome": "new"}),
    "uploaded_archive_leased_iff_it_has_an_owner": (UploadedArchive, {"lease_owner": ""}),
    "uploaded_archive_reserves_only_while_leased": (
        UploadedArchive,
        {"state": "waiting", "lease_owner": "", "lease_until": None, "tokens_reserved": 7},
    ),
    "material_kind_is_known": (Material, {"kind": "mood"}),
    "solver_versions_count_from_one": (Solver, {"version": 0}),
    "solve_run_finished_at_some_time": (SolveRun, {"finished_at": None, "published": None}),
    "solve_run_published_when_done": (SolveRun, {"state": "running", "finished_at": None}),
    "solve_run_has_a_budget": (SolveRun, {"max_tokens": None, "max_cost": None}),
    "solve_run_bounds_attempts": (
        SolveRun,
        {"attempt_tokens": None, "attempt_cost": None, "attempt_seconds": None},
    ),
    "solve_run_rule_is_known": (SolveRun, {"rule": "mood"}),
    "solve_run_attempts_from_one": (SolveRun, {"attempts_each": 0}),
    "attempt_numbers_from_one": (Attempt, {"number": 0}),
    "attempt_state_is_known": (
        Attempt,
        {"state": "mood", "ended_at": None, "ended_because": "", "outcome": ""},
    ),
    "attempt_ended_for_a_reason": (Attempt, {"state": "ended", "ended_because": ""}),
    "memory_entries_from_one": (MemoryEntry, {"number": 0}),
    "memory_is_written_by_its_roles": (MemoryEntry, {"section": "feedback", "role": "proposer"}),
    "solve_step_done_iff_replied": (SolveStep, {"state": "done", "lease_owner": "", "lease_until": None}),
    "solve_step_kind_is_known": (SolveStep, {"kind": "mood", "endpoint": ""}),
    "solve_step_asks_an_endpoint": (SolveStep, {"kind": "ask", "endpoint": ""}),
    "solve_step_leased_iff_it_has_an_owner": (SolveStep, {"state": "leased", "lease_owner": ""}),
    "solve_step_reserves_only_while_leased": (
        SolveStep,
        {"state": "waiting", "lease_owner": "", "lease_until": None, "tokens_reserved": 1},
    ),
    "solve_call_cached_tokens_were_sent": (SolveCall, {"prompt_tokens": 4, "cached_tokens": 5}),
    "solve_call_reasoning_was_received": (SolveCall, {"completion_tokens": None, "reasoning_tokens": 0}),
    "build_finished_at_some_time": (Build, {"finished_at": None, "release": None}),
    "build_released_when_done": (Build, {"state": "running", "finished_at": None}),
    "build_has_a_budget": (Build, {"max_tokens": None, "max_cost": None}),
    "build_paper_is_over_when_refused": (
        BuildPaper, {"state": "waiting", "lease_owner": "", "lease_until": None, "code": "too_slow"},
    ),
    "build_paper_leased_iff_it_has_an_owner": (BuildPaper, {"state": "leased", "lease_owner": ""}),
    "build_paper_reserves_only_while_leased": (
        BuildPaper, {"state": "waiting", "lease_owner": "", "lease_until": None, "tokens_reserved": 7},
    ),
    "candidate_dropped_iff_code": (Candidate, {"state": "dropped", "lines": []}),
    "candidate_made_if_lines": (Candidate, {"state": "asked"}),
    "step_done_if_answered": (
        Step, {"state": "waiting", "lease_owner": "", "lease_until": None, "text": "x"},
    ),
    "step_leased_iff_it_has_an_owner": (Step, {"state": "leased", "lease_owner": "", "text": ""}),
    "step_reserves_only_while_leased": (
        Step, {"state": "waiting", "lease_owner": "", "lease_until": None, "text": "", "tokens_reserved": 7},
    ),
    "review_has_a_reason": (Review, {"reason": ""}),
    "review_repairs_something": (Review, {"after": {}}),
    "slogan_run_reads": (SloganRun, {"reads": "mood"}),
    "slogan_run_has_a_budget": (SloganRun, {"max_tokens": None, "max_cost": None}),
    "slogan_run_finished_at_some_time": (SloganRun, {"state": "done", "finished_at": None}),
    "slogan_task_leased_iff_it_has_an_owner": (SloganTask, {"state": "leased", "lease_owner": ""}),
    "slogan_task_reserves_only_while_leased": (
        SloganTask, {"state": "waiting", "lease_owner": "", "lease_until": None, "tokens_reserved": 7},
    ),
    "slogan_has_a_text_or_a_fault": (Slogan, {"text": "", "fault": ""}),
    "statement_says_something": (Statement, {"key": "k", "body": ""}),
    "built_index_has_a_digest": (Index, {"state": "ready", "problem": "", "digest": ""}),
    "failed_index_says_why": (Index, {"state": "failed", "problem": ""}),
    "check_done_at_some_time": (ReleaseCheck, {"state": "done", "problem": "", "done_at": None}),
    "failed_check_says_why": (ReleaseCheck, {"state": "failed", "problem": "", "done_at": None}),
    "finding_permille_to_1000": (Finding, {"permille": 1001}),
    "finding_decided_at_some_time": (Finding, {"decision": "leak", "decided_at": None}),
    "query_asks_something": (Query, {"text": "", "formula": ""}),
    "query_purpose": (Query, {"purpose": "mood"}),
    "feedback_is_a_vote": (Feedback, {"value": 2, "reason": ""}),
    "feedback_reason_is_against": (Feedback, {"value": 1, "reason": "latex"}),
    "report_state_is_known": (ReportJob, QUIET | {"state": "lost"}),
    "report_holds_something": (ReportJob, {"score": False, "items": False}),
    "report_done_within_total": (ReportJob, {"done": 9, "total": 8}),
    "report_leased_iff_running": (ReportJob, QUIET | {"state": "running"}),
    "report_has_a_file_iff_done": (ReportJob, QUIET | {"state": "done"}),
    "report_failed_says_why": (ReportJob, QUIET | {"state": "failed"}),
}  # fmt: skip


def constraints(kind: type[models.BaseConstraint]) -> dict[str, tuple[type[models.Model], Any]]:
    """Name to model and constraint, of all our models."""
    return {
        constraint.name: (model, constraint)
        for app in OURS
        for model in apps.get_app_config(app).get_models()
        for constraint in model._meta.constraints
        if isinstance(constraint, kind)
    }


def everything_else(campaign: Campaign) -> None:
    """Rows that the study of the canaries does without."""
    seal()
    someone, item = User.objects.first(), Item.objects.first()
    Reminder.objects.create(reviewer=someone, sent_on=NOW.date(), waiting=1)
    Exclusion.objects.create(item=item, reviewer=someone)
    ClaimMark.objects.create(
        assignment=Assignment.objects.first(), claim=ShownClaim.objects.first(), mark="right"
    )
    TrainingSkip.objects.create(training=TrainingItem.objects.first().training, reviewer=someone)
    IdempotencyRecord.objects.create(user=someone, key="k", request_sha256="0" * 64, status=200, body={})
    ExclusionRule.objects.create(
        release=campaign.release,
        name="r",
        grounds=["g"],
        at_least=1,
        primary=True,
        reason="why",
        declared_by=someone,
    )
    artifact = Artifact.objects.create(kind="score", release=campaign.release, content="{}", sha256="1" * 64)
    PublicRecord.objects.create(name="r", version=1, artifact=artifact, declared={}, archive_sha256="0" * 64)
    output = Output.objects.first()
    UnreleasedOutput.objects.create(run=output.run, instance=output.instance)
    Abstention.objects.create(output=output, reason="blank")
    later = Output.objects.order_by("-pk").first()
    ItemFactory(campaign=campaign, output=output, second=later)
    ItemFactory(campaign=campaign, output=None, instance=InstanceFactory(release=campaign.release))
    run = JudgeRun.objects.first()
    JudgeTaskFactory(run=run, output=None, instance=output.instance)
    JudgeTaskFactory(run=run, output=output, second=later)
    VerdictFactory(judge=run.judge, output=output, second=later)
    SideDraft.objects.create(reviewer=someone, training_item=TrainingItem.objects.first(), content={})


@contextmanager
def guards_lifted() -> Iterator[None]:
    """Triggers refuse some copies before a constraint can; here the constraints are on trial."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            with without_guards(cursor):
                yield
        else:
            cursor.execute("SET LOCAL session_replication_role = replica")
            yield


def copied(row: models.Model, values: Values) -> None:
    """Store a copy of the row with other values; a text for a foreign key is that of any row of its model."""
    row.pk, row._state.adding = None, True
    for name, value in values.items():
        if isinstance(value, models.F):
            value = getattr(row, value.name if value.name.endswith("_id") else f"{value.name}_id")
            name = name if name.endswith("_id") else f"{name}_id"
        elif name.endswith("_id"):
            value = (
                row._meta.get_field(name.removesuffix("_id"))
                .related_model.objects.values_list("pk")
                .first()[0]
            )
        setattr(row, name, value)
    with transaction.atomic():
        row.save(force_insert=True)


def refusal(row: models.Model | None, values: Values) -> str:
    """What the database says of the copy."""
    if row is None:
        return "there is no row to copy"
    try:
        copied(row, values)
    except IntegrityError as error:
        return str(error)
    return "it was stored"


def test_every_check_refuses_what_breaks_it(study):
    with guards_lifted():
        everything_else(study)
        said = {name: refusal(model.objects.first(), values) for name, (model, values) in BROKEN.items()}
    assert {name: words for name, words in said.items() if name not in words} == {}


def task_without_slogan() -> SloganTask:
    """A task for a statement that has none."""
    task, statement = SloganTask.objects.first(), Statement.objects.first()
    statement.pk, statement._state.adding, statement.key = None, True, str(uuid4())
    statement.save()
    return SloganTask.objects.create(run=task.run, statement=statement)


def call_without_slogan() -> SloganCall:
    return SloganCall.objects.create(task=task_without_slogan(), token=uuid4(), request={}, latency_seconds=1)


def another_source() -> Source:
    return Source.objects.create(key=str(uuid4()), sha256=uuid4().hex * 2, state="readable", main="a.tex")


# What a copy must not share with its row, so that no other constraint refuses it first.
OTHER = {
    "exclusion_rule_one_primary": {"name": lambda: "another"},
    "grade_once_per_idempotency_key": {"supersedes": Grade.objects.first},
    "build_paper_once": {"ordinal": lambda: 10**6},
    "build_paper_has_its_place": {"source": another_source},
    "memory_entry_once": {"step": lambda: "another"},
    "grade_one_first_per_assignment": {"idempotency_key": lambda: "another"},
    "memory_entry_once_per_step": {"number": lambda: 10**6},
    "history_row_sealed_once": {"position": lambda: 10**6},
    "one_adopted_call_per_step": {"token": uuid4},
    "slogan_once_per_statement": {"task": task_without_slogan, "call": call_without_slogan},
}


def second_row(model: type[models.Model], constraint: models.UniqueConstraint) -> str:
    """What the database says of a second row with the same columns of the constraint."""
    filled = {f"{name}__isnull": False for name in constraint.fields}
    row = model.objects.filter(constraint.condition or models.Q(), **filled).first()
    fresh = {
        field.name: f"fresh-{constraint.name}"[: field.max_length]
        for field in model._meta.fields
        if field.unique and field.name not in constraint.fields and isinstance(field, models.CharField)
    }
    return refusal(row, fresh | {name: make() for name, make in OTHER.get(constraint.name, {}).items()})


def test_every_unique_constraint_refuses_a_second_row(study):
    missed = {}
    with guards_lifted():
        everything_else(study)
        for name, (model, constraint) in constraints(models.UniqueConstraint).items():
            said = second_row(model, constraint)
            columns = (model._meta.get_field(field).column for field in constraint.fields)
            if (
                name not in said
                and ", ".join(f"{model._meta.db_table}.{column}" for column in columns) not in said
            ):
                missed[name] = said
    assert missed == {}


def test_no_check_is_without_its_violation():
    elsewhere = "\n".join(path.read_text("utf-8") for path in sorted(ON_BOTH) if path != Path(__file__))
    named = set(BROKEN) | {name for name in constraints(models.CheckConstraint) if name in elsewhere}
    assert named == set(constraints(models.CheckConstraint))
