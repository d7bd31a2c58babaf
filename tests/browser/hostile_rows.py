"""Puts hostile texts into every column that holds somebody's words, whatever forms and guards would say to it."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction

from tests.canaries import text_columns
from tests.conftest import without_guards
from tests.foreign_texts import foreign_texts

# What machines write and read: names of verbs and rows, hashes, secrets. Another value there is no text but a fault.
MACHINE = {
    "handles, keys and hashes": """
        accounts.User.password accounts.Invitation.token_sha256 accounts.AccessToken.token_sha256
        accounts.IdempotencyRecord.key accounts.IdempotencyRecord.request_sha256
        benchmark.Release.sha256 benchmark.Instance.sha256 benchmark.ImportUpload.sha256
        benchmark.ImportUpload.basis benchmark.ImportUpload.handle benchmark.RenderedDocument.sha256
        annotation.Rubric.sha256 annotation.Assignment.handle annotation.Assignment.shown_sha256
        annotation.Grade.rubric_sha256 annotation.Grade.shown_sha256 annotation.Grade.idempotency_key
        annotation.Grade.request_sha256 annotation.Reveal.sha256 annotation.TrainingSet.sha256
        judging.Call.prompt_sha256 reports.Artifact.sha256 reports.HistoryLink.sha256
        reports.HistoryLink.chain reports.LabelUpload.handle reports.ReportJob.sha256 reports.ReportJob.file
        reports.ReportJob.lease_owner judging.JudgeTask.lease_owner benchmark.Run.sha256
        benchmark.Output.sha256 judging.Judge.sha256 benchmark.Settlement.pair
        reports.PublicRecord.archive_sha256 judging.UploadedPrompt.sha256 benchmark.TupleFile.sha256
        search.Corpus.sha256 search.Statement.sha256 search.Index.digest search.Index.corpus_sha256
        search.ReleaseCheck.corpus_sha256 construction.Source.sha256 construction.SourceFile.sha256
        construction.Build.recipe_sha256 construction.Build.sources_sha256 construction.Build.prompts
        construction.BuildPaper.lease_owner construction.Step.lease_owner construction.Step.prompt_sha256
        construction.Step.input_sha256 construction.UploadedArchive.lease_owner construction.UploadedArchive.handle
        solving.Material.sha256 solving.Solver.sha256 solving.Solver.recipe_sha256 solving.MemoryEntry.sha256
        solving.Step.question_sha256 solving.Step.lease_owner
    """,
    "short names: every entrance takes letters, digits and hyphens only": """
        benchmark.Benchmark.slug benchmark.Release.name annotation.Campaign.slug benchmark.FrozenTuple.name
        benchmark.System.slug benchmark.Run.track benchmark.Run.condition annotation.Campaign.track
        judging.Judge.slug judging.JudgeRun.track reports.ReportJob.track reports.ReportJob.condition
        reports.ReportJob.frozen_tuple reports.ExclusionRule.name judging.JudgeRun.condition
        reports.PublicRecord.name judging.UploadedPrompt.name annotation.Campaign.condition
        search.Corpus.slug search.Query.mode construction.Build.name construction.Source.version
        construction.UploadedArchive.version
        solving.Material.name solving.Solver.slug solving.SolveRun.track solving.SolveRun.condition
        solving.SolveRun.split
    """,
    "names of files and functions of this project": """
        benchmark.Benchmark.protocol annotation.Rubric.protocol annotation.Rubric.name
        annotation.RubricDraft.protocol judging.UploadedPrompt.protocol judging.UploadedPrompt.predicate
        annotation.SharedComment.protocol judging.Judge.protocol judging.Judge.program judging.Judge.prompts
        judging.JudgeRun.predicates judging.JudgeTask.predicate judging.Verdict.predicate
        annotation.Reveal.predicate reports.Artifact.kind reports.HistoryLink.kind search.Slogan.fault
        construction.Build.protocol construction.Build.recipe construction.Source.form construction.Source.code
        construction.BuildPaper.code construction.Candidate.code construction.Candidate.stage
        construction.Step.stage construction.Step.prompt construction.Reading.version construction.UploadedArchive.code
        solving.Solver.recipe solving.Step.name solving.Step.key solving.Step.phase solving.Step.agent
        solving.MemoryEntry.agent solving.MemoryEntry.role solving.MemoryEntry.step solving.Solver.settings
        solving.Step.reads
    """,
    "keys and values of a rubric's questions, of blocks and of rules": """
        annotation.Answer.question annotation.Answer.step annotation.Adjudication.question
        annotation.Adjudication.step annotation.Adjudication.value
        annotation.LaterAnswer.question annotation.LaterAnswer.step
        annotation.TrainingAnswer.question annotation.TrainingAnswer.step annotation.TrainingGold.question
        annotation.TrainingGold.step annotation.Reveal.question annotation.Comment.block
        annotation.FlagSpan.block judging.Verdict.value annotation.ShownVerdict.value
        judging.StepVerdict.question judging.StepVerdict.step judging.StepVerdict.label
        reports.ExclusionRule.grounds benchmark.IdentityDecision.passages
    """,
    "written by our own renderer and read back": """
        benchmark.RenderedDocument.blocks benchmark.RenderedDocument.report accounts.IdempotencyRecord.body
    """,
}

HTTPS = "https://"
ONE_LINE = frozenset(["key"])  # an instance's or a paper's: benchmark/importing/keys.py
TO_A_PAGE = 30  # texts in one long column
A_TOKEN = "zq"  # tests/test_canaries.py puts one where an answer is free text; others are values of a scale


def words() -> set[str]:
    """The columns that hold somebody's words: all but those that MACHINE names."""
    return text_columns() - set(" ".join(MACHINE.values()).split())


