"""Confirming a settlement: the engine does it again, bet by bet from the public files; only then money moves (I9)."""

from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils.translation import gettext_lazy as _

from pools.locks import find_pool, lock_pool
from pools.models import Computed, Pool, PoolState, Settlement, SettlementState
from pools.services.making_official import make_official
from pools.snapshots.bundle import computed_files, write_inputs
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.signing import operator_sign
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import json_file, parse_json
from totalizator.engine.difference import Difference, compare, compare_file
from totalizator.engine.errors import EngineError
from totalizator.engine.manifest import build_manifest, manifest_payload
from totalizator.engine.settlement import settle
from totalizator.engine.statement import Statement


def confirm_settlement(*, code: str, actor: str) -> Settlement:
    """Compute a calculated settlement a second time and, if every byte agrees, make it official.

    The second computation holds no lock and no transaction: it reads only what can no longer change. A settlement that
    was disputed before is compared anew.

    :raises DomainError: NOT_FOUND; WRONG_STATE unless it is calculated and not yet official; SETTLEMENT_DIFFERS, with
        nothing paid and the first difference kept, when the two computations do not agree.
    """
    pool = find_pool(code)
    settlement = awaiting_confirmation(pool)
    with TemporaryDirectory(prefix="totalizator-") as folder:
        directory = Path(folder)
        difference, statement = settle_again(pool, settlement, directory)
        if statement is None:
            _dispute(code, difference, actor)
            raise DomainError(
                Refusal.SETTLEMENT_DIFFERS,
                _("The two computations of the settlement differ; nothing is paid: %(difference)s")
                % {"difference": difference},
                difference=difference,
            )
        settled_at = clock.now()
        manifest_text = signed_manifest(directory, settled_at)
    with one_transaction():
        pool = lock_pool(code)
        settlement = awaiting_confirmation(pool)
        make_official(pool, settlement, statement, at=settled_at, manifest_text=manifest_text, actor=actor)
    return settlement


def awaiting_confirmation(pool: Pool) -> Settlement:
    """Return the pool's settlement; :raises DomainError: WRONG_STATE when none is calculated, or it is official."""
    unfit = (SettlementState.WRITING, SettlementState.OFFICIAL)
    settlement = Settlement.objects.filter(pool=pool).exclude(state__in=unfit).first()
    if pool.state != PoolState.RESULTED or settlement is None:
        raise DomainError(
            Refusal.WRONG_STATE, _("There is no calculated settlement to be confirmed."), state=pool.state
        )
    return settlement


def settle_again(pool: Pool, computed: Computed, directory: Path) -> tuple[str, Statement | None]:
    """Return the engine's statement, or the first difference and None."""
    write_inputs(pool, computed, directory)
    try:
        statement = settle(directory)
        _compare(pool, computed, directory)
    except EngineError as fault:
        if fault.code == "MISSING_FILE":  # a full disk is no difference: the next run may find room
            raise
        return f"the engine refuses the files: {fault}", None
    except Difference as difference:
        return f"{difference} (bundle: the engine, bet by bet; computed: the database)", None
    return "", statement


def _compare(pool: Pool, computed: Computed, directory: Path) -> None:
    """Compare to the byte; in JSON name the first field that differs, in winnings.csv the first line."""
    for name, parts in computed_files(pool, computed):
        if name.endswith(".json"):
            engines, databases = directory.joinpath(name).read_bytes(), b"".join(parts)
            compare(name, parse_json(engines, where=name), parse_json(databases, where=name))
            if engines != databases:
                raise Difference(f"{name}: the same values in other bytes")
        else:
            with directory.joinpath(name).open("rb") as file:
                compare_file(name, file, parts)


def signed_manifest(directory: Path, settled_at: datetime) -> str:
    """Return manifest.json of a settled folder, signed by the operator."""
    document = build_manifest(directory, settled_at)
    signed = {**document, "signatures": [operator_sign(manifest_payload(document))]}
    return json_file(signed).decode()


def _dispute(code: str, difference: str, actor: str) -> None:
    """Keep the difference where everybody sees it, unless another run has made the settlement official."""
    with one_transaction():
        settlement = awaiting_confirmation(lock_pool(code))
        settlement.state, settlement.difference = SettlementState.DISPUTED, difference
        settlement.save(update_fields=["state", "difference"])
        write_journal(
            at=clock.now(),
            actor=actor,
            act="dispute_settlement",
            subject=f"pool:{code}",
            reason=difference,
        )
