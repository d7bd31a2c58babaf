"""A token in every hidden column of a whole study; a blinded reviewer who tries every door receives none."""

import datetime as dt
import json
import re
from collections import deque
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AccessToken, AuditEvent, Conflict, Expertise, Invitation, User
from accounts.people import invitations
from accounts.profile import saved_comments
from accounts.site.mail import send_invitation
from annotation.assigning import taking
from annotation.calibration import actions as calibration_actions
from annotation.campaigns import actions as campaigns_actions
from annotation.campaigns import reminding
from annotation.comments import actions as comments_actions
from annotation.core.documents import anchors
from annotation.core.material import material
from annotation.models import (
    Adjudication,
    Assignment,
    Campaign,
    CampaignSetup,
    ConflictsFixed,
    ConflictTarget,
    Draft,
    Flag,
    FlagSpan,
    Rubric,
    RubricDraft,
    SeenBefore,
    SideDraft,
    SystemGuess,
    TrainingItem,
    Unblinding,
    Unjudged,
)
from annotation.reveal import actions as reveal_actions
from annotation.training import actions as training_actions
from benchmark.files.actions import attach
from benchmark.files.process import cleaned
from benchmark.models import (
    Abstention,
    Attachment,
    CleanCopy,
    FrozenTuple,
    IdentityDecision,
    IdentityScan,
    IdentityWord,
    ImportUpload,
    OriginalFile,
    Output,
    ProtocolFlag,
    Release,
    ReleaseDescription,
    Settlement,
    TupleFile,
    TupleFilePart,
)
from benchmark.releases.queries import sha256_of_words
from benchmark.rendering import stored as rendering
from benchmark.rendering.actions import render_waiting
from construction.models import (
    Build,
    BuildPaper,
    BuiltInstance,
    Candidate,
    Pairing,
    Publication,
    Reading,
    Review,
    Source,
    SourceFile,
    SourceUpload,
    Step,
    StepCall,
    UploadedArchive,
)
from construction.sources.manifest import ManifestRow
from judging.models import Call, JudgeRun, JudgeTask, StepVerdict, UploadedPrompt
from reports.models import Artifact, ExclusionRule, KeptScore, LabelUpload, PublicRecord, ReportJob
from reports.records.declared import Declared
from search.indexes.actions import build_index
from search.models import (
    Corpus,
    Document,
    Feedback,
    Finding,
    Index,
    Query,
    ReleaseCheck,
    SearchesOfADay,
    Slogan,
    SloganCall,
    SloganRun,
    SloganTask,
    Statement,
)
from search.models import (
    Source as CorpusSource,
)
from solving.models import Attempt, Material, MemoryEntry, SolveCall, Solver, SolveRun
from solving.models import Step as SolveStep
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE, QUESTIONS
from tests.benchmark.pdfs import everything_in, planted, png
from tests.canaries import table, text_columns
from tests.conftest import member
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    JudgeFactory,
    JudgeRunFactory,
    JudgeTaskFactory,
    OutputFactory,
    PaperFactory,
    ReleaseFactory,
    RubricFactory,
    RunFactory,
    VerdictFactory,
    digest,
)
from tests.routes import installed
from work.models import EndpointState

HIDDEN = sorted(column for column, kind in table().items() if kind == "hidden")
METHODS = ("get", "head", "options", "post", "put", "patch", "delete")


def canary(column: str) -> str:
    """A token that occurs nowhere by chance: lower case, no blanks, good in a slug and in an address."""
    return f"zq{HIDDEN.index(column):03d}qz"


def received(reply: Any) -> str:
    body = b"".join(reply.streaming_content) if reply.streaming else reply.content
    if reply.get("Content-Type") == "application/pdf":
        body = everything_in(body)
    headers = "\n".join(f"{name}: {value}" for name, value in reply.items())
    return f"{headers}\n{reply.cookies.output()}\n{body.decode(errors='replace')}"


def heard(text: str) -> set[str]:
    return {HIDDEN[int(number)] for number in re.findall(r"zq(\d{3})qz", text)}


@pytest.fixture(scope="module")
def _furnished(rows_of_the_module: Any) -> list[Any]:
    """The study is written once for all tests of the file; the mails that it sent."""
    with rows_of_the_module(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendering, "call_worker", lambda *_: render_waiting())  # as `worker_is_quick`
        mail.outbox.clear()
        if connection.vendor == "sqlite":  # so that one number is of many kinds, whatever ran before
            connection.cursor().execute("DELETE FROM sqlite_sequence")
        furnish(
            member("carl@study.test", "Carl Coordinator", "coordinator"),
            member("ada@study.test", "Ada Algebraist", "reviewer", "algebra"),
        )
        return list(mail.outbox)


@pytest.fixture(autouse=True)
def _refusals_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """pytest would format thousands of tracebacks of what is rightly refused."""
    caplog.set_level("ERROR", "django.request")


@pytest.fixture
def study(_furnished: list[Any], db: None) -> Campaign:
    mail.outbox.extend(_furnished)
    return Campaign.objects.get(slug="round")


@pytest.fixture
def own_study(db: None, coordinator: User, algebraist: User) -> Campaign:
    """For tests of other files."""
    furnish(coordinator, algebraist)
    return Campaign.objects.get(slug="round")


@pytest.fixture
def coordinator(study: Campaign) -> User:
    return User.objects.get(email="carl@study.test")


@pytest.fixture
def algebraist(study: Campaign) -> User:
    return User.objects.get(email="ada@study.test")


