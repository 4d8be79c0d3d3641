"""Forms that a prepaid card has paid: remembered in the session, so that nothing else pays them again (C36)."""

from accounts.permissions import PersonRequest

_KEY, _KEPT = "paid_by_card", 20


def note_paid_by_card(request: PersonRequest, token: str) -> None:
    """Remember that a card has paid the form with this token."""
    kept = [each for each in request.session.get(_KEY, []) if each != token]
    request.session[_KEY] = [*kept, token][-_KEPT:]


def was_paid_by_card(request: PersonRequest, token: str) -> bool:
    """Tell whether a card has paid the form with this token."""
    return token in request.session.get(_KEY, [])
