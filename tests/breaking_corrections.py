"""What breaks each proof of corrected settlements: read by `integration/test_reconcile.py`."""

from collections.abc import Mapping

_CORRECTED = "INSERT INTO payouts_correctedpayable (pool_id, ticket, kind, before, after, outcome, moved, overpaid)"
_BOOKED = (
    "INSERT INTO payouts_correctionbooking (pool_id, winnings_added, winnings_taken, refunds_added, refunds_taken,"
    " takeout, jackpot, jackpot_short, overpaid, payable_until, booked_at) VALUES"
)

BREAKING_CORRECTIONS: Mapping[str, tuple[str, str]] = {
    "what a correction changed is the difference of both settlements": (
        f"{_CORRECTED} SELECT pool_id, ticket, 'winning', amount, 94, 'left', 0, 0 FROM pools_winning"
        " WHERE pool_id = {won}",
        ": 93 to 94, the same by both settlements",
    ),
    "what a correction booked is what its tickets come to": (
        f"{_BOOKED} ({{won}}, 5, 0, 0, 0, 0, 0, 0, 0, now(), now())",
        "{won_code}: winnings added of 5, tickets of 0",
    ),
    "what a correction booked is in the ledger, and only that": (
        "UPDATE accounts_transfer SET kind = 'correction_added' WHERE book = {won} AND key = 'settle:takeout'",
        "no correction, entry settle:takeout of -120",
    ),
    "takeout and jackpot were corrected by the difference of both statements": (
        "INSERT INTO pools_correction (pool_id, version, state, tally_text, statement_text, manifest_text,"
        " calculated_at, difference, release, correction_text)"
        " SELECT pool_id, 2, 'calculated', tally_text, statement_text, '', now(), '', '', ''"
        f" FROM pools_settlement WHERE pool_id = {{won}}; {_BOOKED} ({{won}}, 0, 0, 0, 0, 7, 0, 0, 0, now(), now())",
        "{won_code} takeout: 7 booked, 0 by the statements",
    ),
    "what is owed on a corrected ticket is as its correction says": (
        f"{_CORRECTED} SELECT pool_id, ticket, 'winning', 93, 90, 'overpaid', 0, 3 FROM payouts_payable"
        " WHERE pool_id = {won} AND state = 'expired'",
        " overpaid of 93, winning ",
    ),
    "every reclaimed overpayment is an entry, every such entry a decision": (
        "UPDATE accounts_transfer SET kind = 'overpaid_reclaimed' WHERE book = {won} AND key LIKE 'winning-expired:%'",
        "no decision, entry winning-expired:",
    ),
}
