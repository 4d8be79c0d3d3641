"""Bytes that nobody writes: whole files cut, doubled, flipped, spliced with each other and with what breaks readers."""

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "12"))
SLOWEST = 2.0
"""Seconds of the processor that one input may take at most, however busy the machine is."""

NASTY: Sequence[bytes] = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\r\n", b"\n\n", b"\t", b"\x1b[0m", b"\xc2\xa0",
    b"\xe2\x80\xae", b"\xe2\x80\xa8", "١٢".encode(), "²".encode(), "ǅ".encode(), "İ".encode(),
    "ß".encode(), "🙂".encode(),
    b"-1", b"0", b"-0", b"1e999", b"1.5", b"9" * 40, b"9" * 5_000, b"NaN", b"Infinity", b"null", b"true", b"[]", b"{}",
    b"[" * 3_000, b'{"a":' * 1_500, b'"', b"'", b";", b",", b"&", b"#", b"%", b"%00", b"%ff", b"\\u0000", b"\\ud800",
    b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]>", b"&a;", b"<a>" * 300, b"]]>", b":61:", b":20:", b":86:", b"=cmd|' /C x'!A0",
    b"2026-02-30", b"0000-00-00", b"9999-12-31T23:59:60Z", b"10000-01-01", b"../../../etc/passwd", b"/", b"..",
    b"()" * 500,
    b"(" * 2_000, b"1" * 140_000, b"*", b"+" * 2_000,
)  # fmt: skip


@st.composite
def mutants(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """Draw a seed, and up to four changes of it; now and then bytes of nobody's."""
    if draw(st.integers(0, 7)) == 0:
        return draw(st.binary(max_size=200))
    content = draw(st.sampled_from(list(seeds)))
    for _ in range(draw(st.integers(1, 4))):
        content = _changed(draw, content, seeds)
    return content


def _changed(draw: st.DrawFn, content: bytes, seeds: Sequence[bytes]) -> bytes:
    at = draw(st.integers(0, len(content)))
    to = min(len(content), at + draw(st.integers(0, 40)))
    change = draw(st.integers(0, 5))
    if change == 0:  # cut off
        return content[:at]
    if change == 1:  # one byte flipped
        return content[:at] + bytes([draw(st.integers(0, 255))]) + content[at + 1 :]
    if change == 2:  # something taken out
        return content[:at] + content[to:]
    if change == 3:  # something doubled
        return content[:to] + content[at:to] * draw(st.integers(1, 50)) + content[to:]
    if change == 4:  # the rest of another
        return content[:at] + draw(st.sampled_from(list(seeds)))[at:]
    return content[:at] + draw(st.sampled_from(NASTY)) + content[to:]


def fuzz(
    reader: Callable[[bytes], Any], seeds: Sequence[bytes], *refusals: type[BaseException], share: int = 1
) -> None:
    """Give mutants to a reader: each is read, or refused in the reader's own way, soon; no other exception gets out.

    `share`: of a reader that takes long, a third of the examples, say.
    """

    @settings(
        max_examples=max(3, EXAMPLES // share),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.target],  # a long run need not find the shortest
    )
    @given(content=mutants(seeds))
    def send(content: bytes) -> None:
        began = time.thread_time()
        try:
            reader(content)
        except refusals:
            pass
        finally:
            took = time.thread_time() - began
        assert took < SLOWEST, (took, content[:200])

    for seed in seeds:
        reader(seed)  # each seed is right: so changes of it get far
    send()
