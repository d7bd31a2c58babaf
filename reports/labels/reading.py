"""Reading a label table against a release: every row checked, faults by line and field, nothing stored."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from accounts.refusal import Refused
from annotation.campaigns.naming import objection_to
from annotation.grading.answers import CheckedComment
from annotation.importing.decisions import PublishedDecision
from annotation.importing.grades import FactsOfAGrade, PublishedAnswer, PublishedGrade
from annotation.models import CampaignKind
from annotation.rubrics.available import known_rubrics
from benchmark.models import Instance, Output, Release
from benchmark.protocol import PROGRAM_VALUES, Protocol
from benchmark.rubrics import Rubric, RubricError
from benchmark.subjects import InstanceSubject, PairSubject, Subject, parse_subject
from judging.asking.prompts import predicate_prompt
from judging.models import Judge, Verdict
from judging.runs.actions import PublishedStep, PublishedVerdict
from reports.labels.decision_reading import complaints_of_graders, decision_complaints, ungraded
from reports.labels.faults import MOST_FAULTS, Fault, LabelRow
from reports.labels.moments import moment_of, objection_to_moment
from reports.labels.repeating import UNSPECIFIED_CAMPAIGN, contradiction, identity, without_defaults
from stats.tables.cells import number_in
from stats.tables.columns import Check, form_of, read_table
from stats.tables.labels import ADJUDICATOR, CHECKS, RATER_KINDS
from stats.tables.raw_rows import TableError

STATES = ("answered", "abstain", "unavailable")
# As long as the columns of the database are; SQLite would store more.
_LONGEST = {"rater": 500, "judge_version": 200, "stratum": 200, "step": 50}
_LONGEST_OF_JUDGE = {"rater": 100}
_MOST_VOTES = 32_767
_DESIGN = ("stratum", "stratum_size", "sample_size")
GradeKey = tuple[str, str, str, str]


def label_rows_of(path: Path, checks: Mapping[str, Check] = CHECKS, file: str = "") -> Iterator[LabelRow]:
    """The rows of a CSV or JSONL table of labels, or of the columns in `checks`. Raises Refused with line and field for
    a broken file."""
    try:
        with path.open("rb") as stream:
            table = read_table(stream, checks, form=form_of(path))
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", code="no_file") from error
    except (TableError, ValueError) as error:
        raise Refused(f"{file}: {error}" if file else str(error), code="bad_label_file") from error
    names = list(table.columns)
    columns = [table[name].texts() for name in names]
    for line, cells in zip(table.lines.tolist(), zip(*columns, strict=True), strict=True):
        yield LabelRow(line, dict(zip(names, cells, strict=True)), file)


class LabelReader:
    """Checks rows one by one and gathers them by campaign and judge."""

    def __init__(self, release: Release, protocol: Protocol) -> None:
        self.release = release
        self.protocol = protocol
        self.faults: list[Fault] = []
        self.expert_rows: dict[GradeKey, list[LabelRow]] = defaultdict(list)
        self.verdicts: dict[tuple[str, str], list[PublishedVerdict]] = defaultdict(list)
        self.steps: dict[tuple[str, str], list[tuple[LabelRow, PublishedStep]]] = defaultdict(list)
        self.predicate_of_steps = {
            known.steps: known.key for known in protocol.output_predicates if known.steps
        }
        self.decisions: dict[str, list[LabelRow]] = defaultdict(list)
        self.rubric_of: dict[str, Rubric] = {}
        self.seen: dict[tuple[str, ...], LabelRow] = {}
        self.repeated = 0
        self._designs: dict[tuple[str, str], LabelRow] = {}
        self._strata: dict[tuple[str, str], LabelRow] = {}
        self._drawn: Counter[tuple[str, str]] = Counter()
        self._versions: dict[str, LabelRow] = {}
        self._named: dict[str, LabelRow] = {}
        self._judges: dict[str, set[str]] = defaultdict(set)
        for judge in Judge.objects.filter(protocol=protocol.name).only("slug", "version", "published_as"):
            self._judges[judge.label].add(judge.slug)
        outputs = (
            Output.objects.filter(run__release=release)
            .select_related("instance", "run__system")
            .defer("text", "payload", "instance__payload")
        )
        self.outputs = {
            str(Subject(o.instance.key, o.run.system.slug, o.attempt, o.run.track, o.run.condition)): o
            for o in outputs.iterator(2000)
        }
        self._slugs = {o.run.system.name: o.run.system.slug for o in self.outputs.values()}
        self.instances = {row.key: row for row in release.instances.defer("payload")}
        self.rubrics = known_rubrics(self.protocol.name)

    def read(self, rows: Iterable[LabelRow]) -> None:
        """Take every row; `faults` has what does not fit, at most MOST_FAULTS of it."""
        for row in rows:
            self._take(row)
            if len(self.faults) >= MOST_FAULTS:
                return
        self.faults += ungraded(self.decisions, self.expert_rows)
        self.faults += self._steps_without_a_whole()

    def _take(self, row: LabelRow) -> None:
        if complaint := next(self._complaints(row), None):  # the first says enough; others may follow from it
            self.faults.append(Fault(row.line, *complaint, row.file))
            return
        row = without_defaults(row)
        first = self.seen.setdefault(identity(row), row)
        if first is not row:
            found = contradiction(first, row, (self._value(first), self._value(row)))
            if found:
                self.faults.append(Fault(row.line, *found, row.file))
            else:
                self.repeated += 1
            return
        if row["rater_kind"] == "judge":
            judge = row["rater"], row["judge_version"]
            if row["step"]:
                self.steps[judge].append((row, self._published_step(row)))
            else:
                self.verdicts[judge].append(self._verdict(row))
            return
        if row["rater_kind"] == ADJUDICATOR:
            self.decisions[row["campaign"] or UNSPECIFIED_CAMPAIGN].append(row)
        else:
            self.expert_rows[_grade_key(row)].append(row)

    def _complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        if row["release"] not in ("", self.release.name):
            yield "release", f"{row['release']!r} is not the release {self.release.name!r}"
        yield from self._subject_complaints(row)
        yield from _value_complaints(row)
        if row["campaign"] and (objection := objection_to(row["campaign"])):
            yield "campaign", objection
        if row["rater_kind"] == "judge":
            yield from self._judge_complaints(row)
        elif row["rater_kind"] == "expert":
            yield from self._expert_complaints(row)
            yield from self._sight_complaints(row)
        elif row["rater_kind"] == ADJUDICATOR:
            found = list(self._expert_complaints(row))
            yield from found or decision_complaints(row, self._rubric(row).question(row["question"]))
        else:
            yield "rater_kind", f"{row['rater_kind']!r} is not {', '.join(RATER_KINDS)}"
        if row["rater_kind"] != ADJUDICATOR:
            yield from complaints_of_graders(row)
        for name in FactsOfAGrade._fields:
            if row["rater_kind"] != "expert" and row[name]:
                yield name, "belongs to the label of an expert"
        if row["rater_kind"] == "expert":
            yield from self._design_complaints(row)

    def _subject_complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        try:
            subject = parse_subject(row["subject"])
        except ValueError as error:
            yield "subject", str(error)
            return
        if str(subject) != row["subject"]:
            yield "subject", f"{row['subject']!r} is called {str(subject)!r}"
        if row["order"] == "2" and not isinstance(subject, PairSubject):
            yield "order", "only a pair is shown in two orders"
        if isinstance(subject, InstanceSubject):
            if subject.instance not in self.instances:
                yield "subject", f"{self.release.name} has no instance {subject.instance!r}"
            return
        for one in subject.ordered if isinstance(subject, PairSubject) else [subject]:
            if str(one) not in self.outputs:
                called = str(replace(one, system=self._slugs.get(one.system, one.system)))
                here = f", but {called!r}, by its system's short name" if called in self.outputs else ""
                yield "subject", f"{self.release.name} has no output {str(one)!r}{here}"
        if not isinstance(subject, PairSubject):
            return
        if subject.one.track != subject.other.track:
            yield (
                "subject",
                f"a pair on the tracks {subject.one.track} and {subject.other.track}: tracks are experiments of "
                "their own, such as the groups of an ablation, and nothing is compared across them",
            )
        if row["order"] not in ("1", "2"):
            yield "order", "a pair was shown in order 1 or 2"

    def _judge_complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        subject = parse_subject(row["subject"])
        compares = isinstance(subject, PairSubject)
        known = self.protocol.questions_about(
            "instance" if isinstance(subject, InstanceSubject) else "pair" if compares else "output"
        )
        if row["step"]:
            yield from self._step_complaints(row)
        elif row["question"] not in known:
            yield (
                "question",
                f"{row['question']!r} is not a predicate of {self.protocol.name}: {', '.join(known) or 'it has none'}",
            )
        elif row["value"] and row["value"] not in (labels := self._labels(row["question"])):
            yield "value", f"{row['value']!r} is not one of {', '.join(labels)}"
        yield from self._version_complaints(row)

    def _labels(self, predicate: str) -> Sequence[str]:
        """What judges can say about a predicate; of some only a program says something."""
        if predicate not in {known.key for known in self.protocol.all_predicates}:
            return PROGRAM_VALUES
        return predicate_prompt(self.protocol, predicate).labels

    def _version_complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        """Judges are chosen by their version's name, so it is the name of one judge, and all versions have one."""
        version, rater = row["judge_version"], row["rater"]
        same = self._versions.setdefault(version, row) if version else row
        stored = self._judges.get(version, set())
        if same["rater"] != rater:
            yield (
                "judge_version",
                f"{version!r} is a version of {same['rater']!r} in {same.place}, not of {rater!r}",
            )
        elif stored and rater not in stored:
            yield (
                "judge_version",
                f"{version!r} is a version of {min(stored)!r} here already, not of {rater!r}",
            )
        first = self._named.setdefault(rater, row)
        if bool(first["judge_version"]) != bool(version):
            yield (
                "judge_version",
                f"{first.place} says {first['judge_version']!r} of {rater!r}, and this row {version!r}",
            )

    def _step_complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        """A verdict on a step answers a stepwise question of the rubrics, as a part of a verdict on the whole."""
        about = self.predicate_of_steps
        if row["question"] not in about:
            known = ", ".join(about) or "none"
            yield (
                "question",
                f"judges of {self.protocol.name} answer no {row['question']!r} about steps: {known}",
            )
            return
        if not isinstance(parse_subject(row["subject"]), Subject):
            yield "step", "only a single output has steps"
        if len(row["step"]) > 50:
            yield "step", "is longer than 50 characters"
        if row["state"] not in ("", "answered"):
            yield "state", "a verdict on a step has a value"
            return
        if row["confidence"]:
            yield "confidence", "a verdict on a step has none of its own"
        questions = (asked for rubric in self.protocol.rubrics for asked in rubric.questions)
        try:
            next(asked for asked in questions if asked.key == row["question"]).canonical(row["value"])
        except RubricError as error:
            yield "value", str(error)

    def _expert_complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        try:
            rubric = self._rubric(row)
            question = rubric.question(row["question"])
            if row["state"] in ("", "answered"):
                question.canonical(row["value"])
        except RubricError as error:
            yield "value", str(error)
            return
        if row["step"] and not question.scale.stepwise:
            yield "step", f"{question.key} is about the whole text, not about a step"
        if not row["step"] and question.scale.stepwise and row["state"] in ("", "answered"):
            yield "step", f"{question.key} is about steps, and the label names none"
        known = self.rubric_of.setdefault(row["campaign"] or UNSPECIFIED_CAMPAIGN, rubric)
        if known.label != rubric.label:
            yield "rubric_version", f"the campaign uses {known.label} elsewhere in this file"
        # instances and pairs have one kind of work each, outputs all others
        special = {InstanceSubject: CampaignKind.CONSTRUCTION, PairSubject: CampaignKind.COMPARE}
        wanted = special.get(type(parse_subject(row["subject"])))
        if wanted != (rubric.kind if rubric.kind in special.values() else None):
            yield "subject", f"{rubric.label} is for {rubric.kind} work, and this is another kind of subject"

    def _sight_complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        """A grade has one value of each of its facts for all its answers.

        Only grades of single outputs say something of verdicts.
        """
        seen = row["verdict_seen"]
        if seen and not isinstance(parse_subject(row["subject"]), Subject):
            yield "verdict_seen", "verdicts are shown on single outputs only"
        same = self.expert_rows.get(_grade_key(without_defaults(row)), [row])[0]
        for name in FactsOfAGrade._fields:
            if same[name] != row[name]:
                yield name, f"{same.place} says {same[name]!r} of the same grade"

    def _design_complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        """What was drawn is in one stratum of one size for all who graded it, and a stratum has no more than was drawn
        from it: no score could be computed."""
        size, sample = row["stratum_size"], row["sample_size"]
        if size and sample and not 1 <= int(sample) <= int(size):
            yield "sample_size", f"sample_size {sample} is not between 1 and stratum_size {size}."
        campaign = row["campaign"] or UNSPECIFIED_CAMPAIGN
        item, stratum = (campaign, row["subject"]), (campaign, row["stratum"])
        if item in self._designs:
            same = self._designs[item]
            for name in _DESIGN:
                if same[name] != row[name]:
                    yield name, f"{same.place} says {same[name]!r} of the same subject"
            return
        self._designs[item] = row
        same = self._strata.setdefault(stratum, row)
        for name in ("stratum_size", "sample_size"):
            if same[name] != row[name]:
                yield name, f"{same.place} says {same[name]!r} of the same stratum"
        self._drawn[stratum] += 1
        name = "sample_size" if sample else "stratum_size"
        if row[name] and self._drawn[stratum] > int(row[name]):
            yield (
                name,
                f"{self._drawn[stratum]} of the stratum {row['stratum']!r} are labelled, more than {row[name]}",
            )

    def _value(self, row: LabelRow) -> str:
        """The value of a checked row as its scale writes it."""
        if row["rater_kind"] == "judge" or row["state"] not in ("", "answered"):
            return row["value"]
        return self._rubric(row).question(row["question"]).canonical(row["value"])

    def _rubric(self, row: LabelRow) -> Rubric:
        """The rubric that the row names, or the first one that asks its question."""
        for rubric in self.rubrics:
            if row["rubric_version"] == rubric.label:
                return rubric
            if not row["rubric_version"] and any(known.key == row["question"] for known in rubric.questions):
                return rubric
        missing = repr(row["rubric_version"]) if row["rubric_version"] else f"that asks {row['question']!r}"
        known = ", ".join(rubric.label for rubric in self.rubrics) or "none"
        raise RubricError(f"protocol {self.protocol.name} has no rubric {missing}; it has {known}")

    def _verdict(self, row: LabelRow) -> PublishedVerdict:
        instance, output, second, order = self._judged(row)
        return PublishedVerdict(
            output=output,
            second=second,
            instance=instance,
            predicate=row["question"],
            value=row["value"],
            state=row["state"] or "answered",
            vote=int(row["vote"] or 1),
            order=order,
            confidence=float(row["confidence"]) if row["confidence"] else None,
            reason=row["comment"],
            created_at=moment_of(row["created_at"]),
            line=row.line,
            file=row.file,
        )

    def _published_step(self, row: LabelRow) -> PublishedStep:
        return PublishedStep(
            output=self.outputs[row["subject"]],
            predicate=self.predicate_of_steps[row["question"]],
            question=row["question"],
            step=row["step"],
            label=row["value"],
            reason=row["comment"],
            vote=int(row["vote"] or 1),
            line=row.line,
            file=row.file,
        )

    def _steps_without_a_whole(self) -> Iterator[Fault]:
        """Verdicts on steps whose verdict on the whole output is neither in the file nor stored."""
        for (rater, version), steps in self.steps.items():
            stored = Verdict.objects.filter(
                judge__slug=rater, judge__published_as=version, output__run__release=self.release, second=None
            )
            known = set(stored.values_list("output", "predicate", "vote"))
            said = (row for row in self.verdicts.get((rater, version), ()) if row.output and not row.second)
            known |= {(row.output.pk, row.predicate, row.vote) for row in said if row.output}
            for row, step in steps:
                if (step.output.pk, step.predicate, step.vote) not in known:
                    why = f"vote {step.vote} of this judge on {step.predicate!r}, of the whole output, is missing"
                    yield Fault(row.line, "step", why, row.file)

    def _judged(self, row: LabelRow) -> tuple[Instance | None, Output | None, Output | None, int]:
        """The instance or the output; of a pair both, in the order in which they are stored, and which was shown."""
        subject = parse_subject(row["subject"])
        if isinstance(subject, InstanceSubject):
            return self.instances[subject.instance], None, None, 1
        if not isinstance(subject, PairSubject):
            return None, self.outputs[row["subject"]], None, int(row["order"] or 1)
        named = [self.outputs[str(one)] for one in subject.ordered]
        shown = named if row["order"] == "1" else named[::-1]
        first, second = sorted(named, key=lambda output: output.pk)
        return None, first, second, 1 if shown[0] is first else 2

    def published_decisions(self) -> dict[str, list[PublishedDecision]]:
        """Decisions by campaign, in the order of the file."""
        return {campaign: [self._decision(row) for row in rows] for campaign, rows in self.decisions.items()}

    def _decision(self, row: LabelRow) -> PublishedDecision:
        instance, output, second, order = self._judged(row)
        if order == 2:
            output, second = second, output
        if instance is None:
            assert output is not None  # a subject that was checked is an instance or an output
            instance = output.instance
        question = self._rubric(row).question(row["question"])
        return PublishedDecision(
            instance=instance,
            output=output,
            second=second,
            question=row["question"],
            step=row["step"],
            value=question.canonical(row["value"]),
            rater=row["rater"],
            cause=row["cause"],
            note=row["comment"],
            overrules=row["overrules"] == "yes",
            informed=row["informed"] == "yes",
            amendment=row["amendment"] == "yes",
            decided_at=moment_of(row["created_at"]),
            line=row.line,
        )

    def first_presentations(self) -> dict[tuple[str, str, str], GradeKey]:
        """(campaign, subject, rater) to their grade; of a pair that came twice, to the first, which has comments.

        The first is the one with the earlier time, whatever their order in the file; the order decides only where a
        time is missing.
        """
        first: dict[tuple[str, str, str], GradeKey] = {}
        for key, rows in self.expert_rows.items():
            known = first.setdefault(key[:3], key)
            then, now = (moment_of(each[0]["created_at"]) for each in (self.expert_rows[known], rows))
            if then and now and (now, key) < (then, known):
                first[key[:3]] = key
        return first

    def expert_grades(
        self, comments: Mapping[GradeKey, tuple[CheckedComment, ...]] | None
    ) -> dict[tuple[str, str], list[PublishedGrade]]:
        """Grades by campaign and track, in the order of the file, with their `comments` if some were imported."""
        grades: dict[tuple[str, str], list[PublishedGrade]] = defaultdict(list)
        first = self.first_presentations()
        for key, rows in self.expert_rows.items():
            campaign, name, rater, order = key
            rubric, subject = self.rubric_of[campaign], parse_subject(name)
            if isinstance(subject, InstanceSubject):
                track, grade = "", _grade(self.instances[subject.instance], None, rater, rows, rubric)
            elif isinstance(subject, PairSubject):
                shown = subject.ordered if order == "1" else subject.ordered[::-1]
                one, second = (self.outputs[str(each)] for each in shown)
                track, repeat = shown[0].track, first[key[:3]] != key
                grade = _grade(one.instance, one, rater, rows, rubric)
                grade = replace(grade, second=second, repeat=repeat)
            else:
                output = self.outputs[name]
                track, grade = subject.track, _grade(output.instance, output, rater, rows, rubric)
            if comments is not None and not grade.repeat:
                grade = replace(grade, comments=comments.get(key, ()))
            grades[campaign, track].append(grade)
        return grades


