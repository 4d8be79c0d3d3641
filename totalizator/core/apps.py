from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "totalizator.core"
    label = "core"

    def ready(self) -> None:
        """Read what this process runs, before anything can be changed under it (R2)."""
        from totalizator.core.releases import running_release
        from totalizator.core.watching import jobs  # noqa: F401 it listens to Celery's signals

        running_release()
