"""Reference data in Django's admin: looked at by the organizer's staff, changed by nobody (docs/adr/0011).

What may change has a page of its own, with its rules and, where it matters, two people. Here only the tables can be
seen: searched, filtered, row by row.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver
from django.utils.translation import gettext_lazy as _

from accounts.models import (
    Agent,
    BettingPoint,
    CurrencyRate,
    EquipmentCertificate,
    LedgerAccount,
    PointDocument,
    PostalOperator,
    Role,
    Till,
)
from accounts.permissions import organizer_only, role_of
from totalizator.core.models import LegalNumber, NonWorkingDay, RiskWarning

if TYPE_CHECKING:
    _Table = admin.ModelAdmin[Any]
else:
    _Table = admin.ModelAdmin

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
# Of the admin's own addresses those that are needed by nobody who only looks, or that go round the log-in of the site.
LEFT_OUT = frozenset({"login", "logout", "password_change", "password_change_done", "autocomplete", "view_on_site"})
ROWS_A_PAGE = 50


class ReferenceSite(admin.AdminSite):
    """The admin of the organizer's staff alone: others get 403, who is not logged in the log-in of the site."""

    site_header = site_title = _("Totalizator")
    index_title = _("Reference data")
    enable_nav_sidebar = False
    site_url = "/desk/"

    def has_permission(self, request: HttpRequest) -> bool:
        """Tell whether one of the organizer's staff asks."""
        return role_of(request) == Role.ORGANIZER

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Guard each page as every page of the desk is guarded."""
        return cast(View, organizer_only(super().admin_view(view, cacheable)))

    def get_urls(self) -> list[URLResolver | URLPattern]:
        """Leave out what nobody needs who only looks."""
        return [url for url in super().get_urls() if getattr(url, "name", None) not in LEFT_OUT]


class ReadOnly(_Table):
    """A table that is looked at: nobody adds, changes or deletes anything here, whatever rights they have."""

    actions = None
    list_per_page = ROWS_A_PAGE
    show_full_result_count = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Let the organizer's staff look."""
        return role_of(request) == Role.ORGANIZER

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Let them see that it is there."""
        return role_of(request) == Role.ORGANIZER

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Let nobody add."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Let nobody change."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Let nobody delete."""
        return False


reference = ReferenceSite(name="reference")


def look_at(
    model: type[Model],
    columns: Iterable[str],
    *,
    searched: Iterable[str] = (),
    filters: Iterable[str] = (),
    related: Iterable[str] = (),
) -> None:
    """Let a table be looked at: its columns, where a search looks, and by what it is filtered."""
    shown = {"list_display": tuple(columns), "search_fields": tuple(searched), "list_filter": tuple(filters)}
    options = shown | {"list_select_related": tuple(related) or False}
    reference.register(model, type(f"{model.__name__}ReadOnly", (ReadOnly,), options))


look_at(LegalNumber, ("name", "value", "valid_from", "source"), searched=("name", "source"))
look_at(NonWorkingDay, ("day", "name"), searched=("name",))
look_at(RiskWarning, ("valid_from", "ru", "be", "en"))
look_at(CurrencyRate, ("currency", "valid_on", "units", "rate", "source"), filters=("currency",))
look_at(Agent, ("name", "contract_number", "valid_from", "valid_until", "commission"), searched=("name",))
look_at(
    BettingPoint,
    ("code", "name", "address", "kind", "agent", "enabled"),
    searched=("code", "name", "address"),
    filters=("kind", "enabled"),
    related=("agent",),
)
look_at(Till, ("point", "number", "enabled", "closed_at"), searched=("point__code",), related=("point",))
look_at(PointDocument, ("point", "kind", "valid_until"), searched=("point__code",), related=("point",))
look_at(EquipmentCertificate, ("pk", "valid_until"))
look_at(PostalOperator, ("name", "account", "bank", "agreement", "valid_from"), searched=("name",))
look_at(LedgerAccount, ("kind", "owner", "debits", "credits"), searched=("owner",), filters=("kind",))
