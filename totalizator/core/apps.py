from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "totalizator.core"
    label = "core"
