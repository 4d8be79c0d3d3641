"""The own data: every kopeck that came and went, and where it can go."""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.models import Entry, Transfer
from accounts.models import (
    HeldDeposit,
    PaymentInstrument,
    PaymentOrder,
    ProviderDeposit,
    TopUp,
    Withdrawal,
)
from accounts.queries.statements import account_period
from payouts.queries.own_data.subjects import Owner, Row, Subject, rows_of, written
from totalizator.core.money import plain_byn


def _statement(owner: Owner) -> list[Row]:
    period = account_period(owner.account.ledger_account, owner.account.opened_at, owner.at)
    return [
        {
            "at": written(line.occurred_at),
            "kind": line.kind,
            "cause": line.cause,
            "change": plain_byn(line.change),
            "tax": plain_byn(line.tax),
            "balance": plain_byn(line.balance),
        }
        for line in period.lines
    ]


def _top_ups(owner: Owner) -> list[Row]:
    mine = TopUp.objects.filter(account=owner.account).order_by("credited_at", "pk")
    paid = ("currency", "original_amount", "rate__rate", "instrument__label")
    return rows_of(mine, "way", "reference", "amount", *paid, "received_at", "credited_at")


def _begun(owner: Owner) -> list[Row]:
    mine = ProviderDeposit.objects.filter(account=owner.account).order_by("pk")
    held = HeldDeposit.objects.filter(deposit__account=owner.account)
    kept = {row["pk"]: row for row in rows_of(held, "pk", "amount", "state", "why", "held_at", "moved_at")}
    columns = ("id", "provider", "currency", "amount", "state", "begun_at", "settled_at")
    return [row | {"held": kept.get(row["id"])} for row in rows_of(mine, *columns)]


def _instruments(owner: Owner) -> list[Row]:
    mine = PaymentInstrument.objects.filter(account=owner.account).order_by("pk")
    ours = rows_of(mine.filter(provider=""), "kind", "token", "first_seen_at")
    theirs = rows_of(mine.exclude(provider=""), "kind", "provider", "label", "first_seen_at")
    return ours + theirs


def _withdrawals(owner: Owner) -> list[Row]:
    mine = Withdrawal.objects.filter(account=owner.account).order_by("pk")
    sent_to = ("instrument__kind", "instrument__label", "signed_wish")
    return rows_of(mine, "id", "amount", "state", *sent_to, "requested_at", "moved_at", "reason", "provider_reference")


def _orders(owner: Owner) -> list[Row]:
    mine = PaymentOrder.objects.filter(withdrawal__account=owner.account).order_by("pk")
    payee = ("payee_name", "payee_account", "payee_bank", "payee_address")
    return rows_of(mine, "id", "withdrawal_id", *payee, "amount", "purpose", "state", "drawn_up_at", "moved_at")


SUBJECTS = (
    Subject("statement", _("every entry of your game account"), (Entry, Transfer), _statement),
    Subject("top_ups", _("money that came onto the account"), (TopUp,), _top_ups),
    Subject("deposits", _("top-ups begun at payment systems"), (ProviderDeposit, HeldDeposit), _begun),
    Subject("instruments", _("where your money may go"), (PaymentInstrument,), _instruments),
    Subject("withdrawals", _("money that you asked for"), (Withdrawal,), _withdrawals),
    Subject("payment_orders", _("payment orders to the bank for you"), (PaymentOrder,), _orders),
)
