"""Reading LaTeX sources: archives, main files, statements, proofs, references, expansion, offsets, speed.

The HoTT book, PFR, FLT and two papers against an independent scan of them, and the 722 files of Open Logic one by one.
The naive way of S5 is to give a proof to the nearest statement before it.
"""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache

from bench.frame import Figure, Spread, timed
from construction.recipes.passages import passage
from latex import Outline, expand, flatten, outline, render_checked
from latex.sources.archives import read
from latex.sources.main_file import Main, main_file
from tests.construction import mined
from tests.latex import sources, trees
from tests.latex.hostile_archives import ARCHIVES

PAPER = 85_000  # characters of a paper, in the mean
PAPERS = ("paper-benning-crit", "paper-roetz22")


def figures() -> Iterator[Figure]:
    """S1 to S8 and P1 of the specification of construction."""
    yield from _archives()
    yield from _main_files()
    yield from _statements_and_proofs()
    yield from _references()
    yield from _expansion()
    yield from _offsets()
    yield from _speed()


def _archives() -> Iterator[Figure]:
    wrong, seconds = 0, []
    for make, code in ARCHIVES.values():
        content, start = make(), time.process_time()
        wrong += read("x", content).code != code
        seconds.append(time.process_time() - start)
    yield Figure(
        f"S1: of {len(ARCHIVES)} hostile archives, not refused with their code",
        _count(wrong),
        target=0,
        unit="",
    )
    yield Figure("S1: the slowest of them, processor", Spread.of([max(seconds)]), target=2)
    yield Figure("S1: most memory of one of them", Spread.of([_memory(HOSTILE)]), target=200e6, unit="B")


def _main_files() -> Iterator[Figure]:
    total = Counter(_judged(tree, right) for tree, right in trees.trees())
    yield Figure(
        f"S2: of {total.total()} trees, another main file taken", _count(total["wrong"]), target=0, unit=""
    )
    yield Figure("S2: left to a person", _count(total["asked"] / total.total()), target=0.01, unit="of 1")


def _judged(tree: dict[str, str], right: frozenset[str]) -> str:
    found = main_file(tree)
    return ("right" if found.path in right else "wrong") if isinstance(found, Main) else "asked"


def _statements_and_proofs() -> Iterator[Figure]:
    wanted = missing = kinds = spurious = 0
    proofs = lost = pairs = apart = naive = 0
    for name in sources.SOURCES:
        found, truth = mined.outline_of(name), sources.truth(name, "statement")
        ours = {sources.key_of(name, made.span): made for made in found.statements}
        listed = {row["env"] for row in truth.values()}  # its scan leaves some environments out on purpose
        wanted += len(truth)
        missing += len(truth.keys() - ours.keys())
        kinds += sum(key in ours and ours[key].kind != row["kind"] for key, row in truth.items())
        spurious += sum(made.environment in listed for key, made in ours.items() if key not in truth)
        rows = sources.truth(name, "proof")
        proved = {sources.key_of(name, made.span): made for made in found.proofs}
        proofs, lost = proofs + len(rows), lost + len(rows.keys() ^ proved.keys())
        by_number = {(key[0], row["n"]): key for key, row in truth.items()}
        for key, row in rows.items():
            if row["evidence"] not in ("adjacent", "named") or key not in proved:
                continue
            doc = key[0] if sources.SOURCES[name][2] is not None else ""
            right, made = by_number[doc, row["statement"]], proved[key]
            before = [other for other in found.statements if other.span.end <= made.span.start]
            pairs += 1
            apart += (
                made.statement is None or sources.key_of(name, found.statements[made.statement].span) != right
            )
            naive += not before or sources.key_of(name, before[-1].span) != right
    yield Figure(
        f"S3: of {wanted} statements, not found from begin to end",
        _count(missing / wanted),
        target=0.005,
        unit="of 1",
    )
    yield Figure("S3: found where the scan has none", _count(spurious / wanted), target=0.005, unit="of 1")
    yield Figure("S3: of another kind", _count(kinds / wanted), target=0.005, unit="of 1")
    rows = trees.open_logic_statements()
    given = {(path, row["start"], row["end"]) for path, found in rows.items() for row in found}
    read_now = {
        (path, made.span.start, made.span.end) for path in rows for made in open_logic()[path].statements
    }
    yield Figure(
        f"S3: of {len(given)} statements of Open Logic, not found", _count(len(given - read_now) / len(given)),
        target=0.005, unit="of 1",
    )  # fmt: skip
    yield Figure(f"S4: of {proofs} proofs in environments, lost or invented", _count(lost), target=0, unit="")
    yield Figure(
        f"S5: of {pairs} adjacent and named proofs, paired otherwise", _count(apart / pairs), _count(naive / pairs),
        "nearest before", 0.005, "of 1",
    )  # fmt: skip


