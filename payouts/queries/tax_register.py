"""The register of income tax withheld, person by person, tied to the ledger (K5, D-17)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import connection

from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

# Who was paid: the owner of the game account, who showed a document at the desk, who ordered the bet by transfer.
# The bet of an archived pool is no row any more; whose account it was paid to, is.
_PAID = """
SELECT p.paid_at, p.ticket, p.method, p.gross, p.tax, p.net,
       COALESCE(o.person_id, owner.id, x.person_id) AS person_id
FROM payouts_payment p
LEFT JOIN pools_bet b ON b.pool_id = p.pool_id AND b.ticket = p.ticket
LEFT JOIN (payouts_payable y JOIN accounts_ledgeraccount l ON l.id = y.pay_to_id AND l.kind = 'game_account')
  ON b.ticket IS NULL AND (y.pool_id, y.ticket, y.kind) = (p.pool_id, p.ticket, p.kind)
LEFT JOIN accounts_identifiedoperation o ON o.operation = p.kind || '-paid:' || p.ticket
LEFT JOIN accounts_person owner ON owner.player_id = COALESCE(b.player_id, l.owner::bigint)
LEFT JOIN pools_betorder x ON x.ticket = p.ticket
WHERE p.kind <> 'refund' AND p.paid_at >= %s AND p.paid_at < %s
"""
_BY_PERSON = f"""
SELECT person_id, count(*), sum(gross), sum(tax), sum(net) FROM ({_PAID}) w
GROUP BY person_id ORDER BY person_id NULLS LAST
"""
# The tickets that can be a person's at all come by indexes; which of them are, the register's own rule says.
_THEIRS = """
SELECT b.pool_id, b.ticket FROM pools_bet b JOIN accounts_person q ON q.player_id = b.player_id WHERE q.id = %s
UNION SELECT a.pool_id, unnest(a.tickets)
      FROM pools_archivedplay a JOIN accounts_person q ON q.player_id = a.player_id WHERE q.id = %s
UNION SELECT c.id, shown.ticket
FROM (SELECT split_part(o.operation, '-paid:', 2) AS ticket FROM accounts_identifiedoperation o
      WHERE o.person_id = %s) shown
JOIN pools_pool c ON c.code = regexp_replace(shown.ticket, '-[^-]*$', '')
UNION SELECT x.pool_id, x.ticket FROM pools_betorder x WHERE x.person_id = %s AND x.ticket IS NOT NULL
"""
_OF_PERSON = f"""
SELECT paid_at, ticket, method, gross, tax, net FROM ({_PAID} AND (p.pool_id, p.ticket) IN ({_THEIRS})) w
WHERE person_id = %s ORDER BY 1, 2
"""
_LEDGER = """
SELECT COALESCE(sum(e.amount), 0)
FROM accounts_transfer t JOIN accounts_entry e USING (book, key) JOIN accounts_ledgeraccount c ON c.id = e.credit_id
WHERE t.kind = 'winning_paid' AND c.kind = 'tax_due' AND t.occurred_at >= %s AND t.occurred_at < %s
"""


@dataclass(frozen=True, slots=True)
class TaxLine:
    """What was withheld from one person, in kopecks; `person_id` is None for all who did not tell who they are."""

    person_id: int | None
    payments: int
    gross: int
    tax: int
    net: int


@dataclass(frozen=True, slots=True)
class TaxRegister:
    """Every person of a period, both days included; `ledger` is what the ledger says was withheld in it."""

    first: date
    last: date
    lines: Sequence[TaxLine]
    ledger: int

    @property
    def withheld(self) -> int:
        """The sum of all lines."""
        return sum(line.tax for line in self.lines)


@dataclass(frozen=True, slots=True)
class TaxedPayment:
    """One winning that was paid to a person; amounts in kopecks."""

    paid_at: datetime
    ticket: str
    method: str
    gross: int
    tax: int
    net: int


def tax_register(first: date, last: date) -> TaxRegister:
    """Return the register of the legal days `first` to `last`."""
    period = [start_of_legal_day(first), end_of_legal_day(last)]
    with connection.cursor() as cursor:
        cursor.execute(_BY_PERSON, period)
        lines = [
            TaxLine(person, int(payments), int(gross), int(tax), int(net))
            for person, payments, gross, tax, net in cursor.fetchall()
        ]
        cursor.execute(_LEDGER, period)
        (ledger,) = cursor.fetchone()
    return TaxRegister(first, last, lines, int(ledger))


def taxed_payments(person_id: int, year: int) -> list[TaxedPayment]:
    """Return every winning that a person was paid in a calendar year of Minsk."""
    period = [start_of_legal_day(date(year, 1, 1)), start_of_legal_day(date(year + 1, 1, 1))]
    with connection.cursor() as cursor:
        cursor.execute(_OF_PERSON, [*period, *(person_id,) * 5])
        return [TaxedPayment(*row) for row in cursor.fetchall()]
