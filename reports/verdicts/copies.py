"""A judge's verdicts copied to a campaign, so that reviewers are shown them after they have locked their answers.

Experts and judges do not know of each other below this floor (ADR 0018): value and claims go down as plain text.
A reason that names a system or a model is withheld, because the judge's own name must not reach a reviewer either. So
is one with a word of the study, or with a passage that was redacted in the answer after the judge had read it.
"""

from collections import defaultdict

from accounts.models import User
from accounts.refusal import Refused
from annotation.models import Campaign, LaterGrade, Occasion, Reveal, ShownVerdict
from annotation.reveal.actions import VerdictCopy, attach_verdicts
from annotation.reveal.claims import claims_of
from benchmark.identities.fields import shown_fields
from benchmark.identities.scan import scan
from benchmark.identities.shown import squeezed
from benchmark.models import IdentityDecision, IdentityVerdict, System
from benchmark.protocols import get_protocol
from benchmark.releases.queries import identity_words
from benchmark.rubrics import rubric_from_content
from benchmark.subjects import USUAL
from judging.models import Judge, Verdict, VerdictState
from judging.runs.queries import votes_to_come
from judging.runs.tally import Ballot, tally
from reports.core.choosing import judges_with_verdicts
from reports.core.datasets import PLAIN
from reports.scores.inputs import choose_judge


def copy_verdicts(
    *,
    actor: User,
    campaign: Campaign,
    judge: str = "",
    predicate: str = "",
    question: str = "",
    before_share: float = 0.0,
    seed: int = 1,
) -> Reveal:
    """Attach the majority verdicts of `judge` on `predicate` to a campaign in draft whose items are drawn.

    `judge` is a version's label and may be left out when only one has spoken; `predicate` when it answered one
    question only; `question` is the campaign's question that the verdict answers, its first by default. Raises
    Refused with code no_judge, judge_ambiguous, no_predicate, judge_unfinished, no_question or what attach_verdicts
    refuses.
    """
    chosen = choose_judge(campaign.release, campaign.track, judge, condition_of(campaign))
    if chosen is None:
        raise Refused("No judge has given a verdict on this track.", code="no_judge", field="judge")
    said = Verdict.objects.filter(judge=chosen, second=None, output__run__release=campaign.release)
    known = sorted(set(said.order_by().values_list("predicate", flat=True).distinct()))
    asked = predicate or (known[0] if len(known) == 1 else "")
    if asked not in known:
        raise Refused(
            f"Name what {chosen.label} was asked: {', '.join(known) or 'nothing yet'}.",
            code="no_predicate",
            field="predicate",
        )
    if to_come := votes_to_come(chosen, campaign.runs(), [asked]):
        raise Refused(
            f"Not all votes of {chosen.label} are in ({to_come} to come), and copies stay as they are made; let its "
            "run end, or cancel it, first.",
            code="judge_unfinished",
            field="judge",
        )
    questions = rubric_from_content(campaign.rubric.content).questions
    keys = [row.key for row in questions if row.scale.has_values and not row.scale.stepwise]
    answered = question or next(iter(keys), "")
    if answered not in keys:
        raise Refused(
            f"Name the question that the verdict answers: {', '.join(keys) or 'there is none'}.",
            code="no_question",
            field="question",
        )
    copies, withheld = _copies(campaign, chosen, asked)
    return attach_verdicts(
        actor=actor,
        campaign=campaign,
        question=answered,
        judge=chosen.label,
        predicate=asked,
        verdicts=copies,
        withheld=withheld,
        before_share=before_share,
        seed=seed,
    )


def condition_of(campaign: Campaign) -> str:
    """The condition whose verdicts are meant, as runs keep it; the usual one for a campaign of all."""
    return PLAIN if campaign.condition in (None, USUAL) else campaign.condition


def _copies(campaign: Campaign, judge: Judge, predicate: str) -> tuple[list[VerdictCopy], int]:
    """One copy per item with an answered majority, and how many reasons were withheld."""
    items = dict(campaign.items.filter(second=None, output__isnull=False).values_list("output_id", "pk"))
    votes: dict[int, list[Verdict]] = defaultdict(list)
    rows = Verdict.objects.filter(judge=judge, predicate=predicate, second=None, output__in=items)
    for row in rows.order_by("output_id", "order", "vote").defer("call"):
        votes[row.output_id or 0].append(row)
    # names that no reviewer may read: every system's, and the judge's own
    systems = [name for row in System.objects.values_list("slug", "name", "family") for name in row]
    names = [name for name in (*systems, judge.slug, judge.model, judge.family, judge.label) if name]
    words = identity_words(campaign.release)
    # the letters of every passage that a person redacted in an output: the judge may have read it before
    protocol, redacted = get_protocol(campaign.release.benchmark.protocol), defaultdict(list)
    decisions = IdentityDecision.objects.filter(
        output__in=items, verdict=IdentityVerdict.REDACTED, withdrawn_at=None
    )
    for decision in decisions.select_related("output"):
        answer = decision.output
        fields = shown_fields(protocol, answer.payload, answer.text, answer.text_format)
        for passage in decision.passages:
            letters = squeezed(fields[passage["field"]].text[passage["start"] : passage["end"]])
            if len(letters) > 1:
                redacted[answer.pk].append(letters)
    copies, withheld = [], 0
    for output, cast in votes.items():
        found = tally([Ballot(row.value, row.state) for row in cast])
        if found.state != VerdictState.ANSWERED:
            continue
        reason = next((row.reason for row in cast if row.value == found.value and row.reason.strip()), "")
        said = squeezed(reason)
        if any(finding.certain for finding in scan(reason, "markdown", names, words)) or any(
            passage in said for passage in redacted[output]
        ):
            reason, withheld = "", withheld + 1
        copies.append(VerdictCopy(items[output], found.value, tuple(claims_of(reason))))
    return copies, withheld


def verdicts_document(campaign: Campaign) -> dict[str, object]:
    """What is attached, with how the claims were marked; for those who run the campaign. No system occurs."""
    reveal = Reveal.objects.filter(campaign=campaign).first()
    if reveal is None:
        return {"campaign": campaign.slug, "attached": False}
    shown = ShownVerdict.objects.filter(reveal=reveal)
    values = list(shown.values_list("value", flat=True))
    marks = list(shown.values_list("claims__marks__mark", flat=True))
    names = ("question", "judge", "predicate", "before_share", "seed", "withheld", "sha256")
    return {
        "campaign": campaign.slug,
        "attached": True,
        **{name: getattr(reveal, name) for name in names},
        "items": campaign.items.count(),
        "verdicts": {value: values.count(value) for value in sorted(set(values))},
        "marks": {mark: marks.count(mark) for mark in ("right", "wrong", "irrelevant")},
        "amendments": LaterGrade.objects.filter(
            assignment__item__campaign=campaign, occasion=Occasion.VERDICT
        ).count(),
    }


def predicates_to_choose(campaign: Campaign) -> list[str]:
    """What judges were asked about single outputs of the campaign's release."""
    rows = Verdict.objects.filter(second=None, output__run__release=campaign.release)
    return sorted(set(rows.order_by().values_list("predicate", flat=True).distinct()))


def judges_to_choose(campaign: Campaign) -> list[str]:
    """Labels of the judges that have spoken on the campaign's track."""
    return [
        judge.label
        for judge in judges_with_verdicts(campaign.release, campaign.track, condition_of(campaign))
    ]
