"""What a member has marked outlives a log-in that ended meanwhile, and the filing of evidence in between.

It lies in the session, under the number of the member whom the form was given to: nobody else is ever shown it (H1).
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest
from pools.forms.result import SEVERAL

View = Callable[[HttpRequest, str], HttpResponseBase]
Kept = dict[str, list[str]]

KEPT, STAMP = "kept_entry", "given_to"
MOST_LETTERS = 500
_SALT = "pools.kept_entries"
_LISTS = ("evidence", f"{SEVERAL}-", "first_started_at")
_MARKS = (*_LISTS, "condition-", "reason-", "event_", "reason", "document")


def keeps_entry(view: View) -> View:
    """Ask who sends an entry without being logged in to do so; what was marked is there again afterwards."""

    @wraps(view)
    def guarded(request: HttpRequest, code: str) -> HttpResponseBase:
        if request.method == "POST" and not request.user.is_authenticated:
            owner = _given_to(request.POST, request.path)
            if owner is not None:
                _keep(request, owner, request.POST)
                messages.warning(request, _("Nothing is entered yet. What you marked is there again once you log in."))
            return redirect_to_login(request.path)
        return view(request, code)

    return guarded


def stamp_for(request: PersonRequest) -> str:
    """Return what the form says of whom it was given to, so that its marks are kept for that member alone."""
    return signing.dumps([request.user.pk, request.path], salt=_SALT)


def keep_marks(request: PersonRequest, also_evidence: int) -> None:
    """Keep what is marked while a piece of evidence is filed; the entry is then known from that one, too."""
    _keep(request, request.user.pk, request.POST)
    request.session[KEPT]["marks"].setdefault("evidence", []).append(str(also_evidence))


def kept_marks(request: PersonRequest) -> dict[str, Any]:
    """Return the marks kept for this member and this page, as the form begins with them; none for anybody else."""
    kept = request.session.get(KEPT)
    if kept is None:
        return {}
    if kept["member"] != request.user.pk:
        del request.session[KEPT]  # whoever comes next before this browser sees nothing of it
        return {}
    return _as_begun(kept["marks"]) if kept["path"] == request.path else {}


def forget_marks(request: PersonRequest) -> None:
    """Keep them no longer: they are entered."""
    request.session.pop(KEPT, None)


def marks_in(posted: QueryDict) -> dict[str, Any]:
    """Return what a form that is being sent has marked, as another form begins with it."""
    return _as_begun(_marks(posted))


def _keep(request: HttpRequest, owner: int, posted: QueryDict) -> None:
    request.session[KEPT] = {"member": owner, "path": request.path, "marks": _marks(posted)}


def _marks(posted: QueryDict) -> Kept:
    named = [name for name in posted if name.startswith(_MARKS)]
    return {name: [value[:MOST_LETTERS] for value in posted.getlist(name)] for name in named}


def _as_begun(marks: Kept) -> dict[str, Any]:
    begun: dict[str, Any] = {
        name: values if name.startswith(_LISTS) else values[-1] for name, values in marks.items() if values
    }
    started = [begun.pop(f"first_started_at_{part}", [""])[-1] for part in range(3)]
    return begun | ({"first_started_at": started} if any(started[::2]) else {})


def _given_to(posted: QueryDict, path: str) -> int | None:
    try:
        member, page = signing.loads(posted.get(STAMP, ""), salt=_SALT, max_age=86_400)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return int(member) if page == path else None
