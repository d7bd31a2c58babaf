"""Each constraint of this app, violated."""

import datetime as dt

import pytest
from django.apps import apps
from django.db import IntegrityError, models
from django.db.models import ProtectedError
from django.utils import timezone

from benchmark.models import (
    Abstention,
    Attachment,
    Benchmark,
    CleanCopy,
    FrozenTuple,
    IdentityDecision,
    IdentityWord,
    ImportUpload,
    OriginalFile,
    ProtocolFlag,
    Release,
    ReleaseDescription,
    RenderedDocument,
    System,
    TupleFile,
    TupleFilePart,
    UnreleasedOutput,
)
from tests.benchmark.test_settling import REFUSED
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    OutputFactory,
    PaperFactory,
    ReleaseFactory,
    RunFactory,
    SystemFactory,
    UserFactory,
    digest,
)

pytestmark = pytest.mark.django_db


def twin_output(**changes):
    first = OutputFactory()
    return OutputFactory(run=first.run, instance=first.instance, attempt=first.attempt, **changes)


def twin_word(*words):
    release, person = ReleaseFactory(), UserFactory()
    for word in words:
        IdentityWord.objects.create(release=release, word=word, added_by=person)


def twin_run():
    first = RunFactory(condition="oracle")
    return RunFactory(system=first.system, release=first.release, condition="oracle")


def twin_instance():
    first = InstanceFactory()
    return InstanceFactory(release=first.release, key=first.key)


def twin_paper():
    first = PaperFactory()
    return PaperFactory(release=first.release, key=first.key)


def a_flag(output=None, **changes):
    said = {"kind": "citing_paper_source", "certain": True, "reason": "Same title.", **changes}
    return ProtocolFlag.objects.create(output=output or OutputFactory(), **said)


def twin_document():
    for _ in range(2):
        RenderedDocument.objects.create(sha256=digest("x"), blocks=[], report={})


def document_of_no_time():
    RenderedDocument.objects.create(sha256=digest("x"), version="1")


def withheld(twice=False):
    run = RunFactory()
    instance = InstanceFactory(release=run.release)
    for _ in range(2 if twice else 1):
        UnreleasedOutput.objects.create(run=run, instance=instance)
    return {"run": run, "instance": instance}


def released_after_all():
    OutputFactory(**withheld())


def withheld_though_released():
    output = OutputFactory()
    UnreleasedOutput.objects.create(run=output.run, instance=output.instance)


def withheld_elsewhere():
    UnreleasedOutput.objects.create(run=RunFactory(), instance=InstanceFactory())


def withheld_of_a_frozen_run():
    run = RunFactory(frozen_at=timezone.now())
    UnreleasedOutput.objects.create(run=run, instance=InstanceFactory(release=run.release))


def decided(output=None, twice=False, **changes):
    values = {"output": output or OutputFactory(), "verdict": "harmless", "reason": "a surname", **changes}
    for _ in range(2 if twice else 1):
        IdentityDecision.objects.create(**values)


def described(**changes):
    values = {
        "release": ReleaseFactory(),
        "licence": "CC-BY-4.0",
        "creators": ["A. Author"],
        "version": "1",
        "published_on": dt.date(2026, 11, 1),
    }
    ReleaseDescription.objects.create(**values | changes)


def fixed(twice=False, **changes):
    values = {
        "release": ReleaseFactory(),
        "name": "first",
        "split": "test",
        "retrieval": "search-v1",
        "materialisation": "log-v1",
        "scoring": "judge-v1",
        "evaluated_on": dt.date(2026, 11, 1),
    }
    for _ in range(2 if twice else 1):
        FrozenTuple.objects.create(**values | changes)


def brought(**changes):
    values = {"kind": "outputs", "file_name": "a", "size": 1, "sha256": "x", "handle": "h"}
    later = timezone.now() + dt.timedelta(days=1)
    ImportUpload.objects.create(**{"owner": UserFactory(), "expires_at": later, **values, **changes})


def attached(twice_to="", name="a.pdf", **changes):
    copy = CleanCopy.objects.create(
        sha256=digest("copy"), kind=changes.pop("kind", "pdf"), data=b"x", pages=[]
    )
    owner = {"output": OutputFactory()} if twice_to != "instance" else {"instance": InstanceFactory()}
    for _ in range(2 if twice_to else 1):
        row = Attachment.objects.create(**{"number": 1, "copy": copy, **owner, **changes})
    OriginalFile.objects.create(attachment=row, name=name, sha256=digest("original"), data=b"x")


def stored(parts=(), **changes):
    row = TupleFile.objects.create(**{"sha256": "a" * 64, "size": 2, "name": "log", **changes})
    for number in parts:
        TupleFilePart.objects.create(file=row, number=number, data=b"x")


