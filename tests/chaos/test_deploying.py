"""The short form of a deployment under load."""

import pytest

from tests.chaos.deploying import Size, deploy_under_load
from tests.chaos.services import own_servers

pytestmark = pytest.mark.no_database  # what starts servers of its own is the same in either run


@pytest.mark.slow
def test_a_new_version_comes_while_reviewers_submit_and_the_server_never_errs():
    with own_servers():
        findings = deploy_under_load(Size(writers=3, labels=6, most=60))
    assert (findings.lost, findings.doubled, findings.wrong) == (0, 0, [])
    assert findings.faults.total() == 3
