"""Choices between two outputs as a frozen score holds them, and the comparisons that follow from them. No rows here.

`Choices` is everything that win rates and strengths depend on; `compared` computes them as the page of comparisons
does, source by source, so that anybody with the file gets the same numbers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from benchmark.rubrics import rubric_from_content
from benchmark.subjects import PairSubject, Subject, parse_subject
from reports.comparison.implied_pairs import FORMAT, pairs_of_rows
from reports.core.datasets import CampaignInfo, JudgeInfo
from reports.core.wording import in_words
from reports.exclusions.rules import left_out
from reports.labels.cells import Row
from reports.scores.inputs import Inputs, rows_as_json, rows_from_json


@dataclass(frozen=True)
class Choice:
    """One presentation of two outputs, `first` and `second` as it was shown, to one rater.

    `source` is CAMPAIGN:QUESTION or PREDICATE@JUDGE. Experts are numbered as in the labels of the artifact.
    """

    source: str
    first: str
    second: str
    rater: str
    vote: int
    value: str
    state: str


@dataclass(frozen=True)
class PairJudge:
    """A judge version that compared outputs; `family` is what its versions have in common."""

    family: str
    judge: JudgeInfo


@dataclass(frozen=True)
class Choices:
    """All choices of one track and condition. Judges are in the order of their versions."""

    campaigns: tuple[CampaignInfo, ...]
    judges: tuple[PairJudge, ...]
    rows: tuple[Choice, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values; empty without any choice."""
        if not self.rows:
            return {}
        return {
            "campaigns": [campaign.as_json() for campaign in self.campaigns],
            "judges": [[one.family, asdict(one.judge)] for one in self.judges],
            "choices": rows_as_json(self.rows),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Choices":
        """The inverse of as_json. Raises ValueError naming what does not fit."""
        try:
            campaigns = tuple(CampaignInfo(**campaign) for campaign in document["campaigns"])
            judges = tuple(PairJudge(family, JudgeInfo(**judge)) for family, judge in document["judges"])
            return cls(campaigns, judges, rows_from_json(Choice, document["choices"], "pairs.choices"))
        except (KeyError, TypeError) as error:
            raise ValueError(f"the choices between outputs are not complete: {error}") from error


def compared(choices: Choices, inputs: Inputs) -> dict[str, Any]:
    """By source what `analyse pairs` says about its choices: wins, ties, win rates, strengths, position bias.

    Choices about instances that the score leaves out do not count. PREDICATE@ is the newest version of every judge
    together. Raises ValueError for a choice between outputs that the
    inputs do not have, or of a source that is not described.
    """
    clusters = {row.subject: row.cluster for row in inputs.outputs}
    systems = {row.subject: row.system for row in inputs.outputs}
    gone = left_out(inputs)
    out = {row.subject: row.instance for row in inputs.outputs if row.instance in gone}
    excluded = {"excluded": len(set(out.values()))} if out else {}
    rows: dict[str, list[Row]] = {}
    for at, choice in enumerate(choices.rows):
        if unknown := {choice.first, choice.second} - clusters.keys():
            raise ValueError(f"pairs.choices[{at}]: there is no output {min(unknown)}")
        one, other = parse_subject(choice.first), parse_subject(choice.second)
        if not isinstance(one, Subject) or not isinstance(other, Subject):
            raise ValueError(f"{choice.first} and {choice.second} are not two outputs")
        if choice.first in out:
            continue
        rows.setdefault(choice.source, []).append(
            {
                "subject": str(PairSubject(one, other)),
                "system": f"{systems[choice.first]}|{systems[choice.second]}",
                "cluster": clusters[choice.first],
                "rater": choice.rater,
                "rater_kind": "judge" if "@" in choice.source else "expert",
                "vote": str(choice.vote),
                "value": choice.value,
                "state": choice.state,
            }
        )
    found = {}
    for key, title, parts in _sources(choices):
        grades = {"key": key, "title": title, "sources": parts}
        of_source = [row for part in parts for row in rows.get(part, [])]
        if of_source:
            found[key] = {
                "format": FORMAT,
                "source": "judged" if "@" in key else "direct",
                "grades": grades,
                "seed": inputs.seed,
                **pairs_of_rows(of_source, seed=inputs.seed, methods=inputs.methods),
                **excluded,
            }
    if missing := rows.keys() - found.keys():
        raise ValueError(f"pairs: nothing says what {min(missing)} is")
    return found


def _sources(choices: Choices) -> Iterator[tuple[str, str, list[str]]]:
    """Key, title and sources of everything that is compared."""
    for campaign in choices.campaigns:
        for question in rubric_from_content(dict(campaign.rubric)).questions:
            if question.scale.kind == "preference":
                key = f"{campaign.slug}:{question.key}"
                yield key, f"{in_words(question.key).capitalize()}, {campaign.name}", [key]
    judged = {choice.source for choice in choices.rows if "@" in choice.source}
    for predicate in sorted({source.partition("@")[0] for source in judged}):
        words = in_words(predicate).capitalize()
        newest: dict[str, str] = {}
        for one in choices.judges:
            key = f"{predicate}@{one.judge.label}"
            if key in judged:
                newest[one.family] = key
                yield key, f"{words}, {one.judge.label}", [key]
        if len(newest) > 1:
            yield f"{predicate}@", f"{words}, {len(newest)} judges together", list(newest.values())
