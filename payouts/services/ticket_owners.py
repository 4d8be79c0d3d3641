"""Tickets bound to a game account, and the player's signed wish to have what they win there (X10, ¶41).

A ticket that was bought without an account is paid to who brings it (D-13). Its holder can show it to be theirs: by its
check code, or by the code that was sent to the phone it is bound to. While the player wishes it, the winnings of such
tickets go to the game account by themselves, as an account's own bets do, and no till pays them.
"""

from datetime import datetime

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from accounts.locks import lock_person
from accounts.models import AccountState, GameAccount, User
from accounts.queries.standing import standing_of
from accounts.services.persons import person_of
from accounts.services.standing import refuse_unidentified
from payouts.locks import hold_ticket, lock_payables_of
from payouts.models import CodePurpose, CreditWish, Payable, PayableKind, PayableState, PhoneCode, TicketOwner
from payouts.queries.central_desks import is_large
from payouts.queries.disputes import is_disputed
from payouts.queries.ticket_owners import owner_of
from payouts.queries.tickets import find_ticket, over
from payouts.queries.way_back import pay_back_the_way_it_came
from payouts.services.held_tickets import refuse_held
from payouts.services.phone_binding import bet_of_number, is_bound, is_bound_to
from payouts.services.phone_codes import code_needed, judged_code, spelled_phone, use_code
from pools.locks import hold_pool_shared
from pools.models import Bet, Channel
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_BOUGHT_WITHOUT_ACCOUNT = (Channel.CASH, Channel.PAPER, Channel.CARD)


def bind_to_account(
    *, account: GameAccount, ticket: str, check_code: str = "", phone: str = "", phone_code: str = ""
) -> TicketOwner:
    """Bind a ticket, for good, to the account of who has its check code, or the phone it is bound to with a new code.

    Bound again to the same account it is the first binding. While the player wishes it, what it wins is credited.

    :raises DomainError: WRONG_CODE; PHONE_CODE_NEEDED of a ticket that is bound to a phone; NOT_ALLOWED for a ticket
        whose money goes to an account or by order anyway; WRONG_STATE when it is another player's, or settled;
        TICKET_HELD; CENTRAL_DESK_ONLY once it has won a large sum; NOT_VERIFIED, UNDER_AGE; ACCOUNT_BLOCKED.
    """
    bet, sent = _shown(ticket, check_code, phone, phone_code)
    if bet.channel not in _BOUGHT_WITHOUT_ACCOUNT:
        raise DomainError(Refusal.NOT_ALLOWED, _("This ticket need not be shown: its money goes where it came from."))
    with one_transaction():
        hold_pool_shared(bet.pool_id)  # so that payables are drawn up before the binding, or know of it
        _refuse_unfit(account)
        hold_ticket(bet.pool_id, bet.ticket)
        payables = lock_payables_of(bet.pool_id, bet.ticket)
        at = clock.now()
        standing = owner_of(bet)
        if standing is not None and standing.account_id == account.pk:
            return standing
        _refuse_taken(bet, standing, payables, at)
        if sent is not None:
            use_code(sent, at)
        owner = TicketOwner.objects.create(
            pool_id=bet.pool_id, ticket=bet.ticket, account=account, by_phone=sent is not None, bound_at=at
        )
        write_journal(
            at=at,
            actor=account.player.actor,
            act="bind_to_account",
            subject=f"bet:{bet.ticket}",
            after={"account": account.pk, "by_phone": owner.by_phone},
        )
        _send_where_wished(bet, at, account.player.actor)
    return owner


