"""What the money machine believes: sums kept by hand beside the ledger, and which refusal each act must meet."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from accounts.ledger.balances import balance, trial_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import LedgerAccount, PaymentInstrument, PointKind, Shift, Terminal, Till, User
from accounts.services.shifts import open_shift_of
from payouts.queries.guarantee import guarantee_sum
from pools.models import CancelledWhen, Channel, CommissionKey, Pool, PoolState
from tests.banking import in_suspense
from tests.carding import Bought, at_point
from tests.desks import make_agent, make_terminal
from tests.making import make_commission, make_organizers, make_player, make_till
from tests.paying import broken
from tests.topping_up import named_bank
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

PRICE, CARD_VALUE = 100, 250
ON_SALE = (PoolState.ANNOUNCED, PoolState.OPEN)
T = TypeVar("T")


@dataclass(frozen=True)
class World:
    """Who plays, sells and decides: made once, the same for every run."""

    tills: list[Till]
    terminal: Terminal
    players: list[User]
    banks: list[PaymentInstrument]
    cards: list[Bought]
    staff: tuple[User, User]
    keys: list[CommissionKey]


def make_world() -> World:
    """Two tills, one an agent's and with a terminal; two players with a bank account; three cards at the first till."""
    tills = [make_till(1_000), make_till(500, agent=make_agent("1/10"), kind=PointKind.AGENT)]
    players = [make_player(1_000), make_player()]
    return World(
        tills=tills,
        terminal=make_terminal(tills[1]).terminal,
        players=players,
        banks=[named_bank(player) for player in players],
        cards=at_point(tills[0], 3, CARD_VALUE, days=1_500),
        staff=make_organizers(),
        keys=make_commission(),
    )


@dataclass
class Slip:
    """A bet that the machine made; its winning goes to an account, to the bank, or to who brings it."""

    selections: str
    ticket: str
    check_code: str
    pay_to: LedgerAccount | None
    by_bank: bool = False
    paid: bool = False
    cancelled: CancelledWhen | None = None


@dataclass
class Book:
    """A pool as the machine knows it; `right` is "" until a result, `returned` when every stake went back."""

    pool: Pool
    slips: list[Slip] = field(default_factory=list)
    right: str = ""
    returned: bool = False
    cancelled: bool = False

    @property
    def determined(self) -> bool:
        """Whether it is settled or cancelled, and what is owed drawn up."""
        return bool(self.right) or self.cancelled

    @property
    def open(self) -> bool:
        """Whether it takes bets, by the clock."""
        self.pool.refresh_from_db()
        return self.pool.state in ON_SALE and clock.now() < self.pool.closes_at

    def goes_back(self, slip: Slip) -> bool:
        """Whether the slip gets its stake, and no winning."""
        return self.returned or self.cancelled or slip.cancelled is not None

    def owed(self, slip: Slip) -> int:
        """What the slip gets before tax, in kopecks; a bet cancelled after the settlement had its part in it (¶29)."""
        if self.goes_back(slip):
            return PRICE
        divided = [other for other in self.slips if other.cancelled != CancelledWhen.BEFORE]
        winners = sum(other.selections == self.right for other in divided)
        fund = len(divided) * PRICE * 7 // 10
        return fund // winners if slip.selections == self.right else 0

    def net(self, slip: Slip) -> int:
        """What the slip gets, less 5 % of a winning, to the nearest kopeck."""
        gross = self.owed(slip)
        return gross if self.goes_back(slip) else gross - (gross * 5 + 50) // 100


class Model:
    """Every guarded account by hand; for each till also what came and went since its shift began."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sums: Counter[int] = Counter()
        self.floats: dict[int, int] = {}
        self.came: Counter[int] = Counter()
        self.went: Counter[int] = Counter()
        self.suspense = 0
        self.held = 0
        self.off: set[int] = set()
        self.paused: Counter[Channel] = Counter()
        self.limits: dict[int, int] = {}
        for account in self._watched():
            self.sums[account.pk] = balance(account)
        for till in world.tills:
            self.floats[till.pk] = self.sums[till.ledger_account_id]

    def into(self, account: LedgerAccount, amount: int) -> None:
        """Note that the account holds so much more, or less."""
        self.sums[account.pk] += amount
        (self.came if amount > 0 else self.went)[account.pk] += abs(amount)

    def holds(self, account: LedgerAccount) -> int:
        """Return what is believed to be on it."""
        return self.sums[account.pk]

    def at_desk(self, till: Till) -> set[Refusal]:
        """Return why the till neither sells nor pays."""
        reasons = {Refusal.SWITCHED_OFF} if till.pk in self.off else set()
        return reasons | ({Refusal.NO_OPEN_SHIFT} if till.pk not in self.floats else set())

    def of_pool(self, book: Book, channel: Channel) -> set[Refusal]:
        """Return why the pool takes no bet of the channel."""
        reasons = set() if book.open else {Refusal.POOL_CLOSED}
        return reasons | ({Refusal.SALES_PAUSED} if self.paused[channel] else set())

    def short(self, account: LedgerAccount, amount: int) -> set[Refusal]:
        """Return whether there is too little on it."""
        return {Refusal.INSUFFICIENT_FUNDS} if self.holds(account) < amount else set()

    def assert_held(self) -> None:
        """Ledger and model say the same of every guarded account; expected cash is float + in − out."""
        for account in self._watched():
            assert balance(account) == self.sums[account.pk], account
        for till in self.world.tills:
            shift = open_shift_of(till)
            assert (shift is not None) == (till.pk in self.floats)
            if shift is not None:
                self._assert_cash(till, shift)
        assert in_suspense() == self.suspense
        assert balance(ledger_account(AccountKind.HELD_DEPOSITS, "fake")) == self.held

    def _assert_cash(self, till: Till, shift: Shift) -> None:
        account = LedgerAccount.objects.get(pk=till.ledger_account_id)
        came = (account.debits or 0) - shift.opening_debits
        went = (account.credits or 0) - shift.opening_credits
        assert (came, went) == (self.came[account.pk], self.went[account.pk])
        assert shift.opening_float == self.floats[till.pk]
        assert shift.opening_float + came - went == balance(account)

    def _watched(self) -> Iterator[LedgerAccount]:
        for till in self.world.tills:
            yield till.ledger_account
        for player in self.world.players:
            yield player.game_account.ledger_account
        for bought in self.world.cards:
            account = bought.card.ledger_account
            if account is not None:
                yield account


def attempt(act: Callable[[], T], reasons: Collection[Refusal] = ()) -> T | None:
    """Do the act: it is refused if there is a reason, for one of them, and only then."""
    try:
        done = act()
    except DomainError as refusal:
        if refusal.code not in reasons:
            raise
        return None
    assert not reasons, f"done in spite of {sorted(reasons)}"
    return done


def faults() -> list[str]:
    """Return every proof that does not hold, and every debt of the guarantee sum that the ledger denies."""
    uneven = ["the books are not even"] if sum(trial_balance().values()) else []
    return [*broken(), *uneven, *(f"guarantee: {AccountKind(kind).label}" for kind in guarantee_sum().differing)]
