"""Money onto the players' accounts, each by one of the ways there are: bank, payment system, cash, card (¶35)."""

from collections import Counter
from collections.abc import Iterable, Mapping

from accounts.models import GameAccount
from accounts.services.topups import top_up_by_card, top_up_in_cash
from accounts.services.transfer_references import ReferenceKind, TransferReference
from payouts.management.demo.admitting import bank_account_no
from payouts.management.demo.bank import Bank, Transfer
from payouts.management.demo.cast import Cast
from payouts.management.demo.choosing import ChosenBet, Way
from payouts.management.demo.payment_system import PaymentSystem
from payouts.management.demo.sales import player_of
from payouts.management.demo.wallet import buy_cards

POCKET_MONEY = 5000  # kopecks that each player has besides what the planned bets cost
MOST_IN_CASH = 50_000
BY_CARD = 3  # players who move a whole card onto their account


def needed_by(bets: Iterable[ChosenBet], cast: Cast) -> Mapping[int, int]:
    """Return what each account needs for the bets, in kopecks (¶35.3: only from a positive balance)."""
    needed: Counter[int] = Counter({account.pk: POCKET_MONEY for account in cast.accounts})
    for bet in bets:
        if bet.way == Way.ACCOUNT:
            needed[player_of(bet, cast).game_account.pk] += bet.stake
    return needed


def fill_accounts(needed: Mapping[int, int], name: str, cast: Cast, bank: Bank, system: PaymentSystem) -> None:
    """Put what is needed on each account; `name` tells this filling from others."""
    by_bank = []
    for place, account in enumerate(cast.accounts):
        amount = needed[account.pk]
        if place % 4 == 1:
            system.deposit(account, amount)
        elif place % 4 == 3 and amount <= MOST_IN_CASH:
            key = f"demo:top-up:{name}:{account.pk}"
            top_up_in_cash(account=account, amount=amount, cashier=cast.cashiers[0], idempotency_key=key)
        else:
            by_bank.append(_transfer(place, account, amount))
    bank.send(by_bank)
    holders = cast.accounts[:BY_CARD]
    for card, account in zip(buy_cards(len(holders), cast), holders, strict=True):
        top_up_by_card(
            player=account.player,
            series=card.series,
            number=card.number,
            code=card.code,
            idempotency_key=f"demo:{name}:card:{account.pk}",
        )


def _transfer(place: int, account: GameAccount, amount: int) -> Transfer:
    reference = TransferReference(ReferenceKind.GAME_ACCOUNT, account.pk)
    return Transfer(amount, f"Игрок {place + 1}", bank_account_no(place + 1), f"Пополнение счёта {reference}")
