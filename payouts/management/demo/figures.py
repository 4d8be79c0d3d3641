"""What the demonstration ends with: plain figures, in kopecks, ready for JSON."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Sum

from accounts.models import PointKind, TopUp
from accounts.services.terminals import NewKey
from payouts.management.demo.paying import expired, paid_by
from payouts.models import PaymentMethod
from payouts.queries.guarantee import guarantee_sum
from payouts.queries.jackpot import JACKPOTS, jackpot_balance
from pools.models import Bet, Channel, Commitment, Pool, Settlement

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long all of it took, and the selling alone."""

    seconds: float
    selling_seconds: float
    bets: int

    def as_figures(self) -> Figures:
        """Return the seconds, and the bets sold in each second of selling."""
        return {
            "seconds": round(self.seconds, 1),
            "selling_seconds": round(self.selling_seconds, 1),
            "bets_per_second": round(self.bets / max(self.selling_seconds, 0.001)),
        }


def pool_figures(code: str, verdict: str) -> Figures:
    """Return one settled pool's money, its levels, whether its identity holds, and the engine's verdict."""
    pool = Pool.objects.get(code=code)
    statement = json.loads(Settlement.objects.get(pool=pool).statement_text)
    commitment = json.loads(Commitment.objects.get(pool=pool).document_text)
    names = ("turnover", "refunds", "takeout", "fund", "added", "winnings", "jackpot_in", "jackpot_out")
    return {
        "code": code,
        "game": pool.game,
        "name": dict(pool.terms.pool.name),
        "bets": commitment["count"],
        "lines": commitment["lines"],
        **{name: statement[name] for name in names},
        "levels": [_level(level) for level in statement["levels"]],
        "identity": _identity_holds(statement),
        "verify": verdict,
    }


def money_figures(codes: Sequence[str], jackpots_before: Mapping[str, int]) -> Figures:
    """Return what was paid how, and what became of the jackpots."""
    after = jackpots()
    return {
        "payments": {
            "cash": asdict(paid_by(PaymentMethod.CASH, codes)),
            "accounts": asdict(paid_by(PaymentMethod.GAME_ACCOUNT, codes)),
            "cards": asdict(paid_by(PaymentMethod.CARD, codes)),
            "orders": asdict(paid_by(PaymentMethod.TRANSFER, codes)),
            "expired": asdict(expired(codes)),
        },
        "jackpots": {game: {"before": jackpots_before[game], "after": after[game]} for game in JACKPOTS},
    }


def money_in(codes: Sequence[str], terminals: Sequence[NewKey], since: datetime) -> Figures:
    """Return the stakes by the way they came, and what came onto accounts since the instant, by way (¶9, ¶35)."""
    bets: Counter[str] = Counter()
    stakes: Counter[str] = Counter()
    under_terminal = {key.terminal.till_id for key in terminals}
    rows = Bet.objects.filter(pool__code__in=codes).values_list("channel", "till_id", "till__point__kind")
    for channel, till, kind, count, total in rows.annotate(count=Count("*"), total=Sum("stake")).order_by():
        way = channel
        if channel == Channel.CASH:
            way = "terminal" if till in under_terminal else "agent" if kind == PointKind.AGENT else channel
        bets[way] += count
        stakes[way] += total
    top_ups = TopUp.objects.filter(credited_at__gte=since).values_list("way").order_by("way")
    return {
        "bets_by_way": {way: {"count": bets[way], "amount": stakes[way]} for way in sorted(bets)},
        "top_ups": {
            way: {"count": count, "amount": total}
            for way, count, total in top_ups.annotate(count=Count("*"), total=Sum("amount"))
        },
    }


def liabilities() -> Figures:
    """Return what players could ask for, part by part, and the money that stands for it (F3)."""
    guarantee = guarantee_sum()
    return {
        "parts": {str(kind): part.ledger for kind, part in guarantee.parts.items()},
        "required": guarantee.required,
        "in_bank": guarantee.in_bank,
        "elsewhere": guarantee.elsewhere,
        "differing": [str(kind) for kind in guarantee.differing],
    }


def jackpots() -> dict[str, int]:
    """Return the jackpot of each game now."""
    return {game: jackpot_balance(game) for game in JACKPOTS}


def _level(level: Mapping[str, Any]) -> Figures:
    names = ("code", "fund", "lines", "stakes", "dividend", "coefficient", "coefficient_shown", "paid", "remainder")
    return {**{name: level[name] for name in names}, "moved": level["moved"]}


def _identity_holds(statement: Mapping[str, Any]) -> bool:
    """Tell whether all that came in went out, to the kopeck."""
    came = statement["turnover"] + statement["jackpot_in"] + statement["added"]
    went = statement["refunds"] + statement["takeout"] + statement["winnings"] + statement["jackpot_out"]
    carried = sum(statement["carried"].values())
    return bool(came == went + carried)