VIOLATIONS = {
    "tuple_file_hash_is_hexadecimal": lambda: stored(sha256="a" * 31 + "g" + "a" * 32),
    "tuple_file_is_not_empty": lambda: stored(size=0),
    "tuple_file_has_a_name": lambda: stored(name=""),
    "tuple_file_part_once": lambda: stored(parts=[1, 1]),
    "tuple_file_parts_count_from_one": lambda: stored(parts=[0]),
    "clean_copy_kind_is_known": lambda: attached(kind="mood"),
    "attachment_has_one_subject": lambda: attached(output=None),
    "attachments_count_from_one": lambda: attached(number=0),
    "attachment_once_per_output": lambda: attached(twice_to="output"),
    "attachment_once_per_instance": lambda: attached(twice_to="instance"),
    "original_file_has_a_name": lambda: attached(name=""),
    "benchmark_names_its_protocol": lambda: BenchmarkFactory(slug="other", protocol=""),
    "paper_once_per_release": twin_paper,
    "instance_once_per_release": twin_instance,
    "instance_has_a_key": lambda: InstanceFactory(key=""),
    "run_once_per_track_and_condition": twin_run,
    "output_once_per_attempt": twin_output,
    "protocol_flag_once_per_kind": lambda: a_flag(a_flag().output),
    "protocol_flag_says_what_and_why": lambda: a_flag(reason=""),
    "output_attempts_count_from_one": lambda: OutputFactory(attempt=0),
    "output_state_is_known": lambda: OutputFactory(state="lost"),
    "output_text_format_is_known": lambda: OutputFactory(text_format="docx"),
    "abstention_has_a_reason": lambda: Abstention.objects.create(
        output=OutputFactory(state="abstained"), reason=""
    ),
    "unreleased_once_per_instance": lambda: withheld(twice=True),
    "described_release_has_a_licence": lambda: described(licence=""),
    "described_release_has_creators": lambda: described(creators=""),
    "described_release_has_a_version": lambda: described(version=""),
    "identity_verdict_is_known": lambda: decided(verdict="fine"),
    "identity_decided_once": lambda: [decided(output=OutputFactory(), twice=True)],
    "identity_decision_has_its_reason": lambda: decided(reason=""),
    "identity_word_once_per_release": lambda: twin_word("Nordlicht", "NORDLICHT"),
    "identity_word_is_not_empty": lambda: twin_word(""),
    "tuple_once_per_release": lambda: fixed(twice=True),
    "tuple_says_everything": lambda: fixed(retrieval=""),
    "import_kind_is_known": lambda: brought(kind="dance"),
    "import_state_is_known": lambda: brought(state="dance"),
    "import_refused_with_its_reason": lambda: brought(state="refused"),
    "import_running_since": lambda: brought(state="running"),
    "import_checked_before_it": lambda: brought(state="checked", applying=True),
    "import_applied_after_it": lambda: brought(state="applied"),
    "rendered_by_a_version": document_of_no_time,
    "import_expires_after_it_came": lambda: brought(expires_at=timezone.now() - dt.timedelta(days=1)),
}


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_violation_is_refused_by_the_database(name):
    with pytest.raises(IntegrityError):
        VIOLATIONS[name]()


def test_no_constraint_is_without_its_violation():
    named = {
        constraint.name
        for model in apps.get_app_config("benchmark").get_models()
        for constraint in model._meta.constraints
    }
    assert named == set(VIOLATIONS) | set(REFUSED)


@pytest.mark.parametrize(
    ("violation", "words"),
    [
        (released_after_all, "an output is released or it is not"),
        (withheld_though_released, "an output is released or it is not"),
        (withheld_elsewhere, "an unreleased output is of an instance of its run"),
        (withheld_of_a_frozen_run, "its run is frozen"),
    ],
)
def test_what_was_not_released_is_beside_no_output_and_within_its_open_run(violation, words):
    with pytest.raises(IntegrityError, match=words):
        violation()


@pytest.mark.parametrize(
    "make",
    [
        lambda: [SystemFactory(slug="aurora") for _ in range(2)],
        lambda: [ReleaseFactory(name="r1") for _ in range(2)],
        lambda: [Benchmark.objects.create(slug="b", name="B", protocol="proofs") for _ in range(2)],
        twin_document,
    ],
    ids=["system", "release", "benchmark", "rendered document"],
)
def test_a_name_is_given_once(make):
    with pytest.raises(IntegrityError):
        make()


@pytest.mark.parametrize("model", [Benchmark, Release, System])
def test_nothing_that_others_refer_to_is_deleted(model):
    output = OutputFactory()
    paper = PaperFactory(release=output.run.release)
    with pytest.raises(ProtectedError):
        model.objects.all().delete()
    for row in (output.instance, output.run, paper):
        assert isinstance(row, models.Model)
        row.refresh_from_db()
