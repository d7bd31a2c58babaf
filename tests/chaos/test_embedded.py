"""The short form of faults on the embedded way to run."""

import pytest

from tests.chaos.embedded import Size, embedded_under_fire

pytestmark = pytest.mark.no_database  # it has a database of its own


@pytest.mark.slow
def test_broken_messages_and_dead_programs_of_the_embedded_way_cost_no_grade_and_no_verdict():
    findings = embedded_under_fire(Size(judgments=60, writers=2, labels=5, patience=300))
    assert (findings.lost, findings.doubled, findings.wrong) == (0, 0, [])
    assert findings.acknowledged == 2 * 5 + 60
    assert findings.faults.total() == 8
