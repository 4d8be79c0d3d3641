"""The own data: bets, what they won, and what was said about them."""

from collections.abc import Iterator
from itertools import islice

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from payouts.models import (
    CreditWish,
    Dispute,
    DisputeState,
    DisputeStep,
    LargePayment,
    NoticeChoice,
    Payable,
    Payment,
    PublicationConsent,
    TicketClaim,
    TicketOwner,
    WinnerNotice,
)
from payouts.queries.own_data.subjects import Owner, Row, Subject, rows_of, written
from pools.models import ArchivedPlay, Bet, BetOrder, PaperForm, Pool
from pools.snapshots.pool_archives import archived_play
from totalizator.core.money import plain_byn
from totalizator.engine.coupon import coupon_from_bits

AT_ONCE = 1_000
_ANSWERS = (DisputeState.UPHELD, DisputeState.REJECTED)


def _mine(owner: Owner) -> Iterator[Bet]:
    """Yield the bets of the account, and those at desks for which a document was shown; a pool is read once."""
    yield from archived_play(owner.player.pk, owner.person.pk)
    pools: dict[int, Pool] = {}
    mine = Bet.objects.filter(Q(player=owner.player) | Q(person=owner.person), pool__archive__isnull=True)
    mine = mine.order_by("registered_at", "ticket")
    for bet in mine.iterator(AT_ONCE):
        if bet.pool_id not in pools:
            pools[bet.pool_id] = Pool.objects.get(pk=bet.pool_id)
        bet.pool = pools[bet.pool_id]
        yield bet


def _bets(owner: Owner) -> list[Row]:
    return [
        {
            "ticket": bet.ticket,
            "pool": bet.pool.code,
            "selections": coupon_from_bits(bet.pool.terms, bet.bits).selections,
            "lines": bet.lines,
            "stake": plain_byn(bet.stake),
            "registered_at": written(bet.registered_at),
            "channel": bet.channel,
            "rules_version": bet.rules_version,
        }
        for bet in _mine(owner)
    ]


def _won(owner: Owner) -> list[Row]:
    columns = ("ticket", "kind", "amount", "state", "payable_from", "payable_until", "settled_at")
    return [row for tickets in _tickets(owner) for row in rows_of(Payable.objects.filter(tickets), *columns)]


def _paid(owner: Owner) -> list[Row]:
    columns = ("ticket", "kind", "method", "gross", "tax", "net", "rounded", "paid_at")
    return [row for tickets in _tickets(owner) for row in rows_of(Payment.objects.filter(tickets), *columns)]


def _tickets(owner: Owner) -> Iterator[Q]:
    """Yield what finds the rows of the player's tickets, so many at a time."""
    for bets in _batched(_mine(owner)):
        yield Q(pool_id__in={bet.pool_id for bet in bets}, ticket__in=[bet.ticket for bet in bets])


def _batched(bets: Iterator[Bet]) -> Iterator[list[Bet]]:
    while batch := list(islice(bets, AT_ONCE)):
        yield batch


def _ordered(owner: Owner) -> list[Row]:
    mine = BetOrder.objects.filter(person=owner.person).order_by("pk")
    payer = ("payer_name", "payer_account", "payer_address")
    return rows_of(mine, "id", "pool__code", "selections", "stake", *payer, "made_at", "state", "ticket")


def _paper(owner: Owner) -> list[Row]:
    mine = PaperForm.objects.filter(person=owner.person).order_by("pk")
    return rows_of(mine, "number", "pool__code", "selections", "stake", "state", "written_at", "entered_at", "ticket")


def _owned(owner: Owner) -> list[Row]:
    mine = TicketOwner.objects.filter(account=owner.account).order_by("bound_at")
    return rows_of(mine, "ticket", "by_phone", "bound_at")


def _wishes(owner: Owner) -> list[Row]:
    return rows_of(CreditWish.objects.filter(account=owner.account).order_by("pk"), "wanted", "signed_at")


def _notices(owner: Owner) -> list[Row]:
    mine = WinnerNotice.objects.filter(player=owner.player).order_by("pk")
    return rows_of(mine, "pool__code", "kind", "amount", "told_at", "read_at", "mailed_at")


def _letters(owner: Owner) -> list[Row]:
    return rows_of(NoticeChoice.objects.filter(player=owner.player).order_by("pk"), "letters", "chosen_at")


def _disputes(owner: Owner) -> list[Row]:
    mine = Dispute.objects.filter(opened_by=owner.player).order_by("pk")
    answers = DisputeStep.objects.filter(dispute__in=mine, state__in=_ANSWERS).order_by("taken_at")
    said = {row["dispute_id"]: row for row in rows_of(answers, "dispute_id", "words", "taken_at")}
    told = rows_of(mine, "id", "ticket", "story", "opened_at", "state")
    return [row | {"answer": said.get(row["id"])} for row in told]


def _claims(owner: Owner) -> list[Row]:
    mine = TicketClaim.objects.filter(person=owner.person).order_by("pk")
    return rows_of(mine, "id", "ticket", "mishap", "story", "opened_at", "state", "moved_at")


def _large(owner: Owner) -> list[Row]:
    mine = LargePayment.objects.filter(person=owner.person).order_by("pk")
    return rows_of(mine, "ticket", "amount", "prepared_at", "approval__approved_at")


def _published(owner: Owner) -> list[Row]:
    mine = PublicationConsent.objects.filter(given_by=owner.player).order_by("pk")
    shown = ("publication__published_at", "withdrawal__withdrawn_at")
    return rows_of(mine, "ticket", "way", "name", "words", "amount", "given_at", *shown)


SUBJECTS = (
    Subject("bets", _("your bets"), (Bet, ArchivedPlay), _bets),
    Subject("winnings", _("what your tickets won or got back"), (Payable,), _won),
    Subject("payments", _("what was paid on your tickets, and the tax withheld"), (Payment,), _paid),
    Subject("orders", _("bets that you ordered by transfer"), (BetOrder,), _ordered),
    Subject("paper_forms", _("bets on paper forms for which you showed a document"), (PaperForm,), _paper),
    Subject("tickets", _("tickets that you showed to be yours"), (TicketOwner,), _owned),
    Subject("wishes", _("where you wanted their winnings to go"), (CreditWish,), _wishes),
    Subject("notices", _("what you were told of winnings"), (WinnerNotice,), _notices),
    Subject("letters", _("whether you wanted notices by e-mail"), (NoticeChoice,), _letters),
    Subject("disputes", _("your disputes and the answers"), (Dispute, DisputeStep), _disputes),
    Subject("claims", _("claims to lost tickets"), (TicketClaim,), _claims),
    Subject("large_payments", _("large payments prepared for you"), (LargePayment,), _large),
    Subject("publications", _("what you agreed to have published"), (PublicationConsent,), _published),
)