def furnish(coordinator: User, algebraist: User) -> None:
    """Two systems' outputs graded by two reviewers, judged, scanned and described: a token in every hidden column."""
    c = canary
    release = ReleaseFactory(name="study", source=c("benchmark.Release.source"))
    ReleaseDescription.objects.create(
        release=release,
        licence="CC-BY-4.0",
        creators=[c("benchmark.ReleaseDescription.creators")],
        citation=c("benchmark.ReleaseDescription.citation"),
        homepage=f"https://{c('benchmark.ReleaseDescription.homepage')}.test/",
        version="1",
        published_on=dt.date(2026, 11, 1),
    )
    file = TupleFile.objects.create(sha256="a" * 64, size=1, name=c("benchmark.TupleFile.name"))
    TupleFilePart.objects.create(file=file, number=1, data=b"x")
    FrozenTuple.objects.create(
        release=release,
        retrieval_file=file,
        evaluated_on=dt.date(2026, 11, 1),
        **{
            field: c(f"benchmark.FrozenTuple.{field}")
            for field in ("name", "split", "retrieval", "materialisation", "scoring")
        },
    )
    paper = PaperFactory(
        release=release,
        key=c("benchmark.Paper.key"),
        title=c("benchmark.Paper.title"),
        identifiers={"doi": c("benchmark.Paper.identifiers")},
    )
    run = RunFactory(
        release=release,
        system__slug=c("benchmark.System.slug"),
        system__name=c("benchmark.System.name"),
        system__family=c("benchmark.System.family"),
        condition=c("benchmark.Run.condition"),
        budget={"tokens": c("benchmark.Run.budget")},
        config={"seed": c("benchmark.Run.config")},
        sha256=c("benchmark.Run.sha256"),
    )
    outputs = [
        OutputFactory(
            run=run,
            instance=InstanceFactory(release=release, paper=paper),
            payload={"file": c("benchmark.Output.payload")},
            sha256=c("benchmark.Output.sha256"),
        )
        for _ in range(2)
    ]
    _attached(outputs, coordinator)
    rubric = RubricFactory(
        name="test",
        content={"name": "test", "version": 1, "kind": "grade", "title": "Test", "questions": QUESTIONS},
        sha256=digest("test rubric"),
    )
    campaign = CampaignFactory(
        slug="round",
        release=release,
        rubric=rubric,
        reviewers_per_item=2,
        created_by=coordinator,
        with_search=True,
    )
    strata = {output.pk: c("annotation.Item.stratum") for output in outputs}
    campaigns_actions.draw_items(actor=coordinator, campaign=campaign, strata=strata)
    CampaignSetup.objects.create(campaign=campaign, draw={"systems": [c("annotation.CampaignSetup.draw")]})
    campaign = campaigns_actions.open_campaign(actor=coordinator, campaign=campaign)
    _another_reviewer(campaign)
    _earlier_round(campaign, outputs[0])
    _judged(outputs)
    _scanned(outputs[0], coordinator)
    _people(coordinator)
    _reports(campaign, coordinator)
    _another_training(release, rubric, coordinator)
    _another_discussion(release, rubric, coordinator)
    _hidden_verdicts(release, rubric, coordinator)
    address = f"https://{canary('benchmark.ReleaseDescription.answers_public_at')}.test/"
    ReleaseDescription.objects.update(answers_public_at=address)  # since the campaigns were opened
    for _ in outputs:
        taking.take_next(reviewer=algebraist, campaign=campaign)


def _attached(outputs: list[Output], coordinator: User) -> None:
    """Files of outputs and of an instance that carry tokens wherever a file can."""
    c = canary
    name = f"{c('benchmark.OriginalFile.name')}/proof"
    told, _ = planted(c("benchmark.OriginalFile.dropped"))
    for output in outputs:
        attach(actor=coordinator, subject=output, name=f"{name}.pdf", data=told)
    picture = png(c("benchmark.OriginalFile.dropped"))
    made = cleaned(picture)
    copy = CleanCopy.objects.create(sha256=digest("copy"), kind=made.kind, data=made.data, pages=made.pages)
    for number, names in ((1, None), (2, [c("benchmark.Attachment.shown_as")])):
        OriginalFile.objects.create(
            attachment=Attachment.objects.create(
                instance=outputs[0].instance, number=number, copy=copy, shown_as=names
            ),
            name=f"{name}.png",
            sha256=c("benchmark.OriginalFile.sha256"),
            data=picture,
            dropped=made.dropped,
        )


def _another_reviewer(campaign: Campaign) -> None:
    c = canary
    other = member(f"{c('accounts.User.email')}@study.test", c("accounts.User.name"), "reviewer", "algebra")
    User.objects.filter(pk=other.pk).update(
        pseudonym=c("accounts.User.pseudonym"), rater=c("accounts.User.rater")
    )
    Expertise.objects.create(user=other, domain=c("accounts.Expertise.domain"))
    AccessToken.objects.create(
        user=other,
        label=c("accounts.AccessToken.label"),
        token_sha256=digest("t"),
        password_mark=digest("m"),
        expires_at=timezone.now() + dt.timedelta(days=9),
    )
    place = taking.take_next(reviewer=other, campaign=campaign)
    content = json.loads(json.dumps(COMPLETE))
    question = next(iter(content["answers"]))
    content["comments"] = {**content.get("comments", {}), question: c("annotation.Answer.comment")}
    content["note"] = c("annotation.Grade.note")
    content["seen_before"] = True
    block = next(iter(_blocks(place)))
    content["anchored"] = [
        {
            "block": block,
            "start": 0,
            "end": 1,
            "severity": "minor",
            "kind": "",
            "text": c("annotation.Comment.text"),
        },
        {
            "block": "file1-page1",
            "severity": "minor",
            "text": "Why?",
            "anchor": {
                "page": 1,
                "quote": {"exact": c("annotation.Comment.anchor")},
                "rects": [[1, 1, 2, 2]],
            },
        },
    ]
    for key in (q["key"] for q in QUESTIONS if q["scale"] == "text"):
        content["answers"][key] = c("annotation.Answer.value")
    submit_grade(
        reviewer=other,
        assignment=place,
        content=content,
        idempotency_key="k",
        rubric_sha256=campaign.rubric.sha256,
    )
    Unjudged.objects.create(grade=place.grades.get(), reason="other", note=c("annotation.Unjudged.note"))
    SeenBefore.objects.create(grade=place.grades.get(), place=c("annotation.SeenBefore.place"))
    flag = Flag.objects.create(
        grade=place.grades.get(),
        kind="public_solution",
        link=f"https://{c('annotation.Flag.link')}.test/",
        note=c("annotation.Flag.note"),
    )
    FlagSpan.objects.create(flag=flag, block=block, start=0, end=1, text=c("annotation.FlagSpan.text"))
    saved_comments.save_comment(actor=other, text=c("accounts.SavedComment.text"))
    proposed = c("annotation.SharedComment.text")  # until staff share it, nobody else reads it
    comments_actions.propose_comment(reviewer=other, campaign=campaign, text=proposed)
    second = taking.take_next(reviewer=other, campaign=campaign)
    Draft.objects.create(assignment=second, content={"note": c("annotation.Draft.content")})
    RubricDraft.objects.create(
        protocol="proofs",
        content={"title": c("annotation.RubricDraft.content")},
        created_by=campaign.created_by,
        saved_by=campaign.created_by,
    )
    SideDraft.objects.create(
        reviewer=other,
        assignment=second,
        occasion="discussion",
        content={"note": c("annotation.SideDraft.content")},
    )
    declared = Conflict.objects.create(
        user=other, kind="paper", key=c("accounts.Conflict.key"), reason=c("accounts.Conflict.reason")
    )
    ConflictTarget.objects.create(conflict=declared, kind="system", key=c("annotation.ConflictTarget.key"))
    fixed = [["system", c("annotation.ConflictsFixed.targets")]]
    ConflictsFixed.objects.create(campaign=campaign, reviewer=other, targets=fixed)
    SystemGuess.objects.create(assignment=place, named=c("annotation.SystemGuess.named"))


