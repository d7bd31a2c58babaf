"""Every column that holds text, and what it may tell a blinded reviewer. A new column needs its line.

`hidden`: tells a system, a run, a judge, another person, or what they said; a reviewer never receives it.
`shown`: the material, the questions, the campaign's own words, or the reviewer's own.
`technical`: names of verbs, hashes and states that identify nobody; secrets are stored as hashes only.
"""

from django.apps import apps
from django.db import models

APPS = (
    "accounts",
    "benchmark",
    "work",
    "annotation",
    "judging",
    "search",
    "construction",
    "solving",
    "reports",
)

_TABLE = """
accounts.User        hidden: email name pseudonym rater | technical: password
accounts.Invitation  hidden: email mail_error | technical: token_sha256
accounts.Expertise   hidden: domain
accounts.Conflict    hidden: key reason
accounts.AccessToken  hidden: label | technical: token_sha256 password_mark
accounts.SavedComment hidden: text
accounts.IdempotencyRecord technical: key request_sha256 body
accounts.AuditEvent  hidden: reason details | technical: verb target_kind target_key
benchmark.Benchmark  shown: name slug protocol
benchmark.Release    hidden: source | shown: name | technical: sha256
benchmark.ReleaseDescription hidden: creators citation homepage answers_public_at | technical: licence version
benchmark.Paper      hidden: key title identifiers
benchmark.Instance   shown: key domain split payload | technical: sha256
benchmark.System     hidden: slug name family
benchmark.Run        hidden: condition budget config sha256 | technical: track
benchmark.Output     hidden: payload sha256 | shown: text
benchmark.Abstention hidden: reason
benchmark.CleanCopy  shown: pages words kept | technical: sha256
benchmark.Attachment hidden: shown_as
benchmark.OriginalFile hidden: name sha256 dropped
benchmark.IdentityScan hidden: findings | technical: words_sha256
benchmark.IdentityWord hidden: word
benchmark.Settlement hidden: found wanted note | technical: pair
benchmark.IdentityDecision hidden: reason | technical: passages
benchmark.RedactedOutput shown: text payload
benchmark.ImportUpload hidden: file_name terms recognised report faults refusal handle | technical: sha256 basis
benchmark.ProtocolFlag hidden: reason | technical: kind
benchmark.FrozenTuple  hidden: name split retrieval materialisation scoring
benchmark.TupleFile    hidden: name | technical: sha256
benchmark.RenderedDocument shown: text blocks report | technical: sha256 version
annotation.Rubric    shown: content name protocol | technical: sha256
annotation.RubricDraft hidden: content | technical: protocol
annotation.Campaign  hidden: condition frame | shown: slug name instructions | technical: track
annotation.CampaignSetup hidden: draw
annotation.Item      hidden: stratum | shown: domain
annotation.Assignment shown: handle | technical: shown_sha256
annotation.Draft     hidden: content
annotation.SideDraft hidden: content
annotation.ConflictTarget hidden: key
annotation.ConflictsFixed hidden: targets
annotation.SystemGuess hidden: named
annotation.Grade     hidden: note | technical: rubric_sha256 shown_sha256 idempotency_key request_sha256
annotation.Answer    hidden: comment value | shown: question step
annotation.Unjudged  hidden: note
annotation.SeenBefore hidden: place
annotation.Flag      hidden: link note
annotation.FlagSpan  hidden: text | technical: block
annotation.Adjudication hidden: note value | shown: question step
annotation.Unblinding hidden: reason
annotation.SharedComment hidden: text | technical: protocol
annotation.CalibrationRemark hidden: text
annotation.LaterGrade hidden: reason
annotation.LaterAnswer hidden: value comment | shown: question step
annotation.Reveal hidden: judge | shown: question | technical: predicate sha256
annotation.ShownVerdict hidden: value
annotation.ShownClaim hidden: text
annotation.TrainingSet technical: sha256
annotation.TrainingItem shown: title domain problem answer text | hidden: note
annotation.TrainingGold hidden: value rationale | shown: question step
annotation.TrainingAnswer hidden: value comment | shown: question step
annotation.Comment   hidden: text anchor | technical: block
judging.Judge        hidden: slug model family endpoint program published_as decoding prices
judging.Judge        hidden: budget sha256 prompts | technical: protocol
judging.UploadedPrompt hidden: name text fields reply | technical: protocol predicate sha256
judging.JudgeRun     hidden: note | technical: track condition predicates
judging.JudgeTask    hidden: last_error lease_owner | technical: predicate
work.EndpointState   hidden: name last_error
judging.Call         hidden: request reply error | technical: prompt_sha256
judging.Verdict      hidden: reason evidence | technical: predicate value
judging.StepVerdict  hidden: reason | technical: question step label
search.Corpus        hidden: slug title | technical: sha256
search.Source        hidden: name url version licence attribution
search.Document      hidden: key title authors categories abstract introduction
search.Statement     hidden: key section kind number note label body url licence | technical: sha256
search.Index         hidden: problem | technical: recipe corpus_sha256 digest
search.SloganRun     hidden: endpoint model note | technical: prompt_sha256
search.SloganTask    hidden: last_error lease_owner
search.SloganCall    hidden: request reply error
search.Slogan        hidden: text model | technical: prompt_sha256 fault
search.Query         hidden: text formula filters | technical: mode
search.ReleaseCheck  hidden: problem | technical: corpus_sha256
search.Finding       hidden: field note
search.Feedback      hidden: note
construction.Source  hidden: key name title authors category domain licence sentence main others notes candidates
construction.Source  hidden: program_said | technical: version sha256 form code
construction.Reading hidden: main outline | technical: version
construction.Pairing hidden: proof_file statement_file
construction.Publication hidden: title authors venue doi reason evidence
construction.SourceUpload hidden: manifest note
construction.UploadedArchive hidden: name key sentence found last_error lease_owner handle | technical: version code
construction.SourceFile hidden: path text | technical: sha256
construction.Build   hidden: name endpoint model note | technical: protocol recipe recipe_sha256 sources_sha256 prompts
construction.BuildPaper hidden: main pairs sentence last_error lease_owner | technical: code
construction.Candidate hidden: key sentence places lines | technical: stage code
construction.Step    hidden: last_error lease_owner fields text | technical: stage prompt prompt_sha256 input_sha256
construction.StepCall hidden: request reply error
construction.Review  hidden: reason before after
construction.BuiltInstance hidden: provenance
solving.Material    hidden: name content | technical: sha256
solving.Solver      hidden: slug settings endpoint model decoding roles family | technical: recipe recipe_sha256 sha256
solving.SolveRun    hidden: endpoint model note | technical: track condition split
solving.Attempt     hidden: note result ranking
solving.MemoryEntry hidden: agent step text | technical: role sha256
solving.Step        hidden: endpoint key agent phase name question reads reply reply_fault last_error lease_owner
solving.Step        technical: question_sha256
solving.SolveCall   hidden: model request reply error
reports.Artifact     hidden: content sha256 | technical: kind
reports.KeptScore    hidden: choice content | technical: basis
reports.HistoryLink  technical: kind sha256 chain
reports.ExclusionRule hidden: name reason | technical: grounds
reports.PublicRecord hidden: name declared withdrawn_reason | technical: archive_sha256
reports.LabelUpload  hidden: file_name asked document refusal handle
reports.ReportJob    hidden: judge error file sha256 | technical: track condition frozen_tuple lease_owner
"""


def table() -> dict[str, str]:
    """`app.Model.column` to hidden, shown or technical."""
    found = {}
    for line in _TABLE.strip().splitlines():
        model, _, groups = line.partition(" ")
        for group in groups.split("|"):
            kind, _, columns = group.strip().partition(":")
            found.update({f"{model}.{column}": kind for column in columns.split()})
    return found


def text_columns() -> set[str]:
    """Every column of our tables that may hold free text or JSON; lists of choices identify nobody."""
    return {
        f"{app}.{model.__name__}.{field.name}"
        for app in APPS
        for model in apps.get_app_config(app).get_models()
        if not model._meta.proxy
        for field in model._meta.get_fields()
        if isinstance(field, models.CharField | models.TextField | models.JSONField)
        and not getattr(field, "choices", None)
    }
