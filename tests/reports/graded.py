"""A small graded campaign with anchored comments, for reports."""

from annotation.models import Answer, Campaign, Comment, Grade
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    RunFactory,
)

REMARK = "The index set is not finite here."
N = 5
PROOF = """\\begin{theorem}\\label{t} Every $x \\ne 0$ is invertible.\\end{theorem}

\\begin{proof} By Theorem~\\ref{t} itself, $\\frac{a}{b} = c$. \\[ x = \\sum_{i \\ne j} a_i \\] \\end{proof}

The end of the text."""


def graded_campaign() -> Campaign:
    """Five proofs by two systems, each graded by one expert; the first has two comments, one of them lost."""
    campaign = CampaignFactory(slug="round", name="Round one")
    runs = [RunFactory(release=campaign.release, system__name=name) for name in ("Aurora", "Basalt")]
    for number in range(N):
        instance = InstanceFactory(release=campaign.release, key=f"problem-{number}")
        output = OutputFactory(run=runs[number % 2], instance=instance, text=PROOF, text_format="latex")
        item = ItemFactory(campaign=campaign, output=output, instance=instance, places=3, places_taken=1)
        place = AssignmentFactory(item=item, reviewer__email=f"ada{number}@study.test")
        grade = Grade.objects.create(assignment=place, rubric_sha256="0" * 64, idempotency_key="k")
        Answer.objects.create(grade=grade, question="correctness", value="incorrect", comment="See $x_1$.")
    remark(REMARK, block="b2")
    remark("Nowhere to be found.", block="b999")
    return campaign


def remark(text: str, block: str) -> None:
    grade = Grade.objects.order_by("pk").first()
    Comment.objects.create(grade=grade, block=block, start=0, end=3, severity="fatal", kind="gap", text=text)