def _references() -> Iterator[Figure]:
    labels = unseen = named = unresolved = keys = unmatched = 0
    for name in sources.SOURCES:
        found = mined.outline_of(name)
        ours = {label.name for label in found.labels}
        rows = sources.truth(name, "statement").values()
        stated = {" ".join(label.split()) for row in rows for label in row["labels"]}  # as TeX reads names
        labels, unseen = labels + len(stated), unseen + len(stated - ours)
        entries = {entry.key for entry in found.bibliography}
        for pointer in found.references:
            named += len(pointer.names)
            unresolved += sum(name not in ours for name in pointer.names)
        cited = {key for citation in found.citations for key in citation.keys}
        keys, unmatched = keys + len(cited), unmatched + len(cited - entries)
    yield Figure(f"S6: of {labels} labels of statements, not found", _count(unseen), target=0, unit="")
    yield Figure(
        f"S6: of {named} references, not resolved", _count(unresolved / named), target=0.005, unit="of 1"
    )
    yield Figure(f"S6: of {keys} cited keys, without an entry", _count(unmatched / keys), unit="of 1")


def _expansion() -> Iterator[Figure]:
    passages = left = changed = 0
    for name in sources.SOURCES:
        found = mined.outline_of(name)
        for proof in found.proofs:
            made = passage(found, proof.body)
            passages, left = passages + 1, left + bool(made.left)
            changed += expand(made.text, type(found.definitions)()).text != made.text
    yield Figure(f"S7: of {passages} proofs, with an author's macro left", _count(left), target=0, unit="")
    yield Figure("S7: changed when expanded once more", _count(changed), target=0, unit="")
    formulas, failing, diagrams = mined.formulas_not_set()
    yield Figure(
        f"S7: of {formulas} formulas, not set ({diagrams} diagrams apart)", _count(failing / formulas), target=0.005,
        unit="of 1",
    )  # fmt: skip


def _offsets() -> Iterator[Figure]:
    spans = wrong = 0
    for found, files in everything():
        for made in [*found.statements, *found.proofs, *found.labels, *found.references, *found.citations]:
            places = found.flat.places(made.span.start, made.span.end)
            spans += 1
            wrong += found.text_of(made.span) != "".join(
                files[file][start:end] for file, start, end in places
            )
    yield Figure(
        f"S8: of {spans} ranges, shown otherwise than in their file", _count(wrong), target=0, unit=""
    )


def _speed() -> Iterator[Figure]:
    def read_all() -> None:
        for name in PAPERS:
            files = sources.files_of(name)
            outline(flatten(files, sources.SOURCES[name][1]), files)

    def set_all() -> None:
        for name in PAPERS:
            render_checked(sources.flat_of(name).text, "latex")

    size = sum(len(sources.flat_of(name).text) for name in PAPERS)
    yield Figure(
        "P1: reading a paper of 85,000 characters", timed(read_all, scaled=PAPER / size), target=60 / 300
    )
    yield Figure("P1: with its formulas set", timed(set_all, scaled=PAPER / size), target=1)
    yield Figure(
        "P1: memory for 2.5 million characters of HoTT", Spread.of([_memory(BOOK)]), target=400e6, unit="B"
    )


def everything() -> Iterator[tuple[Outline, dict[str, str]]]:
    """Every visible source with its files."""
    for name in sources.SOURCES:
        yield mined.outline_of(name), sources.files_of(name)
    for path, found in open_logic().items():
        yield found, {path: trees.open_logic()[path]}


@cache
def open_logic() -> dict[str, Outline]:
    texts = trees.open_logic()
    return {path: outline(flatten({path: text}, path), {}) for path, text in texts.items()}


HIGH = """
import json
def high():
    with open("/proc/self/status") as file:
        return 1024 * int(next(line for line in file if line.startswith("VmHWM")).split()[1])
"""
HOSTILE = """
import gc
from latex.sources.archives import read
from tests.latex.hostile_archives import ARCHIVES
most = 0
for make, _ in ARCHIVES.values():
    content = make(); gc.collect(); open("/proc/self/clear_refs", "w").write("5")
    read("x", content); most = max(most, high())
print(json.dumps(most))
"""
BOOK = """
from latex import flatten, outline
from tests.latex import sources
head, _, body = sources.flat_of("hott").text.partition("\\\\begin{document}")
text = head + "\\\\begin{document}" + (body.replace("\\\\end{document}", "") * 9)[:2_500_000 - len(head) - 16]
outline(flatten({"a.tex": text}, "a.tex"), {})
print(json.dumps(high()))
"""


def _memory(program: str) -> float:
    """The most memory of a process of its own."""
    command = [sys.executable, "-c", HIGH + program]
    return float(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))


def _count(number: float) -> Spread:
    return Spread.of([number])
