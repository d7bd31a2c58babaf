"""Sources added one by one, as tests need them."""

import hashlib

from accounts.models import User
from accounts.refusal import Refused
from construction.models import Outcome, Source
from construction.reading.process import Reader
from construction.sources.actions import store
from construction.sources.manifest import ManifestRow


def add_archive(*, actor: User | None, data: bytes, name: str, manifest: ManifestRow | None = None) -> Source:
    """Add the source in an archive, outside a transaction; raises Refused for what no upload would take."""
    with Reader() as reader:
        submitted = reader.submitted(name, data, hashlib.sha256(data).hexdigest())
    verdict = store(actor=actor, submitted=submitted, data=data, row=manifest)
    if verdict.source is None or verdict.outcome == Outcome.REFUSED:
        raise Refused(verdict.sentence, code=verdict.code, field="file")
    return verdict.source
