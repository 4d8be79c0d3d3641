"""A time-stamping authority on 127.0.0.1, whose tokens `openssl ts` makes, and that can be told to give bad ones."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from tests.fakes.serving import JsonHandler, serving

CONFIG = """
[tsa]
default_tsa = one
[one]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""
EXTENSIONS = "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n"
REJECTED = bytes.fromhex("30053003020102")


def openssl(*words: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the real openssl, which knows nothing of this project."""
    command = ["openssl", *(str(word) for word in words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def make_authority(folder: Path) -> Path:
    """Make the keys and certificates of an authority in a folder; return the file that its tokens lead to."""
    folder.mkdir()
    (folder / "ext").write_text(EXTENSIONS)
    (folder / "ts.cnf").write_text(CONFIG.format(folder=folder))
    (folder / "serial").write_text("00\n")
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    signed_by = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
    for words in (
        ("req", "-x509", *new_key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=Fake root"),
        ("req", *new_key, "-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=Fake authority"),
        ("x509", "-req", "-in", "tsa.csr", *signed_by, "-days", "20", "-extfile", "ext", "-out", "tsa.pem"),
    ):
        done = openssl(*words, folder=folder)
        assert done.returncode == 0, done.stderr
    return folder / "ca.pem"


@dataclass
class FakeAuthority:
    """Its address, and how it misbehaves: `broken` answers 500, `refusing` grants nothing, `silent` never answers,
    `repeating` gives its last token again, `altering` changes what the token is over."""

    folder: Path
    url: str = ""
    broken: bool = False
    refusing: bool = False
    repeating: bool = False
    altering: bool = False
    silent: bool = False
    asked: int = 0
    given: list[bytes] = field(default_factory=list)

    @property
    def ca_file(self) -> Path:
        return self.folder / "ca.pem"

    def answer(self, query: bytes) -> tuple[int, bytes]:
        """Deal with one query."""
        self.asked += 1
        if self.broken:
            return 500, b"out of order"
        if self.refusing:
            return 200, REJECTED
        if self.repeating:
            return 200, self.given[-1]
        self.given.append(reply(self.folder, query))
        return 200, altered(self.given[-1]) if self.altering else self.given[-1]

    def settings(self) -> dict[str, str]:
        """What the setting says of it."""
        return {"url": self.url, "ca_file": str(self.ca_file)}


def reply(folder: Path, query: bytes) -> bytes:
    """Have openssl answer a query with the keys of a folder."""
    (folder / "query.tsq").write_bytes(query)
    words = ("ts", "-reply", "-config", "ts.cnf", "-section", "one", "-queryfile", "query.tsq", "-out", "answer.tsr")
    done = openssl(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    return (folder / "answer.tsr").read_bytes()


def altered(answer: bytes) -> bytes:
    """The same token said to be of 2001: its time, 20YYMMDDhhmmssZ, is changed and nothing else."""
    place = answer.index(b"\x18\x0f20") + 4
    return answer[:place] + b"01" + answer[place + 2 :]


@contextmanager
def running(folder: Path) -> Iterator[FakeAuthority]:
    """Run one as a real HTTP server for the block; its keys are made in `folder`, which is not there yet."""
    make_authority(folder)
    authority = FakeAuthority(folder)
    over = Event()

    class Handler(JsonHandler):
        def do_POST(self) -> None:  # noqa: N802
            assert self.headers["Content-Type"] == "application/timestamp-query"
            status, answer = authority.answer(self.body())
            if authority.silent:
                over.wait(timeout=30)
                return
            self.send_response(status)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    with serving(Handler) as authority.url:
        try:
            yield authority
        finally:
            over.set()
