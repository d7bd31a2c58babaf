"""The verb of knowledge banks and block lists: add one."""

from collections.abc import Mapping
from typing import Annotated, Any

from django.db import IntegrityError, transaction
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.importing.batches import check_slug
from canonical import sha256_of
from llm.strict_json import first_objection
from solving.models import Material
from solving.tools.blocking import BlockRules


class BankEntry(BaseModel):
    """A known result, with all that has to hold where it is used."""

    model_config = ConfigDict(strict=True, extra="forbid")

    key: Annotated[str, Field(min_length=1, max_length=200)]
    title: str
    statement: Annotated[str, Field(min_length=1)]
    assumptions: list[str] = []
    conditions: list[str] = []
    tags: list[str] = []
    source: str = ""


class Bank(BaseModel):
    """The content of a knowledge bank."""

    model_config = ConfigDict(strict=True, extra="forbid")

    entries: Annotated[list[BankEntry], Field(min_length=1, max_length=10_000)]

    @model_validator(mode="after")
    def _keys_differ(self) -> "Bank":
        keys = [one.key for one in self.entries]
        if len(set(keys)) < len(keys):
            raise ValueError("two entries have the same key")
        return self


_SHAPES: Mapping[str, type[BaseModel]] = {Material.Kind.BANK: Bank, Material.Kind.BLOCKED: BlockRules}


@transaction.atomic
def add_material(*, actor: User | None, kind: str, name: str, content: Mapping[str, Any]) -> Material:
    """A bank or block list under this name; the same content again is the same row. Raises Refused for another one."""
    check_slug(name, "name")
    if kind not in _SHAPES:
        raise Refused(f"Choose one of {', '.join(_SHAPES)}.", code="bad_kind", field="kind")
    try:
        read = _SHAPES[kind].model_validate(content).model_dump()
    except ValidationError as error:
        reason = first_objection(error, whole="content").replace(": Value error, ", ": ", 1)
        raise Refused(reason, code="bad_content", field="content") from error
    digest = sha256_of(read)
    known = Material.objects.filter(kind=kind, name=name).first()
    if known is not None and known.sha256 == digest:
        return known
    try:
        with transaction.atomic():
            made = Material.objects.create(kind=kind, name=name, sha256=digest, content=read, added_by=actor)
    except IntegrityError as error:
        reason = f"There is already another {name}. Choose a new name for changed content."
        raise Refused(reason, code="name_taken", field="name") from error
    record(
        actor=actor, verb="add_material", target=made, details={"kind": kind, "name": name, "sha256": digest}
    )
    return made


def material_named(kind: str, name: str) -> Material:
    """The bank or block list of this name. Raises Refused."""
    found = Material.objects.filter(kind=kind, name=name).first()
    if found is None:
        label = Material.Kind(kind).label.lower()
        raise Refused(f"There is no {label} {name}.", code="no_material", field=str(kind))
    return found
