"""What breaks the proofs of refunds, of what was given back and of ended games, and what must be named."""

from collections.abc import Mapping

# proof → what breaks it, and what must be named, as in `tests/integration/test_reconcile.py`.
BREAKING_REFUNDS: Mapping[str, tuple[str, str]] = {
    "every returned stake is the whole stake of a bet": (
        "UPDATE payouts_payable SET amount = 99 WHERE pool_id = {returned} AND state = 'due'",
        ": 99 to be returned, 100 staked",
    ),
    "what has lapsed has an entry in the jackpot, and only that": (
        "UPDATE payouts_payable SET state = 'lapsed', settled_at = now() WHERE pool_id = {returned} AND state = 'due'",
        " lapsed of 100, no entry",
    ),
    "what has lapsed was decided by two people, to the kopeck": (
        "UPDATE payouts_payable SET state = 'lapsed', settled_at = now() WHERE pool_id = {returned} AND state = 'due'",
        "{returned_code}: 100 on 1 tickets lapsed, 0 on 0 decided",
    ),
    "what was given back is in the ledger, and only that": (
        "UPDATE accounts_transfer SET kind = 'receivable_paid' WHERE book = {won} AND key LIKE 'winning-expired:%'",
        "no payment, entry winning-expired:",
    ),
    "nobody gave back more than was owed": (
        "UPDATE accounts_ledgeraccount SET kind = 'receivable'"
        " WHERE kind = 'refunds_due' AND owner = '{returned_code}'",
        "receivable:{returned_code} -100",
    ),
    "the jackpot of every game that ended went where its document says": (
        "UPDATE accounts_transfer SET kind = 'jackpot_game_ended' WHERE book = {won} AND key LIKE 'winning-expired:%'",
        "no end of a game, entry of 93 from {won_code} to sportloto",
    ),
    "no game that ended has left money behind": (
        "WITH proposed AS (INSERT INTO accounts_gameendproposal (game, jackpot_to, reason, document_number,"
        " document_date, file, content_type, size, digest, proposed_by_id, proposed_at)"
        " SELECT 'sportloto', '', '', '', now(), '', '', 0, '', min(id), now() FROM accounts_user RETURNING *)"
        " INSERT INTO accounts_gameend (game, jackpot_to, moved, proposal_id, proposed_by_id, approved_by_id, ended_at)"
        " SELECT game, '', 0, p.id, proposed_by_id, (SELECT max(id) FROM accounts_user), now() FROM proposed p",
        "sportloto ended, its jackpot has ",
    ),
}
