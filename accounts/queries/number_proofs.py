"""Numbers that must have no gaps have none, as SQL that lists the exceptions (S2): a gap is a row that is gone."""

from collections.abc import Mapping

_NO_GAPS = """
SELECT series || ': ' || present || ' of ' || highest FROM (
    SELECT 'documents ' || c.kind || ' ' || c.year AS series, c.last AS highest,
           (SELECT count(*) FROM accounts_numbereddocument d WHERE d.kind = c.kind AND d.year = c.year) AS present
    FROM accounts_documentcounter c
    UNION ALL SELECT 'handovers', max(number), count(*) FROM accounts_handover
    UNION ALL SELECT 'shifts of till ' || till_id, max(number), count(*) FROM accounts_shift GROUP BY till_id
    UNION ALL SELECT 'seals of the journal', max(number), count(*) FROM core_journalseal
    UNION ALL SELECT 'releases', max(number), count(*) FROM core_release
    UNION ALL SELECT 'events', max(sequence), count(*) FROM core_outboxevent
) AS numbered WHERE present <> highest
ORDER BY series
"""

PROOFS: Mapping[str, str] = {"numbers without gaps have none": _NO_GAPS}
"""By the name that is told when one does not hold."""
