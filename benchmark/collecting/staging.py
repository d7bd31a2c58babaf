"""An upload and its mapping to files of the protocol: one of problems, and one of outputs for every system."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from django.utils.text import slugify

from accounts.refusal import Refused
from benchmark.collecting.columns import SYSTEM, FieldInfo, columns_of, record_of
from benchmark.collecting.documents import (
    Member,
    Text,
    blank_reason,
    members_of,
    text_of,
    title_of,
    with_archives,
    with_macros,
)
from benchmark.collecting.mapping import WITHOUT_COLUMN, Reading, is_macros, role_of, table_fields, the_table
from benchmark.collecting.paths import TEXTS, Names, attempt_in, problem_in
from benchmark.collecting.tables import rows_of
from benchmark.files.child import Cleaned
from benchmark.files.pictures import called
from benchmark.files.process import cleaned
from benchmark.files.queries import takes_files_alone
from benchmark.foreign.recognising import tool_of
from benchmark.importing.records import RecordError
from benchmark.models import FileKind
from benchmark.protocol import Protocol
from latex.pictures import picture_names

MOST_FAULTS = 5_000
PICTURES = (".png", ".jpg", ".jpeg")


class Fault(TypedDict):
    """What is wrong, and where in an upload."""

    file: str
    line: int
    field: str
    reason: str


@dataclass
class Lines:
    """A file in JSON Lines being written. `places` says for each of its lines where the record came from."""

    path: Path
    name: str = ""
    count: int = 0
    places: dict[int, tuple[str, int]] = field(default_factory=dict)

    def add(self, record: Mapping[str, object], file: str, line: int = 0) -> None:
        """Append a record that was found in `file`, on `line` (0: the file as a whole)."""
        # Half of a surrogate pair is written as JSON escapes it, and refused with its place when the line is read.
        with self.path.open("a", encoding="utf-8", errors="backslashreplace") as target:
            target.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.count += 1
        self.places[self.count] = (file, line)

    def place(self, line: int) -> str:
        """Where the record on this line came from, in words."""
        file, row = self.places.get(line, (self.path.name, line))
        return f"{file}, row {row}" if row else file

    def moved(self, error: RecordError) -> RecordError:
        """The error with the line that its record came from."""
        reason = re.sub(
            r"\b(?:on|see) line (\d+)", lambda found: f"in {self.place(int(found[1]))}", error.reason
        )
        return RecordError(reason, line=self.places.get(error.line, ("", 0))[1], field=error.field)

    def fault(self, error: RecordError) -> Fault:
        """The error at the place where its record came from."""
        moved = self.moved(error)
        file = self.places.get(error.line, (self.name or self.path.name, 0))[0]
        return {"file": file, "line": moved.line, "field": moved.field, "reason": moved.reason}


@dataclass(frozen=True)
class Attached:
    """A file that came along, by its name in the upload, and the copy that people will read."""

    name: str
    file: Path
    made: Cleaned


@dataclass
class Staged:
    """What an upload gives: files of the protocol, and what people should know before they import them.

    `blank` are outputs that contain no answer, `without_text` those with neither a document nor a PDF, `missing` the
    pictures that texts show and that are not there, `unused` files that no pattern fits, and `from_zero` says that
    paths count attempts from 0, so that each got the next number. `attachments` are the PDFs and pictures that came
    along, by short name of the system ("" for a problem), problem and attempt; `unreadable` files that nobody
    will see, with the reason, and `copies` what was made of each content.
    """

    folder: Path
    problems: Lines | None = None
    runs: dict[str, Lines] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    blank: list[dict[str, object]] = field(default_factory=list)
    without_text: list[str] = field(default_factory=list)
    missing: list[dict[str, object]] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    from_zero: bool = False
    attachments: dict[tuple[str, str, int], list[Attached]] = field(default_factory=dict)
    unreadable: list[dict[str, str]] = field(default_factory=list)
    copies: dict[tuple[str, bool], Cleaned | str] = field(default_factory=dict)

    def run(self, system: str) -> Lines:
        """The file of a system's outputs, by the name that the upload gives it."""
        slug = slug_of(system)
        if slug not in self.runs:
            self.runs[slug] = Lines(self.folder / f"outputs-{len(self.runs) + 1}.jsonl", system)
        if self.runs[slug].name != system:
            reason = f"{system!r} and {self.runs[slug].name!r} would be one system; rename one of them"
            raise RecordError(reason)
        return self.runs[slug]


