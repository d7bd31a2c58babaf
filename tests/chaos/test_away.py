"""The short form of a minute without database."""

import pytest

from tests.chaos.away import Size, grade_without_database
from tests.chaos.services import own_servers

pytestmark = pytest.mark.no_database  # what starts servers of its own is the same in either run


@pytest.mark.slow
def test_who_submits_while_the_database_is_away_is_told_when_to_come_back_and_loses_nothing():
    with own_servers() as servers:
        findings = grade_without_database(servers, Size(writers=3, labels=6, away=4, patience=200))
    assert (findings.lost, findings.doubled, findings.wrong) == (0, 0, [])
    assert findings.acknowledged == 3 * 6
