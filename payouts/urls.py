"""Addresses of the first page, certificates, tickets and the till. `api_urlpatterns` are under /api/v1/."""

from django.urls import path

from accounts.api.staff.answering import addresses
from payouts.api import (
    bet_receipts,
    cancelled_bets,
    cash_wishes,
    disputes,
    insider_wins,
    inspection,
    money,
    my_bets,
    notices,
    open_data,
    overpaid,
    phones,
    reports,
    result_claims,
    staff_claims,
    staff_events,
    tax,
    ticket_claims,
    ticket_owners,
    tickets,
    unclaimed,
)
from payouts.views import certificate, home, jackpots, my_page, ticket_check, ticket_page, till
from payouts.views import inspection as inspection_pages
from payouts.views import notices as notice_pages
from payouts.views import overpaid as overpaid_page
from totalizator.core.addresses import register_label

register_label()
app_name = "payouts"
urlpatterns = [
    path("", home.home, name="home"),
    path("pools/<label:code>/money/", certificate.certificate, name="certificate"),
    path("check/", ticket_check.check, name="check"),
    path("t/<label:ticket>/", ticket_page.ticket_page, name="ticket"),
    path("my/", my_page.my_page, name="my"),
    path("my/bets/<label:ticket>/", my_page.my_ticket, name="my_ticket"),
    path("my/notices/", notice_pages.notices, name="notices"),
    path("till/", till.till, name="till"),
    path("till/check/", till.check_at_till, name="till_check"),
    path("till/pay/", till.pay_at_till, name="till_pay"),
    path("till/receipts/<label:ticket>/", till.receipt, name="receipt"),
    path("desk/jackpots/", jackpots.jackpots, name="jackpots"),
    path("reports/", inspection_pages.reports, name="report_pages"),
    path("reports/<label:name>/", inspection_pages.one_report, name="report_page"),
    path("journal/", inspection_pages.journal, name="journal_page"),
    path("desk/overpaid/", overpaid_page.overpaid, name="overpaid"),
    path("desk/overpaid/proposals/<int:number>/approve/", overpaid_page.approve, name="approve_overpaid"),
]
api_urlpatterns = [
    path("pools/<label:code>/certificate", money.PoolCertificate.as_view(), name="certificate"),
    path("pools/<label:code>/cancelled-bets", cancelled_bets.PoolCancelledBets.as_view(), name="cancelled_bets"),
    path("reports", reports.Reports.as_view(), name="reports"),
    path("reports/<label:name>", reports.OneReport.as_view(), name="report"),
    path("inspection/journal", inspection.Journal.as_view(), name="inspection_journal"),
    path("inspection/entries", inspection.Entries.as_view(), name="inspection_entries"),
    path("inspection/pools/<label:code>/bets", inspection.PoolBets.as_view(), name="inspection_bets"),
    path("inspection/pools/<label:code>/bets.csv", inspection.PoolBetsTable.as_view(), name="inspection_bets_table"),
    *addresses(*staff_events.DECLARED),
    path("jackpots", money.Jackpots.as_view(), name="jackpots"),
    path("jackpots/<label:game>", money.JackpotMoves.as_view(), name="jackpot"),
    path("open-data/insider-wins/<int:year>", insider_wins.InsiderWins.as_view(), name="open_insider_wins"),
    path("open-data/jackpots/<label:game>.csv", open_data.OpenJackpotTable.as_view(), name="open_jackpot_table"),
    path("open-data/jackpots/<label:game>", open_data.OpenJackpots.as_view(), name="open_jackpot"),
    path("me/bets", my_bets.MyBets.as_view(), name="my_bets"),
    path("me/notices", notices.MyNotices.as_view(), name="my_notices"),
    path("me/notices/<int:number>/read", notices.ReadNotices.as_view(), name="my_notice_read"),
    path("me/tickets", ticket_owners.MyTickets.as_view(), name="my_tickets"),
    path("me/credit-wish", ticket_owners.MyCreditWish.as_view(), name="my_credit_wish"),
    path("tickets/claims", ticket_claims.TicketClaims.as_view(), name="ticket_claims"),
    path("tickets/claims/<int:number>/payments", ticket_claims.ClaimPayments.as_view(), name="claim_payments"),
    path(
        "tickets/claims/<int:number>/large-payments",
        ticket_claims.LargeClaimPayments.as_view(),
        name="large_claim_payments",
    ),
    path("tickets/<label:ticket>/large-payments", ticket_claims.LargeTicketPayments.as_view(), name="large_payments"),
    path("me/disputes", disputes.MyDisputes.as_view(), name="my_disputes"),
    path("tickets/disputes", disputes.DeskDisputes.as_view(), name="desk_disputes"),
    path("tickets/comparisons", disputes.TicketComparisons.as_view(), name="ticket_comparisons"),
    path("tickets/check", tickets.TicketChecks.as_view(), name="ticket_check"),
    path("tickets/receipt", bet_receipts.TicketReceipts.as_view(), name="ticket_receipt"),
    path("tickets/<label:ticket>/payments", tickets.TicketPayments.as_view(), name="payments"),
    path("tickets/<label:ticket>/cash-wish", cash_wishes.CashWishes.as_view(), name="cash_wish"),
    path("tickets/phones", phones.PhoneBindings.as_view(), name="phones"),
    path("tickets/phones/confirmations", phones.PhoneConfirmations.as_view(), name="phone_confirmations"),
    path("tickets/phones/notices-end", phones.PhoneNotices.as_view(), name="phone_notices_end"),
    path("tickets/phones/codes", phones.PhoneCodes.as_view(), name="phone_codes"),
    path("tickets/<label:ticket>/phone-payments", phones.PhonePayments.as_view(), name="phone_payments"),
    path("me/tax-certificates/<int:year>", tax.MyTaxCertificate.as_view(), name="my_tax_certificate"),
    path("unclaimed", unclaimed.Unclaimed.as_view(), name="unclaimed"),
    *addresses(*staff_claims.DECLARED, *tax.DECLARED),
    *addresses(*cancelled_bets.DECLARED, *overpaid.DECLARED),
    *addresses(*disputes.DECLARED, *result_claims.DECLARED),
]
