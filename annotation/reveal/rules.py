"""When a reviewer may see what a judge said about their item: after the grade, or before it in the arm drawn for it."""

from collections.abc import Iterable
from dataclasses import dataclass

import latex
from accounts.refusal import Refused
from annotation.core.places import waits_elsewhere
from annotation.core.visibility import Thing, Viewer, may_see
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    ClaimMark,
    LaterGrade,
    Occasion,
    Reveal,
    RevealArm,
    ShownClaim,
    ShownVerdict,
)
from annotation.reveal.claims import sees_before
from benchmark.rendering.stored import rendered_all
from benchmark.rubrics import rubric_from_content


def reveal_of(campaign: Campaign) -> Reveal | None:
    """The verdicts attached to the campaign, if there are any."""
    return Reveal.objects.filter(campaign=campaign).first()


def require_revisable(campaign: Campaign) -> None:
    """Raise Refused (code "verdict_shown") where a locked answer is final, because a verdict follows it."""
    if Reveal.objects.filter(campaign=campaign).exists():
        raise Refused(
            "In this campaign a verdict is shown after the answer, so the answer is final. You can record an "
            "amendment instead.",
            code="verdict_shown",
        )


def draw_arms(reveal: Reveal | None, places: Iterable[Assignment]) -> None:
    """Draw and store the arm of each new place; nothing where no verdicts are attached."""
    if reveal is not None:
        RevealArm.objects.bulk_create(
            RevealArm(
                assignment=place,
                before=sees_before(seed=reveal.seed, handle=place.handle, share=reveal.before_share),
            )
            for place in places
        )


def shown_verdict(place: Assignment) -> ShownVerdict | None:
    """The verdict that the holder of the place may see now; None while it is hidden or where there is none.

    After the grade it stays hidden as long as they have to grade the same text in another campaign.
    """
    locked = place.state == AssignmentState.SUBMITTED
    seen = may_see(Viewer.ASSIGNED, Thing.JUDGE, place.item.campaign.phase, submitted=locked)
    if not RevealArm.objects.filter(assignment=place, before=True).exists() and (
        not seen or waits_elsewhere(place)
    ):
        return None
    return ShownVerdict.objects.filter(item=place.item_id).first()


def verdict_in_sight(place: Assignment) -> bool | None:
    """Whether the holder grades with the item's verdict before them; None where the campaign shows no verdicts."""
    arm = RevealArm.objects.filter(assignment=place).first()
    if arm is None:
        return None
    return arm.before and ShownVerdict.objects.filter(item=place.item_id).exists()


def is_to_mark(place: Assignment) -> bool:
    """Whether the holder still has to look at the verdict and mark its claims."""
    if place.state != AssignmentState.SUBMITTED:
        return False
    claims = ShownClaim.objects.filter(verdict__item=place.item_id)
    marked = ClaimMark.objects.filter(assignment=place)
    return claims.exists() and not marked.exists() and shown_verdict(place) is not None


def next_to_mark(place: Assignment) -> Assignment | None:
    """After this place was submitted: the place whose verdict the holder still has to look at, this one or one of the
    same text whose verdict waited for it."""
    unmarked = Assignment.objects.filter(
        item__output__in=[pk for pk in (place.item.output_id, place.item.second_id) if pk is not None],
        item__shown_verdict__claims__number=1,
        reviewer=place.reviewer_id,
        state=AssignmentState.SUBMITTED,
        claim_marks=None,
    )
    rows = sorted(unmarked.select_related("item__campaign"), key=lambda row: row.pk != place.pk)
    return next((row for row in rows if shown_verdict(row) is not None), None)


@dataclass(frozen=True)
class ReadClaim:
    """A claim in blocks, with the reviewer's mark, "" before there is one."""

    number: int
    text: str
    blocks: tuple[latex.Block, ...]
    mark: str


@dataclass(frozen=True)
class ReadVerdict:
    """A verdict as its page shows it, without the judge's name."""

    question: str
    asked: str
    value: str
    claims: tuple[ReadClaim, ...]
    amended: bool


def read_verdict(place: Assignment) -> ReadVerdict | None:
    """The verdict that may be seen now, with the holder's marks."""
    verdict = shown_verdict(place)
    if verdict is None:
        return None
    claims = list(verdict.claims.order_by("number"))
    marks = dict(ClaimMark.objects.filter(assignment=place).values_list("claim", "mark"))
    documents = rendered_all([(claim.text, "markdown", f"claim{claim.number}-") for claim in claims])
    amended = LaterGrade.objects.filter(assignment=place, occasion=Occasion.VERDICT)
    rubric = rubric_from_content(place.item.campaign.rubric.content)
    return ReadVerdict(
        question=verdict.reveal.question,
        asked=next(row.text for row in rubric.questions if row.key == verdict.reveal.question),
        value=verdict.value,
        claims=tuple(
            ReadClaim(claim.number, claim.text, document.shown, marks.get(claim.pk, ""))
            for claim, document in zip(claims, documents, strict=True)
        ),
        amended=amended.exists(),
    )
