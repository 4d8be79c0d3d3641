"""Everything about one ticket in one file, for who considers a dispute, and for a court (M1).

A stranger checks it with the engine alone: the receipt off line, and the whole pool by its public bundle.
"""

import json
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff
from payouts.models import CorrectedPayable
from payouts.queries.claim_terms import claim_end_of
from pools.models import Bet, Correction, Settlement, SettlementState
from pools.services.bet_receipts import receipt_of
from pools.services.commission_keys import published_keys
from pools.services.printing import print_copy
from pools.snapshots.bets import bet_line
from pools.snapshots.bundle import announced_files
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.engine.canonical import json_file
from totalizator.engine.instants import instant_text

_READ_ME = """Evidence of ticket {ticket} of pool {pool}, gathered at {at}.

receipt.json    the bet, its place among the committed bets, the commitment and its place in the public log
keys.json       the public keys; compare them with those the operator publishes
terms.json, commitment.json, result.json    what was announced, committed to and found by the commission
statement.json, manifest.json               the official settlement, and the digests of all its files
corrected/      if the result was corrected after the settlement: the same of the correction, correction.json with every
                changed ticket, and what was done on this ticket (this_ticket.json)
journal.json    what the journal has of this bet
ticket.pdf      a copy of the ticket

Check it with plain Python and the published verifier:

    python -m totalizator.engine verify-receipt receipt.json --keys keys.json

and the whole settlement with the pool's bundle from the operator's site:

    python -m totalizator.engine verify DIRECTORY --keys keys.json
"""


def evidence_pack(*, bet: Bet, asked_by: User) -> bytes:
    """Return a zip with all that is known of a bet; who asked is journalled.

    :raises DomainError: NOT_ALLOWED.
    """
    refuse_all_but_staff(asked_by)
    at = clock.now()
    settlement = Settlement.objects.filter(pool=bet.pool, state=SettlementState.OFFICIAL).first()
    files: dict[str, bytes] = {
        "README.txt": _READ_ME.format(ticket=bet.ticket, pool=bet.pool.code, at=instant_text(at)).encode(),
        "bet.csv": bet_line(bet) + b"\n",
        "receipt.json": json_file(receipt_of(bet)),
        "keys.json": json_file(published_keys()),
        "ticket.pdf": print_copy(bet, actor=asked_by.actor, paid_until=claim_end_of(bet.pool)),
        "journal.json": _journal(bet),
        **{name: b"".join(parts) for name, parts in announced_files(bet.pool)},
    }
    if settlement is not None:
        files["statement.json"] = settlement.statement_text.encode()
        files["manifest.json"] = settlement.manifest_text.encode()
    files |= _corrected(bet)
    write_journal(at=at, actor=asked_by.actor, act="gather_evidence", subject=f"bet:{bet.ticket}")
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _corrected(bet: Bet) -> dict[str, bytes]:
    correction = Correction.objects.filter(pool=bet.pool, state=SettlementState.OFFICIAL).first()
    if correction is None:
        return {}
    rows = CorrectedPayable.objects.filter(pool=bet.pool, ticket=bet.ticket).order_by("kind")
    done = [
        {"kind": row.kind, "before": row.before, "after": row.after, "outcome": row.outcome, "moved": row.moved}
        for row in rows
    ]
    return {
        "corrected/statement.json": correction.statement_text.encode(),
        "corrected/manifest.json": correction.manifest_text.encode(),
        "corrected/correction.json": correction.correction_text.encode(),
        "corrected/this_ticket.json": json_file({"ticket": bet.ticket, "corrected": done}),
    }


def _journal(bet: Bet) -> bytes:
    rows = JournalRecord.objects.filter(subject=f"bet:{bet.ticket}").order_by("pk")
    told = [
        {"at": instant_text(row.at), "actor": row.actor, "act": row.act, "before": row.before, "after": row.after}
        for row in rows
    ]
    return (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode()
