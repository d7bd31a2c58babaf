"""What a grader is shown: the protocol's parts of instance and output, and nothing about their origin."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import count

from accounts.profile.domains import domain_words
from annotation.models import Assignment, Item
from benchmark.files.pictures import numbered
from benchmark.files.queries import files_of
from benchmark.leakage_kinds import Subject
from benchmark.models import Instance, Output
from benchmark.protocol import Part, Protocol
from benchmark.protocols import get_protocol
from benchmark.releases.queries import shown_content
from canonical import sha256_of
from latex.visible import visible

SIDES = ("first", "second")  # of a pair, as shown


@dataclass(frozen=True)
class Material:
    """The parts in order. `proofs` are what is judged, with the prefix of their blocks' ids: one answer with
    none, the two of a pair, or in a construction audit each part of the instance, all rendered apart from each
    other. Comments are anchored to the first part of each."""

    title: str
    domain: str
    instance_parts: tuple[Part, ...]
    proofs: tuple["ShownProof", ...]
    instance_files: tuple["ShownFile", ...] = ()

    @property
    def files(self) -> tuple["ShownFile", ...]:
        """Those of the instance, then those of each proof, in the order in which they are numbered on the page."""
        return (*self.instance_files, *(file for proof in self.proofs for file in proof.files))

    @property
    def sha256(self) -> str:
        """Fingerprint of everything shown; a grade keeps it, so that it is known what was graded."""
        parts = (*self.instance_parts, *(part for proof in self.proofs for part in proof.parts))
        return sha256_of([self.title, *map(asdict, parts), *(file.sha256 for file in self.files)])


@dataclass(frozen=True)
class ShownFile:
    """An attached file as readers get it: nothing of its name or origin. `number` is its place among the item's.
    `block` is what the ids of its pages begin with; the same file has the same one on either side of a pair.
    `in_text`: whether the text shows it where it speaks of it."""

    number: int
    block: str
    kind: str
    in_text: bool
    pages: tuple[tuple[float, ...], ...]
    sha256: str
    copy: int


@dataclass(frozen=True)
class ShownProof:
    """One answer as a grader sees it, or a part of an instance; `side` is first or second for those of a pair."""

    prefix: str
    parts: tuple[Part, ...]
    side: str = ""
    subject: Subject = "output"
    files: tuple[ShownFile, ...] = ()

    @property
    def anchored(self) -> Part:
        return self.parts[0]


def problem_title(payload: object, fallback: str) -> str:
    """The problem's own title if its protocol gives one."""
    title = payload.get("title") if isinstance(payload, dict) else None
    return str(title) if title else fallback


def material(place: Assignment) -> Material:
    """What the holder of a place sees."""
    return item_material(place.item, swapped=bool(place.swapped))


def item_material(item: Item, *, swapped: bool = False) -> Material:
    """What is judged: instance and output only, no run, no system, nothing unseen on paper.

    A pair's outputs are in the order of the item, or `swapped`. In a construction audit the instance itself
    is judged, with everything that its questions are about.
    """
    protocol = get_protocol(item.campaign.rubric.protocol)
    payload = item.instance.payload
    context = (
        ()
        if item.output is None
        else tuple(numbered(part, files_of(item.instance)) for part in protocol.instance_parts(payload))
    )
    numbers = count(1)
    instance_files = shown_files(item.instance, "problem-", numbers)
    proofs = []
    if item.output is None:
        for number, part in enumerate(protocol.construction_parts(payload), start=1):
            parts = (replace(part, collapsed=False),)
            proofs.append(ShownProof(f"part{number}-", parts, subject="instance"))
    elif item.second is None:
        files = shown_files(item.output, "", numbers)
        proofs.append(ShownProof("", _output_parts(protocol, item.output), files=files))
    else:
        for name, output in zip(SIDES, _sides(item, swapped), strict=True):
            first, *more = _output_parts(protocol, output)
            titled = replace(first, title=f"{name.capitalize()} proof", collapsed=False)
            proofs.append(
                ShownProof(f"{name}-", (titled, *more), name, files=shown_files(output, f"{name}-", numbers))
            )
    return Material(
        title=problem_title(payload, f"Problem {item.instance.key}"),
        domain=domain_words(item.instance.domain),
        instance_parts=context,
        proofs=tuple(proofs),
        instance_files=instance_files,
    )


def shown_files(row: Instance | Output, prefix: str, numbers: Iterator[int]) -> tuple[ShownFile, ...]:
    """The files of a row as readers get them; `prefix` begins the ids of their pages, `numbers` counts them."""
    return tuple(
        ShownFile(
            number,
            f"{prefix}file{file.number}",
            file.copy.kind,
            bool(file.shown_as),
            tuple(map(tuple, file.copy.pages)),
            file.copy.sha256,
            file.copy_id,
        )
        for file, number in zip(files_of(row), numbers, strict=False)
    )


def _sides(item: Item, swapped: bool) -> tuple[Output, Output]:
    assert item.output is not None
    assert item.second is not None
    return (item.second, item.output) if swapped else (item.output, item.second)


def _output_parts(protocol: Protocol, output: Output) -> tuple[Part, ...]:
    payload, text = shown_content(output)
    return tuple(
        numbered(replace(part, text=visible(part.text, part.text_format)), files_of(output))
        for part in protocol.output_parts(payload, text, output.text_format)
    )


def shown_first(place: Assignment) -> tuple[Output, Output]:
    """The two outputs of a pair as this place shows them, first and second."""
    return _sides(place.item, bool(place.swapped))
