"""The settings of the next version: an app with migrations, and replies that say which version they are from."""

import os

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as APPS
from config.settings import MIDDLEWARE as LAYERS
from config.settings import STATICFILES_DIRS as FOLDERS

INSTALLED_APPS = [*APPS, "tests.chaos.next_version"]
MIDDLEWARE = ["tests.chaos.next_version.saying.say_version", *LAYERS]
# Static files that this version changed, if a folder of them is named (tests/production).
STATICFILES_DIRS = [*os.environ.get("NEXT_STATIC", "").split(), *FOLDERS]
