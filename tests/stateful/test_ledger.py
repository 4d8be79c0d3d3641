"""A machine that opens accounts, posts, repeats, reverses and overdraws in any order, beside a model of plain sums."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from accounts.ledger.balances import balance, entries_balance, statement, trial_balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import DuplicateTransfer, Movement, NewTransfer, ledger_account, post_many
from accounts.ledger.proofs import broken_invariants
from accounts.ledger.reversal import reverse
from accounts.models import LedgerAccount, Transfer
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db

KINDS = (AccountKind.BANK, AccountKind.TILL, AccountKind.GAME_ACCOUNT, AccountKind.PREPAID_CARD, AccountKind.ORGANIZER)
Legs = list[tuple[int, int, int]]  # debit's place, credit's place, kopecks


class Ledger(RuleBasedStateMachine):
    """The model holds every account's debits less credits, and what each key moved."""

    transfers = Bundle("transfers")

    def __init__(self) -> None:
        super().__init__()
        self.example = transaction.atomic()
        self.example.__enter__()
        self.accounts: list[LedgerAccount] = []
        self.sums: Counter[int] = Counter()
        self.moved: dict[str, Legs] = {}
        self.undone: set[str] = set()

    @initialize()
    def open_the_first(self) -> None:
        for kind in (AccountKind.BANK, AccountKind.GAME_ACCOUNT):
            self.open(kind, "0")

    @rule(kind=st.sampled_from(KINDS), owner=st.sampled_from("012"))
    def open(self, kind: AccountKind, owner: str) -> None:
        account = ledger_account(kind, owner)
        if account not in self.accounts:
            self.accounts.append(account)

    @rule(target=transfers, amount=st.integers(1, 10**12), to=st.integers(0, 20))
    def deposit(self, amount: int, to: int) -> str:
        place = to % len(self.accounts) or 1
        return self._post([(0, place, amount)] if not self.accounts[place].debit_normal else [(place, 0, amount)])

    @rule(
        target=transfers,
        batch=st.lists(
            st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20), st.integers(1, 10**6)), min_size=1, max_size=3),
            min_size=1,
            max_size=4,
        ),
    )
    def move(self, batch: list[Legs]) -> str:
        """Post a batch between any accounts; a step of 1 or more from the debit to the credit keeps them apart."""
        count = len(self.accounts)
        return self._post(
            *[[(a % count, (a + 1 + step % (count - 1)) % count, amount) for a, step, amount in legs] for legs in batch]
        )

    @rule(key=transfers, amount=st.integers(1, 100))
    def post_under_an_old_key(self, key: str, amount: int) -> None:
        if key not in self.moved:
            return
        both = [self._transfer(name, [(0, 1, amount)]) for name in ("quite new", key)]
        assert outcome(lambda: post_many(both)) == "duplicate"
        assert not Transfer.objects.filter(key="quite new").exists()

    @rule(key=transfers)
    def undo(self, key: str) -> None:
        if key not in self.moved:
            return
        mirror = [(credit, debit, amount) for debit, credit, amount in self.moved[key]]
        transfer = Transfer.objects.get(key=key)
        done = outcome(lambda: reverse(transfer, occurred_at=clock.now(), cause="test"))
        if key in self.undone:
            assert done == "duplicate"
        elif self._overdrawn(mirror):
            assert done == Refusal.INSUFFICIENT_FUNDS
        else:
            assert done == "done"
            self.undone.add(key)
            self._apply(mirror)

    def _post(self, *batch: Legs) -> str:
        keys = [f"{len(self.moved) + 1}-{number}" for number in range(len(batch))]
        legs = [leg for each in batch for leg in each]
        transfers = [self._transfer(key, each) for key, each in zip(keys, batch, strict=True)]
        done = outcome(lambda: post_many(transfers))
        if self._overdrawn(legs):
            assert done == Refusal.INSUFFICIENT_FUNDS
            assert not Transfer.objects.filter(key__in=keys).exists()
        else:
            assert done == "done"
            self._apply(legs)
            self.moved.update(zip(keys, batch, strict=True))
        return keys[0]

    def _transfer(self, key: str, legs: Legs) -> NewTransfer:
        movements = [Movement(self.accounts[debit], self.accounts[credit], amount) for debit, credit, amount in legs]
        return NewTransfer(key, TransferKind.DEPOSIT, clock.now(), "test", movements)

    def _apply(self, legs: Legs) -> None:
        for debit, credit, amount in legs:
            self.sums[debit] += amount
            self.sums[credit] -= amount

    def _overdrawn(self, legs: Legs) -> bool:
        after = Counter(self.sums)
        for debit, credit, amount in legs:
            after[debit] += amount
            after[credit] -= amount
        return any(
            account.guarded and (after[place] if account.debit_normal else -after[place]) < 0
            for place, account in enumerate(self.accounts)
        )

    @invariant()
    def the_ledger_is_the_model(self) -> None:
        stored = LedgerAccount.objects.in_bulk([account.pk for account in self.accounts])
        for place, account in enumerate(self.accounts):
            counters = stored[account.pk]
            if account.guarded:
                assert (counters.debits or 0) - (counters.credits or 0) == self.sums[place]
                assert self._balance(place) >= 0

    def teardown(self) -> None:
        for place, account in enumerate(self.accounts):
            lines = list(statement(account))
            shown = lines[-1].balance if lines else 0
            assert shown == balance(account) == entries_balance(account) == self._balance(place)
        assert sum(trial_balance().values()) == 0
        assert broken_invariants() == []
        transaction.set_rollback(True)
        self.example.__exit__(None, None, None)

    def _balance(self, place: int) -> int:
        return self.sums[place] if self.accounts[place].debit_normal else -self.sums[place]


def outcome(act: Callable[[], object]) -> str:
    """Do it in a transaction of its own; say what came of it."""
    try:
        with transaction.atomic():
            act()
    except DuplicateTransfer:
        return "duplicate"
    except DomainError as refusal:
        return refusal.code
    return "done"


def test_the_ledger_keeps_its_promises_in_any_order() -> None:
    run_state_machine_as_test(
        Ledger,
        settings=settings(
            max_examples=30,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
