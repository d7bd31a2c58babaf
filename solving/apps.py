from django.apps import AppConfig


class SolvingConfig(AppConfig):
    name = "solving"