def _earlier_round(campaign: Campaign, output: Output) -> None:
    c, now = canary, timezone.now()
    closed = CampaignFactory(
        slug="earlier",
        release=campaign.release,
        rubric=campaign.rubric,
        condition=canary("annotation.Campaign.condition"),
        created_by=campaign.created_by,
        phase="closed",
        opened_at=now,
        closed_at=now,
    )
    Adjudication.objects.create(
        item=ItemFactory(campaign=closed, output=output, instance=output.instance),
        question="correctness",
        value=c("annotation.Adjudication.value"),
        note=c("annotation.Adjudication.note"),
        decided_by=campaign.created_by,
    )
    Unblinding.objects.create(
        campaign=closed, reason=c("annotation.Unblinding.reason"), requested_by=campaign.created_by
    )
    CampaignFactory(
        slug="audit",
        kind="audit",
        release=campaign.release,
        rubric=campaign.rubric,
        frame={"systems": [c("annotation.Campaign.frame")], "leaves_out": []},
        created_by=campaign.created_by,
    )


def _blocks(place: Assignment) -> list[str]:
    return list(anchors(material(place))[0])


def _judged(outputs: list[Output]) -> None:
    c = canary
    columns = ("slug", "model", "family", "endpoint", "published_as", "sha256")
    objects = ("decoding", "prices", "budget")
    judge = JudgeFactory(
        **{name: c(f"judging.Judge.{name}") for name in columns},
        **{name: {"x": c(f"judging.Judge.{name}")} for name in objects},
        prompts={
            "correct": {
                "name": "own.v1",
                "sha256": digest("own"),
                "text": c("judging.Judge.prompts"),
                "fields": [],
                "reply": {},
            }
        },
    )
    UploadedPrompt.objects.create(
        protocol="re2math",
        predicate="correct",
        name=c("judging.UploadedPrompt.name"),
        version=1,
        text=c("judging.UploadedPrompt.text"),
        sha256=digest("own"),
        fields=[["answer", c("judging.UploadedPrompt.fields")]],
        reply={"label": c("judging.UploadedPrompt.reply"), "values": {}},
    )
    run = JudgeRunFactory(judge=judge, release=outputs[0].run.release, note=c("judging.JudgeRun.note"))
    task = JudgeTaskFactory(
        run=run,
        output=outputs[0],
        last_error=c("judging.JudgeTask.last_error"),
        state="leased",
        lease_owner=c("judging.JudgeTask.lease_owner"),
        lease_until=timezone.now() + dt.timedelta(hours=1),
    )
    Call.objects.create(
        judge=judge,
        latency_seconds=0.1,
        task=task,
        prompt_sha256=digest("p"),
        request={"x": c("judging.Call.request")},
        reply={"x": c("judging.Call.reply")},
        error=c("judging.Call.error"),
    )
    verdict = VerdictFactory(judge=judge, output=outputs[0], reason=c("judging.Verdict.reason"))
    StepVerdict.objects.create(
        verdict=verdict, question="steps", step="b1", label="correct", reason=c("judging.StepVerdict.reason")
    )
    program = JudgeFactory(program=c("judging.Judge.program"), model="", endpoint="", votes=1)
    VerdictFactory(
        judge=program,
        output=None,
        instance=outputs[0].instance,
        evidence={"x": c("judging.Verdict.evidence")},
    )
    EndpointState.objects.create(
        name=c("work.EndpointState.name"), last_error=c("work.EndpointState.last_error")
    )


def _scanned(output: Output, coordinator: User) -> None:
    finding = {
        "field": "text", "kind": "name", "start": 0, "end": 1, "certain": True,
        "evidence": canary("benchmark.IdentityScan.findings"),
    }  # fmt: skip
    word = canary("benchmark.IdentityWord.word")
    IdentityWord.objects.create(release=output.run.release, word=word, added_by=coordinator)
    IdentityScan.objects.filter(output=output).update(
        findings=[finding], certain=1, words_sha256=sha256_of_words([word])
    )
    ProtocolFlag.objects.create(
        output=output,
        kind="citing_paper_source",
        certain=True,
        reason=canary("benchmark.ProtocolFlag.reason"),
    )
    given_up = OutputFactory(
        run=RunFactory(release=output.run.release), instance=output.instance, state="abstained", text=""
    )
    Abstention.objects.create(output=given_up, reason=canary("benchmark.Abstention.reason"))
    IdentityDecision.objects.create(
        output=output,
        verdict="harmless",
        reason=canary("benchmark.IdentityDecision.reason"),
        decided_by=coordinator,
    )


def _another_training(release: Release, rubric: Rubric, coordinator: User) -> None:
    """A round with a training that another reviewer answered, and this one not yet."""
    c = canary
    campaign = CampaignFactory(slug="trained", release=release, rubric=rubric, created_by=coordinator)
    gold = {
        "problem": release.instances.order_by("pk")[0].key,
        "answer": "Clearly.",
        "gold": {**COMPLETE["answers"], "remarks": c("annotation.TrainingGold.value")},
        "rationale": {"correctness": c("annotation.TrainingGold.rationale")},
        "note": c("annotation.TrainingItem.note"),
    }
    training_actions.attach_training(
        actor=coordinator, campaign=campaign, file=json.dumps(gold).encode(), form="jsonl"
    )
    campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    campaigns_actions.open_campaign(actor=coordinator, campaign=campaign)
    other = User.objects.get(name=c("accounts.User.name"))
    answers = {**COMPLETE["answers"], "remarks": c("annotation.TrainingAnswer.value")}
    comments = {"rigour": c("annotation.TrainingAnswer.comment")}
    training_actions.answer_training(
        reviewer=other,
        item=TrainingItem.objects.get(),
        content={"answers": answers, "comments": comments},
    )


