"""Every address of the site, by app."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("account/", include("allauth.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
]
