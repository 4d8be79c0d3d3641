"""Publishing winners: only with their consent, only what they agreed to, by two people, until they say no (¶14, ¶44).

The law lets the organizer publish who won most; a name, a photo and a sum together are personal data, so nothing is
published without a consent, on signed paper or from the game account. It can be withdrawn at any time: then nothing is
shown any more, and who agreed to what, who published it and when it ended is kept.
"""

from dataclasses import dataclass
from hashlib import sha256

from django.core.files.base import ContentFile
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from payouts.models import ConsentWay, ConsentWithdrawal, Publication, PublicationConsent, PublicationProposal
from payouts.queries.publications import may_be_published, won_on
from payouts.queries.ticket_owners import owner_of
from payouts.services.phone_binding import bet_of_number
from pools.models import Bet
from pools.snapshots.pool_archives import bet_with_ticket
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import content_as_filed, only_scan
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


@dataclass(frozen=True, slots=True)
class Agreed:
    """What may be published: what is empty may not."""

    name: str = ""
    words: str = ""
    amount: bool = False
    photo: bytes = b""


def consent_on_paper(*, ticket: str, agreed: Agreed, paper: bytes, taken_by: User) -> PublicationConsent:
    """File the paper by which the winner of a ticket agrees to be published; `paper` is a scan of it.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; WRONG_STATE for a winning that the law lets nobody publish; BAD_VALUE.
    """
    refuse_all_but_staff(taken_by)
    bet = bet_of_number(ticket)
    if bet is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no ticket with this number."), field="ticket")
    return _record(bet, agreed, ConsentWay.PAPER, taken_by, paper)


def consent_from_account(*, ticket: str, agreed: Agreed, player: User, stepped_up: bool) -> PublicationConsent:
    """Note that a player, whose ticket it is known to be, agrees to be published; no photo comes this way.

    :raises DomainError: STEP_UP_NEEDED; NOT_FOUND for a ticket that is not the player's; WRONG_STATE, BAD_VALUE as
        `consent_on_paper`.
    """
    if not stepped_up:
        raise DomainError(Refusal.STEP_UP_NEEDED, _("Show the second factor to agree."))
    bet = bet_of_number(ticket)
    owner = owner_of(bet) if bet is not None else None
    owned = owner is not None and owner.account.player_id == player.pk
    if bet is None or not (bet.player_id == player.pk or owned):
        raise DomainError(Refusal.NOT_FOUND, _("This is no ticket of yours."), field="ticket")
    return _record(bet, agreed, ConsentWay.ACCOUNT, player, b"")


def withdraw_consent(*, consent: PublicationConsent, reason: str, withdrawn_by: User) -> ConsentWithdrawal:
    """End a consent for good: its player by an own act, or the staff by the paper named in `reason`.

    Again it returns the first withdrawal.

    :raises DomainError: NOT_ALLOWED for who is neither; BAD_VALUE of the staff without a reason.
    """
    own = consent.way == ConsentWay.ACCOUNT and consent.given_by_id == withdrawn_by.pk
    if not own:
        refuse_all_but_staff(withdrawn_by)
        reason = written(reason, field="reason")
    with one_transaction():
        _locked(consent)
        at = clock.now()
        withdrawal, new = ConsentWithdrawal.objects.get_or_create(
            consent=consent, defaults={"reason": reason, "withdrawn_by": withdrawn_by, "withdrawn_at": at}
        )
        if new:
            write_journal(
                at=at,
                actor=withdrawn_by.actor,
                act="withdraw_publication_consent",
                subject=f"bet:{consent.ticket}",
                reason=reason,
                after={"consent": consent.pk},
            )
    return withdrawal


def propose_publication(*, consent: PublicationConsent, proposed_by: User) -> PublicationProposal:
    """Propose to publish what a winner has agreed to; another of the staff approves.

    :raises DomainError: NOT_ALLOWED; WRONG_STATE when the consent is withdrawn or published.
    """
    refuse_all_but_staff(proposed_by)
    with one_transaction():
        _locked(consent)
        _refuse_over(consent)
        if Publication.objects.filter(consent=consent).exists():
            raise DomainError(Refusal.WRONG_STATE, _("This is published already."))
        at = clock.now()
        proposal = PublicationProposal.objects.create(consent=consent, proposed_by=proposed_by, proposed_at=at)
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_publication",
            subject=f"bet:{consent.ticket}",
            after={"consent": consent.pk},
        )
    return proposal


