"""The short forms of `make chaos` for grades, and that its count would notice a loss."""

import pytest

from tests.chaos.grading import Size, grade_under_fire
from tests.chaos.services import own_servers
from tests.chaos.writers import Difference, Label, compare

pytestmark = pytest.mark.no_database  # what starts servers of its own is the same in either run
ONE, TWO, THREE = (Label(key, "correct", f"note {key}") for key in "123")


def test_the_count_names_what_is_lost_doubled_altered_and_unheard_of():
    altered = Label("2", "incorrect", "note 2")
    assert compare([ONE, TWO, THREE], [ONE, TWO, THREE]) == Difference((), (), (), ())
    assert compare([ONE, TWO], [ONE, ONE, altered, THREE]) == Difference((), ("1",), ("2",), ("3",))
    assert compare([ONE, TWO], [TWO]) == Difference(("1",), (), (), ())


def test_no_acknowledged_grade_is_lost_or_doubled_while_postgresql_and_web_workers_die():
    size = Size(writers=4, labels=20, restarts=1, worker_kills=1, site_kills=0, patience=300)
    with own_servers() as servers:
        findings = grade_under_fire(servers, size)
    assert (findings.lost, findings.doubled, findings.wrong) == (0, 0, [])
    assert findings.acknowledged == 4 * 20
    assert sum(findings.faults.values()) == 3
