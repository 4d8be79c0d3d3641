"""Making up a pool step by step: what is typed is kept at once, so that no refresh, no tab and no log-out loses it.

Two windows on one step: the later one is told that the step was saved meanwhile, and overwrites nothing unasked.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff
from pools.locks import lock_sketch
from pools.models import Pool, PoolSketch
from pools.services.drafting import draft_pool, redraft_pool
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json

Typed = Mapping[str, list[str]]
"""Field → the texts that were typed in it."""

MOST_SKETCHES = 50


def begin_sketch(
    *, origin: str, document: Mapping[str, Any], typed: Mapping[str, Typed], begun_by: User, changes: Pool | None = None
) -> PoolSketch:
    """Begin to make up a pool, from a template or another pool; `changes` is the draft that it will change.

    :raises DomainError: NOT_ALLOWED; WRONG_STATE with too many that are not finished.
    """
    refuse_all_but_staff(begun_by)
    if PoolSketch.objects.filter(owner=begun_by, prepared_at__isnull=True).count() >= MOST_SKETCHES:
        message = _("You have %(most)s pools that are not finished: finish or throw away some of them first.")
        raise DomainError(Refusal.WRONG_STATE, message % {"most": MOST_SKETCHES})
    at = clock.now()
    return PoolSketch.objects.create(
        owner=begun_by, origin=origin, document=document, typed=typed, begun_at=at, changed_at=at, pool=changes
    )


def step_mark(sketch: PoolSketch, step: str) -> str:
    """Return what changes whenever the step is saved with other texts: a page carries it back."""
    return sha256(canonical_json(sketch.typed.get(step, {}))).hexdigest()[:16]


def keep_step(*, number: int, step: str, typed: Typed, seen: str, kept_by: User) -> PoolSketch:
    """Keep what was typed in a step, right or not.

    :param seen: the mark of the step as the person saw it
    :raises DomainError: NOT_FOUND; WRONG_STATE when it is prepared already, or the step was saved meanwhile with other
        texts: nothing is kept, and the same with the present mark overwrites them.
    """
    with one_transaction():
        sketch = _mine(number, kept_by)
        _refuse_prepared(sketch)
        if sketch.typed.get(step) == typed:
            return sketch
        if step_mark(sketch, step) != seen:
            message = _(
                "This step was saved in another window meanwhile. What you typed is below: save it again to keep it."
            )
            raise DomainError(Refusal.WRONG_STATE, message)
        sketch.typed = {**sketch.typed, step: typed}
        sketch.changed_at = clock.now()
        sketch.save(update_fields=["typed", "changed_at"])
    return sketch


def prepare_sketch(*, number: int, document: Mapping[str, Any], prepared_by: User) -> Pool:
    """Make a draft of it, or change the draft that it was begun from; sent again it returns the same pool.

    :raises DomainError: NOT_FOUND; as `draft_pool` and `redraft_pool`.
    """
    with one_transaction():
        sketch = _mine(number, prepared_by)
        if sketch.prepared_at is not None and sketch.pool is not None:
            return sketch.pool
        if sketch.pool is None:
            pool = draft_pool(document=document, prepared_by=prepared_by)
        else:
            pool = redraft_pool(code=sketch.pool.code, document=document, prepared_by=prepared_by)
        sketch.pool, sketch.prepared_at = pool, clock.now()
        sketch.save(update_fields=["pool", "prepared_at"])
    return pool


def throw_away_sketch(*, number: int, thrown_by: User) -> None:
    """Forget what was made up and is not prepared.

    :raises DomainError: NOT_FOUND; WRONG_STATE when it is prepared.
    """
    with one_transaction():
        sketch = _mine(number, thrown_by)
        _refuse_prepared(sketch)
        sketch.delete()


def _mine(number: int, person: User) -> PoolSketch:
    refuse_all_but_staff(person)
    sketch = lock_sketch(number, person.pk)
    if sketch is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such unfinished pool."), field="number")
    return sketch


def _refuse_prepared(sketch: PoolSketch) -> None:
    if sketch.prepared_at is not None:
        raise DomainError(Refusal.WRONG_STATE, _("This pool is prepared already: change its draft."))
