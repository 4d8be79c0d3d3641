"""Cash tickets bound to a phone: paid with a code that is sent to it, with the ticket or without (X9).

A ticket without its phone pays nobody, so a thief gets nothing; a phone without its ticket pays in minutes.
"""

import hmac
import secrets

from django.utils.translation import gettext_lazy as _

from payouts.locks import hold_ticket, lock_payables_of
from payouts.models import CodePurpose, Payable, PayableState, PhoneBinding
from payouts.queries.tickets import find_ticket
from payouts.queries.way_back import is_paid_to_bearer
from payouts.services.notice_phones import keep_phone
from payouts.services.phone_codes import (
    code_needed,
    hash_of,
    judged_code,
    refuse_flood,
    send_code,
    spelled_phone,
    use_code,
)
from payouts.services.text_messages import refuse_without_gateway
from pools.models import Bet
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

# In an hour, of codes that are asked for by number and phone.
_ASKED_FROM_A_NETWORK = 50


def begin_binding(*, ticket: str, check_code: str, phone: str) -> None:
    """Send a code to the phone to which who holds the ticket wants it bound.

    :raises DomainError: WRONG_CODE; BAD_VALUE; NOT_ALLOWED for a ticket that need not be shown; WRONG_STATE when it is
        bound already, or settled; THROTTLED; WRONG_STATE where no messages are sent.
    """
    refuse_without_gateway()
    phone, bet = spelled_phone(phone), find_ticket(ticket, check_code)
    _refuse_unfit(bet)
    refuse_flood(f"ticket:{bet.ticket}", f"phone:{phone}")
    send_code(bet, CodePurpose.BIND, phone)


def confirm_binding(
    *, ticket: str, check_code: str, phone: str, code: str, tell_of_winning: bool = False
) -> PhoneBinding:
    """Bind the ticket, for good, to the phone that got this code.

    With `tell_of_winning` the holder agrees that the number itself is kept, encrypted, until there is nothing to tell.

    :raises DomainError: as `begin_binding`; PHONE_CODE_NEEDED for a wrong or old code.
    """
    phone, bet = spelled_phone(phone), find_ticket(ticket, check_code)
    sent = judged_code(bet, CodePurpose.BIND, code)
    if not hmac.compare_digest(bytes(sent.phone_hash), hash_of(phone, sent.salt)):
        raise code_needed()
    with one_transaction():
        hold_ticket(bet.pool_id, bet.ticket)
        lock_payables_of(bet.pool_id, bet.ticket)
        _refuse_unfit(bet)
        at, salt = clock.now(), secrets.token_bytes(16)
        use_code(sent, at)
        binding = PhoneBinding.objects.create(
            pool_id=bet.pool_id, ticket=bet.ticket, salt=salt, phone_hash=hash_of(phone, salt), bound_at=at
        )
        if tell_of_winning:
            keep_phone(pool_id=bet.pool_id, ticket=bet.ticket, phone=phone, at=at)
        agreed = {"tell_of_winning": tell_of_winning}
        write_journal(at=at, actor="anybody", act="bind_phone", subject=f"bet:{bet.ticket}", after=agreed)
    return binding


def ask_for_code(*, ticket: str, phone: str, network: str = "network:none") -> None:
    """Send a code to the phone that a ticket is bound to, if this is the number and the phone; say nothing of it.

    The check code is not asked for: the ticket may be lost. Who names other phones uses up what the own network may
    ask, and nothing of the owner's.

    :raises DomainError: BAD_VALUE; THROTTLED; WRONG_STATE where no messages are sent.
    """
    refuse_without_gateway()
    phone, number = spelled_phone(phone), ticket.strip().upper()
    refuse_flood(network, most=_ASKED_FROM_A_NETWORK)
    refuse_flood(f"ticket:{number} phone:{phone}")
    bet = bet_of_number(number)
    if bet is not None and is_bound_to(bet, phone):
        send_code(bet, CodePurpose.PAY, phone)


def bet_of_number(ticket: str) -> Bet | None:
    """Return the bet of a ticket's number."""
    number = ticket.strip().upper()
    bets = Bet.objects.select_related("pool")
    return bets.filter(pool__code=number.rpartition("-")[0], ticket=number).first()


def is_bound(bet: Bet) -> bool:
    """Tell whether the ticket is bound to a phone."""
    return PhoneBinding.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket).exists()


def is_bound_to(bet: Bet, phone: str) -> bool:
    """Tell whether the ticket is bound to this phone."""
    binding = PhoneBinding.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket).first()
    return binding is not None and hmac.compare_digest(bytes(binding.phone_hash), hash_of(phone, binding.salt))


def _refuse_unfit(bet: Bet) -> None:
    if not is_paid_to_bearer(bet):
        raise DomainError(Refusal.NOT_ALLOWED, _("This ticket need not be shown: its money goes where it came from."))
    payables = Payable.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket).exclude(state=PayableState.DUE)
    if is_bound(bet) or payables.exists():
        raise DomainError(Refusal.WRONG_STATE, _("This ticket is bound to a phone, or settled, already."))
