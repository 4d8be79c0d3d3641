"""How the acts about refunds, receivables and jackpots are told to people."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REFUNDS_AND_JACKPOTS: Mapping[str, Promise] = {
    "add_to_jackpot": _("Money is added to the jackpot"),
    "approve_game_end": _("A game ends"),
    "approve_refund_lapse": _("Stakes that nobody collected go to the jackpot"),
    "book_receivable_payment": _("A paid winning is given back"),
    "propose_game_end": _("The end of a game is proposed"),
    "propose_refund_lapse": _("It is proposed that stakes nobody collected go to the jackpot"),
    "refunds_decidable": _("Stakes were not collected in the limitation term: two people may decide"),
    "refunds_overdue": _("Returned stakes are not with those who staked them in time"),
    "warn_undrawn_jackpot": _("The jackpot was not drawn this year"),
}
