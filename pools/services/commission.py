"""Who decides a pool's result: the commission that its terms name, appointed at announcement (¶10, ¶30)."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Role, User
from pools.models import CommissionKey, Pool, PoolMember
from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.terms import Terms

MIN_SIGNATURES = 2


def quorum_keys(terms: Terms) -> Mapping[str, CommissionKey]:
    """Return the keys that the terms' quorum names, by id, each in force and each of another member.

    :raises DomainError: BAD_TERMS naming `quorum`, when the result could not be sealed by two people at least.
    """
    if terms.quorum is None or terms.quorum.need < MIN_SIGNATURES:
        raise _refusal(_("At least two members of the commission must sign the result."))
    keys = CommissionKey.objects.select_related("member").filter(
        key_id__in=terms.quorum.members,
        revoked_at__isnull=True,
        member__role=Role.COMMISSION,
        member__is_active=True,
    )
    found = {key.key_id: key for key in keys}
    missing = [key_id for key_id in terms.quorum.members if key_id not in found]
    if missing:
        raise _refusal(_("Not a commission key in force: %(keys)s.") % {"keys": ", ".join(missing)})
    if len({key.member_id for key in found.values()}) < len(found):
        raise _refusal(_("Each key of the quorum must belong to another member."))
    return found


def appoint_commission(pool: Pool) -> None:
    """Appoint the owners of the quorum's keys for this pool, for good; runs inside the announcement.

    The first key that the terms name is the chair's.

    :raises DomainError: BAD_TERMS, as `quorum_keys`: a key may have been revoked since the draft.
    """
    keys = quorum_keys(pool.terms)
    assert pool.terms.quorum is not None
    first = pool.terms.quorum.members[0]
    PoolMember.objects.bulk_create(
        PoolMember(pool=pool, member=key.member, chair=key_id == first) for key_id, key in keys.items()
    )


def only_member(pool: Pool, person: User) -> None:
    """Refuse whoever is not of the pool's commission, or is no longer a commission member at all.

    :raises DomainError: NOT_ALLOWED.
    """
    members = PoolMember.objects.filter(pool=pool, member__role=Role.COMMISSION, member__is_active=True)
    if not members.filter(member=person).exists():
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a member of this pool's commission can do this."))


def _refusal(message: str | Promise) -> DomainError:
    return DomainError(Refusal.BAD_TERMS, message, field="quorum")
