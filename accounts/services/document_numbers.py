"""Numbers of documents, without gaps within a kind and a year, and what each document says, frozen (¶9.5, C59)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import connection

from accounts.models import NumberedDocument, NumberedKind
from totalizator.core import clock
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.deadlines import legal_day


def issue_document(
    *, kind: NumberedKind, subject: str, facts: Mapping[str, Any], actor: str
) -> tuple[NumberedDocument, bool]:
    """Give the document about `subject` its number and keep its facts; return it, and whether it is new.

    Called again it returns the first one. `facts` are JSON values that name no person. The number is taken last and
    held until the transaction ends: call it in a transaction of its own, after the act that it documents, so that no
    act waits for another one's number.

    :raises DomainError: BUSY.
    """
    with one_transaction():
        standing = NumberedDocument.objects.filter(kind=kind, subject=subject).first()
        if standing is not None:
            return standing, False
        at = clock.now()
        year = legal_day(at).year
        number = _next_number(kind, year)
        # Whoever documents the same act at this moment waited for the number above: look again.
        standing = NumberedDocument.objects.filter(kind=kind, subject=subject).first()
        if standing is not None:
            _give_back(kind, year)
            return standing, False
        return _kept(kind, year, number, subject, facts, at, actor), True


def facts_of(document: NumberedDocument) -> dict[str, Any]:
    """Return the frozen facts of a document."""
    facts: dict[str, Any] = parse_json(document.text.encode(), where="document")
    return facts


def _next_number(kind: NumberedKind, year: int) -> int:
    """Take the next number; waits for who has just taken one, and takes it again if that was rolled back."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_documentcounter (kind, year, last) VALUES (%s, %s, 1)"
            " ON CONFLICT (kind, year) DO UPDATE SET last = accounts_documentcounter.last + 1 RETURNING last",
            [str(kind), year],
        )
        (number,) = cursor.fetchone()
    return int(number)


def _give_back(kind: NumberedKind, year: int) -> None:
    """Put a number back that was just taken: nobody else can have taken the next one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE accounts_documentcounter SET last = last - 1 WHERE kind = %s AND year = %s", [str(kind), year]
        )


def _kept(
    kind: NumberedKind, year: int, number: int, subject: str, facts: Mapping[str, Any], at: datetime, actor: str
) -> NumberedDocument:
    text = canonical_json(dict(facts))
    return NumberedDocument.objects.create(
        kind=kind,
        year=year,
        number=number,
        subject=subject,
        text=text.decode(),
        digest=digest(text),
        issued_at=at,
        issued_by=actor,
    )