def _another_discussion(release: Release, rubric: Rubric, coordinator: User) -> None:
    """A round whose revealed answers two others discuss."""
    c = canary
    campaign = CampaignFactory(
        slug="talked", release=release, rubric=rubric, reviewers_per_item=2, created_by=coordinator
    )
    campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    campaigns_actions.open_campaign(actor=coordinator, campaign=campaign)
    item = (
        calibration_actions.make_calibration(actor=coordinator, campaign=campaign, items=1).items.get().item
    )
    others = [member(f"{letter}@study.test", letter.upper(), "reviewer") for letter in "tu"]
    places = [AssignmentFactory(item=item, reviewer=person) for person in others]
    for place in places:
        submit_grade(
            reviewer=place.reviewer,
            assignment=place,
            content=COMPLETE,
            idempotency_key="k",
            rubric_sha256=rubric.sha256,
        )
    calibration_actions.reveal_calibration(actor=coordinator, campaign=campaign)
    calibration_actions.discuss(author=others[0], item=item, text=c("annotation.CalibrationRemark.text"))
    answers = {**COMPLETE["answers"], "remarks": c("annotation.LaterAnswer.value")}
    calibration_actions.answer_again(
        reviewer=others[0],
        assignment=places[0],
        content={"answers": answers, "comments": {"rigour": c("annotation.LaterAnswer.comment")}},
        reason=c("annotation.LaterGrade.reason"),
    )


def _hidden_verdicts(release: Release, rubric: Rubric, coordinator: User) -> None:
    """A round whose verdicts come after the answer; the reviewer may take its items and has answered none."""
    c = canary
    campaign = CampaignFactory(slug="verdicts", release=release, rubric=rubric, created_by=coordinator)
    items = campaigns_actions.draw_items(actor=coordinator, campaign=campaign)
    reveal_actions.attach_verdicts(
        actor=coordinator,
        campaign=campaign,
        question="correctness",
        judge=c("annotation.Reveal.judge"),
        predicate="accepted",
        verdicts=[
            reveal_actions.VerdictCopy(
                item.pk, c("annotation.ShownVerdict.value"), (c("annotation.ShownClaim.text"),)
            )
            for item in items
        ],
    )
    campaigns_actions.open_campaign(actor=coordinator, campaign=campaign)


def _people(coordinator: User) -> None:
    c = canary
    send_invitation(
        invitations.invite(
            actor=coordinator, email=f"{c('accounts.Invitation.email')}@study.test", role="reviewer"
        )
    )
    unsent = invitations.invite(actor=coordinator, email="unsent@study.test", role="reviewer").invitation
    unsent.mail_error = c("accounts.Invitation.mail_error")
    unsent.save()
    AuditEvent.objects.create(
        verb="x",
        target_kind="accounts.user",
        target_key="1",
        reason=c("accounts.AuditEvent.reason"),
        details={"x": c("accounts.AuditEvent.details")},
        at=timezone.now(),
    )


def _reports(campaign: Campaign, coordinator: User) -> None:
    c = canary
    Settlement.objects.create(
        release=campaign.release,
        pair="x",
        found=[["Title", c("benchmark.Settlement.found")]],
        wanted=[["Citation", c("benchmark.Settlement.wanted")]],
        verdict="same",
        note=c("benchmark.Settlement.note"),
        decided_by=coordinator,
    )
    ExclusionRule.objects.create(
        release=campaign.release,
        name=canary("reports.ExclusionRule.name"),
        grounds=["leak"],
        at_least=25,
        reason=canary("reports.ExclusionRule.reason"),
        declared_by=coordinator,
    )
    ReportJob.objects.create(
        release=campaign.release,
        campaign=campaign,
        asked_by=coordinator,
        items=True,
        state="failed",
        judge=c("reports.ReportJob.judge"),
        error=c("reports.ReportJob.error"),
    )
    ReportJob.objects.create(
        release=campaign.release,
        asked_by=coordinator,
        state="done",
        file=c("reports.ReportJob.file"),
        sha256=c("reports.ReportJob.sha256"),
        expires_at=timezone.now() + dt.timedelta(days=1),
    )
    ImportUpload.objects.create(
        owner=coordinator,
        kind="outputs",
        handle=c("benchmark.ImportUpload.handle"),
        file_name=c("benchmark.ImportUpload.file_name"),
        size=1,
        sha256="",
        terms={"system": c("benchmark.ImportUpload.terms")},
        state="refused",
        report={"system": c("benchmark.ImportUpload.report")},
        recognised={"paths": [c("benchmark.ImportUpload.recognised")]},
        faults=[{"reason": c("benchmark.ImportUpload.faults")}],
        refusal=c("benchmark.ImportUpload.refusal"),
        expires_at=timezone.now() + dt.timedelta(hours=1),
    )
    LabelUpload.objects.create(
        owner=coordinator,
        handle=c("reports.LabelUpload.handle"),
        file_name=c("reports.LabelUpload.file_name"),
        form="csv",
        size=1,
        state="refused",
        asked={"analysis": c("reports.LabelUpload.asked")},
        refusal=c("reports.LabelUpload.refusal"),
        expires_at=timezone.now() + dt.timedelta(hours=1),
    )
    artifact = Artifact.objects.create(
        release=campaign.release,
        kind="score",
        content={"x": c("reports.Artifact.content")},
        sha256=c("reports.Artifact.sha256"),
    )
    said = dict.fromkeys(("address", "licence", "asked", "limitations", "published_on"), "x")
    title = c("reports.PublicRecord.declared")
    PublicRecord.objects.create(  # its files are not written, so that nobody reads them
        name=c("reports.PublicRecord.name"),
        version=1,
        artifact=artifact,
        declared=Declared(name="x", version=1, title=title, authors=[], **said).as_json(),
        archive_sha256="0" * 64,
        withdrawn_at=timezone.now(),
        withdrawn_reason=c("reports.PublicRecord.withdrawn_reason"),
    )
    _searched(campaign)
    _built()
    _solved()
    KeptScore.objects.create(
        release=campaign.release, choice=c("reports.KeptScore.choice"), content=c("reports.KeptScore.content")
    )


