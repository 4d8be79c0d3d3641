"""Addresses of the account's own pages; logging in and out is allauth's, under /account/."""

from django.urls import path

from accounts.views.statement import account_statement

app_name = "accounts"
urlpatterns = [path("my/statement/", account_statement, name="statement")]
