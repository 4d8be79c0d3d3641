"""Addresses of the first page, certificates, tickets and the till. `api_urlpatterns` are under /api/v1/."""

from django.urls import path

from payouts.api.tickets import TicketPayments
from payouts.views import certificate, home, jackpots, my_page, ticket_check, till
from totalizator.core.addresses import register_label

register_label()
app_name = "payouts"
urlpatterns = [
    path("", home.home, name="home"),
    path("pools/<label:code>/money/", certificate.certificate, name="certificate"),
    path("check/", ticket_check.check, name="check"),
    path("my/", my_page.my_page, name="my"),
    path("my/bets/<label:ticket>/", my_page.my_ticket, name="my_ticket"),
    path("till/", till.till, name="till"),
    path("till/check/", till.check_at_till, name="till_check"),
    path("till/pay/", till.pay_at_till, name="till_pay"),
    path("desk/jackpots/", jackpots.jackpots, name="jackpots"),
]
api_urlpatterns = [path("tickets/<label:ticket>/payments", TicketPayments.as_view(), name="payments")]
