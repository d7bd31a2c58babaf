"""The platform itself as a Django app: it has no tables, only checks of what it needs."""

from django.apps import AppConfig


class PlatformConfig(AppConfig):
    name = "config"
    label = "platform"

    def ready(self) -> None:
        from config import checks, deployment  # noqa: F401 - registers the checks once the apps are there
