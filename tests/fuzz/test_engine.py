"""Everything that the verifier reads, and all its commands: bad bytes are a verdict or a refusal, never a traceback."""

import contextlib
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.engine.logged import growth_document, lines_of, receipt_of, write_log
from tests.engine.signed import FILES, keys_file, signed_bundle
from tests.fuzz.mutants import fuzz
from totalizator.engine.canonical import json_file, parse_json
from totalizator.engine.cli import main
from totalizator.engine.columns import blocks
from totalizator.engine.errors import EngineError
from totalizator.engine.instants import read_instant
from totalizator.engine.journal import read_known
from totalizator.engine.log import parse_head, read_line
from totalizator.engine.manifest import parse_manifest
from totalizator.engine.signatures import parse_keys
from totalizator.engine.terms import parse_terms
from totalizator.engine.ticket import PrintedBet, read_ticket, ticket_text


class Streams:
    """Standard streams that bytes can be written to, as the command does."""

    def __enter__(self) -> tuple[io.TextIOWrapper, io.TextIOWrapper]:
        self.out, self.err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(contextlib.redirect_stdout(self.out))
        self._stack.enter_context(contextlib.redirect_stderr(self.err))
        return self.out, self.err

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def command(*words: str | Path) -> None:
    """Run one command: it ends with 0, 1 or 2, and says at most one line of what it was refused for."""
    with Streams() as (_out, err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as refused:  # argparse's own
            code = int(refused.code or 0)
            assert code == 2
            return
        err.flush()
        said = err.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]
    assert code in (0, 1, 2)
    assert (said.count("\n") == 1) == (code == 2 or bool(said)), said


def with_file(folder: Path, name: str, *words: str | Path) -> Callable[[bytes], None]:
    def send(content: bytes) -> None:
        (folder / name).write_bytes(content)
        command(*words)

    return send


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_a_bundle(name: str, tmp_path: Path) -> None:
    bundle, keys = signed_bundle(tmp_path / "pool"), keys_file(tmp_path / "keys.json")
    whole = (bundle / name).read_bytes()
    fuzz(with_file(bundle, name, "verify", bundle, "--keys", keys), [whole])
    if name in ("terms.json", "bets.csv", "result.json", "state.json"):
        fuzz(with_file(bundle, name, "settle", bundle), [whole])


def test_keys_log_proof_of_growth_and_receipt(tmp_path: Path) -> None:
    bundle, keys = signed_bundle(tmp_path / "pool"), keys_file(tmp_path / "keys.json")
    lines = lines_of(bundle)
    log = write_log(tmp_path / "log.jsonl", lines)
    kept = {
        "receipt.json": json_file(receipt_of(bundle, lines)),
        "growth.json": json_file(growth_document(lines, 3, 7)),
    }
    for name, content in kept.items():
        (tmp_path / name).write_bytes(content)
        verb = f"verify-{name.partition('.')[0]}"
        fuzz(with_file(tmp_path, name, verb, tmp_path / name, "--keys", keys), [content])
    for verb in ("verify-dissent", "verify-key-notice", "verify-journal"):
        words: list[str | Path] = [verb, tmp_path / "other.json"]
        words += [] if verb == "verify-journal" else ["--keys", keys]
        fuzz(with_file(tmp_path, "other.json", *words), [*kept.values(), log.read_bytes()])
    fuzz(with_file(tmp_path, "log.jsonl", "verify-log", log, "--keys", keys), [log.read_bytes()])
    fuzz(with_file(tmp_path, "log.jsonl", "rebuild", log, bundle), [log.read_bytes()])
    write_log(log, lines)
    fuzz(with_file(tmp_path, "keys.json", "verify-log", log, "--keys", keys), [keys.read_bytes()])


def bet() -> PrintedBet:
    return PrintedBet("T-1-0000000001", "1;X;2", 100, "2026-12-03T10:00:00.000000Z", "sha256:" + "0" * 64)


def test_words_of_the_command_line(tmp_path: Path) -> None:
    bundle = signed_bundle(tmp_path / "pool")
    ticket = ticket_text("https://x/t/T-1-0000000001/", "ABC", bet(), b"\0" * 64).encode()

    def word(*before: str | Path) -> Callable[[bytes], None]:
        def say(content: bytes) -> None:
            text = content.decode("utf-8", "surrogateescape").replace("\0", "")
            command(*before, text)

        return say

    fuzz(word("price", bundle), [b"1;X;1", b"1+X;2;1+2"])
    fuzz(word("prove", bundle), [b"T-0001"])
    fuzz(word("verify-ticket"), [ticket])


Read = Callable[[bytes], object]
READERS: Sequence[tuple[str, Read, Sequence[bytes]]] = (
    ("json", lambda content: parse_json(content, where="x"), (b'{"a":[1,"x",null]}',)),
    ("line of the log", lambda content: read_line(content, where="x"), ()),
    ("head", lambda content: parse_head(parse_json(content, where="x"), where="x"), ()),
    ("manifest", lambda content: parse_manifest(parse_json(content, where="x")), ()),
    ("terms", parse_terms, ()),
    ("keys", parse_keys, ()),
    ("instant", lambda content: read_instant(content.decode("utf-8", "replace"), "x"), (b"2026-12-03T10:00:00Z",)),
    ("known seal", lambda content: read_known(content.decode("utf-8", "replace")), (b"7:sha256:" + b"a" * 64,)),
    ("blocks", lambda content: list(blocks(io.BytesIO(content))), ()),
    ("QR code", lambda content: read_ticket(content.decode("utf-8", "replace")), ()),
)


@pytest.mark.parametrize(("name", "read", "seeds"), READERS, ids=[name for name, _read, _seeds in READERS])
def test_readers_of_the_engine(name: str, read: Read, seeds: Sequence[bytes], tmp_path: Path) -> None:
    bundle = signed_bundle(tmp_path / "pool")
    lines = lines_of(bundle)
    written: dict[str, bytes] = {
        "line of the log": lines[1],
        "head": json.dumps(growth_document(lines, 3, 7)["second"]).encode(),
        "manifest": (bundle / "manifest.json").read_bytes(),
        "terms": (bundle / "terms.json").read_bytes(),
        "keys": keys_file(tmp_path / "keys.json").read_bytes(),
        "blocks": (bundle / "bets.csv").read_bytes(),
        "QR code": ticket_text("https://x/t/T-1-0000000001/", "ABC", bet(), b"\0" * 64).encode(),
    }
    fuzz(read, seeds or [written[name]], EngineError)
