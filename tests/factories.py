"""Rows for tests, with sensible defaults; a test names only what it is about."""

import hashlib

import factory
from factory.django import DjangoModelFactory

from accounts.models import Expertise, Role, User
from annotation.models import Assignment, Campaign, Item, LeastAuthors, Rubric
from benchmark.models import Benchmark, Instance, Output, Paper, Release, Run, System
from benchmark.releases.integrity import run_sha256
from benchmark.rubrics import rubric_from_content
from judging.models import Judge, JudgeRun, JudgeTask, Verdict


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class UserFactory(DjangoModelFactory):
    class Meta:
        model = User

    email = factory.Sequence(lambda n: f"person{n}@study.test")
    name = factory.Sequence(lambda n: f"Person {n}")


class RoleFactory(DjangoModelFactory):
    class Meta:
        model = Role

    user = factory.SubFactory(UserFactory)
    name = "reviewer"


class ExpertiseFactory(DjangoModelFactory):
    class Meta:
        model = Expertise

    user = factory.SubFactory(UserFactory)
    domain = "algebra"
    confidence = 2


class BenchmarkFactory(DjangoModelFactory):
    class Meta:
        model = Benchmark
        django_get_or_create = ("slug",)

    slug = "proofs"
    name = "Proofs"
    protocol = "proofs"


class ReleaseFactory(DjangoModelFactory):
    class Meta:
        model = Release

    benchmark = factory.SubFactory(BenchmarkFactory)
    name = factory.Sequence(lambda n: f"release-{n}")
    sha256 = factory.LazyAttribute(lambda row: digest(row.name))


class PaperFactory(DjangoModelFactory):
    class Meta:
        model = Paper

    release = factory.SubFactory(ReleaseFactory)
    key = factory.Sequence(lambda n: f"paper-{n}")
    title = "On a question of nobody in particular"


class InstanceFactory(DjangoModelFactory):
    class Meta:
        model = Instance

    release = factory.SubFactory(ReleaseFactory)
    key = factory.Sequence(lambda n: f"problem-{n}")
    domain = "algebra"
    payload = factory.LazyAttribute(
        lambda row: {
            "title": f"Problem {row.key}",
            "statement": "Show that $1 + 1 = 2$.",
            "reference_solution": "By definition of $2$.",
            "guidance": {"target_claim": "", "objects": [], "common_issues": []},
        }
    )
    sha256 = factory.LazyAttribute(lambda row: digest(row.key))


class SystemFactory(DjangoModelFactory):
    class Meta:
        model = System

    slug = factory.Sequence(lambda n: f"system-{n}")
    name = factory.Sequence(lambda n: f"System {n}")


class RunFactory(DjangoModelFactory):
    class Meta:
        model = Run

    system = factory.SubFactory(SystemFactory)
    release = factory.SubFactory(ReleaseFactory)
    sha256 = digest("run")


class OutputFactory(DjangoModelFactory):
    class Meta:
        model = Output

    run = factory.SubFactory(RunFactory)
    instance = factory.SubFactory(InstanceFactory, release=factory.SelfAttribute("..run.release"))
    text = "Proof. Two is the successor of one, and $1 + 1$ is that successor. $\\square$"
    text_format = "markdown"
    sha256 = factory.LazyAttribute(lambda row: digest(row.text))


RUBRIC = rubric_from_content(
    {
        "name": "proofs",
        "version": 1,
        "kind": "grade",
        "title": "Whole proof",
        "questions": [
            {
                "key": "correctness",
                "text": "Is the proof correct?",
                "scale": "correctness",
                "positive": "correct",
            }
        ],
    }
)


def hash_as_imported(*runs: Run) -> None:
    """Give runs the hash of what they hold, as an import does; made-up rows have made-up hashes."""
    for run in runs:
        Run.objects.filter(pk=run.pk).update(sha256=run_sha256(run))


class RubricFactory(DjangoModelFactory):
    class Meta:
        model = Rubric
        django_get_or_create = ("protocol", "name", "version")

    protocol = "proofs"
    name = "proofs"
    version = 1
    content = RUBRIC.content
    sha256 = RUBRIC.sha256


class CampaignFactory(DjangoModelFactory):
    class Meta:
        model = Campaign
        skip_postgeneration_save = True

    slug = factory.Sequence(lambda n: f"campaign-{n}")
    name = factory.Sequence(lambda n: f"Campaign {n}")
    release = factory.SubFactory(ReleaseFactory)
    rubric = factory.SubFactory(RubricFactory)
    kind = "grade"
    seed = 1
    created_by = factory.SubFactory(UserFactory)
    # most worlds of tests have one or two systems; tests/annotation/test_possible_authors.py tries the number itself
    least = factory.RelatedFactory("tests.factories.LeastAuthorsFactory", "campaign")


class LeastAuthorsFactory(DjangoModelFactory):
    class Meta:
        model = LeastAuthors

    campaign = factory.SubFactory(CampaignFactory, least=None)
    least = 1


class ItemFactory(DjangoModelFactory):
    class Meta:
        model = Item

    campaign = factory.SubFactory(CampaignFactory)
    output = factory.SubFactory(OutputFactory, run__release=factory.SelfAttribute("...campaign.release"))
    instance = factory.SelfAttribute("output.instance")
    domain = factory.SelfAttribute("instance.domain")
    stratum = "all"
    stratum_size = 1
    sample_size = 1
    inclusion_probability = 1.0


class AssignmentFactory(DjangoModelFactory):
    class Meta:
        model = Assignment

    item = factory.SubFactory(ItemFactory)
    reviewer = factory.SubFactory(UserFactory)
    handle = factory.Sequence(lambda n: f"handle-{n}")
    position = factory.Sequence(lambda n: n)


class JudgeFactory(DjangoModelFactory):
    class Meta:
        model = Judge

    slug = factory.Sequence(lambda n: f"judge-{n}")
    protocol = "proofs"
    model = "some-model"
    sha256 = factory.LazyAttribute(lambda row: digest(row.slug))


class JudgeRunFactory(DjangoModelFactory):
    class Meta:
        model = JudgeRun

    judge = factory.SubFactory(JudgeFactory)
    release = factory.SubFactory(ReleaseFactory)
    predicates = factory.LazyFunction(lambda: ["ground"])


class JudgeTaskFactory(DjangoModelFactory):
    class Meta:
        model = JudgeTask

    run = factory.SubFactory(JudgeRunFactory)
    output = factory.SubFactory(OutputFactory, run__release=factory.SelfAttribute("...run.release"))
    predicate = "ground"


class VerdictFactory(DjangoModelFactory):
    class Meta:
        model = Verdict

    judge = factory.SubFactory(JudgeFactory)
    output = factory.SubFactory(OutputFactory)
    predicate = "ground"
    value = "yes"
