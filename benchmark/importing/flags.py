"""Flags on outputs as they are imported, inside the import's transaction."""

from collections.abc import Sequence

from benchmark.models import Output, OutputState, ProtocolFlag, Run
from benchmark.protocols import get_protocol


def flag_outputs(run: Run, outputs: Sequence[Output]) -> None:
    """Store what the protocol finds in these new outputs of `run`, a batch of them; three statements at most."""
    find = get_protocol(run.release.benchmark.protocol).flag_output
    answered = [output for output in outputs if output.state == OutputState.ANSWERED]
    if find is None or not answered:
        return
    ids = {output.instance_id for output in answered}
    payloads = dict(run.release.instances.filter(pk__in=ids).values_list("pk", "payload"))
    ProtocolFlag.objects.bulk_create(
        ProtocolFlag(output=output, kind=flag.kind, certain=flag.certain, reason=flag.reason)
        for output in answered
        for flag in find(payloads[output.instance_id], output.payload)
    )