def slug_of(system: str) -> str:
    """The short name of a system by the name that an upload gives it."""
    return slugify(system)[:100] or "system"


def stage(
    folder: Path, target: Path, reading: Reading, rules: Protocol, known: Collection[str] | None, name: str
) -> Staged:
    """Read the unpacked upload in `folder` as the mapping says and write the protocol's files to `target`.

    `known` are the problems of the release, None if the upload brings them; `name` is the file's own.
    """
    staged = Staged(target, keys=set(known or ()))
    table = the_table(folder)
    if table:
        stage_table(staged, table, reading, rules, name)
    else:
        members = with_archives(members_of(folder, name), target)
        _stage_documents(staged, members, reading, rules, new=known is None)
    return staged


def _stage_documents(
    staged: Staged, members: Sequence[Member], reading: Reading, rules: Protocol, *, new: bool
) -> None:
    problems: dict[str, list[Member]] = defaultdict(list)
    outputs: dict[tuple[str, str, int], list[Member]] = defaultdict(list)
    for member in members:
        role, place = role_of(member.archive or member.path, reading)
        if role == "problem" and new:
            problems[place.problem].append(member)
        elif role == "output":
            outputs[place.system or reading.system, place.problem, place.attempt].append(member)
        elif not member.archive and not is_macros(member.path):
            staged.unused.append(member.path)
    if new:
        staged.problems = Lines(staged.folder / "problems.jsonl")
        for key, files in sorted(problems.items()):
            for text in _texts(staged, files):
                title = title_of(text.text, text.text_format) or key
                problem_record = {
                    "instance_id": key,
                    "title": title,
                    "statement": with_macros(text.text, text.text_format, reading.macros),
                    "domain": reading.domain,
                }
                if text.text_format != "latex":
                    problem_record["statement_format"] = text.text_format
                staged.problems.add(problem_record, text.place)
                staged.keys.add(key)
                _note_attachments(staged, ("", key, 1), files, picture_names(text.text, text.text_format))
    staged.from_zero = any(attempt == 0 for _, _, attempt in outputs)
    if staged.from_zero:
        outputs = {
            (system, problem, attempt + 1): files for (system, problem, attempt), files in outputs.items()
        }
    groups, names = _joined(outputs), Names(staged.keys)
    for (system, problem, attempt), files in sorted(groups.items()):
        matched = names.match(problem)
        if matched is None:
            reason = f"there is no problem {problem!r}"
            place = next((file.shown for file in files if file.suffix in TEXTS), files[0].shown)
            staged.faults.append({"file": place, "line": 0, "field": "", "reason": reason})
            continue
        texts, owner = list(_texts(staged, files)), (slug_of(system), matched, attempt)
        record: dict[str, object] = {"instance_id": matched, "attempt": attempt}
        for text in texts:
            record |= {"text": text.text, "format": text.text_format}
            _add_output(staged, reading, system, record, text.place)
            _note_attachments(staged, owner, files, picture_names(text.text, text.text_format))
        if texts or staged.faults:
            continue
        _note_attachments(staged, owner, files, ())
        if takes_files_alone(rules) and any(
            one.made.kind == FileKind.PDF for one in staged.attachments.get(owner, ())
        ):
            record |= {"text": "", "in_files": True}
            staged.run(system).add(record, files[0].shown)
        else:
            staged.attachments.pop(owner, None)
            staged.without_text.append(files[0].shown)


