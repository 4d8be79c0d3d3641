"""Telling the public, in the name of the operator's former key, which key comes after it (X6)."""

import base64

from django.utils.translation import gettext_lazy as _

from pools.locks import lock_public_log
from pools.models import LogKind, OperatorKey, OperatorKeyNotice
from pools.services.operator_keys import register_operator_key
from pools.services.public_log import append_to_log
from totalizator.core import clock, signing
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json
from totalizator.engine.instants import instant_text
from totalizator.engine.key_notice import notice_payload


def notice_subject(key_id: str) -> str:
    """Return what the line of a notice is about."""
    return f"operator-key:{key_id}"


def change_operator_key(*, actor: str) -> OperatorKeyNotice | None:
    """Register the key of the settings; where they have the former one too, let it sign a public notice of this one.

    A notice is published once: run again, it is returned. Without the former key there is none: that the key changed is
    then told by the journal alone.

    :raises DomainError: WRONG_STATE when the former key is this one, or nothing was ever signed with it here.
    """
    former = signing.former_operator_key()
    with one_transaction():
        lock_public_log()
        if former is not None:
            _refuse_unknown(former)
        key = register_operator_key()
        published = OperatorKeyNotice.objects.filter(key=key).first()
        if former is None or published is not None:
            return published
        at = clock.now()
        document: dict[str, object] = {
            "format": 1,
            "former": former.key_id,
            "key": key.key_id,
            "public": key.public,
            "at": instant_text(at),
        }
        signed = {**document, "signatures": [former.sign(notice_payload(document))]}
        notice = OperatorKeyNotice.objects.create(
            key=key, former_id=former.key_id, document_text=canonical_json(signed).decode(), published_at=at
        )
        subject = f"operator_key:{key.key_id}"
        write_journal(at=at, actor=actor, act="publish_key_notice", subject=subject, after={"former": former.key_id})
        append_to_log(
            kind=LogKind.REPORT,
            subject=notice_subject(key.key_id),
            document=notice.document_text.encode(),
            at=at,
        )
    return notice


def _refuse_unknown(former: signing.OperatorSigner) -> None:
    if former.key_id == signing.operator_key_id():
        raise DomainError(Refusal.WRONG_STATE, _("The former key and the new one are the same."))
    public = base64.b64encode(former.public).decode()
    if not OperatorKey.objects.filter(pk=former.key_id, public=public).exists():
        raise DomainError(Refusal.WRONG_STATE, _("Nothing was ever signed here with this former key."))
