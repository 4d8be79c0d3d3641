"""Every address of the site, by app."""

from django.urls import URLPattern, URLResolver, include, path

from accounts.admin import reference
from accounts.urls import api_urlpatterns as accounts_api
from payouts.urls import api_urlpatterns as payouts_api
from payouts.views.metrics import metrics
from pools import admin as _pools_admin  # noqa: F401 its tables are registered
from pools.urls import api_urlpatterns as pools_api
from pools.views.engine_archive import engine_file
from totalizator.core.api.schema import SchemaDocument, documentation
from totalizator.core.appearance import choose_appearance
from totalizator.core.watching import health

handler400 = "totalizator.core.problem.answer_bad_request"
handler404 = "totalizator.core.problem.answer_not_found"
handler500 = "totalizator.core.faults.answer_fault"
# Addresses are tried one after another: what is asked for most, and by programs, stands first.
api_urlpatterns = [
    *pools_api,
    *payouts_api,
    *accounts_api,
    path("", documentation, name="docs"),
    path("schema/", SchemaDocument.as_view(), name="schema"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include((api_urlpatterns, "api"))),
    path("", include("payouts.urls")),
    path("", include("pools.urls")),
    path("", include("accounts.urls")),
    path("desk/reference/", reference.urls),
    path("engine.zip", engine_file, name="engine"),
    path("account/", include("allauth.urls")),
    path("appearance/", choose_appearance, name="appearance"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("health/live", health.live, name="health_live"),
    path("health/selling", health.selling, name="health_selling"),
    path("health/ready", health.ready, name="health_ready"),
    path("metrics", metrics, name="metrics"),
]
