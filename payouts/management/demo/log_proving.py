"""Proving the public log and a ticket of each pool, from what anybody can download (X2, X6).

Where the site runs, its API is asked; else the same is made here. Then the engine alone judges it.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import CommandError, call_command

from payouts.management.demo.proving import OK
from payouts.management.demo.sales import Slip
from payouts.queries import find_ticket
from pools.services.bet_receipts import receipt_of
from pools.services.tickets import pool_code_of
from totalizator.engine.canonical import json_file

PATIENCE_SECONDS = 60


def verify_log(codes: Iterable[str], slips: Sequence[Slip], site: str | None) -> dict[str, str]:
    """Return the verdict on the log with the pools' bundles in it, and on the receipt of one ticket of each pool."""
    with TemporaryDirectory(prefix="totalizator-demo-") as name:
        folder = Path(name)
        call_command("export_log", str(folder), stdout=StringIO())
        call_command("export_keys", str(folder / "keys.json"), stdout=StringIO())
        for code in codes:
            call_command("export_pool", code, str(folder / code), stdout=StringIO())
        if site is not None:
            folder.joinpath("log.jsonl").write_bytes(_asked(site, "GET", "log/file"))
            folder.joinpath("keys.json").write_bytes(_asked(site, "GET", "keys"))
        bundles = [str(folder / code) for code in codes]
        log = _verdict(folder, "verify-log", "log.jsonl", "--head", str(folder / "head.json"), "--bundle", *bundles)
        receipts = {code: _receipt_verdict(folder, slip, site) for code, slip in _one_each(codes, slips).items()}
        wrong = [f"{code}: {verdict}" for code, verdict in receipts.items() if verdict != OK]
        return {"log": log, "receipts": "; ".join(wrong) or OK, "receipts_of": " ".join(receipts)}


def _one_each(codes: Iterable[str], slips: Sequence[Slip]) -> dict[str, Slip]:
    first: dict[str, Slip] = {}
    for slip in slips:
        first.setdefault(pool_code_of(slip.ticket), slip)
    return {code: first[code] for code in codes if code in first}


def _receipt_verdict(folder: Path, slip: Slip, site: str | None) -> str:
    if site is None:
        receipt = json_file(receipt_of(find_ticket(slip.ticket, slip.check_code)))
    else:
        receipt = _asked(site, "POST", "tickets/receipt", {"ticket": slip.ticket, "check_code": slip.check_code})
    folder.joinpath("receipt.json").write_bytes(receipt)
    return _verdict(folder, "verify-receipt", "receipt.json")


def _verdict(folder: Path, command: str, file: str, *options: str) -> str:
    words = [sys.executable, "-m", "totalizator.engine", command, str(folder / file)]
    words += ["--keys", str(folder / "keys.json"), *options]
    done = subprocess.run(words, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    return OK if done.returncode == 0 else (done.stdout + done.stderr).strip() or f"exit {done.returncode}"


def _asked(site: str, method: str, path: str, body: object = None) -> bytes:
    parts = urlsplit(site)
    connection = HTTPConnection(parts.hostname or "", parts.port or 80, timeout=PATIENCE_SECONDS)
    sent = None if body is None else json.dumps(body).encode()
    connection.request(method, f"/api/v1/{path}", body=sent, headers={"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    if answer.status != 200:
        raise CommandError(f"The site refused {path}: {answer.status} {content[:200]!r}")
    return content
