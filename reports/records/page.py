"""The pages of a record as template context: the finding, how far to trust it, the grid, what was said. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypedDict

from accounts.profile.domains import domain_words
from benchmark.rubrics import rubric_from_content
from reports.comparison.choices import Choices
from reports.comparison.paired import PairSource, pair_sources, tables_of
from reports.core.datasets import CampaignInfo, JudgeInfo
from reports.core.wording import in_words
from reports.exclusions.rules import primary_exclusion
from reports.records.declared import Declared
from reports.records.texts import Texts
from reports.results import page as sections
from reports.results.board import Board, board, counts_of, interval_of, value_of
from reports.results.graded import Reading, reading
from reports.results.grid import Problem, problems
from reports.results.notes import notes
from reports.results.sentences import Sentence, and_list, count, told_apart_words
from reports.scores.inputs import Inputs
from reports.scores.shape import Score
from stats.core.scale import value_words

SMALL = 30  # problems below which a study is called small
NAMED = 4  # systems that the finding names
ON_FRONT = 60  # problems up to which the first page shows all


@dataclass(frozen=True)
class Shown:
    """What all pages and tables of a record are made of."""

    declared: Declared
    artifact: Mapping[str, Any]
    inputs: Inputs
    score: Score
    texts: Texts
    found: Reading | None
    board: Board
    rows: Sequence[Problem]
    names: sections.Names
    compared: Sequence[PairSource] = ()

    def system(self, slug: str) -> str:
        return self.names.systems.get(slug, slug)

    @property
    def campaigns(self) -> tuple[CampaignInfo, ...]:
        """Those that graded, and those that compared."""
        pairs = self.artifact.get("pairs")
        return (*self.inputs.campaigns, *(Choices.from_json(pairs).campaigns if pairs else ()))

    @property
    def has_board(self) -> bool:
        """Whether any system has a number by itself; of a study of pairs alone none has."""
        return any(line.shown for line in self.board.lines)

    @property
    def has_pages(self) -> bool:
        """Whether problems have pages of their own."""
        return self.declared.show_problems or self.declared.show_outputs or self.declared.show_reports


def shown(
    declared: Declared, artifact: Mapping[str, Any], inputs: Inputs, score: Score, texts: Texts
) -> Shown:
    """The figures and the grid that the results page of the study shows first."""
    found = reading(inputs)
    left_out = set(primary_exclusion(inputs))
    counted = {row.subject: row for row in inputs.outputs if row.instance not in left_out}
    lines = board(score, found, counted, inputs.methods)
    unreleased = {(row.system, row.instance) for row in inputs.unreleased}
    rows = problems(inputs.outputs, found, [line.system for line in lines.lines], left_out, unreleased)
    numbers = {row.instance: row.number for row in rows}
    places = {
        cell.subject: f"{lines.lines[at].letter}{cell.attempt}"
        for row in rows
        for at, cells in enumerate(row.cells)
        for cell in cells
        if cell.subject
    }
    has_pages = declared.show_problems or declared.show_outputs or declared.show_reports

    def href(subject: str, instance: str) -> str:
        if not has_pages or not declared.is_open(instance):
            return ""
        return f"problems/{numbers[instance]}.html" + (f"#{places[subject]}" if subject else "")

    titles = {key: problem.title for key, problem in texts.problems.items()}
    names = sections.Names(systems=declared.systems, titles=titles, proofs={}, href=href)
    compared = pair_sources(artifact.get("comparisons", {}))
    return Shown(declared, artifact, inputs, score, texts, found, lines, rows, names, compared)


def front(record: Shown) -> dict[str, object]:
    """The first page, without what changes later: newer versions and a withdrawal."""
    found, score = record.found, record.score
    some = record.rows[:SMALL] if len(record.rows) > ON_FRONT else record.rows
    return {
        "record": record.declared,
        "release": record.inputs.release,
        "finding": finding(record),
        "has_board": record.has_board,
        "board": sections.board_context(record.board, record.names),
        "heading": record.board.heading,
        "by_answer": "Proof by proof" if found and found.question else "Answer by answer",
        "published": date_words(record.declared.published_on),
        "found": found,
        "trust": trust(record),
        "grid": grid(record, some),
        "compared": tables_of(record.compared, record.system),
        "n_more": len(record.rows) - len(some),
        "n_problems": len(record.rows),
        "judged": how_judged(record),
        "listed": listed(record, some) if record.has_pages else [],
        "notes": notes(score, record.board, found, ""),
        "methods": methods(record),
        "not_released": {record.system(slug): n for slug, n in (score.not_released or {}).items()},
    }


def grid(record: Shown, rows: Sequence[Problem]) -> Mapping[str, object] | None:
    return (
        sections.grid_context(list(rows), record.found, record.board, record.names) if record.found else None
    )


def finding(record: Shown) -> list[str]:
    """What a reader should know after half a minute: who tried what, how it went, who can be told apart."""
    lines = record.board.lines
    n, systems = len(record.rows), len(lines)
    said = [
        f"{count(systems).capitalize()} AI system{'s' * (systems != 1)} tried {count(n)} problem{'s' * (n != 1)}."
    ]
    basis = record.board.square or "judge"
    valued = [
        (record.system(line.system), estimate)
        for line in lines
        if (estimate := getattr(line, basis, None)) is not None and estimate.value is not None
    ]
    if valued:
        top = record.board.top
        words: list[str] = []
        for name, estimate in valued[:NAMED]:
            counts, ends = counts_of(estimate), interval_of(estimate, top)
            if basis == "experts" and counts:
                words.append(f"{counts} {'' if words else 'answers '}from {name}")
            else:
                words.append(f"{value_of(estimate, top)} for {name}" + (f" ({ends})" if ends else ""))
        more = len(valued) - NAMED
        if more > 0:
            words.append(f"lower values for {count(more)} more system{'s' * (more != 1)}")
        lead = {
            "corrected": "Corrected by what experts found, the share of successful answers is",
            "experts": "The mean level that referees gave is" if record.board.means else "Referees accepted",
            "measured": f"{record.board.measured_title} is",
            "judge": "An AI judge that no expert has checked accepts",
        }[basis]
        said.append(f"{lead} {and_list(words)}.")
    elif record.compared:
        # without another number by system, what the first source of comparisons says
        first = record.compared[0]
        ranked = sorted(first.systems, key=lambda one: one.win_rate.value or 0, reverse=True)
        rates = [(record.system(one.system), one.win_rate_words) for one in ranked if one.win_rate_words]
        if rates:
            who = "AI judges that no expert has checked" if "@" in first.key else "Referees"
            (best, rate), *others = rates[:NAMED]
            rest = "".join(f", {name} {share}" for name, share in others)
            said.append(
                f"{who} compared their answers two at a time: {best} won {rate} of its comparisons{rest}."
            )
            if all(one.rank == (1, len(ranked)) for one in ranked):
                said.append(f"{'The two' if len(ranked) == 2 else 'They'} cannot be told apart.")
    names = {line.letter: record.system(line.system) for line in lines}
    by_letter, problems = sections.apart_of(record.inputs, record.board, record.found)
    apart = {(names[one], names[two]): differs for (one, two), differs in by_letter.items()}
    compared = [name for name in names.values() if any(name in pair for pair in apart)]
    if told := told_apart_words(compared, apart, problems):
        said.append(f"{told.lead} {told.rest}".strip())
    return said


def trust(record: Shown) -> list[Sentence]:
    """How far to trust it: the size, the audit, the errors of the judge and their direction, agreement."""
    n = sum(not row.left_out for row in record.rows)
    said = []
    if n < SMALL:
        lead = f"{count(n).capitalize()} problem{'s' * (n != 1)}"
        said.append(Sentence("Small study.", f"{lead}: a difference of two or three may be luck."))
    audits = record.score.judge.audits if record.score.judge else ()
    audit = next((one for one in audits if one.campaign == record.board.audit), None)
    if audit:
        # of all problems: the audit drew from those that a rule leaves out, too
        answers = sum(row.state == "answered" for row in record.inputs.outputs)
        said.append(
            Sentence(
                "Experts come first.",
                f"They read {audit.labelled} of {answers} answers, drawn at random within strata; the AI judge’s "
                "score is corrected by what they found.",
            )
        )
    found = record.found
    if found and found.campaign and found.campaign.kind == "grade":
        readers = Counter(len(one.answers) for one in found.outputs.values() if one.answers)
        if readers:
            usual = readers.most_common(1)[0][0]
            said.append(
                Sentence(
                    "Read by people.",
                    f"{count(usual).capitalize()} referee{'s' * (usual != 1)} for most proofs, "
                    f"{sum(readers.values())} proofs in all.",
                )
            )
    # who can be told apart is part of the finding
    rest = sections.trust_sentences(record.inputs, record.score, record.board, found)
    said += [one for one in rest if not one.lead.startswith("With ")]
    if record.score.in_sight:
        seen = record.score.in_sight.labels["in_sight"]
        said.append(
            Sentence(
                "Not counted:", f"{count(seen)} answers that referees gave after seeing the judge’s verdict."
            )
        )
    return said


def how_judged(record: Shown) -> dict[str, object]:
    """The scale, what counts as solved, agreement, and the judge, in words."""
    found, judge = record.found, judge_of(record)
    context: dict[str, object] = {"judge": judge, "grading": found and found.campaign}
    if judge:
        answers = {row.subject for row in record.inputs.outputs if row.state == "answered"}
        read = answers & {row.subject for row in record.inputs.votes if row.state != "unavailable"}
        context["read"] = "every answer" if read == answers else f"{len(read)} of the {len(answers)} answers"
    if found and found.campaign and found.scale.aggregation != "mean":
        levels = {value: value_words(value) for value in found.scale.judgments}
        context["levels"] = list(levels.values())
        if found.scale.passes:
            solved = [words for value, words in levels.items() if value in found.scale.success]
            context["solved"] = and_list(solved).replace(" and ", " or ")
            context["several"] = any(len(cells) > 1 for row in record.rows for cells in row.cells)
    if found and found.campaign:
        agreement = sections.agreement_context(record.inputs, record.score, found)
        context["agreement"] = agreement
        context["asked"] = found.question.text if found.question else ""
    return context


def listed(record: Shown, rows: Sequence[Problem]) -> list[dict[str, object]]:
    """The list of problems with who solved them, how many reports there are, and where the texts are."""
    reports: dict[str, set[tuple[str, str]]] = defaultdict(set)
    instance_of = {row.subject: row.instance for row in record.inputs.outputs}
    for label in record.inputs.labels:
        reports[instance_of.get(label.subject, "")].add((label.subject, label.rater))
    found = []
    for row in rows:
        letters = [
            record.board.lines[at].letter
            for at, cells in enumerate(row.cells)
            if any(cell.solved for cell in cells)
        ]
        judged = any(cell.kind in ("graded", "judged") for cells in row.cells for cell in cells)
        is_open = record.declared.is_open(row.instance)
        found.append(
            {
                "number": row.number,
                "title": record.names.titles.get(row.instance, row.instance),
                "field": domain_words(row.domain),
                "href": record.names.href("", row.instance),
                "public_on": "" if is_open else date_words(record.declared.public_on(row.instance)),
                "solved": f"solved by {', '.join(letters)}" if letters else "not solved" if judged else "",
                "reports": len(reports[row.instance]),
            }
        )
    return found


def judge_of(record: Shown) -> JudgeInfo | None:
    """The judge with as many votes as it gave: the version of one whose verdicts were imported does not tell."""
    judge = record.inputs.judge
    if judge is None:
        return None
    given = max((row.vote for row in record.inputs.votes), default=1)
    return replace(judge, votes=max(judge.votes, given))


def methods(record: Shown) -> dict[str, object]:
    """What was asked of whom, with names, versions, seeds and hashes."""
    judge = judge_of(record)
    prompts = judge.prompts.values() if judge else ()
    return {
        "campaigns": [
            {"campaign": campaign, "rubric": rubric_from_content(dict(campaign.rubric))}
            for campaign in record.campaigns
            if campaign.closed
        ],
        "judge": judge,
        "has_prompts": any(isinstance(prompt, Mapping) and prompt.get("text") for prompt in prompts),
        "seed": record.inputs.seed,
        "track": record.inputs.track,
        "condition": record.inputs.condition,
        "release_sha256": record.inputs.release_sha256,
        "artifact_sha256": record.artifact["sha256"],
        "made_with": record.artifact["made_with"],
        "rules": record.score.exclusions or (),
    }


class SaidByReferee(TypedDict):
    """What one referee said of an answer; `answers` and `words` have titles."""

    rater: str
    answers: list[tuple[str, str]]
    words: list[tuple[str, str]]
    comments: list[Mapping[str, object]]


def said_of(record: Shown, subject: str, steps: Mapping[str, str]) -> list[SaidByReferee]:
    """Each referee's answers, remarks and comments on one answer; empty where reports are not shown.

    `steps` has the names that referees saw, in their order; of an answer that is not shown, there are none.
    """
    if not record.declared.show_reports:
        return []
    questions = {
        (campaign.slug, question.key): question
        for campaign in record.inputs.campaigns
        for question in rubric_from_content(dict(campaign.rubric)).questions
    }
    reports: dict[tuple[str, str], SaidByReferee] = {}
    order = {step: place for place, step in enumerate(steps)}
    labels = [label for label in record.inputs.labels if label.subject == subject]
    for label in sorted(labels, key=lambda one: (one.question, order.get(one.step, len(order)))):
        report = reports.setdefault(
            (label.campaign, label.rater), {"rater": label.rater, "answers": [], "words": [], "comments": []}
        )
        question = questions.get((label.campaign, label.question))
        title = in_words(label.question).capitalize() + (
            f", step {steps.get(label.step, label.step)}" if label.step else ""
        )
        if question and not question.scale.has_values:
            report["words"].append((title, label.value))
        else:
            report["answers"].append((title, value_words(label.value) if label.value else label.state))
    remarks = record.artifact.get("remarks", {})
    for row in remarks.get("answers", []):
        if row[0] == subject and (row[1], row[2]) in reports:
            reports[row[1], row[2]]["words"].append((in_words(row[3]).capitalize(), row[5]))
    for row in remarks.get("passages", []):
        if row[0] == subject and (row[1], row[2]) in reports:
            reports[row[1], row[2]]["comments"].append(
                {"quote": row[7], "severity": row[8], "text": row[10], "page": row[6]}
            )
    return [reports[key] for key in sorted(reports)]


def date_words(day: str) -> str:
    """ "3 March 2027" for an ISO date."""
    found = date.fromisoformat(day)
    return f"{found.day} {found:%B %Y}"
