"""What a player was told of winnings, and marking it as read (K6)."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.permissions import ArePlayers
from payouts.models import NoticeKind, WinnerNotice
from payouts.queries.notices import notices_of
from payouts.services.notice_letters import mark_read
from payouts.services.notice_words import words_of
from totalizator.core.api.bodies import read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant, instant_or_none
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import plain_byn

TAG = "Players"


class NoticeDocument(serializers.Serializer[None]):
    """A notice; `amount` is what was won, or is still to be paid, before tax."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(NoticeKind.choices)
    pool = serializers.CharField()
    amount = Byn()
    words = serializers.CharField(help_text="The same in words, with the last day that stands now.")
    told_at = Moment()
    read_at = Moment(allow_null=True)


class NoticePage(serializers.Serializer[None]):
    """A page of them, the newest first."""

    notices = NoticeDocument(many=True)
    next = serializers.URLField(allow_null=True)


class MyNotices(APIView):
    """`GET me/notices`."""

    permission_classes = (ArePlayers,)

    @described("me_notices", "What I was told of winnings", tag=TAG, answers={200: NoticePage}, query=PageQuery)
    def get(self, request: Request) -> Response:
        """Show a page."""
        query = read_query(request, PageQuery)
        mine = notices_of(person_asking(request).pk)
        return page_of(request, mine, "notices", _written, query=query, ordering=("-pk",))


class ReadNotices(APIView):
    """`POST me/notices/{number}/read`."""

    permission_classes = (ArePlayers,)

    @described(
        "me_notice_read",
        "Mark a notice as read",
        tag=TAG,
        answers={200: NoticeDocument},
        refused=(Refusal.NOT_FOUND,),
    )
    def post(self, request: Request, number: int) -> Response:
        """Mark it, once."""
        mine = notices_of(person_asking(request).pk)
        notice = mine.filter(pk=number).first() if number < 2**63 else None
        if notice is None:
            raise DomainError(Refusal.NOT_FOUND, _("There is no such notice."))
        mark_read(notice=notice)
        return Response(_document(mine.get(pk=number)))


def _written(notices: list[WinnerNotice]) -> list[dict[str, Any]]:
    return [_document(notice) for notice in notices]


def _document(notice: WinnerNotice) -> dict[str, Any]:
    return {
        "number": notice.pk,
        "kind": notice.kind,
        "pool": notice.pool.code,
        "amount": plain_byn(notice.amount),
        "words": words_of(notice),
        "told_at": instant(notice.told_at),
        "read_at": instant_or_none(notice.read_at),
    }
