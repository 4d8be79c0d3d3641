"""Addresses of the account's own pages, and of payment systems' messages; logging in is allauth's, under /account/."""

from django.urls import path

from accounts.api.webhooks import receive_webhook
from accounts.views.statement import account_statement

app_name = "accounts"
urlpatterns = [
    path("my/statement/", account_statement, name="statement"),
    path("payments/webhooks/<slug:provider>/", receive_webhook, name="webhook"),
]
