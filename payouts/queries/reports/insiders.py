"""Who wins more than luck explains: bets that each cashier, point and agent sold, and those of listed insiders (X11).

Of each pool that became official in the period the share of winning bets is known. Whoever sold bets of it should have
sold about that share of winning ones. What is rarer than one in a thousand is reported. It accuses nobody: bets that
are alike win together, and of a thousand honest people one is reported in the mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db import connection
from django.utils.translation import gettext_lazy as _

from payouts.queries.reports.binomial import is_rarer, rounded_up, tail
from payouts.queries.reports.facts import VOIDED
from payouts.queries.reports.shape import Asked, Cell, ReportColumn, ReportKind, amount, count

RARE = Fraction(1, 1000)
WHO = {
    "cashier": _("cashier"),
    "point": _("betting point"),
    "agent": _("agent"),
    "insider": _("listed insider"),
}

# A bet is an insider's when its person, or its player's, has the number of somebody who was ever listed. What was
# listed, cancelled or corrected after the period changes nothing in it: asked again, the report is the same.
_WINS = f"""
WITH voided AS ({VOIDED}),
played AS (
    SELECT b.pool_id, b.ticket, b.stake, b.till_id, b.sold_by_id, b.player_id, b.person_id,
           COALESCE(CASE WHEN k.pool_id IS NULL THEN w.amount ELSE v.amount END, 0) AS won
    FROM pools_settlement s JOIN pools_bet b ON b.pool_id = s.pool_id
    LEFT JOIN (SELECT pool_id, ticket, sum(amount) AS amount FROM pools_winning GROUP BY pool_id, ticket) w
        ON w.pool_id = b.pool_id AND w.ticket = b.ticket
    LEFT JOIN pools_correction k ON k.pool_id = b.pool_id AND k.state = 'official' AND k.official_at < %(until)s
    LEFT JOIN (SELECT pool_id, ticket, sum(amount) AS amount FROM pools_correctedwinning GROUP BY pool_id, ticket) v
        ON v.pool_id = b.pool_id AND v.ticket = b.ticket
    WHERE s.state = 'official' AND s.official_at >= %(since)s AND s.official_at < %(until)s
      AND NOT EXISTS (SELECT FROM voided v
                      WHERE v.pool_id = b.pool_id AND v.ticket = b.ticket AND v.at < %(until)s)
),
shares AS (
    SELECT pool_id, count(*) AS bets, count(*) FILTER (WHERE won > 0) AS wins, sum(stake) AS stakes, sum(won) AS won
    FROM played GROUP BY pool_id
),
known AS (
    SELECT DISTINCT n.id AS person_id, n.player_id, encode(sha256(n.number_digest), 'hex') AS token
    FROM accounts_person n JOIN accounts_insider i ON i.number_digest = n.number_digest AND i.listed_at < %(until)s
),
sold AS (
    SELECT 'cashier' AS who, 'user:' || p.sold_by_id AS name, p.* FROM played p WHERE p.sold_by_id IS NOT NULL
    UNION ALL
    SELECT 'point', o.code, p.* FROM played p JOIN accounts_till t ON t.id = p.till_id
    JOIN accounts_bettingpoint o ON o.id = t.point_id
    UNION ALL
    SELECT 'agent', g.contract_number, p.* FROM played p JOIN accounts_till t ON t.id = p.till_id
    JOIN accounts_bettingpoint o ON o.id = t.point_id JOIN accounts_agent g ON g.id = o.agent_id
    UNION ALL
    SELECT 'insider', 'person:' || left(k.token, 16), p.* FROM played p
    JOIN known k ON k.person_id = p.person_id OR k.player_id = p.player_id
)
SELECT x.who, x.name, x.pool_id, count(*), count(*) FILTER (WHERE x.won > 0), sum(x.stake)::bigint, sum(x.won)::bigint,
       s.bets, s.wins, s.stakes::bigint, s.won::bigint
