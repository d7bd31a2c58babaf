"""The question about leakage on the grading page, and what was flagged on the page of an own grade."""

import json
from collections.abc import Iterator

from django import template

from annotation.grading.sheets import Sheet, ShownPart
from benchmark.leakage_kinds import FLAG_KINDS, Subject
from benchmark.protocols import get_protocol

register = template.Library()


@register.inclusion_tag("annotation/grading/_flags.html")
def leakage_question(sheet: Sheet) -> dict[str, object]:
    """The kinds that the protocol knows, every block that can be marked, and the flags so far."""
    protocol = get_protocol(sheet.place.item.campaign.rubric.protocol)
    places: list[dict[str, str]] = []
    for part in sheet.parts:
        places += _blocks(part, "instance")
    for shown in sheet.proofs:
        # the proofs' own sources are already on the page and are left out
        for place in _blocks(shown.proof, shown.subject):
            places.append({name: place[name] for name in ("block", "subject", "title")})
        for part in shown.more:
            places += _blocks(part, "output")
    return {
        "kinds": [FLAG_KINDS[key] for key in protocol.flag_kinds],
        "places": places,
        "flags": json.dumps(sheet.content.get("flags", [])),
        "problem": sheet.problems.get("flags", ""),
    }


def _blocks(part: ShownPart, subject: Subject) -> Iterator[dict[str, str]]:
    for block in part.document.blocks:
        yield {"block": block.id, "subject": subject, "title": part.title, "source": block.source}
