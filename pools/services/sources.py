"""Where a bet comes from, and what pays for it (¶9.1-9.3, ¶35)."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import GameAccount, LedgerAccount, Person, PrepaidCard, Role, Terminal, Till, User
from accounts.services.card_presenting import present_card
from accounts.services.persons import person_of
from accounts.services.traits import person_of_bank_account
from pools.models import BetOrder, Channel, PaperForm
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import was_answered


@dataclass(frozen=True, slots=True)
class BetSource:
    """A channel, and the account that is debited. `actor` is who the journal names.

    `person` is who plays, where that is known: of a game account always, at a desk who asked for it (X15).
    """

    channel: Channel
    account: LedgerAccount
    actor: str
    player: User | None = None
    till: Till | None = None
    sold_by: User | None = None
    person: Person | None = None
    card: PrepaidCard | None = None
    asked_by: User | None = None
    """The player who is logged in, where something else than the game account pays."""
    terminal: Terminal | None = None

    @property
    def takes_cash(self) -> bool:
        """Whether the stake comes into a till."""
        return self.till is not None and self.account.pk == self.till.ledger_account_id

    @property
    def desk(self) -> dict[str, str]:
        """How the journal names the desk of a terminal: the terminal, and the cashier in whose shift it sells."""
        if self.terminal is None:
            return {}
        cashier = {"cashier": self.sold_by.actor} if self.sold_by is not None else {}
        return {"terminal": self.terminal.actor, **cashier}

    @property
    def scope(self) -> str:
        """Whose idempotency keys these are: the same key from another till, or with another card, is another (C37)."""
        if self.card is not None:
            return _scope_of(self.card)
        if self.channel == Channel.PAPER and self.till is not None:
            return f"paper:{self.till.pk}"  # no request of the till's own can have used a form's key before
        if self.terminal is not None:
            return self.terminal.actor
        return f"till:{self.till.pk}" if self.till is not None else self.actor


def _scope_of(card: PrepaidCard) -> str:
    return f"card:{card.number}"


def from_game_account(player: User) -> BetSource:
    """Pay from the player's game account (¶35.3).

    :raises DomainError: NOT_ALLOWED for anyone but a player with an account (E6).
    """
    accounts = GameAccount.objects.select_related("ledger_account", "player__person")
    return from_account(player, accounts.filter(player=player).first())


def from_account(player: User, account: GameAccount | None) -> BetSource:
    """Pay as `from_game_account`, where the account has been read, with its ledger account and its player's person."""
    if player.role != Role.PLAYER or account is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a player with a game account can bet here."))
    return BetSource(Channel.ACCOUNT, account.ledger_account, player.actor, player=player, person=account.player.person)


def from_till(cashier: User, person: Person | None = None) -> BetSource:
    """Pay in cash at the cashier's till (¶35.1); `person` is who showed a document and plays within limits (X15).

    :raises DomainError: NOT_ALLOWED for anyone but a cashier at a till.
    """
    till = Till.objects.select_related("ledger_account", "point").filter(cashier=cashier).first()
    if cashier.role != Role.CASHIER or till is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier at a till can sell bets for cash."))
    return BetSource(Channel.CASH, till.ledger_account, cashier.actor, till=till, sold_by=cashier, person=person)


def from_terminal(terminal: Terminal, person: Person | None = None) -> BetSource:
    """Pay in cash at a terminal: into the till that it stands at, in the shift of that till's cashier (¶35.1)."""
    till = terminal.till
    return BetSource(
        Channel.CASH,
        till.ledger_account,
        terminal.actor,
        till=till,
        sold_by=till.cashier,
        person=person,
        terminal=terminal,
    )


def from_card(
    *,
    series: str,
    number: str,
    code: str,
    asked_by: User | None = None,
    terminal: Terminal | None = None,
    subjects: Collection[str] = (),
    idempotency_key: str = "",
) -> BetSource:
    """Pay from a prepaid card: series, number and activation code come together, with the bet (¶35.2).

    Who asks is a cashier at a till, a player who is logged in and whose limits then bind, or a terminal; nobody where
    anybody may bring a card. `subjects` are further ones for the throttle: `network_subject(request)`. Call it outside
    any transaction. With the key of a bet that this card has paid, the card need not be usable any more: who has its
    code is told of that bet once more.

    :raises DomainError: CARD_REFUSED, one answer to every card that does not pay; THROTTLED (C61); NOT_ALLOWED for
        staff who are no cashiers at a till, and a player without an account.
    """
    person, asks, desk = None, None, from_terminal(terminal) if terminal is not None else None
    asking, actor = [*subjects], desk.actor if desk is not None else "anybody"
    if terminal is not None:
        asking.append(f"terminal:{terminal.pk}")
    elif asked_by is not None:
        actor = asked_by.actor
        if asked_by.role == Role.PLAYER:
            person, asks = person_of(asked_by), asked_by
            asking.append(actor)
        else:
            desk = from_till(asked_by)
    till, sold_by = (desk.till, desk.sold_by) if desk is not None else (None, None)
    if till is not None:
        asking.append(f"till:{till.pk}")
    card = present_card(
        series=series,
        number=number,
        code=code,
        subjects=asking,
        actor=actor,
        was_used=lambda card: bool(idempotency_key) and was_answered(scope=_scope_of(card), key=idempotency_key),
    )
    account = card.ledger_account
    assert account is not None, "a sold card has an account"
    return BetSource(
        Channel.CARD,
        account,
        actor,
        till=till,
        sold_by=sold_by,
        person=person,
        card=card,
        asked_by=asks,
        terminal=terminal,
    )


def from_transfer(order: BetOrder) -> BetSource:
    """Pay from money that came by transfer and waits in suspense (¶9.8); call it with the receipt locked.

    Who plays is who was shown when it was ordered, else who is known by the payer's bank account.
    """
    account = ledger_account(AccountKind.BANK_SUSPENSE)
    person = order.person or (person_of_bank_account(order.payer_account) if order.payer_account else None)
    return BetSource(Channel.TRANSFER, account, f"bet_order:{order.pk}", person=person)


def from_paper_form(form: PaperForm) -> BetSource:
    """Pay in cash at the till where a paper form was entered (¶9.10)."""
    return BetSource(
        Channel.PAPER,
        form.till.ledger_account,
        form.entered_by.actor,
        till=form.till,
        sold_by=form.entered_by,
        person=form.person,
    )
