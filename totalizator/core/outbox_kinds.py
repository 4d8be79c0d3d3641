"""What events there are (docs/events.md tells the payload of each)."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class EventKind(TextChoices):
    """What happened. Values are stable: receivers match on them."""

    POOL_ANNOUNCED = "pool.announced", _("pool announced")
    POOL_OPEN = "pool.open", _("pool open for bets")
    POOL_CLOSED = "pool.closed", _("pool closed")
    POOL_SEALED = "pool.sealed", _("bets of a pool sealed")
    POOL_RESULTED = "pool.resulted", _("result of a pool sealed")
    POOL_SETTLED = "pool.settled", _("settlement of a pool official")
    POOL_STATEMENT = "pool.statement", _("sums of a settlement")
    POOL_CORRECTED = "pool.corrected", _("settlement of a pool corrected")
    POOL_ARCHIVED = "pool.archived", _("pool archived")
    POOL_CANCELLED = "pool.cancelled", _("pool cancelled")
    RULES_PUBLISHED = "rules.published", _("version of the rules published")
    EQUIPMENT_SWITCHED = "equipment.switched", _("point, till or terminal switched on or off")
    BETS_REGISTERED = "bets.registered", _("bets registered")
    WINNINGS_PAID = "winnings.paid", _("winnings paid")
    WINNINGS_EXPIRED = "winnings.expired", _("winnings expired into the jackpot")
    REFUNDS_PAID = "refunds.paid", _("stakes returned")
    TAX_WITHHELD = "tax.withheld", _("income tax withheld")
    CARDS_SOLD = "cards.sold", _("prepaid cards sold")
    CASH_SENT = "cash.sent", _("cash sent")
    CASH_RECEIVED = "cash.received", _("cash received")
    JACKPOT_MOVED = "jackpot.moved", _("jackpot moved")
    MONEY_REVERSED = "money.reversed", _("movement of money reversed")
    SALES_PAUSED = "sales.paused", _("sales paused")
    SALES_RESUMED = "sales.resumed", _("sales resumed")
