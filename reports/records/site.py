"""The files of one version of a record: pages, data, tables and metadata, all with relative links.

The same files are the static site, the content of the archive and what the platform serves. They follow from what is
declared, the frozen artifact and the frozen texts alone.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string

from accounts.profile.domains import domain_words
from accounts.refusal import Refused
from annotation.rubrics.available import rubric_toml
from benchmark.models import Release
from benchmark.protocol import Part
from benchmark.rendering.actions import render_now
from benchmark.rendering.stored import Rendered
from benchmark.rubrics import rubric_from_content
from benchmark.steps import steps_of
from canonical import canonical_json
from reports.artifact.manifest import Manifest
from reports.comparison.choices import Choices
from reports.exclusions.rules import left_out
from reports.records import metadata, tables
from reports.records.archive import archive
from reports.records.content import public_artifact
from reports.records.declared import Declared
from reports.records.mathml import with_mathml
from reports.records.page import ON_FRONT, Shown, front, grid, listed, said_of, shown
from reports.records.page import finding as find
from reports.records.texts import read_texts
from reports.results.grid import Problem

_EXCLUDED = (
    "A rule excludes some problems (`exclusions` of the score in `artifact.json`). Tables of labels keep them: rows "
    "with `yes` in the column `excluded` count neither in `leaderboard.csv` nor in `pairs.csv`."
)
STYLES = ("base", "math", "results", "records")
# where reports/records/folder.py adds what comes later, and links to other versions
BAND, NEWER, OLDER = "<!-- band -->", "<!-- newer versions -->", "<!-- older versions -->"


def style_sheet() -> bytes:
    """The style sheets of the site's pages in one, so that a record does not change with them."""
    folder = Path(settings.BASE_DIR) / "static" / "css"
    return b"\n".join((folder / f"{name}.css").read_bytes() for name in STYLES)


def build(release: Release, frozen: str, declared: Declared) -> dict[str, bytes]:
    """All files by name, the archive among them. `frozen` is the artifact as it is stored.

    Raises Refused for an artifact that does not verify or says nothing about any system, and for texts of others.
    """
    artifact, inputs, score = public_artifact(json.loads(frozen), declared)
    texts = read_texts(release, inputs, Manifest.from_json(artifact["manifest"]), declared)
    record = shown(declared, artifact, inputs, score, texts)
    if not record.has_board and not record.compared:
        raise Refused("This score has no number by system yet.", code="no_numbers")
    context = front(record)
    finding = " ".join(find(record))
    kinds = {"corrected": "corrected by experts", "experts": "graded by experts", "measured": "measured"}
    basis = kinds.get(record.board.square, "AI judge only")
    if not record.has_board and "@" not in record.compared[0].key:
        basis = "compared by experts"
    data = _data(record)
    files = {
        **data,
        **_prompts(record),
        "croissant.json": metadata.croissant(
            declared,
            finding,
            data,
            {
                name: content.decode().partition("\r\n")[0].partition("\n")[0].split(",")
                for name, content in data.items()
                if name.endswith(".csv")
            },
        ),
        "datacite.json": metadata.datacite(declared, finding),
        "CITATION.cff": metadata.citation_cff(declared),
        "cite.bib": metadata.bibtex(declared),
        "badge.svg": render_to_string(
            "reports/records/badge.svg", {"basis": basis, "record": declared}
        ).encode(),
        "record.css": style_sheet(),
        "touchstone.svg": (Path(settings.BASE_DIR) / "static" / "img" / "touchstone.svg").read_bytes(),
    }
    files["README.md"] = _readme(declared, finding, [*files, "SHA256SUMS"], excludes=bool(left_out(inputs)))
    context |= {
        "site": site_address(declared),
        "citation": metadata.citation(declared),
        "bibtex": metadata.bibtex(declared).decode(),
        "files": {name.replace(".", "_"): len(content) for name, content in files.items()},
        "archive": archive_name(declared),
    }
    files["index.html"] = _page("record.html", context)
    if len(record.rows) > ON_FRONT:
        whole = {**context, "grid": grid(record, record.rows)}
        whole["listed"] = listed(record, record.rows) if record.has_pages else []
        files["grid.html"] = _page("grid.html", whole)
    if record.has_pages:
        for row in record.rows:
            if declared.is_open(row.instance):
                files[f"problems/{row.number}.html"] = _problem(record, row, context)
    files[archive_name(declared)] = archive(f"{declared.name}-{declared.version}", files)
    return files


def archive_name(declared: Declared) -> str:
    return f"{declared.name}-{declared.version}.zip"


def site_address(declared: Declared) -> str:
    """The address of the list of all records."""
    return declared.address.rstrip("/").rsplit("/", 2)[0] + "/"


def _data(record: Shown) -> dict[str, bytes]:
    texts = record.texts
    problems = [texts.problems[key].line for key in sorted(texts.problems)]
    answers = [texts.answers[subject].line for subject in sorted(texts.answers)]
    found = {
        "artifact.json": canonical_json(record.artifact),
        "grid.csv": tables.grid_csv(record),
        "labels.csv": tables.labels_csv(record.inputs),
    }
    if record.has_board:
        found["leaderboard.csv"] = tables.board_csv(record)
        found["leaderboard.md"] = tables.board_markdown(record)
        found["leaderboard.tex"] = tables.board_latex(record)
    if record.inputs.votes:
        found["verdicts.csv"] = tables.verdicts_csv(record.inputs)
    if pairs := record.artifact.get("pairs"):
        found["pairs.csv"] = tables.pairs_csv(record)
        found["pairs.md"] = tables.pairs_markdown(record)
        found["pairs.tex"] = tables.pairs_latex(record)
        found["choices.csv"] = tables.choices_csv(Choices.from_json(pairs), record.inputs)
    if remarks := record.artifact.get("remarks"):
        found["comments.csv"] = tables.comments_csv(remarks)
    if any(problems):
        found["problems.jsonl"] = b"".join(problems)
    if answers:
        found["answers.jsonl"] = b"".join(answers)
    return found