def _searched(campaign: Campaign) -> None:
    """A corpus that belongs to the release, so that it is for the staff alone, and what somebody searched for."""
    c, someone = canary, User.objects.filter(roles__name="coordinator").first()
    corpus = Corpus.objects.create(
        slug=c("search.Corpus.slug"),
        title=c("search.Corpus.title"),
        visibility="staff",
        release=campaign.release,
    )
    said = {name: c(f"search.Source.{name}") for name in ("name", "url", "version", "licence", "attribution")}
    source = CorpusSource.objects.create(corpus=corpus, **said)
    said = {name: c(f"search.Document.{name}") for name in ("key", "title")}
    said |= {name: c(f"search.Document.{name}") for name in ("abstract", "introduction")}
    lists = {name: [c(f"search.Document.{name}")] for name in ("authors", "categories")}
    document = Document.objects.create(corpus=corpus, source=source, **said, **lists)
    names = ("key", "section", "kind", "number", "note", "label", "body", "url", "licence")
    said = {name: c(f"search.Statement.{name}") for name in names}
    statement = Statement.objects.create(corpus=corpus, document=document, sha256="0" * 64, **said)
    _slogans(corpus, statement)
    recipe = {"name": "words"}
    Index.objects.create(corpus=corpus, recipe=recipe, state="failed", problem=c("search.Index.problem"))
    Index.objects.create(corpus=corpus, recipe=recipe, state="waiting")
    index = Index.objects.create(
        corpus=corpus,
        recipe=recipe,
        state="ready",
        corpus_sha256="0" * 64,
        digest="1" * 64,
        built_at=timezone.now(),
    )
    query = Query.objects.create(
        index=index,
        user=someone,
        purpose="page",
        text=c("search.Query.text"),
        formula=c("search.Query.formula"),
        filters={"authors": [c("search.Query.filters")]},
        mode="words",
        n_results=1,
    )
    note = c("search.Feedback.note")
    Feedback.objects.create(user=someone, statement=statement, query=query, value=-1, note=note)
    check = {"release": campaign.release, "corpus": corpus, "asked_by": someone}
    ReleaseCheck.objects.create(**check, state="failed", problem=c("search.ReleaseCheck.problem"))
    ReleaseCheck.objects.create(**check, state="waiting")
    Finding.objects.create(
        check_of=ReleaseCheck.objects.create(
            **check, state="done", corpus_sha256="0" * 64, done_at=timezone.now()
        ),
        instance=campaign.release.instances.first(),
        statement=statement,
        field=c("search.Finding.field"),
        kind="near",
        permille=700,
        decision="leak",
        note=c("search.Finding.note"),
        decided_by=someone,
        decided_at=timezone.now(),
    )
    SearchesOfADay.objects.create(corpus=corpus, day=dt.date(2026, 11, 1), purpose="page", searches=1)


def _slogans(corpus: Corpus, statement: Statement) -> None:
    """What a model wrote about a statement, and what it was asked and replied."""
    c = canary
    said = {name: c(f"search.SloganRun.{name}") for name in ("endpoint", "model", "note")}
    run = SloganRun.objects.create(
        corpus=corpus,
        reads="body",
        prompt_sha256="0" * 64,
        prompt_price=1,
        completion_price=1,
        max_tokens=1,
        **said,
    )
    task = SloganTask.objects.create(
        run=run,
        statement=statement,
        state="leased",
        lease_until=timezone.now(),
        lease_owner=c("search.SloganTask.lease_owner"),
        last_error=c("search.SloganTask.last_error"),
    )
    said = {name: c(f"search.SloganCall.{name}") for name in ("request", "reply", "error")}
    call = SloganCall.objects.create(task=task, token=uuid4(), latency_seconds=1, **said)
    said = {name: c(f"search.Slogan.{name}") for name in ("text", "model")}
    Slogan.objects.create(
        statement=statement, reads="body", prompt_sha256="0" * 64, task=task, call=call, **said
    )


PLACES = {"slug:slug": "round", "slug:name": "study", "slug:release": "study"}


def _read_and_uploaded(source: Source, path: str) -> None:
    """What was found in a source, as what it was published, and an upload."""
    c, someone = canary, User.objects.earliest("pk")
    statement = {
        "kind": "lemma", "head": "Lemma", "number": "1", "title": c("construction.Reading.outline"), "labels": [],
        "places": [[path, 0, 2]], "text": "x",
    }  # fmt: skip
    outline = {"statements": [statement], "proofs": [], "unresolved": [], "unmatched": [], "missing": []}
    counts = {"statements": 1, "proofs": 0, "paired": 0, "citations": 0, "formulas": 0}
    main = c("construction.Reading.main")
    Reading.objects.create(source=source, version="1", main=main, outline=outline, **counts)
    files = {name: c(f"construction.Pairing.{name}") for name in ("proof_file", "statement_file")}
    Pairing.objects.create(source=source, proof_start=0, by=someone, **files)
    said = {name: c(f"construction.Publication.{name}") for name in ("title", "venue", "doi", "reason")}
    lists = {name: [c(f"construction.Publication.{name}")] for name in ("authors", "evidence")}
    Publication.objects.create(
        source=source,
        found="ask",
        decision="same",
        decided_by=someone,
        decided_at=timezone.now(),
        **said,
        **lists,
    )
    row = ManifestRow(title=c("construction.SourceUpload.manifest"), file="x", line=2)
    upload = SourceUpload.objects.create(
        created_by=someone, manifest=[row.as_json()], note=c("construction.SourceUpload.note")
    )
    names = ("name", "key", "sentence", "last_error", "lease_owner", "handle")
    UploadedArchive.objects.create(
        run=upload,
        size=1,
        state="leased",
        lease_until=timezone.now(),
        found={"title": c("construction.UploadedArchive.found")},
        **{name: c(f"construction.UploadedArchive.{name}") for name in names},
    )