def sign_credit_wish(*, account: GameAccount, wanted: bool, stepped_up: bool) -> CreditWish:
    """Sign, or take back, the wish that winnings of the tickets bound to the account are credited to it.

    It binds what is not paid yet and what the tickets will win. `stepped_up`: the player has just shown the second
    factor. Said again it is the latest wish.

    :raises DomainError: STEP_UP_NEEDED; NOT_VERIFIED, UNDER_AGE; ACCOUNT_BLOCKED; BUSY.
    """
    if not stepped_up:
        raise DomainError(Refusal.STEP_UP_NEEDED, _("Show the second factor to say where winnings go."))
    with one_transaction():
        tickets = _tickets_waiting(account)
        for pool_id in sorted({bet.pool_id for bet in tickets}):
            hold_pool_shared(pool_id)
        _refuse_unfit(account)
        if _tickets_waiting(account) != tickets:
            raise DomainError(Refusal.BUSY, _("A ticket has been bound this moment; try again."))
        latest = CreditWish.objects.filter(account=account).order_by("-pk").first()
        if latest is not None and latest.wanted == wanted:
            return latest
        at = clock.now()
        wish = CreditWish.objects.create(account=account, wanted=wanted, signed_at=at)
        actor = account.player.actor
        write_journal(
            at=at,
            actor=actor,
            act="sign_credit_wish",
            subject=f"game_account:{account.pk}",
            before={"wanted": latest is not None and latest.wanted},
            after={"wanted": wanted},
        )
        for bet in tickets:
            hold_ticket(bet.pool_id, bet.ticket)
        for bet in tickets:
            _send_where_wished(bet, at, actor)
    return wish


def _shown(ticket: str, check_code: str, phone: str, phone_code: str) -> tuple[Bet, PhoneCode | None]:
    """Return the bet that somebody has shown to be theirs, with the code of its phone that is to be used up."""
    if not phone:
        bet = find_ticket(ticket, check_code)
        return bet, judged_code(bet, CodePurpose.PAY, phone_code) if is_bound(bet) else None
    found = bet_of_number(ticket)
    if found is None or not is_bound_to(found, spelled_phone(phone)):
        raise code_needed()
    return found, judged_code(found, CodePurpose.PAY, phone_code)


def _refuse_unfit(account: GameAccount) -> None:
    """Lock the player, and refuse who is not known or whose account takes no new money."""
    player: User = lock_person(account.player_id)
    account.refresh_from_db(fields=["state"])
    at = clock.now()
    refuse_unidentified(standing_of(person_of(player), at), at)
    if account.state != AccountState.ACTIVE:
        raise DomainError(Refusal.ACCOUNT_BLOCKED, _("Nothing new is credited to this account."))


def _refuse_taken(bet: Bet, owner: TicketOwner | None, payables: list[Payable], at: datetime) -> None:
    """Refuse a ticket that is somebody's, held, settled, or has won so much that the central desk looks at it."""
    refuse_held(bet)
    if is_disputed(bet.pool_id, bet.ticket):
        message = _("This ticket is disputed: nothing is paid on it until that is answered.")
        raise DomainError(Refusal.TICKET_HELD, message)
    settled = any(payable.state != PayableState.DUE or over(payable, at) for payable in payables)
    if owner is not None or settled:
        raise DomainError(Refusal.WRONG_STATE, _("This ticket is bound to an account, or settled, already."))
    if any(payable.kind != PayableKind.REFUND and is_large(payable, at) for payable in payables):
        message = _("A winning as large as this is paid only at the central desk.")
        raise DomainError(Refusal.CENTRAL_DESK_ONLY, message)


def _tickets_waiting(account: GameAccount) -> list[Bet]:
    """Return the bets of bound tickets that are in play or not paid yet."""
    settled = Payable.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket")).exclude(state=PayableState.DUE)
    waiting = TicketOwner.objects.filter(~Exists(settled), account=account).values_list("pool_id", "ticket")
    bets = Bet.objects.select_related("pool", "paid_from").filter(pk__in=list(waiting))
    return list(bets.order_by("pool_id", "ticket"))


def _send_where_wished(bet: Bet, at: datetime, actor: str) -> None:
    """Let a winning that is drawn up and not paid go where its player wishes now; the ticket is held."""
    for payable in lock_payables_of(bet.pool_id, bet.ticket):
        ended = payable.payable_until is not None and at >= payable.payable_until
        if payable.kind == PayableKind.REFUND or payable.state != PayableState.DUE or ended:
            continue
        goes_to = pay_back_the_way_it_came(bet).pay_to
        if goes_to == payable.pay_to:
            continue
        Payable.objects.filter(pk=payable.pk, state=PayableState.DUE).update(pay_to=goes_to)
        write_journal(
            at=at,
            actor=actor,
            act="credit_by_wish",
            subject=f"bet:{bet.ticket}",
            before={"pay_to": str(payable.pay_to) if payable.pay_to is not None else None},
            after={"pay_to": str(goes_to) if goes_to is not None else None, "amount": payable.amount},
        )
