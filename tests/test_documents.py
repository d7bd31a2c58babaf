"""Documents: dataclasses as JSON (canonical/documents.py) and as OpenAPI schema (accounts/rest/documents.py)."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest
from rest_framework import serializers

from accounts.rest.documents import schema_of
from canonical.documents import Free, Maybe, as_json, from_json
from stats.core.estimate import Caution, Estimate, Reason


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the whole."""

    name: str
    value: Estimate | None


@dataclass(frozen=True, kw_only=True)
class Whole:
    json_names: ClassVar = {"replicates": "B"}

    kind: Literal["one", "other"]
    replicates: int
    with_: Annotated[Sequence[Part], "What it has."]
    found_on: dt.date | None = None
    late: Annotated[Maybe[int], "Only if it is late."] = None
    loose: Free[Mapping[str, Any]]
    by_name: Mapping[str, Part]


def whole(**other: Any) -> Whole:
    given = {"kind": "one", "replicates": 3, "with_": (), "loose": {}, "by_name": {}}
    return Whole(**given | other)


def test_keys_are_the_fields_and_the_names_that_python_does_not_allow():
    assert list(as_json(whole())) == ["kind", "B", "with", "found_on", "loose", "by_name"]


def test_a_key_is_absent_where_it_may_be_and_null_elsewhere():
    assert as_json(whole())["found_on"] is None
    assert "late" not in as_json(whole())
    assert as_json(whole(late=0))["late"] == 0


def test_parts_are_written_wherever_they_are():
    part = Part(name="a", value=None)
    found = as_json(whole(with_=(part,), by_name={"a": part}, loose={"deep": [part]}))
    written = {"name": "a", "value": None}
    assert (found["with"], found["by_name"], found["loose"]) == (
        [written],
        {"a": written},
        {"deep": [written]},
    )


def test_values_become_plain_json():
    found = whole(
        found_on=dt.date(2026, 11, 22), loose={"n": np.float64(0.5), "zero": -0.0, "why": Reason.LEVEL}
    )
    text = json.dumps(as_json(found), allow_nan=False)
    assert '"2026-11-22"' in text
    assert '{"n": 0.5, "zero": 0.0, "why": "LEVEL"}' in text


@pytest.mark.parametrize(
    "estimate",
    [
        Estimate(value=np.float64(0.5), ci=(-0.0, 1.0), method="wilson", k=1, n=2, warnings=(Caution.LOW_N,)),
        Estimate(value=None, method="wilson", reason=Reason.NO_ITEMS, replicates=7, population=9),
    ],
)
def test_an_estimate_gives_the_same_json_by_itself_and_in_a_document(estimate):
    found = as_json(Part(name="a", value=estimate))["value"]
    assert json.dumps(found) == json.dumps(estimate.as_json())
    assert (found["N"], found["B"]) == (estimate.population, estimate.replicates)


def test_what_has_no_json_is_refused():
    with pytest.raises(TypeError, match="cannot hold complex"):
        as_json(whole(loose={"root": 1j}))


def test_a_document_is_read_back_as_it_was_written():
    part = Part(name="a", value=Estimate(value=0.1 + 0.2, ci=(0.1, 1 / 3), method="m", replicates=9))
    undefined = Part(name="b", value=Estimate(value=None, method="m", reason=Reason.NO_ITEMS))
    full = whole(
        with_=[part, undefined], found_on=dt.date(2026, 11, 22), late=1, by_name={"z": part, "a": undefined}
    )
    read = from_json(Whole, json.loads(json.dumps(as_json(full))))
    assert read == full
    assert list(read.by_name) == ["z", "a"]
    assert from_json(Whole, as_json(whole())) == whole(with_=[])


def test_of_several_classes_the_one_with_these_keys_is_read():
    @dataclass(frozen=True, kw_only=True)
    class Count:
        n: int
        late: Maybe[int] = None

    @dataclass(frozen=True, kw_only=True)
    class Share:
        n: int
        of: int

    assert from_json(Count | Share, {"n": 1, "of": 2}) == Share(n=1, of=2)
    assert from_json(Share | Count, {"n": 1, "late": 2}) == Count(n=1, late=2)
    assert from_json(Share | None, None) is None


def test_a_field_of_a_type_that_no_document_has_is_not_guessed():
    with pytest.raises(TypeError, match="field of type <class 'complex'>"):
        from_json(Mapping[str, complex], {"root": 1})


def test_the_schema_has_the_same_keys_and_says_which_can_be_absent_or_null():
    fields = schema_of(Whole)().fields
    full = whole(late=1, found_on=dt.date(2026, 11, 22))
    assert set(fields) == set(as_json(full))
    assert [name for name, field in fields.items() if not field.required] == ["late"]
    assert [name for name, field in fields.items() if field.allow_null] == ["found_on"]
    assert fields["late"].help_text == "Only if it is late."
    assert list(fields["kind"].choices) == ["one", "other"]
    assert isinstance(fields["with"], serializers.ListSerializer)
    assert fields["with"].child.fields["value"].allow_null
    assert isinstance(fields["loose"].child, serializers.JSONField)


def test_a_document_without_a_docstring_has_no_description():
    assert schema_of(Part).__doc__ == "A part of the whole."
    assert schema_of(Whole).__doc__ == ""
