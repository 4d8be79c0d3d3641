"""Correcting a settlement: calculated again by the correcting protocol, confirmed by the engine, then official (H5).

The settlement that is corrected stays as it was. What the correction changes on tickets is made good by `payouts`, once
it is official.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils.translation import gettext_lazy as _

from pools.locks import find_pool, lock_pool
from pools.models import Commitment, CorrectedWinning, Correction, Pool, Protocol, Settlement, SettlementState
from pools.queries.corrections import changed_csv, correction_of
from pools.queries.tally import CountedPool, count_pool
from pools.queries.winnings import insert_winnings
from pools.services.calculating import bets_digest_of, divided, refuse_wrong_rows, state_of
from pools.services.confirming import settle_again, signed_manifest
from pools.services.making_corrected import make_corrected
from pools.services.settlement_money import BrokenIdentity
from pools.snapshots.bundle import settled_files, write_files
from pools.snapshots.result import newest_sealed_protocol
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.signing import operator_sign
from totalizator.core.transactions import one_transaction
from totalizator.engine import bundle
from totalizator.engine.canonical import json_file
from totalizator.engine.changes import changed_rows
from totalizator.engine.corrections import build_correction, correction_payload
from totalizator.engine.difference import Difference, compare_file
from totalizator.engine.result import parse_result
from totalizator.engine.statement import Statement, statement_document
from totalizator.engine.tally import tally_document


def correct_settlement(*, code: str, actor: str) -> Correction:
    """Correct a settled pool by its sealed correcting protocol; killed anywhere, it goes on with the same rows.

    As a settlement it is computed twice: by the database under the pool's lock, then by the engine from the files,
    outside of any transaction. Of two calls at once one does it, the other is refused.

    :raises DomainError: as `calculate_correction` and `confirm_correction`.
    """
    calculate_correction(code=code, actor=actor)
    return confirm_correction(code=code, actor=actor)


def calculate_correction(*, code: str, actor: str) -> Correction:
    """Count and divide the pool by the correcting protocol, with the jackpot and cancelled bets of its settlement.

    Once calculated it stands: a second call returns the same correction.

    :raises DomainError: NOT_FOUND; WRONG_STATE unless a correcting protocol of a settled pool is sealed.
    :raises BrokenIdentity: when it does not come out of the same money.
    """
    with one_transaction():
        pool = lock_pool(code)
        standing = correction_of(pool)
        if standing is not None:
            return standing
        settlement, protocol = _sealed(pool)
        result = parse_result(pool.terms, protocol.document_text.encode())
        counted = count_pool(pool, result, jackpot_in=settlement.jackpot_in)
        statement = divided(pool, result, counted, bets_digest_of(Commitment.objects.get(pool=pool)))
        _refuse_other_money(settlement, counted, statement)
        correction = Correction.objects.create(
            pool=pool,
            version=protocol.version,
            tally_text=json_file(tally_document(counted.tally)).decode(),
            statement_text=json_file(statement_document(statement)).decode(),
            calculated_at=clock.now(),
        )
        rows = insert_winnings(pool, counted.winners, statement, CorrectedWinning)
        refuse_wrong_rows(pool, statement, CorrectedWinning)
        write_journal(
            at=correction.calculated_at,
            actor=actor,
            act="calculate_correction",
            subject=f"pool:{code}",
            after={
                "protocol": protocol.number,
                "rows": rows,
                "winnings": statement.winnings,
                "late": len(statement.late),
            },
        )
    return correction


def confirm_correction(*, code: str, actor: str) -> Correction:
    """Compute a calculated correction a second time, with what it changes, and if every byte agrees make it official.

    :raises DomainError: NOT_FOUND; WRONG_STATE unless it is calculated and not yet official; SETTLEMENT_DIFFERS, with
        nothing changed and the first difference kept, when the two computations do not agree.
    """
    pool = find_pool(code)
    correction = awaiting_confirmation(pool)
    settlement = Settlement.objects.get(pool=pool)
    with TemporaryDirectory(prefix="totalizator-") as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        before.mkdir()
        after.mkdir()
        difference, statement = settle_again(pool, correction, after)
        difference = difference or _compare_changes(pool, settlement, before, after)
        if statement is None or difference:
            _dispute(code, difference, actor)
            raise DomainError(
                Refusal.SETTLEMENT_DIFFERS,
                _("The two computations of the correction differ; nothing is changed: %(difference)s")
                % {"difference": difference},
                difference=difference,
            )
        at = clock.now()
        correction.manifest_text = signed_manifest(after, at)
        bundle.write_file(after, bundle.MANIFEST, [correction.manifest_text.encode()])
        document = build_correction(before, after)
    signed = {**document, "signatures": [operator_sign(correction_payload(document))]}
    with one_transaction():
        pool = lock_pool(code)
        standing = awaiting_confirmation(pool)
        standing.manifest_text, standing.correction_text = correction.manifest_text, json_file(signed).decode()
        make_corrected(pool, standing, statement, document, at=at, actor=actor)
    return standing


def awaiting_confirmation(pool: Pool) -> Correction:
    """Return the pool's correction; :raises DomainError: WRONG_STATE when there is none, or it is official."""
    correction = correction_of(pool)
    if correction is None or correction.state == SettlementState.OFFICIAL:
        raise DomainError(Refusal.WRONG_STATE, _("There is no calculated correction to be confirmed."), field="pool")
    return correction


def _sealed(pool: Pool) -> tuple[Settlement, Protocol]:
    """Return the official settlement, and the sealed protocol that corrects it."""
    settlement = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    protocol = newest_sealed_protocol(pool)
    if settlement is None or protocol is None or protocol.version <= settlement.version:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("Only a settled pool with a sealed correcting protocol can be corrected."),
            state=pool.state,
        )
    return settlement, protocol


def _refuse_other_money(settlement: Settlement, counted: CountedPool, statement: Statement) -> None:
    """Check that it is the same stakes, jackpot and cancelled bets that are divided, and every kopeck of them (I3).

    :raises BrokenIdentity: when it is not so.
    """
    state = json_file(state_of(counted)).decode()
    if statement.balance != 0 or statement.carried or state != settlement.state_text:
        raise BrokenIdentity(
            f"pool {settlement.pool.code}: balance {statement.balance}, carried {dict(statement.carried)}, {state} in"
            f" the correction, {settlement.state_text} in the settlement"
        )


def _compare_changes(pool: Pool, settlement: Settlement, before: Path, after: Path) -> str:
    """Write what the database says is changed, and return where the engine differs, from the two bundles' files."""
    for _name in write_files(before, settled_files(pool, settlement)):
        pass
    bundle.write_file(after, bundle.CHANGED, changed_csv(pool))
    try:
        with after.joinpath(bundle.CHANGED).open("rb") as file:
            compare_file(bundle.CHANGED, file, changed_rows(before, after))
    except Difference as difference:
        return f"{difference} (bundle: the database; computed: the engine, bet by bet)"
    return ""


def _dispute(code: str, difference: str, actor: str) -> None:
    """Keep the difference where everybody sees it, unless another run has made the correction official."""
    with one_transaction():
        correction = awaiting_confirmation(lock_pool(code))
        correction.state, correction.difference = SettlementState.DISPUTED, difference
        correction.save(update_fields=["state", "difference"])
        write_journal(at=clock.now(), actor=actor, act="dispute_correction", subject=f"pool:{code}", reason=difference)
