"""The names of ledger accounts and of the reasons for which money moves."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class AccountKind(TextChoices):
    """What an account holds; `owner` says whose: a player's game account, a till, a pool's code, a game."""

    # Assets: what the organizer has.
    TILL = "till", _("cash in a till")
    BANK = "bank", _("bank account")
    CASH_DESK = "cash_desk", _("cash in the cash desk")
    CASH_IN_TRANSIT = "cash_in_transit", _("cash being handed over")
    CASH_SHORTAGE = "cash_shortage", _("cash that was short")
    AT_PROVIDER = "at_provider", _("money that a payment system holds for us")
    RECEIVABLE = "receivable", _("winning that was paid and is to be given back")
    # Liabilities: what the organizer owes.
    GAME_ACCOUNT = "game_account", _("player's game account")
    PREPAID_CARD = "prepaid_card", _("prepaid card")
    WITHDRAWALS_DUE = "withdrawals_due", _("withdrawals on their way")
    ORDERS_DUE = "orders_due", _("payment orders on their way")
    HELD_DEPOSITS = "held_deposits", _("deposits that may not be credited")
    BANK_SUSPENSE = "bank_suspense", _("transfers whose place is not known yet")
    POOL_POT = "pool_pot", _("pool's pot")
    WINNINGS_DUE = "winnings_due", _("winnings to be paid")
    REFUNDS_DUE = "refunds_due", _("stakes to be returned")
    JACKPOT = "jackpot", _("jackpot")
    TAX_DUE = "tax_due", _("income tax withheld")
    AGENT_DUE = "agent_due", _("agent's commission to be paid")
    # The organizer's own.
    TAKEOUT = "takeout", _("takeout")
    CASH_EXCESS = "cash_excess", _("cash that was over")
    CASH_ROUNDING = "cash_rounding", _("what rounding cash down left")
    ORGANIZER = "organizer", _("organizer's own money")


# Accounts whose debits grow their balance. All others grow by credits.
DEBIT_NORMAL = frozenset(
    {
        AccountKind.TILL,
        AccountKind.BANK,
        AccountKind.CASH_DESK,
        AccountKind.CASH_IN_TRANSIT,
        AccountKind.CASH_SHORTAGE,
        AccountKind.AT_PROVIDER,
        AccountKind.RECEIVABLE,
    }
)

# Accounts that a race could overdraw: they carry counters and a CHECK. The others are summed, so that
# no two sales ever wait for one row.
GUARDED = frozenset(
    {
        AccountKind.TILL,
        AccountKind.CASH_DESK,
        AccountKind.CASH_IN_TRANSIT,
        AccountKind.GAME_ACCOUNT,
        AccountKind.PREPAID_CARD,
    }
)


class TransferKind(TextChoices):
    """Why money moved. Each source of the jackpot (¶17, ¶38) is a kind of its own."""

    DEPOSIT = "deposit", _("deposit")
    DEPOSIT_HELD = "deposit_held", _("deposit that may not be credited")
    DEPOSIT_RETURNED = "deposit_returned", _("deposit given back to its payer")
    PROVIDER_PAID_OVER = "provider_paid_over", _("payment system paid over what it held")
    WITHDRAWAL = "withdrawal", _("withdrawal")
    WITHDRAWAL_PAID = "withdrawal_paid", _("withdrawal paid")
    WITHDRAWAL_RETURNED = "withdrawal_returned", _("withdrawal failed or cancelled")
    ORDER_EXECUTED = "order_executed", _("payment order executed")
    BANK_RECEIPT = "bank_receipt", _("transfer received")
    RECEIPT_RETURNED = "receipt_returned", _("transfer to be returned")
    RECEIPT_BOOKED = "receipt_booked", _("transfer that a document had booked")
    TILL_FLOAT = "till_float", _("float given to a till")
    CASH_SENT = "cash_sent", _("cash sent")
    CASH_RECEIVED = "cash_received", _("cash received")
    CASH_SHORT = "cash_short", _("cash was short")
    CASH_OVER = "cash_over", _("cash was over")
    CARD_SOLD = "card_sold", _("prepaid card sold")
    CARD_EXPIRED = "card_expired", _("rest of an expired card (¶38.4)")
    STAKE = "stake", _("stake")
    REFUND = "refund", _("stake to be returned")
    REFUND_PAID = "refund_paid", _("stake returned")
    BET_CANCELLED = "bet_cancelled", _("stake of a cancelled bet, from the organizer (¶29)")
    WINNING_RECLAIMED = "winning_reclaimed", _("paid winning of a cancelled bet (¶29)")
    RECEIVABLE_PAID = "receivable_paid", _("paid winning of a cancelled bet, given back (¶29)")
    CORRECTION_ADDED = "correction_added", _("made good by a correction, from the organizer")
    CORRECTION_TAKEN = "correction_taken", _("taken back by a correction before it was paid")
    CORRECTION_TAKEOUT = "correction_takeout", _("takeout, corrected")
    OVERPAID_RECLAIMED = "overpaid_reclaimed", _("what a correction shows to be paid too much, reclaimed")
    TAKEOUT = "takeout", _("takeout")
    WINNINGS = "winnings", _("winnings")
    WINNING_PAID = "winning_paid", _("winning paid")
    TAX = "tax", _("income tax withheld")
    AGENT_COMMISSION = "agent_commission", _("agent's commission")
    TOP_UP = "top_up", _("organizer's addition to a fund")
    JACKPOT_DRAWN = "jackpot_drawn", _("jackpot put into a pool")
    JACKPOT_UNDRAWN = "jackpot_undrawn", _("jackpot not won, taken back")
    JACKPOT_NO_WINNER = "jackpot_no_winner", _("fund without winners (¶17.4, ¶38.1)")
    JACKPOT_CAP = "jackpot_cap", _("cut off by the maximum winning (¶6)")
    JACKPOT_REMAINDER = "jackpot_remainder", _("remainder of rounding (D-6)")
    JACKPOT_UNCLAIMED = "jackpot_unclaimed", _("unclaimed winning (¶17.5, ¶38.2)")
    JACKPOT_CANCELLED = "jackpot_cancelled", _("winning of a cancelled bet (¶29, D-3)")
    JACKPOT_CORRECTED = "jackpot_corrected", _("jackpot, corrected")
    JACKPOT_REQUISITES = "jackpot_requisites", _("payment without requisites (¶17.1)")
    JACKPOT_UNREADABLE = "jackpot_unreadable", _("payment with unreadable requisites (¶17.2)")
    JACKPOT_LATE_PAYMENT = "jackpot_late_payment", _("payment that came late (¶17.3)")
    JACKPOT_ORGANIZER = "jackpot_organizer", _("organizer's money (¶17.6, ¶38.3)")
    JACKPOT_REFUND = "jackpot_refund", _("stake to be returned that nobody came for (D-12)")
    JACKPOT_GAME_ENDED = "jackpot_game_ended", _("jackpot of a game that ended")
    REVERSAL = "reversal", _("reversal")


# Money that a player pays in from outside: what a limit on deposits counts, and a statement calls so (P1).
DEPOSITS = frozenset({TransferKind.DEPOSIT})
