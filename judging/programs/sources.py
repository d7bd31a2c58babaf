"""Whose source every output selected: running the protocol's source matcher through the judges' queue."""

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from benchmark.models import Release
from benchmark.protocol import ProgramJudge
from benchmark.protocols import get_protocol
from judging.models import JudgeRun
from judging.runs.actions import ask, create_judge
from work.models import RunState

CITED, CITING = "cited_source_match", "citing_paper_source"


def source_program(release: Release) -> ProgramJudge:
    """The protocol's program that compares sources; raises Refused if there is none."""
    protocol = get_protocol(release.benchmark.protocol)
    for program in protocol.program_judges:
        if program.subject == "output" and CITING in program.predicates:
            return program
    raise Refused(f"The outputs of protocol {protocol.name} select no sources.", code="no_source_matcher")


@transaction.atomic
def ask_about_sources(*, actor: User | None, release: Release) -> list[JudgeRun]:
    """One judge run per track with outputs that the matcher's present version has not seen; workers do the rest.

    Raises Refused when nothing is left to ask or a comparison is under way. Freezes the runs asked about.
    """
    program = source_program(release)
    protocol = release.benchmark.protocol
    judge = create_judge(
        actor=actor, slug=f"{protocol}-{program.name}", protocol=protocol, program=program.label
    )
    unfinished = (RunState.RUNNING, RunState.PAUSED)
    if JudgeRun.objects.filter(judge=judge, release=release, state__in=unfinished).exists():
        raise Refused("The sources are already being compared.", code="being_compared")
    runs = []
    for track in release.runs.order_by("track").values_list("track", flat=True).distinct():
        try:
            with transaction.atomic():
                runs.append(ask(actor=actor, judge=judge, release=release, track=track))
        except Refused as refusal:
            if refusal.code != "nothing_to_ask":
                raise
    if not runs:
        raise Refused("The sources of all answered outputs have been compared.", code="nothing_to_ask")
    return runs
