"""Where static files get their names: every name carries the hash of what it names, imports between scripts too.

Without the hashes inside `import` lines a browser would, after a deployment, run a new script with an old one that it
still had; and a page could not ask for a script's imports before it has read the script.
"""

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(ManifestStaticFilesStorage):
    """Names with hashes; for the demo, which starts before anything could be compressed."""

    support_js_module_import_aggregation = True


class CompressedHashedFiles(CompressedManifestStaticFilesStorage):
    """The same, each file also compressed beforehand."""

    support_js_module_import_aggregation = True
