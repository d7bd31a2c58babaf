"""What `make chaos` prints at its end: nothing that was lost can look good."""

import datetime as dt
from collections import Counter

import pytest

from tests.chaos.__main__ import summary, table
from tests.chaos.plan import Findings

pytestmark = pytest.mark.no_database
GOOD = Findings("grades", Counter({"web worker killed": 6, "database killed": 1}), 1800, seconds=314.4)
LOST = Findings("imports", Counter({"import killed": 3}), 1500, lost=1, seconds=190)
NOTHING = Findings("judgments", Counter(), 0)


def test_the_table_is_what_the_page_of_trust_shows():
    day = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)
    first, _, head, _, *rows = table([GOOD, LOST], day).splitlines()
    assert first.startswith("Measured on 2026-11-22 on ")
    assert head == "| part | faults | acknowledged | lost | doubled | seconds | good |"
    assert rows == [
        "| `grades`: 1 x database killed, 6 x web worker killed | 7 | 1,800 | 0 | 0 | 314 | yes |",
        "| `imports`: 3 x import killed | 3 | 1,500 | 1 | 0 | 190 | no |",
    ]


def test_one_bad_part_makes_the_whole_bad_and_so_does_a_part_in_which_nothing_was_told():
    assert "all: 7 faults, 1800 acknowledged, 0 lost, 0 doubled, 314 s: good" in summary([GOOD])
    for bad in (LOST, NOTHING):
        lines = summary([GOOD, bad]).splitlines()
        assert lines[1].startswith(bad.part)
        assert [line.endswith(": NOT GOOD") for line in lines[:3]] == [False, True, True]