def _note_attachments(
    staged: Staged, key: tuple[str, str, int], files: Sequence[Member], shown: Sequence[str]
) -> None:
    """Keep the PDFs and pictures among the files: those next to the text first, then pictures out of archives, and the
    PDFs there that the text shows as pictures."""
    meant = called((file.path for file in files), shown)
    figures = {file for file in files if file.path in meant}
    among = [file for file in files if file.suffix in (".pdf", *PICTURES)]
    chosen = [file for file in among if not file.archive]
    chosen += [file for file in among if file.archive and (file.suffix in PICTURES or file in figures)]
    for file in chosen:
        data = file.file.read_bytes()
        copy = hashlib.sha256(data).hexdigest(), file in figures
        if copy not in staged.copies:  # a picture that comes with every text is copied once
            try:
                staged.copies[copy] = cleaned(data, picture=file in figures)
            except Refused as refusal:
                staged.copies[copy] = refusal.reason
        made = staged.copies[copy]
        if isinstance(made, str):
            staged.unreadable.append({"file": file.shown, "reason": made})
        else:
            staged.attachments.setdefault(key, []).append(Attached(file.shown, file.file, made))


def _joined(outputs: dict[tuple[str, str, int], list[Member]]) -> dict[tuple[str, str, int], list[Member]]:
    """Files whose name only begins with that of a text ("1_figures.zip" next to "1.tex") belong to that text."""
    own = {key for key, files in outputs.items() if any(file.suffix in TEXTS for file in files)}
    joined: dict[tuple[str, str, int], list[Member]] = defaultdict(list)
    for (system, problem, attempt), files in sorted(outputs.items()):
        key = (system, problem, attempt)
        if key not in own:
            longer = [other for other in own if other[0] == system and problem.startswith(other[1])]
            longer = [other for other in longer if not problem[len(other[1])].isalnum()]
            key = max(longer, key=lambda other: len(other[1]), default=key)
        joined[key] += files
    return joined


def _texts(staged: Staged, files: Sequence[Member]) -> Iterator[Text]:
    """The one text among these files, if there is one; what is wrong is noted."""
    try:
        text = text_of(files)
    except RecordError as error:
        staged.faults.append({"file": error.field, "line": error.line, "field": "", "reason": error.reason})
        return
    if text is None:
        return
    at, line = 0, 1
    for name in text.missing:  # in the order of the text
        found = text.text.find(name, at)
        if found >= 0:
            line += text.text.count("\n", at, found)
            at = found
        staged.missing.append({"file": text.place, "line": line, "source": name})
    reason = f"{text.place} is the text here and does not input it."
    staged.unreadable += [{"file": name, "reason": reason} for name in text.left_out]
    yield text


def _add_output(
    staged: Staged, reading: Reading, system: str, record: dict[str, Any], file: str, line: int = 0
) -> None:
    """Note an output under its system; a blank one counts as abstained if that was asked for."""
    text = record.get("text", "")
    may_be_blank = record.get("state", "answered") == "answered" and not record.get("in_files")
    if isinstance(text, str) and may_be_blank:
        reason = blank_reason(text, record.get("format", "latex"))
        if reason:
            found = {
                "file": file,
                "line": line,
                "system": system,
                "problem": record.get("instance_id"),
                "attempt": record.get("attempt", 1),
                "reason": reason,
            }
            staged.blank.append(found)
            record |= {"state": "abstained"} if reading.blank_abstains else {}
    if isinstance(text, str) and text:
        record["text"] = with_macros(text, record.get("format", "latex"), reading.macros)
    try:
        staged.run(system).add(record, file, line)
    except RecordError as error:
        staged.faults.append({"file": file, "line": line, "field": "system", "reason": error.reason})