def _built() -> None:
    """A source, and a build that has made a release of it."""
    c = canary
    source = Source.objects.create(
        sha256="1" * 64,
        form="tex",
        state="readable",
        authors=[c("construction.Source.authors")],
        others=[[c("construction.Source.others"), 1]],
        notes=[["twice", "a.tex", c("construction.Source.notes")]],
        **{
            name: c(f"construction.Source.{name}")
            for name in ("key", "name", "title", "category", "domain", "licence", "sentence", "main")
        },
        candidates=[[c("construction.Source.candidates"), 1]],
        program_said={"main": c("construction.Source.program_said"), "code": "tie", "sentence": ""},
        main_chosen_by=User.objects.earliest("pk"),
        main_chosen_at=timezone.now(),
    )
    path = c("construction.SourceFile.path")
    SourceFile.objects.create(
        source=source, sha256="2" * 64, path=path, text=c("construction.SourceFile.text")
    )
    _read_and_uploaded(source, path)
    build = Build.objects.create(
        protocol="lemmas",
        recipe={},
        recipe_sha256="3" * 64,
        sources_sha256="4" * 64,
        prompts={},
        seed=1,
        state="done",
        finished_at=timezone.now(),
        prompt_price=1,
        completion_price=1,
        max_tokens=1,
        **{name: c(f"construction.Build.{name}") for name in ("name", "endpoint", "model", "note")},
    )
    said = {
        name: c(f"construction.BuildPaper.{name}")
        for name in ("main", "sentence", "last_error", "lease_owner")
    }
    paper = BuildPaper.objects.create(
        run=build,
        source=source,
        ordinal=0,
        state="leased",
        lease_until=timezone.now(),
        pairs=[[c("construction.BuildPaper.pairs"), 0, "", 0]],
        **said,
    )
    said = {name: c(f"construction.Candidate.{name}") for name in ("key", "sentence")}
    origin = {"places": [], "written_by": "program", "program": ""}
    lists = {
        "places": [{"path": c("construction.Candidate.places"), "start": 0, "end": 1}],
        "lines": [{"line": {"x": c("construction.Candidate.lines")}, "provenance": {"x": origin}}],
    }
    candidate = Candidate.objects.create(paper=paper, place=0, stage="lines", state="made", **said, **lists)
    asked = {
        "run": build,
        "candidate": candidate,
        "prompt": "p.v1",
        "prompt_sha256": "5" * 64,
        "input_sha256": "6" * 64,
    }
    said = {name: c(f"construction.Step.{name}") for name in ("last_error", "lease_owner")}
    step = Step.objects.create(
        stage="needs",
        state="leased",
        lease_until=timezone.now(),
        fields={"lemma": c("construction.Step.fields")},
        **asked,
        **said,
    )
    Step.objects.create(stage="objects", state="done", text=c("construction.Step.text"), **asked)
    said = {name: c(f"construction.StepCall.{name}") for name in ("request", "reply", "error")}
    StepCall.objects.create(task=step, token=uuid4(), latency_seconds=1, **said)
    said = {name: {"0.x": c(f"construction.Review.{name}")} for name in ("before", "after")}
    reason = c("construction.Review.reason")
    Review.objects.create(
        candidate=candidate, decision="repair", reason=reason, by=User.objects.earliest("pk"), **said
    )
    BuiltInstance.objects.create(
        instance_id=Release.objects.earliest("pk").instances.earliest("pk").pk,
        candidate=candidate,
        provenance={"x": c("construction.BuiltInstance.provenance")},
    )
    Build.objects.update(release=Release.objects.earliest("pk"))


def _solved() -> None:
    """A run of a solver that was published, with an attempt, its memory and its steps."""
    c = canary
    bank = Material.objects.create(
        kind="bank",
        sha256="1" * 64,
        name=c("solving.Material.name"),
        content={
            "entries": [{"key": "k", "title": "T", "statement": c("solving.Material.content")}],
        },
    )
    said = {name: c(f"solving.Solver.{name}") for name in ("slug", "endpoint", "model", "family")}
    jsons = {name: {"x": c(f"solving.Solver.{name}")} for name in ("settings", "decoding", "roles")}
    solver = Solver.objects.create(
        version=1, recipe="rma", recipe_sha256="2" * 64, sha256="3" * 64, **said, **jsons
    )
    output = Output.objects.earliest("pk")
    run = SolveRun.objects.create(
        solver=solver, release=output.run.release, bank=bank, published=output.run, state="done",
        finished_at=timezone.now(), attempt_tokens=1, max_tokens=1, prompt_price=1, completion_price=1,
        **{name: c(f"solving.SolveRun.{name}") for name in ("endpoint", "model", "note")},
    )  # fmt: skip
    attempt = Attempt.objects.create(
        run=run, instance=output.instance, number=1, state="ended", ended_because="rounds", outcome="answered",
        ended_at=timezone.now(), note=c("solving.Attempt.note"), result={"x": c("solving.Attempt.result")},
        ranking=[{"x": c("solving.Attempt.ranking")}],
    )  # fmt: skip
    said = {name: c(f"solving.MemoryEntry.{name}") for name in ("step", "text", "agent")}
    MemoryEntry.objects.create(
        attempt=attempt, number=1, section="proof", round=1, role="proposer", sha256="4" * 64, **said
    )
    names = ("key", "endpoint", "agent", "phase", "name", "reply_fault", "last_error", "lease_owner")
    step = SolveStep.objects.create(
        run=run, attempt=attempt, kind="ask", round=1, state="leased", lease_until=timezone.now(),
        question_sha256="5" * 64, question={"x": c("solving.Step.question")}, reads=[c("solving.Step.reads")],
        reply={"x": c("solving.Step.reply")}, **{name: c(f"solving.Step.{name}") for name in names},
    )  # fmt: skip
    said = {name: c(f"solving.SolveCall.{name}") for name in ("request", "reply", "error", "model")}
    SolveCall.objects.create(task=step, token=uuid4(), latency_seconds=1, adopted=True, **said)


def numbers(first: bool) -> list[int]:
    """Numbers of rows that exist, of every kind that an address may name: the last two, or only the first."""
    kinds = (
        Output,
        JudgeRun,
        JudgeTask,
        ReleaseCheck,
        Finding,
        Source,
        SourceUpload,
        Assignment,
        ReportJob,
        AccessToken,
        Invitation,
        User,
        SolveRun,
        Attempt,
    )
    order, most = ("pk", 1) if first else ("-pk", 2)
    return sorted(
        {pk for kind in kinds for pk in kind.objects.order_by(order).values_list("pk", flat=True)[:most]}
    )