def _grade_key(row: LabelRow) -> GradeKey:
    return row["campaign"] or UNSPECIFIED_CAMPAIGN, row["subject"], row["rater"], row["order"]


def _value_complaints(row: LabelRow) -> Iterator[tuple[str, str]]:
    state = row["state"] or "answered"
    if state not in STATES:
        yield "state", f"{state!r} is not one of {', '.join(STATES)}"
    elif state == "answered" and not row["value"]:
        yield "value", "is empty: without an answer the state is abstain or unavailable"
    elif state != "answered" and row["value"]:
        yield "value", f"belongs to state answered, not to {state}"
    for column in ("vote", "order", "stratum_size", "sample_size"):
        if row[column] and not row[column].isdecimal():
            yield column, f"{row[column]!r} is not a whole number"
    share = _number(row["confidence"])
    if row["confidence"] and (share is None or share > 1):
        yield "confidence", f"{row['confidence']!r} is not a number from 0 to 1"
    if row["seconds"] and _number(row["seconds"]) is None:
        yield "seconds", f"{row['seconds']!r} is not a number of seconds"
    if row["created_at"] and (objection := objection_to_moment(row["created_at"])):
        yield "created_at", objection
    if not row["rater"]:
        yield "rater", "a label needs its rater"
    judged = row["rater_kind"] == "judge"
    if row["vote"] and not 1 <= int(row["vote"]) <= (_MOST_VOTES if judged else 1):
        known = f"from 1 to {_MOST_VOTES:,}" if judged else "1 or empty: only judges have several"
        yield "vote", f"{row['vote']!r} is not {known}"
    for column, most in (_LONGEST | _LONGEST_OF_JUDGE if judged else _LONGEST).items():
        if len(row[column]) > most:
            yield column, f"is longer than {most} characters"


