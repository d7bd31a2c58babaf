"""The settings of the next version: an app with migrations, and replies that say which version they are from."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as APPS
from config.settings import MIDDLEWARE as LAYERS

INSTALLED_APPS = [*APPS, "tests.chaos.next_version"]
MIDDLEWARE = ["tests.chaos.next_version.saying.say_version", *LAYERS]
