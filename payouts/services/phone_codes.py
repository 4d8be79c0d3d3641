"""One-time codes to phones: few for each phone and ticket, short-lived, good for five tries (X9)."""

import hmac
import re
import secrets
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from payouts.models import CodePurpose, PhoneCode
from payouts.services.text_messages import queue_message
from pools.models import Bet
from totalizator.core import clock
from totalizator.core.encrypted import keyed_digest
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_number
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

_DIGITS, _TRIES, _CODES_AN_HOUR, _HOUR = 6, 5, 5, 3_600
_PHONE = re.compile(r"\+[1-9][0-9]{9,14}")


def spelled_phone(text: str) -> str:
    """Return a phone number as `+375291234567`; :raises DomainError: BAD_VALUE."""
    phone = re.sub(r"[\s()-]", "", text)
    if _PHONE.fullmatch(phone) is None:
        message = gettext_lazy("Give the number with its country, such as +375 29 123-45-67.")
        raise DomainError(Refusal.BAD_VALUE, message, field="phone")
    return phone


def hash_of(phone: str, salt: bytes | memoryview) -> bytes:
    """Return what is kept of a phone number."""
    return keyed_digest("phone", f"{bytes(salt).hex()}:{phone}")


def refuse_flood(*subjects: str, most: int = _CODES_AN_HOUR) -> None:
    """Refuse more than `most` codes in an hour for one of the subjects, whether or not the others were sent.

    :raises DomainError: THROTTLED.
    """
    keys = [f"phone-codes:{keyed_digest('phone-flood', subject).hex()}" for subject in subjects]
    if any(int(cache.get(key, 0)) >= most for key in keys):
        message = gettext_lazy("Too many codes were asked for; please wait an hour.")
        raise DomainError(Refusal.THROTTLED, message, retry_after=_HOUR)
    for key in keys:
        cache.add(key, 0, _HOUR)
        cache.incr(key)


def send_code(bet: Bet, purpose: CodePurpose, phone: str) -> None:
    """Send a new code; the ones sent before for the same purpose are good no more."""
    code = f"{secrets.randbelow(10**_DIGITS):0{_DIGITS}d}"
    with one_transaction():
        at = clock.now()
        good_for = timedelta(minutes=int(legal_number("phone_code_minutes", legal_day(at))))
        salt = secrets.token_bytes(16)
        sent = PhoneCode.objects.create(
            pool_id=bet.pool_id,
            ticket=bet.ticket,
            purpose=purpose,
            salt=salt,
            phone_hash=hash_of(phone, salt),
            code_hash=_code_hash(bet, purpose, code),
            sent_at=at,
            expires_at=at + good_for,
        )
        words = _("Code %(code)s for ticket %(ticket)s. Tell it only at the till.") % {
            "code": code,
            "ticket": bet.ticket,
        }
        queue_message(cause=f"phone-code:{sent.pk}", phone=phone, words=words, at=at, good_for=good_for)


def judged_code(bet: Bet, purpose: CodePurpose, code: str) -> PhoneCode:
    """Return the code that was sent last, if this is it; a wrong one is counted for good, the sixth is not looked at.

    Call it outside the transaction of the act, which then calls `use_code`.

    :raises DomainError: PHONE_CODE_NEEDED, the same for a wrong code as for one that was never sent.
    """
    with transaction.atomic():
        now = clock.now()
        rows = PhoneCode.objects.select_for_update(no_key=True).filter(pool_id=bet.pool_id, ticket=bet.ticket)
        sent = rows.filter(purpose=purpose).order_by("-pk").first()
        fits = sent is not None and hmac.compare_digest(bytes(sent.code_hash), _code_hash(bet, purpose, code.strip()))
        if sent is not None and not fits:
            PhoneCode.objects.filter(pk=sent.pk).update(wrong_tries=F("wrong_tries") + 1)
    if sent is None or not fits or sent.used_at is not None or sent.expires_at <= now or sent.wrong_tries >= _TRIES:
        raise code_needed()
    return sent


def use_code(code: PhoneCode, at: datetime) -> None:
    """Use a code up, in the transaction of what it is used for; :raises DomainError: PHONE_CODE_NEEDED."""
    if not PhoneCode.objects.filter(pk=code.pk, used_at__isnull=True).update(used_at=at):
        raise code_needed()


def code_needed() -> DomainError:
    """Return the refusal of who has not the code that was sent to the phone."""
    message = gettext_lazy("Type the code that was sent to the phone this ticket is bound to.")
    return DomainError(Refusal.PHONE_CODE_NEEDED, message, field="phone_code")


def _code_hash(bet: Bet, purpose: CodePurpose, code: str) -> bytes:
    return keyed_digest("phone-code", f"{purpose}:{bet.ticket}:{code}")
