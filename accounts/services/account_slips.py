"""Slips of top-ups and withdrawals: numbered once, printed again only as copies (¶35, ¶41)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.documents.account_slips import AccountSlip, render_account_slip
from accounts.documents.slip import SlipDrawer, render_slip
from accounts.models import Currency, NumberedDocument, NumberedKind, PrepaidCard, TopUp, TopUpWay, User, Withdrawal
from accounts.services.document_numbers import facts_of, issue_document
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.localtime import LEGAL_ZONE, local_text
from totalizator.core.money import plain_byn
from totalizator.core.templatetags.trade import last_day
from totalizator.core.transactions import one_transaction


def print_top_up_slip(*, top_up: TopUp, asked_by: User, draw: SlipDrawer = render_slip) -> bytes:
    """Return the receipt of a top-up, a PDF or as `draw` does it, in the active language; later a copy."""
    till = top_up.till
    facts = {
        "operator": settings.OPERATOR_NAME,
        "account": top_up.account_id,
        "amount": top_up.amount,
        "way": str(top_up.way),
        "currency": str(top_up.currency),
        "original": top_up.original_amount,
        "rate": top_up.rate.rate if top_up.rate is not None else "",
        "at": top_up.credited_at.isoformat(),
        "zone": till.point.time_zone if till is not None else LEGAL_ZONE,
        "place": f"{till.point.name}, {till}" if till is not None else "",
    }
    slip, is_new = _issued(NumberedKind.TOP_UP, f"topup:{top_up.pk}", facts, asked_by)
    kept = facts_of(slip)
    signed_by = [_("Cashier's signature")] if kept["place"] else []
    return _drawn(slip, _("Receipt of a top-up"), _top_up_rows(kept), signed_by, copy=not is_new, draw=draw)


def print_card_slip(*, card: PrepaidCard, asked_by: User, draw: SlipDrawer = render_slip) -> bytes:
    """Return the receipt of a prepaid card that a till has sold, as `print_top_up_slip` does (¶35.2)."""
    till, sold_at = card.sold_at_till, card.sold_at
    assert till is not None and sold_at is not None, "only a sold card has a receipt"  # noqa: PT018
    facts = {
        "operator": settings.OPERATOR_NAME,
        "card": f"{card.batch.series} {card.number}",
        "amount": card.batch.face_value,
        "expires": card.expires_at.isoformat(),
        "at": sold_at.isoformat(),
        "zone": till.point.time_zone,
        "place": f"{till.point.name}, {till}",
    }
    slip, is_new = _issued(NumberedKind.CARD_SALE, card.subject, facts, asked_by)
    kept = facts_of(slip)
    rows = [
        (_("Series and number"), kept["card"]),
        (_("Valid until"), last_day(datetime.fromisoformat(kept["expires"]))),
        (_("Sold"), _time(kept)),
        (_("Place"), kept["place"]),
    ]
    return _drawn(slip, _("Receipt of a prepaid card"), rows, [_("Cashier's signature")], copy=not is_new, draw=draw)


def print_withdrawal_slip(*, withdrawal: Withdrawal, asked_by: User) -> bytes:
    """Return the confirmation of what a player asked back, as a PDF; a copy after the first time."""
    facts = {
        "operator": settings.OPERATOR_NAME,
        "account": withdrawal.account_id,
        "amount": withdrawal.amount,
        "reference": withdrawal.reference,
        "instrument": withdrawal.instrument.label,
        "wish": withdrawal.signed_wish,
        "at": withdrawal.requested_at.isoformat(),
        "zone": LEGAL_ZONE,
    }
    slip, is_new = _issued(NumberedKind.WITHDRAWAL, f"withdrawal:{withdrawal.pk}", facts, asked_by)
    signed_by = [_("Player's signature"), _("Received for the organizer: signature")]
    return _drawn(
        slip, _("Withdrawal from the game account"), _withdrawal_rows(facts_of(slip)), signed_by, copy=not is_new
    )


def _top_up_rows(kept: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    rows = [(_("Paid in by"), str(TopUpWay(kept["way"]).label)), (_("Credited"), _time(kept))]
    if kept["currency"] != Currency.BYN:
        rows.append((_("In the currency"), f"{plain_byn(kept['original'])} {kept['currency']}"))
        rows.append((_("At the rate of"), kept["rate"]))
    if kept["place"]:
        rows.append((_("Place"), kept["place"]))
    return rows


def _withdrawal_rows(kept: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    rows = [(_("Reference"), kept["reference"]), (_("Asked for"), _time(kept)), (_("To"), kept["instrument"])]
    if kept["wish"]:
        rows.append((_("By the player's paper"), kept["wish"]))
    return rows


def _time(kept: Mapping[str, Any]) -> str:
    return local_text(datetime.fromisoformat(kept["at"]), kept["zone"], with_seconds=True)


def _issued(
    kind: NumberedKind, subject: str, facts: Mapping[str, Any], asked_by: User
) -> tuple[NumberedDocument, bool]:
    with one_transaction():
        slip, is_new = issue_document(kind=kind, subject=subject, facts=facts, actor=asked_by.actor)
        write_journal(
            at=clock.now(),
            actor=asked_by.actor,
            act="print_slip" if is_new else "reprint",
            subject=subject,
            after={"kind": str(kind), "number": str(slip)},
        )
    return slip, is_new


def _drawn(
    slip: NumberedDocument,
    title: str,
    rows: Sequence[tuple[str, str]],
    signed_by: Sequence[str],
    *,
    copy: bool,
    draw: SlipDrawer = render_slip,
) -> bytes:
    kept = facts_of(slip)
    return render_account_slip(
        AccountSlip(
            operator=kept["operator"],
            title=title,
            number=str(slip),
            account=str(kept.get("account", "")),
            amount=kept["amount"],
            rows=rows,
            signed_by=signed_by,
            digest=slip.digest,
            copy=copy,
        ),
        draw,
    )
