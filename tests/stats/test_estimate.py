"""The shape in which numbers leave the package (STATISTICS.md section 0)."""

import json
import math

import numpy as np
import pytest

from stats.core.estimate import Estimate, Reason, undefined


def test_an_undefined_estimate_is_null_with_a_reason():
    document = undefined("wilson", Reason.NO_ITEMS, n=0).as_json()
    assert document["value"] is None
    assert document["ci"] is None
    assert document["reason"] == "NO_ITEMS"


def test_an_undefined_estimate_without_a_reason_is_a_programming_error():
    with pytest.raises(ValueError, match="reason"):
        Estimate(value=None, method="wilson")


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_value_that_is_not_finite_is_a_programming_error(number):
    with pytest.raises(ValueError, match="finite"):
        Estimate(value=number, method="wilson")


def test_every_estimate_carries_the_fields_of_section_0_as_plain_json():
    document = Estimate(value=np.float64(-0.0), method="m", ci=(np.float64(0), np.float64(1)), n=3).as_json()
    promised = (
        "value se ci level method n N clusters denom_rule n_abstain n_unavailable reason warnings seed B "
        "label_set_version judge_version release_id"
    )
    assert set(promised.split()) <= set(document)
    assert '"value": 0.0,' in json.dumps(document)