def approve_publication(*, proposal: PublicationProposal, approved_by: User) -> Publication:
    """Publish it: from now on everybody sees what the winner has agreed to. Approved again it answers the same.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when the consent is withdrawn, or the winning is not one
        that may be published any more.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    with one_transaction():
        consent = _locked(proposal.consent)
        _refuse_over(consent)
        standing = Publication.objects.filter(consent=consent).first()
        if standing is not None:
            return standing
        at = clock.now()
        bet = bet_with_ticket(consent.ticket, consent.pool.code)
        assert bet is not None, f"consent {consent.pk} is of no bet"
        _refuse_small(bet)
        publication = Publication.objects.create(
            consent=consent, proposed_by_id=proposal.proposed_by_id, approved_by=approved_by, published_at=at
        )
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_publication",
            subject=f"bet:{consent.ticket}",
            after={"consent": consent.pk, "proposed_by": f"user:{proposal.proposed_by_id}"},
        )
    return publication


def photo_of(consent: PublicationConsent) -> bytes | None:
    """Return the photo as it was filed; None when there is none, or what is stored is something else."""
    if not consent.photo_digest:
        return None
    try:
        return content_as_filed(consent.photo, consent.photo_digest)
    except OSError:
        return None


def _record(bet: Bet, agreed: Agreed, way: ConsentWay, given_by: User, paper: bytes) -> PublicationConsent:
    name = written(agreed.name, field="name") if agreed.name else ""
    words = written(agreed.words, field="words", most=500) if agreed.words else ""
    if not (name or words or agreed.amount or agreed.photo):
        raise DomainError(Refusal.BAD_VALUE, _("Say what may be published."), field="name")
    with one_transaction():
        _refuse_small(bet)
        at = clock.now()
        consent = PublicationConsent(
            pool_id=bet.pool_id,
            ticket=bet.ticket,
            way=way,
            name=name,
            words=words,
            amount=won_on(bet) if agreed.amount else None,
            given_by=given_by,
            given_at=at,
        )
        if paper:
            consent.paper_digest = _file(consent, "paper", paper)
        if agreed.photo:
            consent.photo_digest = _file(consent, "photo", agreed.photo, only_image=True)
        consent.save(force_insert=True)
        write_journal(
            at=at,
            actor=given_by.actor,
            act="record_publication_consent",
            subject=f"bet:{bet.ticket}",
            after={
                "consent": consent.pk,
                "way": str(way),
                "name": bool(name),
                "words": bool(words),
                "amount": agreed.amount,
                "photo": consent.photo_digest,
                "paper": consent.paper_digest,
            },
        )
    return consent


def _file(consent: PublicationConsent, what: str, content: bytes, *, only_image: bool = False) -> str:
    """File a scan or a photo under its digest, and return that; :raises DomainError: BAD_VALUE for another kind."""
    kind, ending = only_scan(content)
    if only_image and not kind.startswith("image/"):
        raise DomainError(Refusal.BAD_VALUE, _("A JPEG or PNG file is wanted."), field="photo")
    name = sha256(content).hexdigest()
    stored = consent.photo if what == "photo" else consent.paper
    stored.save(f"winners/{consent.pool_id}/{name}.{ending}", ContentFile(content), save=False)
    return f"sha256:{name}"


def _locked(consent: PublicationConsent) -> PublicationConsent:
    return PublicationConsent.objects.select_for_update(no_key=True).get(pk=consent.pk)


def _refuse_over(consent: PublicationConsent) -> None:
    if ConsentWithdrawal.objects.filter(consent=consent).exists():
        raise DomainError(Refusal.WRONG_STATE, _("The winner has withdrawn this consent."))


def _refuse_small(bet: Bet) -> None:
    if not may_be_published(bet, clock.now()):
        message = _("Only the greatest winning of a pool, in Totolot a large one, may be published (¶14, ¶44).")
        raise DomainError(Refusal.WRONG_STATE, message, field="ticket")
