"""The status of the two computations, of the public log and of the journal, for anyone (X13)."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from pools.queries.agreement import MOST_SHOWN, agreements
from pools.queries.log_proofs import newest_head
from pools.queries.log_stamps import stamp_standings
from totalizator.core.journal_seals import newest_seal


def status(request: HttpRequest) -> HttpResponseBase:
    """Show every pool that is settled or being settled, the newest; one that differs stands first, in red."""
    shown = agreements()
    context = {
        "agreements": shown,
        "most": MOST_SHOWN,
        "differ": sum(agreement.differs for agreement in shown),
        "head": newest_head(),
        "stamps": stamp_standings(),
        "seal": newest_seal(),
    }
    return render(request, "pools/status.html", context)
