"""Masks and lemmas of five visible sources: as the ground truth, byte for byte, and how many formulas cannot be set.

PFR, FLT, the HoTT book and two papers. A scripted reply chooses every candidate in turn, and points to the last
definition before each lemma.
"""

from collections import Counter
from collections.abc import Iterator

from bench.frame import Figure, Spread
from benchmark.protocols.lemmas.iterations import iterations
from benchmark.protocols.lemmas.loader import context_text
from benchmark.protocols.masked_steps.schema import MASK
from construction.recipes.lemmas.assembly import refused
from construction.recipes.passages import Drop, Made
from tests.construction import mined
from tests.latex import sources


def figures() -> Iterator[Figure]:
    """M1 and L1 of the specification of construction, and the formulas of R4 for these recipes."""
    total = otherwise = 0
    for name in sources.SOURCES:
        for _, ours, theirs in mined.closures(name):
            total, otherwise = total + 1, otherwise + (ours != theirs)
    yield Figure(
        f"M1: of {total} proofs, closures unlike the ground truth's", _count(otherwise), target=0, unit=""
    )
    declared, both, referred = mined.uses_of_pfr()
    yield Figure(
        f"M1: of {declared} \\uses of PFR, not reached by references",
        _count(1 - both / declared),
        target=0.14,
        unit="of 1",
    )
    yield Figure(
        f"M1: of {referred} references in these proofs, not declared",
        _count(1 - both / referred),
        unit="of 1",
    )
    for name in sources.SOURCES:
        yield from _masks(name)
    yield from _lemmas()
    formulas, failing, diagrams = mined.formulas_not_set()
    yield Figure(
        f"of {formulas} formulas of statements and proofs, not set ({diagrams} diagrams apart)",
        _count(failing / formulas),
        target=0.005,
        unit="of 1",
    )


def _masks(name: str) -> Iterator[Figure]:
    codes = Counter(
        "kept" if not isinstance(found, Drop) else found.code for _, found in mined.pairs_of(name)
    )
    made: Counter[str] = Counter()
    unfaithful = 0
    for _, _, found in mined.masks_of(name):
        for one in found:
            made[(one.line.variant or "chosen") if isinstance(one, Made) else one.code] += 1
            if isinstance(one, Made):
                line = one.line
                again = line.mask_text.replace(MASK, line.mask_content)
                unfaithful += line.mask_text.count(MASK) != 1 or again != line.reference_solution
    yield Figure(f"M1: {name}, proofs: {_listed(codes)}; kept", _count(codes["kept"]), unit="")
    yield Figure(
        f"M1: {name}, masks: {_listed(made)}; not byte for byte", _count(unfaithful), target=0, unit=""
    )


def _lemmas() -> Iterator[Figure]:
    missed = later = unstable = 0
    codes: Counter[str] = Counter()
    weeks: list[list[dict[str, object]]] = [[], []]
    for name in sources.SOURCES:
        source = mined.outline_of(name)
        wanted = {key for key, row in sources.truth(name, "statement").items() if row["kind"] == "lemma"}
        results = dict(mined.lemmas_of(name))
        missed += len(wanted ^ {sources.key_of(name, source.statements[number].span) for number in results})
        for number, one in results.items():
            codes["made" if isinstance(one, Made) else one.code] += 1
            if isinstance(one, Made):
                line, limit = one.line, source.statements[number].span.start
                entries = [
                    entry for entry in [*line.definitions, *line.assumptions] if not isinstance(entry, str)
                ]
                later += sum(span.end > limit for entry in entries for span in entry.spans)
                text = "\n\n".join(
                    [line.title, line.statement, context_text(line.definitions, line.assumptions)]
                )
                unstable += refused(text) is not None
                week = weeks[name in ("flt", "paper-benning-crit")]
                week.append(line.model_dump(exclude={"instance_id", "domain", "split", "paper"}))
    yield Figure(
        f"L1: lemmas ({_listed(codes)}) unlike the ground truth's", _count(missed), target=0, unit=""
    )
    yield Figure("L1: spans after the statement", _count(later), target=0, unit="")
    yield Figure(
        "L1: lemmas that the filter kept and refuses a second time", _count(unstable), target=0, unit=""
    )
    sizes = iterations(*weeks)["lemmas"]
    first, second = ({str(row["statement"]) for row in week} for week in weeks)
    yield Figure(f"L1: lemmas of both of two weeks {sizes}", _count(len(first & second)), target=0, unit="")


def _listed(codes: Counter[str]) -> str:
    return ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))


def _count(number: float) -> Spread:
    return Spread.of([number])
