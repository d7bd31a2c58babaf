"""Estimates out of JSON: what pages show of the documents that stats.analyses and label uploads keep as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from stats.core.estimate import Estimate, Reason


@dataclass(frozen=True, kw_only=True)
class OrderEffect(Estimate):
    """An order effect with the p-value of the likelihood ratio test against none."""

    lr_p: float | None


_KINDS = {
    frozenset(kind.json_names.get(field.name, field.name) for field in fields(kind)): kind
    for kind in (Estimate, OrderEffect)
}


def with_estimates(part: Any) -> Any:
    """The same part of a document with Estimates where it has their JSON."""
    if isinstance(part, list):
        return [with_estimates(entry) for entry in part]
    if not isinstance(part, Mapping):
        return part
    kind = _KINDS.get(frozenset(part))
    if kind is None:
        return {key: with_estimates(value) for key, value in part.items()}
    found = {field.name: part[kind.json_names.get(field.name, field.name)] for field in fields(kind)}
    found |= {name: tuple(found[name]) for name in ("ci", "bounds", "warnings") if found[name] is not None}
    return kind(**found | {"reason": None if found["reason"] is None else Reason(found["reason"])})
