"""Reference data in Django's admin: looked at by the organizer's staff, changed by nobody (docs/adr/0011).

What may change has a page of its own, with its rules and, where it matters, two people. Here only the tables can be
seen: searched, filtered, row by row.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, reverse
from django.utils.functional import Promise
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
from accounts.queries.reference_columns import shown_column
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
    index_template = "organizer/reference.html"
    enable_nav_sidebar = False
    site_url = "/desk/"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Say of each table what is in it, and where that is changed."""
        tables = [options.told(model) for model, options in self._registry.items() if isinstance(options, ReadOnly)]
        return super().index(request, {"tables": tables, **(extra_context or {})})

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
    title: str | Promise = ""
    about: str | Promise = ""
    changed_at = ""
    """Name of the page where what is in the table is changed; empty: on none."""

    def told(self, model: type[Model]) -> dict[str, Any]:
        """Return what the list of tables says of this one."""
        name = f"{self.admin_site.name}:{model._meta.app_label}_{model._meta.model_name}_changelist"
        changed = reverse(self.changed_at) if self.changed_at else ""
        return {"title": self.title, "about": self.about, "address": reverse(name), "changed": changed}

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the table under the name that people know."""
        return super().changelist_view(request, {"title": self.title, "table": self.title, **(extra_context or {})})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a row, with the way back to its table."""
        context = {"title": self.title, "table": self.title, **(extra_context or {})}
        return super().changeform_view(request, object_id, form_url, context)

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
    title: str | Promise,
    about: str | Promise,
    *,
    changed_at: str = "",
    searched: Iterable[str] = (),
    filters: Iterable[str] = (),
    related: Iterable[str] = (),
) -> None:
    """Let a table be looked at: its columns, what it is, where a search looks, and by what it is filtered."""
    shown = {f"shown_{name}": shown_column(model, name) for name in columns}
    options: dict[str, Any] = {
        **shown,
        "list_display": tuple(shown),
        "search_fields": tuple(searched),
        "list_filter": tuple(filters),
        "list_select_related": tuple(related) or False,
        "title": title,
        "about": about,
        "changed_at": changed_at,
    }
    reference.register(model, type(f"{model.__name__}ReadOnly", (ReadOnly,), options))


look_at(
    LegalNumber,
    ("name", "value", "valid_from", "source"),
    _("Dated numbers"),
    _("Limits, terms and shares: every value of the past and to come."),
    changed_at="accounts:numbers",
    searched=("name", "source"),
)
look_at(NonWorkingDay, ("day", "name"), _("Days off"), _("Terms end on a working day."), searched=("name",))
look_at(
    RiskWarning,
    ("valid_from", "ru", "be", "en"),
    _("Warnings of the risks of play"),
    _("What stands at the foot of every page and on tickets, from which day on."),
)
look_at(
    CurrencyRate,
    ("currency", "valid_on", "units", "rate", "source"),
    _("Currency rates"),
    _("By which deposits in another currency were credited."),
    changed_at="accounts:rates",
    filters=("currency",),
)
look_at(
    Agent,
    ("name", "contract_number", "valid_from", "valid_until", "commission"),
    _("Agents"),
    _("Who sells for us, by which contract, for which share."),
    changed_at="payouts:agents",
    searched=("name",),
)
look_at(
    BettingPoint,
    ("code", "name", "address", "kind", "agent", "enabled"),
    _("Betting points"),
    _("Where bets are taken for cash."),
    changed_at="accounts:points",
    searched=("code", "name", "address"),
    filters=("kind", "enabled"),
    related=("agent",),
)
look_at(
    Till,
    ("point", "number", "enabled", "closed_at"),
    _("Tills"),
    _("On the page of each point."),
    changed_at="accounts:points",
    searched=("point__code",),
    related=("point",),
)
look_at(
    PointDocument,
    ("point", "kind", "valid_until"),
    _("Papers of points"),
    _("What the law asks of a point, and until when it is good (¶9.4)."),
    changed_at="accounts:ending_papers",
    searched=("point__code",),
    related=("point",),
)
look_at(
    EquipmentCertificate,
    ("pk", "valid_until"),
    _("Examination certificates"),
    _("Of tills and terminals (¶7)."),
    changed_at="accounts:ending_papers",
)
look_at(
    PostalOperator,
    ("name", "account", "bank", "agreement", "valid_from"),
    _("Postal operators"),
    _("Who pays out winnings by post, by which agreement."),
    changed_at="accounts:post",
    searched=("name",),
)
look_at(
    LedgerAccount,
    ("kind", "owner", "debits", "credits"),
    _("Ledger accounts"),
    _("Money of points and players. It is moved by acts alone, each with its cause; here it is only seen."),
    searched=("owner",),
    filters=("kind",),
)
