"""Ed25519 verification against RFC 8032's vectors and the `cryptography` package (X5)."""

import json
import time
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from totalizator.engine import ed25519

# RFC 8032, section 7.1, all five.
VECTORS: dict[str, dict[str, str]] = json.loads(
    Path(__file__).with_name("fixtures").joinpath("rfc8032_ed25519.json").read_text()
)


def vector(name: str) -> tuple[bytes, bytes, bytes]:
    """A vector's public key, message and signature."""
    return tuple(bytes.fromhex(VECTORS[name][part]) for part in ("public", "message", "signature"))  # type: ignore[return-value]


def other_verdict(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def flipped(text: bytes, bit: int) -> bytes:
    changed = bytearray(text)
    changed[bit >> 3] ^= 1 << (bit & 7)
    return bytes(changed)


@pytest.mark.parametrize("name", VECTORS)
def test_the_rfc_vectors(name: str) -> None:
    public, message, signature = vector(name)
    assert ed25519.verify(public, message, signature)
    assert not ed25519.verify(public, message + b"\x00", signature)


@pytest.mark.parametrize("name", VECTORS)
def test_the_rfc_vectors_with_any_bit_flipped(name: str) -> None:
    public, message, signature = vector(name)
    for bit in range(0, 512, 7):
        assert not ed25519.verify(public, message, flipped(signature, bit))
    for bit in range(0, 256, 7):
        assert not ed25519.verify(flipped(public, bit), message, signature)


def test_a_scalar_is_refused_at_the_order_and_above() -> None:
    """Adding the order gives a second signature that the equation alone would accept."""
    public, message, signature = vector("TEST 2")
    s = int.from_bytes(signature[32:], "little")
    for forged in (s + ed25519.ORDER, s + 2 * ed25519.ORDER):
        twin = signature[:32] + forged.to_bytes(32, "little")
        assert not ed25519.verify(public, message, twin)
        assert not other_verdict(public, message, twin)


@pytest.mark.parametrize("y", [*range(ed25519.P, 2**255)])
@pytest.mark.parametrize("odd", [0, 1])
def test_a_key_that_is_not_in_canonical_form_is_refused(y: int, odd: int) -> None:
    """Nineteen values of y have a second spelling; the point's own equation would accept s = 0 for some of them."""
    public = (y | odd << 255).to_bytes(32, "little")
    assert not ed25519.verify(public, b"", b"\x01" + bytes(63))


def test_minus_zero_is_refused() -> None:
    """x = 0 has no odd twin: y = 1 with the sign bit set is no point."""
    assert not ed25519.verify((1 | 1 << 255).to_bytes(32, "little"), b"", b"\x01" + bytes(63))


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_key_of_a_wrong_length_is_refused(size: int) -> None:
    public, message, signature = vector("TEST 1")
    assert not ed25519.verify((public * 3)[:size], message, signature)


@pytest.mark.parametrize("size", [0, 63, 65, 128])
def test_a_signature_of_a_wrong_length_is_refused(size: int) -> None:
    public, message, signature = vector("TEST 1")
    assert not ed25519.verify(public, message, (signature * 3)[:size])


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_what_cryptography_signs_is_valid(secret: bytes, message: bytes) -> None:
    key = Ed25519PrivateKey.from_private_bytes(secret)
    assert ed25519.verify(key.public_key().public_bytes_raw(), message, key.sign(message))


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=1, max_size=100), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_flipped_bit_anywhere_gives_the_verdict_of_cryptography(secret: bytes, message: bytes, bit: int) -> None:
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public, signature = key.public_key().public_bytes_raw(), key.sign(message)
    for triple in (
        (public, message, flipped(signature, bit % 512)),
        (flipped(public, bit % 256), message, signature),
        (public, flipped(message, bit % (8 * len(message))), signature),
    ):
        assert not ed25519.verify(*triple)
        assert not other_verdict(*triple)


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=100), st.binary(min_size=64, max_size=64))
@settings(max_examples=100, deadline=None)
def test_random_bytes_get_the_verdict_of_cryptography(public: bytes, message: bytes, signature: bytes) -> None:
    assert ed25519.verify(public, message, signature) == other_verdict(public, message, signature)


def test_another_key_does_not_do() -> None:
    first, second = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))
    assert not ed25519.verify(second.public_key().public_bytes_raw(), b"protocol", first.sign(b"protocol"))


def test_a_verification_takes_well_under_20_milliseconds() -> None:
    public, message, signature = vector("TEST 3")
    times = []
    for _ in range(10):
        began = time.perf_counter()
        assert ed25519.verify(public, message, signature)
        times.append(time.perf_counter() - began)
    assert min(times) < 0.02, f"{min(times):.4f} s"
