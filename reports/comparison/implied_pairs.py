"""Systems two at a time, as the grades of one expert on one problem imply it. No rows here.

Nobody was shown two outputs side by side: an expert who graded both on the same problem counts as preferring
the higher grade. So there is no order of presentation, and no position bias to look for.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import combinations

from accounts.refusal import Refused
from benchmark.rubrics import Question, rubric_from_content
from reports.core.wording import in_words
from reports.exclusions.rules import counted
from reports.labels.cells import Row
from reports.labels.exporting import csv_lines
from reports.scores.inputs import CampaignInfo, Inputs
from reports.scores.shape import METHODS, clustering
from stats.analyses.options import Options
from stats.analyses.pairs import pairs_document
from stats.pairs.strength_bootstrap import RankErrors
from stats.tables.labels import read_labels

FORMAT = "touchstone-pairs-1"


def implied_kinds(inputs: Inputs) -> dict[str, str]:
    """CAMPAIGN:QUESTION to a title, for every question of a closed grading whose answers have an order."""
    return {
        f"{campaign.slug}:{question.key}": f"{in_words(question.key).capitalize()}, {campaign.name}"
        for campaign in inputs.campaigns
        if campaign.closed and campaign.kind == "grade"
        for question in _questions(campaign)
    }


def _questions(campaign: CampaignInfo) -> list[Question]:
    questions = rubric_from_content(dict(campaign.rubric)).questions
    return [question for question in questions if question.scale.ranked]


def implied_document(inputs: Inputs, key: str) -> dict[str, object]:
    """What `analyse pairs` says about the comparisons, and the wins of every pair.

    `key` is one of `implied_kinds`, "" for the first. Raises Refused for another.
    """
    kinds = implied_kinds(inputs)
    chosen = chosen_key(kinds, key)
    slug, _, question = chosen.partition(":")
    grades = {"key": chosen, "title": kinds[chosen], "campaign": slug, "question": question}
    return {
        "format": FORMAT,
        "source": "implied",
        "grades": grades,
        "seed": inputs.seed,
        **pairs_of_rows(implied_rows(inputs, chosen), seed=inputs.seed),
        "order_effect": None,
        "position_bias": None,
    }


def chosen_key(kinds: Mapping[str, str], key: str) -> str:
    """`key`, or the first where it is left out. Raises Refused naming what there is."""
    if key not in kinds and (key or not kinds):
        known = ", ".join(kinds) or "none before a grading campaign is closed"
        raise Refused(f"There are no grades {key!r}; there are: {known}.", code="no_grades", field="grades")
    return key or next(iter(kinds))


def pairs_of_rows(rows: Iterable[Row], *, seed: int, methods: int = METHODS) -> dict[str, object]:
    """What `analyse pairs` says about rows of the label table, or said by earlier `methods`."""
    table = read_labels(BytesIO("".join(csv_lines(rows)).encode()))
    later = RankErrors.OF_ALL if methods == 16 else RankErrors.OF_PAIR
    options = Options(
        seed=seed,
        clustering=clustering(methods),
        tests_singular=methods < 9,
        rank_errors=RankErrors.KNOWN if methods < 16 else later,
    )
    return pairs_document(table, options=options)


def implied_rows(inputs: Inputs, key: str) -> Iterator[Row]:
    """One row of the label table per expert, problem and pair of systems, in a fixed order."""
    inputs = counted(inputs)
    slug, _, wanted = key.partition(":")
    campaign = next(campaign for campaign in inputs.campaigns if campaign.slug == slug)
    question = next(question for question in _questions(campaign) if question.key == wanted)
    outputs = {row.subject: row for row in inputs.outputs}
    grades: dict[tuple[str, int, str], dict[str, float]] = defaultdict(dict)
    clusters: dict[str, str] = {}
    for label in inputs.labels:
        mine = label.campaign == slug and label.question == wanted and label.state == "answered"
        if mine and not label.step and label.subject in outputs:
            output = outputs[label.subject]
            clusters[output.instance] = output.cluster
            place = (output.instance, output.attempt, label.rater)
            grades[place][output.system] = question.scale.height(label.value)
    for (instance, attempt, rater), given in sorted(grades.items()):
        for first, second in combinations(sorted(given), 2):
            higher = "first" if given[first] > given[second] else "second"
            yield {
                "release": inputs.release,
                "campaign": slug,
                "question": wanted,
                "subject": f"{instance}/{attempt}",
                "instance": instance,
                "system": f"{first}|{second}",
                "cluster": clusters[instance],
                "rater": rater,
                "rater_kind": "expert",
                "value": "tie" if given[first] == given[second] else higher,
                "state": "answered",
            }
