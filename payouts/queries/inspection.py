"""What the regulator looks up: bets with what became of them, acts in the journal, entries of the ledger (N6)."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from accounts.ledger.models import Entry
from payouts.models import Payable
from pools.models import Bet, Pool
from totalizator.core.encrypted import keyed_digest
from totalizator.core.models import JournalRecord
from totalizator.engine.coupon import coupon_from_bits

_CHUNK = 500
Chosen = Mapping[str, Any]


def bets_of(pool: Pool, chosen: Chosen) -> QuerySet[Bet]:
    """Return the pool's bets, of one channel, point or time, in the order of their tickets."""
    wanted = {
        "channel": chosen.get("channel"),
        "till__point__code": chosen.get("point"),
        "registered_at__gte": chosen.get("since"),
        "registered_at__lt": chosen.get("until"),
    }
    bets = Bet.objects.filter(pool=pool, **{name: value for name, value in wanted.items() if value})
    return bets.select_related("till__point", "player__person", "person").order_by("ticket")


def told_of(pool: Pool, bets: list[Bet]) -> list[dict[str, Any]]:
    """Return what the regulator is told of bets, amounts in kopecks; what is owed is read in one query."""
    owed: dict[str, list[Payable]] = {}
    for payable in Payable.objects.filter(pool=pool, ticket__in=[bet.ticket for bet in bets]).order_by("kind"):
        owed.setdefault(payable.ticket, []).append(payable)
    return [_told(pool, bet, owed.get(bet.ticket, [])) for bet in bets]


def all_told(pool: Pool, chosen: Chosen) -> Iterator[dict[str, Any]]:
    """Yield what is told of every bet chosen, without holding them all."""
    page: list[Bet] = []
    for bet in bets_of(pool, chosen).iterator(chunk_size=_CHUNK):
        page.append(bet)
        if len(page) == _CHUNK:
            yield from told_of(pool, page)
            page = []
    yield from told_of(pool, page)


def journal_of(chosen: Chosen) -> QuerySet[JournalRecord]:
    """Return the journal's rows of an act, a person, a subject or a time."""
    wanted = {
        "act": chosen.get("act"),
        "actor": chosen.get("actor"),
        "subject": chosen.get("subject"),
        "at__gte": chosen.get("since"),
        "at__lt": chosen.get("until"),
    }
    return JournalRecord.objects.filter(**{name: value for name, value in wanted.items() if value})


def entries_of(book: int, chosen: Chosen) -> QuerySet[Entry]:
    """Return the entries of a pool's book, or the house's, of one kind of transfer or a time."""
    wanted = {
        "transfer__kind": chosen.get("kind"),
        "transfer__occurred_at__gte": chosen.get("since"),
        "transfer__occurred_at__lt": chosen.get("until"),
    }
    entries = Entry.objects.filter(book=book, **{name: value for name, value in wanted.items() if value})
    return entries.select_related("transfer", "debit", "credit")


def person_token(number: int | None) -> str:
    """Return what stands for a person: the same for all bets of one, and telling nothing else; empty for nobody."""
    return "" if number is None else keyed_digest("inspection", f"person:{number}").hex()[:16]


def _told(pool: Pool, bet: Bet, owed: list[Payable]) -> dict[str, Any]:
    person = getattr(bet.player, "person", None) if bet.player is not None else bet.person
    return {
        "ticket": bet.ticket,
        "registered_at": bet.registered_at,
        "selections": coupon_from_bits(pool.terms, bet.bits).selections,
        "lines": bet.lines,
        "stake": bet.stake,
        "channel": bet.channel,
        "point": bet.till.point.code if bet.till is not None else "",
        "sold_by": f"user:{bet.sold_by_id}" if bet.sold_by_id else "",
        "person": person_token(person.pk if person is not None else None),
        "owed": sum(payable.amount for payable in owed),
        "standing": ", ".join(f"{payable.kind} {payable.state}" for payable in owed),
    }
