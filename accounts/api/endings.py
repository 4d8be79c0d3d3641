"""A player ends the own registration (¶35.3, E5). A browser asks for it, after the second factor; no token can."""

from django.utils.translation import gettext_lazy as _
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import account_asking, person_asking
from accounts.api.staff.registrations import EndingDocument, ending_document
from accounts.permissions import ArePlayers
from accounts.services.ending import end_registration
from accounts.views.step_up import requires_step_up
from totalizator.core.api.bodies import Body, Text, read_body
from totalizator.core.api.described import described
from totalizator.core.errors import DomainError, Refusal


class MyEndingBody(Body):
    """The own log-in name, typed once more, so that nobody does this by a slip."""

    username = Text(max_length=150)


class MyEnding(APIView):
    """`POST me/ending`."""

    permission_classes = (ArePlayers,)

    @described(
        "registration_end",
        "End my registration: my money goes to my verified bank account",
        tag="Me",
        answers={201: EndingDocument},
        body=MyEndingBody,
        refused=(Refusal.STEP_UP_NEEDED, Refusal.WRONG_STATE),
        about="No bet is taken once this is answered; from then on the log-in only reads.",
    )
    def post(self, request: Request) -> Response:
        """End it."""
        told, player, account = read_body(request, MyEndingBody), person_asking(request), account_asking(request)
        if told["username"] != player.username:
            raise DomainError(Refusal.BAD_VALUE, _("This is not your name."), field="username")
        if request.auth is not None or requires_step_up(request._request):
            raise DomainError(Refusal.STEP_UP_NEEDED, _("Show who you are once more first."))
        ending = end_registration(account=account, asked_by=player)
        account.refresh_from_db(fields=["state"])
        return Response(ending_document(ending), status=201)
