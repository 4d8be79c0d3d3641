"""Members of the commission at the same moment: entries, corrections, a dissent and a signature (¶10, H1, H5)."""

import base64
from collections.abc import Callable
from functools import partial
from threading import Barrier

import pytest

from pools import locks
from pools.models import Protocol, ProtocolDissent, ProtocolSignature, ResultEntry
from pools.services import dissents, protocols
from pools.services.conflicts import declare_conflict
from pools.services.dissents import dissent
from pools.services.protocols import document_digest, sign_protocol
from pools.services.results import ResultProgress, correct_result, enter_result
from tests.concurrency.racing import race
from tests.making import PASSPHRASE, make_pool
from tests.resulting import close_by_clock, draw_up, make_result, members_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.canonical import parse_json
from totalizator.engine.ed25519 import verify
from totalizator.engine.result import signed_payload

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 30


def signature_holds(signature: ProtocolSignature) -> bool:
    """Whether a signature is one of the document as it stands."""
    document = parse_json(Protocol.objects.get().document_text.encode(), where="result.json")
    public = base64.b64decode(signature.key.public)
    return verify(public, signed_payload(document), base64.b64decode(signature.signature))


def test_two_entries_that_differ_at_once_are_one_attempt_that_draws_up_nothing() -> None:
    pool = close_by_clock(make_pool())
    entering = [
        partial(enter_result, code=pool.code, member=member, result=make_result(pool, right))
        for member, right in zip(members_of(pool)[:2], ("1;X;2", "1;X;1"), strict=True)
    ]
    results = race(entering)
    progress = [each for each in results if isinstance(each, ResultProgress)]
    assert sorted((each.attempt, each.entries, each.differing) for each in progress) == [(1, 1, ()), (1, 2, ("3",))]
    assert not Protocol.objects.exists()


def test_h5_three_members_correct_at_once_and_one_version_is_drawn_up() -> None:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    act = partial(correct_result, code=pool.code, reason="Misread.", document="Sheet 1")
    results = race([partial(act, member=each, result=make_result(pool, "1;X;1")) for each in members_of(pool)])
    drawn_up = [each.protocol for each in results if isinstance(each, ResultProgress) and each.protocol is not None]
    assert [protocol.version for protocol in drawn_up] == [2]
    # The third comes when version 2 says the same already.
    (refusal,) = [each for each in results if isinstance(each, DomainError)]
    assert refusal.code is Refusal.BAD_VALUE
    assert Protocol.objects.count() == 2
    assert ResultEntry.objects.count() == 4


def test_a_conflict_declared_while_the_member_signs_leaves_no_signature_that_counts() -> None:
    pool = close_by_clock(make_pool())
    third, second, first = members_of(pool)
    for member in (second, third):
        enter_result(code=pool.code, member=member, result=make_result(pool, "1;X;2"))
    sign = partial(sign_protocol, code=pool.code, passphrase=PASSPHRASE)
    declare = partial(declare_conflict, code=pool.code, member=first, reason="My club.")
    acts: list[Callable[[], object]] = [partial(sign, member=first), declare]
    race(acts)
    assert [sign(member=second), sign(member=third)] == [False, True]


def test_a_dissent_and_a_signature_at_once_leave_a_signature_of_the_document_as_it_stands() -> None:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    first, second, _third = members_of(pool)
    read = document_digest(Protocol.objects.get())
    say = partial(dissent, code=pool.code, member=second, words="No.", passphrase=PASSPHRASE)
    sign = partial(sign_protocol, code=pool.code, member=first, passphrase=PASSPHRASE, read=read)
    acts: list[Callable[[], object]] = [say, sign]
    _said, signed = race(acts)
    said = ProtocolDissent.objects.get()
    if isinstance(signed, DomainError):  # the dissent came first, into a document that nobody had read yet
        assert (signed.code, said.signature) == (Refusal.WRONG_STATE, "")
        assert not ProtocolSignature.objects.exists()
    else:
        assert said.signature
        assert signature_holds(ProtocolSignature.objects.get())


def test_negative_control_without_the_lock_what_was_signed_is_not_what_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    first, second, _third = members_of(pool)
    monkeypatch.setattr(locks, "lock_exclusive", lambda *_: None)
    together, seal, write = Barrier(2), protocols._seal_if_enough, dissents._write_into

    def seal_when_the_other_has_looked(*args: object) -> bool:
        together.wait(timeout=PATIENCE)
        together.wait(timeout=PATIENCE)
        return seal(*args)  # type: ignore[arg-type]

    def write_when_the_other_has_signed(*args: object) -> None:
        together.wait(timeout=PATIENCE)
        write(*args)  # type: ignore[arg-type]
        together.wait(timeout=PATIENCE)

    monkeypatch.setattr(protocols, "_seal_if_enough", seal_when_the_other_has_looked)
    monkeypatch.setattr(dissents, "_write_into", write_when_the_other_has_signed)
    acts: list[Callable[[], object]] = [
        partial(dissent, code=pool.code, member=second, words="No.", passphrase=PASSPHRASE),
        partial(sign_protocol, code=pool.code, member=first, passphrase=PASSPHRASE),
    ]
    assert race(acts)[1] is False
    assert not signature_holds(ProtocolSignature.objects.get())
