"""`python -m tests.browser.furnish_demo`: work in every state for the demo of TOUCHSTONE_RUNTIME_DIR."""

import json

import django

django.setup()

from tests.browser.world import furnish  # noqa: E402  Django comes first

print(json.dumps(furnish().names, indent=2))