def _prompts(record: Shown) -> dict[str, bytes]:
    """The prompts of the judge and the forms of the referees, as the artifact has them."""
    found = {}
    for campaign in record.campaigns:
        rubric = rubric_from_content(dict(campaign.rubric))
        found[f"rubrics/{_file_name(rubric.label)}.toml"] = rubric_toml(rubric).encode()
    judge = record.inputs.judge
    for predicate, prompt in (judge.prompts if judge else {}).items():
        text = prompt.get("text") if isinstance(prompt, Mapping) else None
        if text:
            lines = text if isinstance(text, list) else [str(text)]
            found[f"prompts/{_file_name(predicate)}.txt"] = ("\n".join(map(str, lines)) + "\n").encode()
    return found


def _problem(record: Shown, row: Problem, context: Mapping[str, object]) -> bytes:
    """A problem with its answers and what referees wrote about them, as far as the record shows them."""
    problem = record.texts.problems[row.instance]
    answers = []
    for at, cells in enumerate(row.cells):
        line = record.board.lines[at]
        for cell in cells:
            answer = record.texts.answers.get(cell.subject)
            anchor = f"{line.letter}{cell.attempt}"
            texts = [part for part in answer.parts if part.text.strip()] if answer else []
            documents = _rendered(texts, anchor)
            steps = steps_of(documents[0].blocks) if documents else ()
            names = {step.key.removeprefix(f"{anchor}-1-"): step.name for step in steps}
            answers.append(
                {
                    "anchor": anchor,
                    "letter": line.letter,
                    "system": record.system(line.system),
                    "attempt": cell.attempt if len(cells) > 1 or cell.attempt > 1 else 0,
                    "cell": cell,
                    "parts": _parts(texts, documents) if cell.kind != "blank" else [],
                    "in_files": answer is not None and not texts and cell.kind in ("graded", "judged"),
                    "reports": said_of(record, cell.subject, names),
                }
            )
    shown_problem = {
        "number": row.number,
        "title": problem.title,
        "field": domain_words(row.domain),
        "parts": _parts(problem.parts, _rendered(problem.parts, "problem")),
        "answers": answers,
        "before": _neighbour(record, row.number - 1, -1),
        "after": _neighbour(record, row.number + 1, 1),
    }
    return _page("problem.html", {**context, "problem": shown_problem, "root": "../"})


def _neighbour(record: Shown, number: int, step: int) -> int:
    """The next problem in this direction whose texts may be read, 0 where there is none."""
    while 0 < number <= len(record.rows):
        if record.declared.is_open(record.rows[number - 1].instance):
            return number
        number += step
    return 0


def _rendered(parts: Sequence[Part], prefix: str) -> list[Rendered]:
    return render_now(
        [(one.text, one.text_format, f"{prefix}-{at}-") for at, one in enumerate(parts, start=1)]
    )


def _parts(parts: Sequence[Part], documents: Sequence[Rendered]) -> list[dict[str, str]]:
    block = '<div class="block kind-{kind}" id="{id}">{html}</div>'
    return [
        {
            "title": part.title,
            "html": "\n".join(
                block.format(kind=one.kind, id=one.id, html=one.html) for one in document.shown
            ),
        }
        for part, document in zip(parts, documents, strict=True)
    ]


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "unnamed"


def _readme(declared: Declared, finding: str, names: list[str], *, excludes: bool) -> bytes:
    frozen = (
        f"The score was frozen with SHA-256 `{declared.frozen_sha256}`; `artifact.json` is the same without what this "
        "record does not show."
        if declared.frozen_sha256
        else "`artifact.json` is the frozen score without what this record does not show."
    )
    lines = [
        f"# {tables.markdown_text(declared.title)}, version {declared.version}",
        tables.markdown_text(finding),
        f"Published on {declared.published_on} by {tables.markdown_text(declared.author_line)}. "
        f"Licence: {tables.markdown_text(declared.licence)}.",
        f"<{declared.address}>",
        "## Limitations",
        *(tables.markdown_text(part) for part in declared.limitations.split("\n\n")),
        "## Checking it",
        "`sha256sum --check SHA256SUMS` compares the files with their checksums. With a copy of Touchstone,",
        f"`manage.py verify_artifact {archive_name(declared)}` does the same and recomputes every number from the "
        "labels, without network or database.",
        *([_EXCLUDED] if excludes else []),
        "## Files",
        "\n".join(f"- `{name}`" for name in sorted(names)),
        f"`index.html` opens in any browser, also without a network. {frozen}",
    ]
    return ("\n\n".join(lines) + "\n").encode()


def _page(template: str, context: Mapping[str, object]) -> bytes:
    return with_mathml(render_to_string(f"reports/records/{template}", dict(context))).encode()
