"""Everything that one person begins and another approves, each made ready to be approved (R1).

A new service of this kind has to be told here; `tests/concurrency/test_approvals.py` and
`tests/integration/test_two_people.py` try all of them.
"""

from collections.abc import Callable, Mapping

from tests.approving import of_accounts, of_jackpots, of_payouts, of_pools
from tests.approving.waiting import Waiting
from tests.fakes.provider import FakeProvider

APPROVALS: Mapping[str, Callable[[FakeProvider], Waiting]] = {
    "accounts.services.bank_doubts.approve_doubt": of_accounts.a_doubtful_line,
    "accounts.services.blocking.block_account": of_accounts.a_blocked_account,
    "accounts.services.blocking.unblock_account": of_accounts.an_unblocked_account,
    "accounts.services.card_batches.approve_card_batch": of_accounts.a_card_batch,
    "accounts.services.card_replacing.approve_replacement": of_accounts.a_replaced_card,
    "accounts.services.dated_numbers.approve_number": of_accounts.a_dated_number,
    "accounts.services.deposit_returns.approve_return": of_accounts.a_return,
    "accounts.services.deposit_returns.approve_return by document": of_accounts.a_return_by_document,
    "accounts.services.register_shrinkage.approve_shrunken": of_accounts.a_shrunken_register,
    "accounts.services.release_changes.approve_change": of_accounts.a_release_change,
    "accounts.services.roles.approve_role": of_accounts.a_role,
    "accounts.services.trial_accounts.approve_trial": of_accounts.a_trial_account,
    "accounts.services.withdrawal_decisions.approve_end": of_accounts.an_ended_withdrawal,
    "accounts.services.withdrawals.approve_withdrawal": of_accounts.a_withdrawal,
    "payouts.services.bet_cancelling.approve_bet_cancellation": of_payouts.a_bet_cancellation,
    "payouts.services.bet_cancelling.approve_bet_cancellation after settlement": of_payouts.a_settled_bets_cancellation,
    "payouts.services.extending.approve_extension": of_payouts.an_extension,
    "payouts.services.game_ends.approve_game_end": of_jackpots.the_end_of_a_game,
    "payouts.services.large_payments.approve_large_payment": of_payouts.a_large_payment,
    "payouts.services.overpaid.approve_overpaid": of_payouts.an_overpaid_winning,
    "payouts.services.refund_lapses.approve_refund_lapse": of_jackpots.lapsed_refunds,
    "payouts.services.publishing_winners.approve_publication": of_payouts.a_publication,
    "payouts.services.ticket_claims.approve_decision": of_payouts.a_ticket_claim,
    "pools.services.abandoning.approve_abandonment": of_pools.an_abandonment,
    "pools.services.cancelling.approve_cancellation": of_pools.a_cancellation,
    "pools.services.drafting.announce_pool": of_pools.an_announcement,
    "pools.services.lost_keys.approve_key_revocation": of_pools.a_lost_key,
    "pools.services.paper_forms.approve_form": of_pools.a_paper_form,
    "pools.services.paper_jackpot.approve_form_to_jackpot": of_pools.a_form_to_jackpot,
    "pools.services.receipt_decisions.approve_decision": of_pools.a_receipt,
    "pools.services.subscribers.approve_stop": of_pools.a_stop,
    "pools.services.subscribers.approve_subscriber": of_pools.a_subscriber,
}
"""By the service's dotted name, and what else is to be told of the case."""
