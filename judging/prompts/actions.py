"""The verb of uploaded prompts: store one."""

import hashlib
from collections.abc import Mapping, Sequence

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.protocols import get_protocol
from judging.models import UploadedPrompt


@transaction.atomic
def upload_prompt(
    *,
    actor: User | None,
    protocol: str,
    predicate: str,
    name: str,
    text: str,
    fields: Sequence[Sequence[str]],
    reply: Mapping[str, object],
) -> UploadedPrompt:
    """The prompt with exactly this content, stored as the next version of its name if it is not there yet.

    Raises Refused for a name that the protocol's own prompts or a prompt of another predicate has.
    """
    taken = {known.prompt.rpartition(".v")[0] for known in get_protocol(protocol).all_predicates}
    if name in taken:
        raise Refused(f"{protocol} has a prompt {name!r} of its own. Choose another name.", field="name")
    versions = UploadedPrompt.objects.filter(protocol=protocol, name=name).order_by("version")
    content = {
        "predicate": predicate,
        "text": text,
        "fields": [list(pair) for pair in fields],
        "reply": dict(reply),
    }
    newest = None
    for newest in versions:
        if newest.predicate != predicate:
            raise Refused(
                f"{name!r} is the name of a prompt for {newest.predicate}. Choose another name.", field="name"
            )
        if {key: getattr(newest, key) for key in content} == content:
            return newest
    try:
        with transaction.atomic():
            stored = UploadedPrompt.objects.create(
                protocol=protocol,
                name=name,
                version=newest.version + 1 if newest else 1,
                sha256=hashlib.sha256(text.encode()).hexdigest(),
                uploaded_by=actor,
                **content,
            )
    except IntegrityError as error:
        raise Refused(
            f"Another version of {name} was uploaded just now. Try again.", code="conflict"
        ) from error
    details = {"protocol": protocol, "label": stored.label, "predicate": predicate, "sha256": stored.sha256}
    record(actor=actor, verb="upload prompt", target=stored, details=details)
    return stored