def _grade(
    instance: Instance, output: Output | None, rater: str, rows: Sequence[LabelRow], rubric: Rubric
) -> PublishedGrade:
    first, answers = rows[0], []
    order = [question.key for question in rubric.questions]
    for row in sorted(rows, key=lambda row: order.index(row["question"])):
        state, question = row["state"] or "answered", rubric.question(row["question"])
        answers.append(
            PublishedAnswer(
                question=row["question"],
                step=row["step"],
                value=question.canonical(row["value"]) if state == "answered" else "",
                state=state,
                confidence=float(row["confidence"]) if row["confidence"] else None,
                comment=row["comment"],
                line=row.line,
            )
        )
    return PublishedGrade(
        instance=instance,
        output=output,
        rater=rater,
        answers=tuple(answers),
        stratum=first["stratum"],
        stratum_size=int(first["stratum_size"]) if first["stratum_size"] else None,
        sample_size=int(first["sample_size"]) if first["sample_size"] else None,
        active_seconds=max(round(_number(row["seconds"]) or 0) for row in rows),
        created_at=moment_of(first["created_at"]),
        facts=FactsOfAGrade.of_cells(first.cells),
        line=first.line,
        file=first.file,
    )


def _number(text: str) -> float | None:
    value = number_in(text)
    return value if 0 <= value < 1e9 else None
