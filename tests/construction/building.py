"""What tests of builds share: sources of one file, the scripted model, and a build that is worked to its end."""

from tests.construction.test_builds import QUOTAS, _quiet, run, said, server, source, start

__all__ = ["QUOTAS", "_quiet", "run", "said", "server", "source", "start"]
