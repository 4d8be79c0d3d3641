"""Judging a head of the public log that somebody kept: is it of the log that is shown today? (X6)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from pools.models import LogHead
from pools.queries.log_proofs import growth_proof, head_shown
from pools.services.commission_keys import published_keys
from totalizator.engine.canonical import json_file, parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.errors import EngineError
from totalizator.engine.log_verification import read_head, verify_growth
from totalizator.engine.signatures import parse_keys

# As a ticket has it: size, the first half of the root, the time.
_PRINTED = re.compile(r"(\d{1,18})\s+([0-9a-f]{16,64})(?:\s+\S{1,40})?")


class HeadVerdict(TextChoices):
    """What a kept head says of the log."""

    CONSISTENT = "consistent", _("consistent")
    SPLIT = "split", _("SPLIT VIEW")
    LONGER = "longer", _("LINES ARE MISSING")
    NOT_SIGNED = "not_signed", _("not signed by this operator")
    OTHER_LOG = "other_log", _("a head of another log")
    UNREADABLE = "unreadable", _("not a head")


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict; the size and root that were kept, the head of that size shown here, and the engine's words."""

    verdict: HeadVerdict
    size: int = 0
    root: str = ""
    ours: LogHead | None = None
    told: str = ""
    signed: bool = False

    @property
    def alarming(self) -> bool:
        """Whether two histories were shown, or lines are gone."""
        return self.verdict in (HeadVerdict.SPLIT, HeadVerdict.LONGER)


def judge_head(text: str, newest: LogHead) -> Judgement:
    """Judge a head as the API gives it, signed JSON, or as a ticket has it, which is not signed."""
    text = text.strip()
    printed = _PRINTED.fullmatch(text.lower())
    if printed is not None:
        return _compared(int(printed.group(1)), printed.group(2), newest)
    try:
        document = parse_json(text.encode(), where="head")
        head = read_head(document, "head", parse_keys(json_file(published_keys())))
    except Difference as difference:
        return Judgement(HeadVerdict.NOT_SIGNED, told=str(difference))
    except EngineError as fault:
        return Judgement(HeadVerdict.UNREADABLE, told=str(fault))
    if head.log != head_shown(newest)["log"]:
        return Judgement(HeadVerdict.OTHER_LOG, head.size, head.root.hex(), told=head.log)
    return _compared(head.size, head.root.hex(), newest, document)


def growth_verdict(proof: Mapping[str, Any]) -> tuple[bool, str]:
    """Tell what `verify-growth` says of a proof, with the public keys: whether it holds, and its words."""
    verdict = verify_growth(json_file(proof), where="proof.json", keys=json_file(published_keys()))
    return verdict.ok, str(verdict)


def _compared(size: int, root: str, newest: LogHead, document: Mapping[str, Any] | None = None) -> Judgement:
    signed = document is not None
    if size > newest.size:
        return Judgement(HeadVerdict.LONGER, size, root, newest, signed=signed)
    ours = LogHead.objects.filter(size=size).first()
    if ours is None:  # a printed size of 0
        return Judgement(HeadVerdict.UNREADABLE, size, root)
    if not ours.root.startswith(root):
        return Judgement(HeadVerdict.SPLIT, size, root, ours, signed=signed)
    proof = growth_proof(ours, newest)
    holds, told = growth_verdict(proof if document is None else {**proof, "first": document})
    verdict = HeadVerdict.CONSISTENT if holds else HeadVerdict.SPLIT
    return Judgement(verdict, size, root, ours, told, signed)
