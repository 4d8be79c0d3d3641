"""Addresses of the account's own pages, and of payment systems' messages; logging in is allauth's, under /account/.

`api_urlpatterns` are under /api/v1/.
"""

from django.urls import path

from accounts.api import (
    blocks,
    card_stock,
    deposits,
    desk,
    desk_checks,
    endings,
    handovers,
    identities,
    limits,
    me,
    slips,
    terminals,
    withdrawals,
)
from accounts.api.staff.addresses import urlpatterns as staff_urlpatterns
from accounts.api.webhooks import receive_webhook
from accounts.views import (
    bank,
    bank_doubts,
    design,
    held_deposits,
    numbers,
    payment_orders,
    provider_payments,
    shifts,
    tokens,
    withdrawal_ends,
)
from accounts.views import withdrawals as withdrawal_pages
from accounts.views.statement import account_statement, statement_pdf, statement_table

app_name = "accounts"
urlpatterns = [
    path("design/", design.design, name="design"),
    path("my/statement/", account_statement, name="statement"),
    path("my/statement/pdf/", statement_pdf, name="statement_pdf"),
    path("my/statement/table/", statement_table, name="statement_table"),
    path("my/tokens/", tokens.tokens, name="tokens"),
    path("my/tokens/<int:number>/revoke/", tokens.revoke, name="revoke_token"),
    path("till/shift/open/", shifts.opening, name="shift_opening"),
    path("till/shift/close/", shifts.closing, name="shift_closing"),
    path("till/shifts/<int:number>/report/", shifts.z_report, name="z_report"),
    path("desk/withdrawals/", withdrawal_pages.withdrawals, name="desk_withdrawals"),
    path("desk/withdrawals/<int:number>/approve/", withdrawal_pages.approve, name="approve_withdrawal"),
    path("desk/numbers/", numbers.numbers, name="numbers"),
    path("desk/numbers/<int:number>/approve/", numbers.approve, name="approve_number"),
    path("desk/bank/", bank.bank, name="bank"),
    path("desk/bank/statements/<int:number>/", bank.statement, name="bank_statement"),
    path("desk/bank/accounts/", bank.own_accounts, name="own_accounts"),
    path("desk/bank/post/", bank.post, name="post"),
    path("desk/bank/doubts/", bank_doubts.bank_doubts, name="bank_doubts"),
    path("desk/bank/doubts/<int:number>/", bank_doubts.bank_doubt, name="bank_doubt"),
    path("desk/bank/doubts/proposals/<int:number>/approve/", bank_doubts.approve, name="approve_bank_doubt"),
    path("desk/payments/", provider_payments.payments, name="payments"),
    path("desk/payments/<int:number>/", provider_payments.payment, name="payment"),
    path("desk/held-deposits/", held_deposits.held_deposits, name="held_deposits"),
    path("desk/held-deposits/<int:number>/", held_deposits.held_deposit, name="held_deposit"),
    path("desk/held-deposits/returns/<int:number>/approve/", held_deposits.approve, name="approve_deposit_return"),
    path("desk/payment-orders/", payment_orders.payment_orders, name="payment_orders"),
    path("desk/payment-orders/files/", payment_orders.payment_files, name="payment_files"),
    path("desk/payment-orders/<int:number>/", payment_orders.payment_order, name="payment_order"),
    path("desk/withdrawal-ends/", withdrawal_ends.withdrawal_ends, name="withdrawal_ends"),
    path("desk/withdrawal-ends/<int:number>/", withdrawal_ends.withdrawal_end, name="withdrawal_end"),
    path(
        "desk/withdrawal-ends/proposals/<int:number>/approve/", withdrawal_ends.approve, name="approve_withdrawal_end"
    ),
    path("payments/webhooks/<slug:provider>/", receive_webhook, name="webhook"),
]
api_urlpatterns = [
    path("me", me.Me.as_view(), name="me"),
    path("me/identity", identities.MyIdentity.as_view(), name="my_identity"),
    path("me/statement", me.MyStatement.as_view(), name="my_statement"),
    path("me/limits", limits.Limits.as_view(), name="limits"),
    path("me/limits/removals", limits.LimitRemovals.as_view(), name="limit_removals"),
    path("me/limits/confirmations", limits.LimitConfirmations.as_view(), name="limit_confirmations"),
    path("me/pauses", limits.Pauses.as_view(), name="pauses"),
    path("me/ending", endings.MyEnding.as_view(), name="my_ending"),
    path("me/deposits", deposits.Deposits.as_view(), name="deposits"),
    path("me/deposits/card", deposits.CardDeposits.as_view(), name="card_deposits"),
    path("me/instruments", withdrawals.MyInstruments.as_view(), name="instruments"),
    path("me/withdrawals", withdrawals.MyWithdrawals.as_view(), name="withdrawals"),
    path("me/withdrawals/<int:number>/cancellation", withdrawals.Cancellation.as_view(), name="withdrawal_cancel"),
    path("top-ups/slip", slips.TopUpSlips.as_view(), name="top_up_slip"),
    path("withdrawals/<int:number>/slip", slips.WithdrawalSlips.as_view(), name="withdrawal_slip"),
    path("till", desk.TillState.as_view(), name="till"),
    path("till/shift", desk.ShiftOpening.as_view(), name="shift"),
    path("till/shift/closing", desk.ShiftClosing.as_view(), name="shift_closing"),
    path("till/top-ups", desk.CashTopUps.as_view(), name="cash_top_ups"),
    path("desk-checks", desk_checks.DeskChecks.as_view(), name="desk_checks"),
    path("cards/sales", desk.CardSales.as_view(), name="card_sales"),
    path("cards/shipments", card_stock.CardShipments.as_view(), name="card_shipments"),
    path("cards/receipts", card_stock.CardReceipts.as_view(), name="card_receipts"),
    path("cards/stock", card_stock.CardStock.as_view(), name="card_stock"),
    path("handovers", handovers.Handovers.as_view(), name="handovers"),
    path("handovers/<int:number>/receipt", handovers.HandoverReceipts.as_view(), name="handover_receipt"),
    path("players/verifications", identities.Verifications.as_view(), name="verifications"),
    path("players/duplicates", identities.LikelyDuplicates.as_view(), name="duplicates"),
    path("players/blocks", blocks.BlockProposals.as_view(), name="blocks"),
    path("players/blocks/approval", blocks.BlockApprovals.as_view(), name="block_approval"),
    path("terminal/synchronisations", terminals.Synchronisations.as_view(), name="synchronisations"),
    path("terminal/heartbeats", terminals.Heartbeats.as_view(), name="heartbeats"),
    *staff_urlpatterns,
]