FROM sold x JOIN shares s ON s.pool_id = x.pool_id
GROUP BY x.who, x.name, x.pool_id, s.bets, s.wins, s.stakes, s.won ORDER BY x.who, x.name, x.pool_id
"""

# What each cashier, and the tills of each point and agent, paid in cash: shown beside it, judged by nobody.
_PAID = """
WITH paid AS (
    SELECT y.paid_by_id, o.code, g.contract_number, y.gross FROM payouts_payment y
    JOIN accounts_till t ON t.id = y.till_id JOIN accounts_bettingpoint o ON o.id = t.point_id
    LEFT JOIN accounts_agent g ON g.id = o.agent_id
    WHERE y.kind <> 'refund' AND y.paid_at >= %(since)s AND y.paid_at < %(until)s
)
SELECT 'cashier', 'user:' || paid_by_id, count(*), sum(gross)::bigint FROM paid
WHERE paid_by_id IS NOT NULL GROUP BY 2
UNION ALL
SELECT 'point', code, count(*), sum(gross)::bigint FROM paid GROUP BY 2
UNION ALL
SELECT 'agent', contract_number, count(*), sum(gross)::bigint FROM paid WHERE contract_number IS NOT NULL GROUP BY 2
"""


@dataclass(slots=True)
class Luck:
    """What one of them sold (or bet), and what was to be expected of it, exactly."""

    bets: int = 0
    wins: int = 0
    stakes: int = 0
    won: int = 0
    expected_wins: Fraction = Fraction(0)
    expected_won: Fraction = Fraction(0)

    @property
    def share(self) -> Fraction:
        """The mean share of winning bets in the pools, by how many bets of each there are here; rounded up."""
        return rounded_up(self.expected_wins / self.bets)

    @property
    def reported(self) -> bool:
        """Whether so many wins are rarer than one in a thousand."""
        return self.wins > self.expected_wins + 1 and is_rarer(self.wins, self.bets, self.share, RARE)

    @property
    def one_in(self) -> int:
        """N of `1 in N`, the probability of so many wins or more; rounded down: never rarer than it is."""
        probability = tail(self.wins, self.bets, self.share)
        return probability.denominator // probability.numerator


def luck(asked: Asked) -> dict[tuple[str, str], Luck]:
    """Return for each cashier, point, agent and insider with bets in the period what they had."""
    with connection.cursor() as cursor:
        cursor.execute(_WINS, asked.parameters())
        found: dict[tuple[str, str], Luck] = {}
        for who, name, _pool, bets, wins, stakes, won, all_bets, all_wins, all_stakes, all_won in cursor.fetchall():
            one = found.setdefault((who, name), Luck())
            one.bets, one.wins, one.stakes, one.won = (
                one.bets + bets,
                one.wins + wins,
                one.stakes + stakes,
                one.won + won,
            )
            one.expected_wins += Fraction(bets * all_wins, all_bets)
            one.expected_won += Fraction(stakes * all_won, all_stakes)
    return found


def _find(asked: Asked) -> Sequence[Sequence[Cell]]:
    with connection.cursor() as cursor:
        cursor.execute(_PAID, asked.parameters())
        paid = {(who, name): (int(number), int(gross)) for who, name, number, gross in cursor.fetchall()}
    rows: list[Sequence[Cell]] = []
    for (who, name), one in luck(asked).items():
        number, gross = paid.get((who, name), (0, 0))
        rarity = str(_("1 in %(number)s") % {"number": one.one_in}) if one.reported else ""
        figures = (one.bets, one.wins, _hundredths(one.expected_wins), one.stakes, one.won, int(one.expected_won))
        rows.append((str(WHO[who]), name, *figures, number, gross, rarity))
    return rows


def _hundredths(number: Fraction) -> str:
    hundredths = number.numerator * 100 // number.denominator
    return f"{hundredths // 100}.{hundredths % 100:02d}"


INSIDERS = ReportKind(
    name="insiders",
    title=_("Wins of staff, agents and insiders against expectation"),
    columns=(
        ReportColumn("who", _("Who")),
        ReportColumn("name", _("Name")),
        count("bets", _("Bets")),
        count("wins", _("Winning bets")),
        ReportColumn("expected", _("Expected winning bets")),
        amount("stakes", _("Stakes")),
        amount("won", _("Winnings")),
        amount("expected_won", _("Expected winnings")),
        count("paid", _("Winnings paid, number")),
        amount("paid_amount", _("Winnings paid")),
        ReportColumn("rarity", _("Rarer than 1 in 1000")),
    ),
    find=_find,
)
