"""A player's page of what was told of winnings (K6)."""

from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from accounts.permissions import PersonRequest, player_only
from payouts.queries.notices import notices_of
from payouts.services.notice_letters import mark_read
from payouts.services.notice_words import words_of
from totalizator.core.paging import page_of

NOTICES_A_PAGE = 50


@player_only
def notices(request: PersonRequest) -> HttpResponseBase:
    """Show the notices, the newest first; a POST marks those of the page as read."""
    page = page_of(request, notices_of(request.user.pk), NOTICES_A_PAGE)
    if request.method == "POST":
        for notice in page.object_list:
            mark_read(notice=notice)
        return redirect("payouts:notices")
    shown = [(notice, words_of(notice)) for notice in page.object_list]
    unread = any(notice.read_at is None for notice, _words in shown)
    return render(request, "player/notices.html", {"page": page, "shown": shown, "unread": unread})
