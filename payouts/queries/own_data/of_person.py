"""The own data: who the player is, and what binds the player's play."""

from django.utils.translation import gettext_lazy as _

from accounts.models import (
    Consent,
    Exclusion,
    ForwardedExclusion,
    IdentifiedOperation,
    Identity,
    LimitRaise,
    Person,
    PlayLimit,
    Trait,
    Verification,
)
from payouts.models import FormerRecipient, Recipient
from payouts.queries.own_data.subjects import Owner, Row, Subject, rows_of

_TOLD = ("full_name", "identity_number", "document", "recorded_at")


def _identity(owner: Owner) -> list[Row]:
    mine = Identity.objects.filter(person=owner.person)
    return rows_of(mine, *_TOLD, "birth_date", "bank_account")


def _verification(owner: Owner) -> list[Row]:
    return rows_of(Verification.objects.filter(person=owner.person), "method", "verified_at")


def _documents(owner: Owner) -> list[Row]:
    now = rows_of(Recipient.objects.filter(person=owner.person), *_TOLD)
    former = FormerRecipient.objects.filter(person=owner.person).order_by("pk")
    return now + rows_of(former, *_TOLD, "replaced_at")


def _shown(owner: Owner) -> list[Row]:
    mine = IdentifiedOperation.objects.filter(person=owner.person).order_by("pk")
    return rows_of(mine, "operation", "noted_at")


def _consents(owner: Owner) -> list[Row]:
    mine = Consent.objects.filter(person=owner.person).order_by("accepted_at")
    return rows_of(mine, "rules_version", "accepted_at")


def _limits(owner: Owner) -> list[Row]:
    mine = PlayLimit.objects.filter(person=owner.person).order_by("kind", "period")
    waiting = LimitRaise.objects.filter(person=owner.person).order_by("kind", "period")
    return rows_of(mine, "kind", "period", "amount", "set_at") + rows_of(
        waiting, "kind", "period", "amount", "asked_at", "ready_at"
    )


def _exclusions(owner: Owner) -> list[Row]:
    mine = Exclusion.objects.filter(person=owner.person).order_by("pk")
    return rows_of(mine, "kind", "begins_at", "ends_at", "forwarded__forwarded_at", "forwarded__reference")


def _traits(owner: Owner) -> list[Row]:
    mine = Trait.objects.filter(person=owner.person).order_by("first_seen_at")
    return rows_of(mine, "kind", "first_seen_at")


SUBJECTS = (
    Subject("identity", _("what your document says, as you recorded it"), (Identity, Person), _identity),
    Subject("verification", _("when and how your document was seen"), (Verification,), _verification),
    Subject("documents", _("what you showed at a desk to be paid"), (Recipient, FormerRecipient), _documents),
    Subject("shown", _("operations for which you showed a document"), (IdentifiedOperation,), _shown),
    Subject("consents", _("the versions of the rules that you accepted"), (Consent,), _consents),
    Subject("limits", _("your limits, and wishes to raise them"), (PlayLimit, LimitRaise), _limits),
    Subject("exclusions", _("your cooling-off and self-exclusion"), (Exclusion, ForwardedExclusion), _exclusions),
    Subject(
        "marks",
        _("that marks of your name, bank account, cards and devices are kept, and since when"),
        (Trait,),
        _traits,
    ),
)