def fill() -> dict[str, int]:
    """Hostile texts in every row's words; for each column of `words()`, how many rows hold one.

    An empty column stays empty where the row says by it that there is nothing. Together the columns hold
    every text.
    """
    texts = itertools.cycle(foreign_texts())
    filled = {}
    with transaction.atomic(), connection.cursor() as cursor, without_guards(cursor):
        for column in sorted(words()):
            app, name, field = column.split(".")
            model = apps.get_model(app, name)
            filled[column] = _fill(model, model._meta.get_field(field), texts)
    return filled


def _fill(model: type[models.Model], field: Any, texts: Iterator[str]) -> int:
    changed = 0
    for pk, value in model._default_manager.order_by("pk").values_list("pk", field.name):
        if value and (field.name != "value" or value.startswith(A_TOKEN)):
            rows = model._default_manager.filter(pk=pk)
            changed += rows.update(**{field.name: _hostile(field, value, texts)})
    return changed


def _hostile(field: Any, value: Any, texts: Iterator[str]) -> Any:
    if isinstance(field, models.JSONField):
        return _leaves(value, texts)
    if field.max_length:
        scheme = HTTPS if value.startswith(HTTPS) else ""  # the database takes no other address
        short = (scheme + text for text in texts if len(scheme + text) <= field.max_length)
        return next(text for text in short if field.name not in ONE_LINE or text.isprintable())
    if isinstance(document := _document(value), dict):
        return json.dumps(_leaves(document, texts))
    return "\n\n".join(itertools.islice(texts, TO_A_PAGE))


def _document(value: str) -> Any:
    """The JSON that the text is, or None."""
    try:
        return json.loads(value)
    except ValueError:
        return None


def _leaves(value: Any, texts: Iterator[str]) -> Any:
    """`value` with a hostile text for each string in it that is prose; keys of schemas and dates are not."""
    if isinstance(value, dict):
        return {name: _leaves(inner, texts) for name, inner in value.items()}
    if isinstance(value, list):
        return [_leaves(inner, texts) for inner in value]
    prose = isinstance(value, str) and (" " in value or "\\" in value or value.startswith(A_TOKEN))
    return next(texts) if prose else value
