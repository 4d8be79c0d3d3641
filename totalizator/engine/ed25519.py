"""Ed25519 signature verification, RFC 8032, in the standard library only (X5).

Only public things pass through here: keys, messages, signatures. No secret ever does, so nothing needs constant
time, and a bare Python can check a commission's protocol. Signing is done elsewhere, by `cryptography`.

The curve is -x² + y² = 1 + d·x²·y² over the integers modulo P. A point is kept in extended coordinates
(X, Y, Z, T) with x = X/Z, y = Y/Z, x·y = T/Z, which need no division until the end (RFC 8032, 5.1.4).
"""

from hashlib import sha512

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493  # of the base point: the group that scalars live in
D = -121665 * pow(121666, -1, P) % P
_ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)

Point = tuple[int, int, int, int]
_IDENTITY: Point = (0, 1, 1, 0)


def _add(p: Point, q: Point) -> Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(p: Point) -> Point:
    a = p[0] * p[0] % P
    b = p[1] * p[1] % P
    h = a + b
    e = h - (p[0] + p[1]) ** 2
    g = a - b
    f = 2 * p[2] * p[2] + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _decode(encoded: bytes) -> Point | None:
    """Decode 32 bytes to a point of the curve, or None when they are no point's canonical form (5.1.3)."""
    number = int.from_bytes(encoded, "little")
    odd = number >> 255
    y = number & ((1 << 255) - 1)
    if y >= P:
        return None
    u = (y * y - 1) % P
    v = (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if v * x * x % P != u:
        x = x * _ROOT_OF_MINUS_ONE % P
        if v * x * x % P != u:
            return None
    if x == 0 and odd:
        return None
    if x & 1 != odd:
        x = P - x
    return x, y, 1, x * y % P


def _encode(p: Point) -> bytes:
    inverse = pow(p[2], -1, P)
    x, y = p[0] * inverse % P, p[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _base_point() -> Point:
    y = 4 * pow(5, -1, P) % P
    point = _decode(y.to_bytes(32, "little"))
    assert point is not None
    return point


_BASE = _base_point()


def _combine(s: int, h: int, a: Point) -> Point:
    """Return s·B + h·a, both products in one run over the bits (Shamir's trick)."""
    both = (_IDENTITY, _BASE, a, _add(_BASE, a))
    point = _IDENTITY
    for bit in range(max(s.bit_length(), h.bit_length()) - 1, -1, -1):
        point = _double(point)
        chosen = (s >> bit & 1) | (h >> bit & 1) << 1
        if chosen:
            point = _add(point, both[chosen])
    return point


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether `signature` (64 bytes) of `message` was made with the key whose public half is `public` (32 bytes).

    Strict: wrong lengths, a scalar not below the group's order and a point not in its canonical form are invalid, so
    that nobody can make a second valid signature out of a first (5.1.7).
    """
    if len(public) != 32 or len(signature) != 64:
        return False
    key = _decode(public)
    s = int.from_bytes(signature[32:], "little")
    if key is None or s >= ORDER:
        return False
    h = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % ORDER
    minus_key = (P - key[0], key[1], 1, P - key[3])
    return _encode(_combine(s, h, minus_key)) == signature[:32]
