"""The construction audit of a release by its protocol's program: one verdict per instance and item.

The program is pure and fast (a few milliseconds an instance), so it needs no queue: it runs where it is asked,
before the transaction that stores what it said.
"""

from dataclasses import asdict, dataclass

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import Release
from benchmark.protocol import ProgramJudge, ProgramReply
from benchmark.protocols import get_protocol
from judging.models import Judge, Verdict
from judging.programs.child import answer
from judging.runs.actions import create_judge

CHUNK = 200


@dataclass(frozen=True)
class ConstructionReport:
    """What an audit did: `new` verdicts stored, of `instances` times the items of `judge`."""

    release: str
    judge: str
    instances: int
    new: int

    def document(self) -> dict[str, object]:
        """The report as JSON."""
        return asdict(self)


def construction_program(release: Release) -> ProgramJudge:
    """The protocol's program about instances; raises Refused if there is none."""
    protocol = get_protocol(release.benchmark.protocol)
    for program in protocol.program_judges:
        if program.subject == "instance":
            return program
    raise Refused(f"The protocol {protocol.name} has no construction audit.", code="no_construction_audit")


def slug_of_program(release: Release) -> str:
    """The name of the judge as which the program's verdicts are kept, here and in label tables."""
    return f"{release.benchmark.protocol}-{construction_program(release).name}"


def audit_construction(*, actor: User | None, release: Release) -> ConstructionReport:
    """Ask the program's present version about every instance it has not judged yet.

    Idempotent: asked again, nothing is new; a new version of the program makes a new judge version, and the
    verdicts of the old one stay. Raises Refused when the protocol has no construction audit.
    """
    program = construction_program(release)
    slug = slug_of_program(release)
    judge = create_judge(actor=actor, slug=slug, protocol=release.benchmark.protocol, program=program.label)
    # what the program says about the instances and items that the judge has no verdict on
    said = Verdict.objects.filter(judge=judge, instance__release=release)
    known = set(said.values_list("instance_id", "predicate"))
    verdicts = []
    for instance in release.instances.order_by("pk").iterator(CHUNK):
        for predicate in program.predicates:
            if (instance.pk, predicate) not in known:
                question = {"predicate": predicate, "instance": instance.payload, "output": None, "text": ""}
                reply = ProgramReply(**answer(program, question))
                verdicts.append(
                    Verdict(
                        judge=judge,
                        instance=instance,
                        predicate=predicate,
                        value=reply.value,
                        state=reply.state,
                        reason=reply.reason,
                        evidence=dict(reply.evidence),
                    )
                )
    with transaction.atomic():
        before = _stored(judge, release)
        Verdict.objects.bulk_create(verdicts, batch_size=CHUNK, ignore_conflicts=True)
        new = _stored(judge, release) - before
        if new:
            details = {"judge": judge.label, "verdicts": new}
            record(actor=actor, verb="audit construction", target=release, details=details)
    return ConstructionReport(release.name, judge.label, release.instances.count(), new)


def _stored(judge: Judge, release: Release) -> int:
    return Verdict.objects.filter(judge=judge, instance__release=release).count()
