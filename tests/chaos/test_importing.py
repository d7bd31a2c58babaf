"""The short form of what `make chaos` does to imports on PostgreSQL; here on the embedded database."""

from pathlib import Path

import pytest

from tests.chaos.importing import OUTPUTS, killed_imports
from tests.deployment import deployed

pytestmark = pytest.mark.no_database  # `make chaos` runs it on PostgreSQL


@pytest.mark.slow
def test_an_import_killed_at_row_500_leaves_nothing_and_the_next_writes_the_same_bytes(tmp_path: Path):
    with deployed(tmp_path) as deployment:
        findings = killed_imports(deployment, kills=1)
    assert (findings.lost, findings.doubled, findings.wrong) == (0, 0, [])
    assert findings.acknowledged == OUTPUTS
    assert findings.faults.total() == 1