def addresses(handles: list[str], *, first: bool = False) -> list[str]:
    """Every route of the site with names, handles and numbers that exist."""
    found = []
    for route in installed():
        path = "/" + route.lstrip("^").rstrip("$")
        for name, value in PLACES.items():
            path = path.replace(f"<{name}>", value)
        path = path.replace("<slug:corpus>", canary("search.Corpus.slug"))
        if path.startswith("/solving/"):
            path = path.replace("<str:key>", canary("solving.Step.key")).replace("<int:number>", "1")
            path = path.replace("<int:instance>", str(Attempt.objects.earliest("pk").instance_id))
        if "/statements/" in path:
            path = path.replace("<path:key>", canary("search.Statement.key"))
        path = path.replace("<slug:protocol>", "proofs").replace("<slug:question>", "correctness")
        if "<str:handle>" in path:
            path = path.replace("/files/<int:number>/", "/files/1/")
            found += [path.replace("<str:handle>", handle) for handle in handles]
        elif "/training/round/" in path:
            found.append(path.replace("/round/", "/trained/").replace("<int:number>", "1"))
        elif "<int:pk>" in path:
            found += [_filled(path.replace("<int:pk>", str(n))) for n in numbers(first)]
        else:
            found.append(_filled(path))
    return found


def _filled(path: str) -> str:
    """Of a page of one row below another, the first row; other places have a word that nothing is called."""
    return re.sub(r"<[^>]+>|\(\?P[^)]*\)", "x", re.sub(r"<int:\w+>", "1", path))


def crawl(client: Client, *starts: str) -> tuple[set[str], set[str]]:
    """The tokens heard on every page that links lead to, and the addresses seen."""
    tokens: set[str] = set()
    seen: set[str] = set()
    queue = deque(starts)
    while queue:
        address = queue.popleft()
        if address in seen:
            continue
        seen.add(address)
        reply = client.get(address)
        text = received(reply)
        tokens |= heard(text)
        queue += [reply.url] if reply.status_code in (301, 302) else []
        links = re.findall(r'(?:href|action|data-api|data-file|data-next|data-url)="(/[^"#]*)', text)
        queue += [
            link.replace("&amp;", "&") for link in links if not link.startswith(("/static/", "/accounts/"))
        ]
    return tokens, seen


def test_every_column_with_text_says_what_it_may_tell() -> None:
    assert set(table()) == text_columns()


def test_the_study_has_a_token_in_every_hidden_column(study: Campaign) -> None:
    empty = []
    for column in HIDDEN:
        app, model, field = column.split(".")
        values = str(list(apps.get_model(app, model).objects.values_list(field, flat=True)))
        if canary(column) not in values:
            empty.append(column)
    assert empty == [
        "reports.LabelUpload.document"
    ]  # it excludes a refusal; the page of a file is its sender's


def test_no_page_that_links_lead_to_tells_a_reviewer_anything(
    client: Client, study: Campaign, algebraist: User
) -> None:
    client.force_login(algebraist)
    tokens, seen = crawl(client, "/", reverse("finished"), reverse("profile"), reverse("own-data"))
    assert tokens == set()
    assert sum("/grading/items/" in address for address in seen) >= 2
    place = Assignment.objects.filter(reviewer=algebraist).first()
    assert place is not None
    submit_grade(
        reviewer=algebraist,
        assignment=place,
        content=COMPLETE,
        idempotency_key="mine",
        rubric_sha256=study.rubric.sha256,
    )
    assert crawl(client, "/", reverse("finished"), reverse("own-data"))[0] == set()


@pytest.mark.slow
@pytest.mark.parametrize("tried", ["first", pytest.param("all", marks=pytest.mark.night)])
def test_no_door_that_a_reviewer_tries_tells_anything(
    client: Client, study: Campaign, algebraist: User, tried: str
) -> None:
    """Every route, every method, numbers that exist, the handles of others, and a body of nonsense.

    By day all numbers are read, and the other methods are tried with the first number of each kind.
    """
    client.force_login(algebraist)
    client.raise_request_exception = False
    handles = list(Assignment.objects.values_list("handle", flat=True))
    told = {}
    often = dict.fromkeys(addresses(handles, first=tried == "first"))
    for address in often | dict.fromkeys(addresses(handles)):
        if address.startswith(("/accounts/logout", "/profile/erase")):
            continue
        for method in METHODS if address in often else METHODS[:1]:
            reply = getattr(client, method)(address, data="{}", content_type="application/json") if method in (
                "post", "put", "patch"
            ) else getattr(client, method)(address)  # fmt: skip
            assert reply.status_code < 500, (method, address)
            if tokens := heard(received(reply)):
                told[method, address] = tokens
    assert told == {}


def test_no_way_to_search_shows_a_reviewer_the_paper_of_a_problem(
    client: Client, study: Campaign, algebraist: User, owner: User, settings: Any, tmp_path: Path
) -> None:
    """A corpus for members has that paper, under its key or its title, next to another one."""
    settings.INDEX_DIR = tmp_path
    corpus = Corpus.objects.create(slug="library", title="Library", visibility="members")
    source = CorpusSource.objects.create(corpus=corpus, name="notes", licence="CC-BY-4.0")
    key, title = canary("benchmark.Paper.key"), canary("benchmark.Paper.title")
    works = {key: "A treatise", "another-key": title, "harmless": "Notes on balls"}
    for name, its_title in works.items():
        document = Document.objects.create(corpus=corpus, source=source, key=name, title=its_title)
        Statement.objects.create(
            corpus=corpus, document=document, key=f"{name}/1", kind="theorem", sha256="0" * 64,
            body=f"Every closed ball is compact, as {its_title} proves.",
        )  # fmt: skip
    build_index(actor=None, corpus=corpus, recipe="words")
    places = Assignment.objects.filter(reviewer=algebraist, state="waiting", item__campaign=study)
    handle = places.order_by("pk")[0].handle
    asked = {"q": "compact closed ball", "corpus": "library"}
    searched = [(reverse(name), asked) for name in ("search", "api-search")]
    searched += [(reverse("search-panel", args=[handle]), asked)]
    searched += [(f"/search/corpora/library/statements/{name}/1/", {}) for name in works]
    searched += [
        ("/api/v1/corpora/library/documents/", {"q": "a"}),
        ("/search/", {"similar": "harmless/1"} | asked),
    ]
    client.force_login(algebraist)
    told = {place: client.get(place, data) for place, data in searched}
    heard_by_reviewer = set().union(*(heard(received(reply)) for reply in told.values()))
    assert heard_by_reviewer == set()
    assert "Notes on balls" in received(told[searched[2][0]])
    assert handle in received(client.get(reverse("grade", args=[handle])))
    client.force_login(owner)
    heard_by_owner = set().union(*(heard(received(client.get(place, data))) for place, data in searched))
    assert heard_by_owner >= {"benchmark.Paper.key", "benchmark.Paper.title"}


