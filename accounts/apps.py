from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        """Tell the API's schema of the ways in, which it looks for among what is loaded; begin to log log-ins."""
        from accounts.api import ways_in  # noqa: F401
        from accounts.services import log_in_log  # noqa: F401