def stage_table(staged: Staged, table: Path, reading: Reading, rules: Protocol, name: str) -> None:
    """Read a table, or a file of another tool, as the mapping says; `name` is the file's own."""
    fields = {each.name: each for each in table_fields(rules, reading.table)}
    of_problems = reading.table == "problems"
    if of_problems:
        staged.problems = Lines(staged.folder / "problems.jsonl")
    model = rules.release_line if of_problems else rules.output_line
    # A published format is kept word for word, with fields that nobody mapped.
    as_it_is = (
        model.model_config.get("extra") == "allow"
        and "json" in table.suffix.lower()
        and all(field == column for field, column in reading.columns.items())
    )
    form = "statement_format" if of_problems else "format"
    has_text, names, tool = "text" in fields, Names(staged.keys), tool_of(table)
    for row in rows_of(table, table.suffix.lower()):
        if isinstance(row, RecordError):
            staged.faults.append({"file": name, "line": row.line, "field": row.field, "reason": row.reason})
            if len(staged.faults) >= MOST_FAULTS:
                return
            continue
        number, raw = row
        flat = columns_of(raw)
        record = raw if as_it_is else record_of(flat, reading.columns, fields)
        if reading.written != "latex" and not as_it_is and form in fields and not record.get(form):
            record[form] = reading.written
        if staged.problems is not None:
            statement = record.get("statement")
            if isinstance(statement, str) and not as_it_is:
                written = record.get("statement_format", "latex")
                record["statement"] = with_macros(statement, written, reading.macros)
            instead = {"title": str(record.get("instance_id", "")), "domain": reading.domain}
            record |= {
                each: instead[each] for each in WITHOUT_COLUMN if each in fields and each not in record
            }
            staged.problems.add(record, name, number)
            continue
        system = str(flat.get(reading.columns.get(SYSTEM, ""), "") or reading.system).strip()
        record.pop(SYSTEM, None)
        _find_problem(record, fields, reading.ids, names)
        if not system:
            staged.faults.append({"file": name, "line": number, "field": SYSTEM, "reason": "names no system"})
        elif has_text:
            _add_output(staged, reading, system, record, name, number)
        else:
            # Where the protocol asks for fields, a tool's reply without any of them failed, and a blank one abstained
            # if that was asked for.
            place = {"instance_id", "index", "attempt", "state"}
            if tool and record.get("state") == "answered" and place.issuperset(record):
                blank = not str(raw["text"]).strip()
                record["state"] = "abstained" if blank and reading.blank_abstains else "failed"
            if tool and record.get("state") == "abstained" and "abstained" in fields:
                record["abstained"] = True
            staged.run(system).add(record, name, number)


def _find_problem(
    record: dict[str, Any], fields: Mapping[str, FieldInfo], pattern: str, names: Names
) -> None:
    """Put the problem's key, and the attempt if its name says it, in place of the name that the table has."""
    field = "instance_id" if "instance_id" in fields else "index"
    if field not in record or field not in fields:
        return
    key, attempt = problem_in(str(record[field]), pattern, names)
    is_number = fields[field].kind == "whole number" and key.isdigit()
    record[field] = int(key) if is_number else key
    if attempt is not None and "attempt" in fields and "attempt" not in record:
        record["attempt"] = attempt
    called = record.get("attempt")
    if isinstance(called, str) and (attempt := attempt_in(called.strip())) is not None:
        record["attempt"] = attempt


def summary_of(staged: Staged) -> dict[str, object]:
    """What the page of the dry run says in addition to the counts of the import."""
    kinds = Counter(one.made.kind for files in staged.attachments.values() for one in files)
    return {
        "blank": staged.blank[:100],
        "blank_count": len(staged.blank),
        "without_text": staged.without_text[:100],
        "from_zero": staged.from_zero,
        "unused": staged.unused[:100],
        "unused_count": len(staged.unused),
        "attachments": dict(sorted(kinds.items())),
        "unreadable": staged.unreadable[:100],
        "unreadable_count": len(staged.unreadable),
        "attached_to": len(staged.attachments),
    }