def test_filters_and_orders_are_no_oracle(client: Client, study: Campaign, algebraist: User) -> None:
    client.force_login(algebraist)
    plain = client.get(reverse("api-queue")).content
    for name in ("item__output__run__system__slug", "system", "ordering", "o", "search", "stratum", "run"):
        reply = client.get(reverse("api-queue"), {name: canary("benchmark.System.slug")})
        assert reply.status_code == 400 or reply.content == plain
        assert heard(received(reply)) == set()


def test_mail_to_reviewers_and_blinded_exports_name_no_system(
    study: Campaign, coordinator: User, algebraist: User, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reminding.remind_campaign(actor=coordinator, campaign=study)["sent"] >= 1
    assert any(algebraist.email in mail_.to for mail_ in mail.outbox)
    sent = "".join(f"{mail_.subject}{mail_.body}" for mail_ in mail.outbox)
    assert heard(sent) == set()
    call_command("export_labels", "--release", "study", "--blinded")
    said_by_experts = {"accounts.User.rater", "annotation.Answer.comment", "annotation.Answer.value"}
    paper = {"benchmark.Paper.key"}  # the cluster of every interval; the instance leads to it anyway
    assert heard(capsys.readouterr().out) <= said_by_experts | paper


# What an owner is not shown on a page or by REST: what belongs to a person alone, the text of grades (it is in
# printed reports), the raw calls (in artifacts and the database), and names that represent others.
NOBODY_IS_SHOWN = {
    "annotation.Campaign.frame",  # in frozen scores only
    "construction.BuildPaper.lease_owner",
    "construction.BuildPaper.pairs",  # a proof of them is dropped or not
    "construction.BuildPaper.main",  # that of its source, which is shown
    "construction.BuildPaper.sentence",  # of papers that could not be read
    "construction.BuiltInstance.provenance",  # in the file of origins
    "construction.Candidate.lines",  # pages show the fields that instances of the protocol have
    "construction.Candidate.places",  # pages show the text there
    "construction.Candidate.sentence",  # of those that were dropped
    "construction.Step.fields",  # pages show what came back
    "construction.Step.lease_owner",
    "construction.StepCall.reply",
    "construction.StepCall.request",
    "construction.Publication.evidence",  # the page compares the two sides itself
    "construction.Reading.main",  # that of its source, which is shown
    "construction.Source.program_said",
    "construction.SourceUpload.manifest",  # shown where a file is missing, once everything has been read
    "construction.SourceUpload.note",
    "construction.UploadedArchive.handle",
    "construction.UploadedArchive.lease_owner",
    "solving.Attempt.ranking",  # pages show the fields that rankings and results have
    "solving.Attempt.result",
    "solving.SolveCall.error",  # of calls that were not adopted
    "solving.SolveCall.request",  # it is made again from the record
    "solving.Step.agent",
    "solving.Step.lease_owner",
    "solving.Step.phase",
    "solving.Step.question",
    "annotation.CampaignSetup.draw",  # choices before the draw: an open campaign shows the draw itself
    "annotation.Adjudication.note",
    "annotation.Adjudication.value",
    "benchmark.Settlement.found",  # proofs leave no open cases; tests/benchmark/test_settling.py sees them
    "benchmark.Settlement.note",
    "benchmark.Settlement.wanted",
    "annotation.Flag.link",
    "annotation.Flag.note",
    "annotation.FlagSpan.text",
    "annotation.CalibrationRemark.text",
    "annotation.LaterAnswer.comment",
    "annotation.LaterAnswer.value",
    "annotation.LaterGrade.reason",
    "annotation.Reveal.judge",
    "annotation.ShownClaim.text",
    "annotation.ShownVerdict.value",
    "annotation.TrainingGold.rationale",
    "benchmark.ProtocolFlag.reason",  # on the page of sources, which this study's protocol does not have
    "annotation.ConflictsFixed.targets",  # pages show what is decided now, and what it excludes in numbers
    "annotation.SystemGuess.named",  # pages and commands count what a closed campaign's names mean
    "annotation.TrainingItem.note",
    "annotation.Unblinding.reason",
    "accounts.AccessToken.label",
    "accounts.SavedComment.text",
    "annotation.Comment.anchor",
    "annotation.Comment.text",
    "annotation.Draft.content",
    "annotation.SideDraft.content",
    "annotation.Grade.note",
    "benchmark.ImportUpload.faults",  # an upload's page is its sender's
    "benchmark.ImportUpload.file_name",
    "benchmark.ImportUpload.handle",
    "benchmark.ImportUpload.recognised",
    "benchmark.ImportUpload.refusal",
    "benchmark.ImportUpload.report",
    "benchmark.ImportUpload.terms",
    "benchmark.Run.budget",
    "benchmark.Run.config",
    "judging.Call.error",
    "judging.Call.reply",
    "judging.Call.request",
    "work.EndpointState.last_error",
    "work.EndpointState.name",
    "judging.Judge.slug",
    "judging.JudgeTask.lease_owner",
    "judging.Verdict.evidence",
    "reports.Artifact.content",
    "reports.KeptScore.choice",
    "reports.KeptScore.content",
    "reports.LabelUpload.asked",
    "reports.LabelUpload.document",
    "reports.LabelUpload.file_name",
    "reports.LabelUpload.handle",
    "reports.LabelUpload.refusal",
    "reports.ReportJob.file",
    "search.Document.abstract",  # models read it
    "search.Document.categories",  # filters only
    "search.Document.introduction",
    "search.Feedback.note",  # a person's own, like their searches
    "search.Query.filters",
    "search.Query.formula",
    "search.Query.text",
    "search.SloganCall.error",
    "search.SloganCall.reply",
    "search.SloganCall.request",
    "search.SloganTask.last_error",
    "search.SloganTask.lease_owner",
    "search.Statement.label",
}


@pytest.mark.slow
def test_the_same_crawl_as_owner_finds_the_tokens(client: Client, study: Campaign, owner: User) -> None:
    """The control: the tokens are there, and reach those who may see them."""
    client.force_login(owner)
    client.raise_request_exception = False
    tokens, seen = crawl(
        client, "/", reverse("releases"), reverse("scores"), reverse("people"), reverse("judges")
    )
    for address in addresses([]):
        if address in seen:
            continue
        reply = client.get(address)
        assert reply.status_code < 500, address
        tokens |= heard(received(reply))
    assert sorted(set(HIDDEN) - tokens - NOBODY_IS_SHOWN) == []
    assert {"benchmark.System.slug", "benchmark.System.name", "benchmark.Run.condition"} <= tokens
