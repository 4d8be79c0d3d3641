from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        """Tell the API's schema of the ways in; the generator looks for such classes among those that are loaded."""
        from accounts.api import ways_in  # noqa: F401
