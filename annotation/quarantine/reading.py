"""The quarantine of a release as values: each output with its findings in context, decided or not."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from annotation.models import Item
from benchmark.files.scanning import file_texts, files_to_scan
from benchmark.identities.fields import shown_fields
from benchmark.identities.findings import EXCERPT, Kind
from benchmark.models import Attachment, IdentityDecision, IdentityScan, Output, Release
from benchmark.protocols import get_protocol

AROUND = 80
SHOWN_FINDINGS = 20


@dataclass(frozen=True)
class FoundPassage:
    """A finding with the text around it; `certain` findings keep the output in quarantine."""

    field: str
    kind: str
    start: int
    end: int
    certain: bool
    evidence: str
    before: str
    found: str
    after: str


@dataclass(frozen=True)
class Held:
    """An output with findings and its files, what was decided about it, and whether a campaign drew it."""

    output: Output
    files: tuple[Attachment, ...]
    passages: tuple[FoundPassage, ...]
    more: int
    decision: IdentityDecision | None
    drawn: bool


def with_findings(release: Release) -> QuerySet[Output]:
    """Outputs of the release with a certain finding or a decision, those without a decision first."""
    live = IdentityDecision.objects.filter(withdrawn_at=None)
    decided = Exists(live.filter(output=OuterRef("pk")))
    telling = Exists(IdentityScan.objects.filter(output=OuterRef("pk"), certain__gt=0))
    drawn = Item.objects.filter(Q(output=OuterRef("pk")) | Q(second=OuterRef("pk")))
    return (
        Output.objects.filter(telling | decided, run__release=release)
        .annotate(decided=decided, drawn=Exists(drawn))
        .select_related("instance", "run__system", "identity_scan")
        .prefetch_related(Prefetch("identity_decisions", live.select_related("decided_by"), to_attr="live"))
        .order_by("decided", "instance__key", "pk")
    )


def held(release: Release, outputs: QuerySet[Output] | list[Output]) -> Iterator[Held]:
    """Rows of `with_findings` as the page and REST show them."""
    protocol = get_protocol(release.benchmark.protocol)
    outputs = list(outputs)
    files = files_to_scan(outputs)
    for output in outputs:
        shown = shown_fields(protocol, output.payload, output.text, output.text_format)
        fields = {name: field.text for name, field in shown.items()} | file_texts(files.get(output.pk, ()))
        scan: IdentityScan | None = getattr(output, "identity_scan", None)
        passages = []
        for found in sorted(scan.findings, key=lambda found: not found["certain"]) if scan else ():
            if found["field"] in fields or found["kind"] == Kind.SHOWN:
                text, start, end = fields.get(found["field"], ""), found["start"], found["end"]
                passages.append(
                    FoundPassage(
                        **{
                            name: found[name]
                            for name in ("field", "kind", "start", "end", "certain", "evidence")
                        },
                        before=("…" if start > AROUND else "") + text[max(0, start - AROUND) : start],
                        found=text[start : min(end, start + EXCERPT)]
                        + ("…" if end - start > EXCERPT else ""),
                        after=text[end : end + AROUND] + ("…" if end + AROUND < len(text) else ""),
                    )
                )
        live: list[IdentityDecision] = output.live  # type: ignore[attr-defined]
        yield Held(
            output=output,
            files=tuple(files.get(output.pk, ())),
            passages=tuple(passages[:SHOWN_FINDINGS]),
            more=max(0, len(passages) - SHOWN_FINDINGS),
            decision=live[0] if live else None,
            drawn=output.drawn,  # type: ignore[attr-defined]
        )
