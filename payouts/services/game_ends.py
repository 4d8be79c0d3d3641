"""Ending a game: two people, and never with money left in its jackpot (J3)."""

from datetime import date, datetime
from hashlib import sha256

from django.core.files.base import ContentFile
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import GameEnd, GameEndProposal, JackpotGame, User
from accounts.queries.jackpots import has_ended
from accounts.services.staff import refuse_all_but_staff, refuse_same_person, written
from payouts.models import Payable, PayableState
from payouts.queries.jackpot import jackpot_balance
from pools.locks import lock_jackpot
from pools.models import Pool, PoolState
from pools.queries.corrections import pools_being_corrected
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.filed_files import content_as_filed, only_scan
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

_UNDER_WAY = (PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED, PoolState.RESULTED)


def propose_game_end(
    *, game: str, jackpot_to: str, reason: str, number: str, dated: date, content: bytes, proposed_by: User
) -> GameEndProposal:
    """Propose to end `sportloto` or `totolot` by a document with its number, date and scan (PDF, JPEG or PNG).

    `jackpot_to` is the game into whose jackpot the document moves what is in this one's, and what still comes for it;
    empty: it moves nothing. A later proposal takes the place of an earlier one. Nothing changes by it.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE, naming the field; WRONG_STATE for a game that has ended.
    """
    refuse_all_but_staff(proposed_by)
    reason = written(reason, field="reason", most=500)
    number = written(number, field="number", most=50)
    content_type, ending = only_scan(content)
    _refuse_unknown(game, jackpot_to)
    name = sha256(content).hexdigest()
    with one_transaction():
        _lock_jackpots(game, jackpot_to)
        _refuse_ended(game, jackpot_to)
        at = clock.now()
        if dated > legal_day(at):
            raise DomainError(Refusal.BAD_VALUE, _("The document must not be of a later day."), field="dated")
        proposal = GameEndProposal(
            game=game,
            jackpot_to=jackpot_to,
            reason=reason,
            document_number=number,
            document_date=dated,
            content_type=content_type,
            size=len(content),
            digest=f"sha256:{name}",
            proposed_by=proposed_by,
            proposed_at=at,
        )
        proposal.file.save(f"game-ends/{game}/{name}.{ending}", ContentFile(content), save=False)
        proposal.save(force_insert=True)
        write_journal(
            at=at,
            actor=proposed_by.actor,
            act="propose_game_end",
            subject=f"game:{game}",
            reason=reason,
            after={"number": proposal.pk, **_document(proposal)},
        )
    return proposal


def approve_game_end(*, proposal: GameEndProposal, approved_by: User) -> GameEnd:
    """End the game: its jackpot moves as the document says, and no pool of it is announced any more.

    Approved again it answers the same.

    :raises DomainError: NOT_ALLOWED; SAME_PERSON; WRONG_STATE when a later proposal stands, either game has ended, a
        pool of the game is under way, or something is in its jackpot, or may still come into it, and the document names
        no other one; then nothing is changed.
    """
    refuse_all_but_staff(approved_by)
    refuse_same_person(proposal.proposed_by_id, approved_by)
    game, jackpot_to = proposal.game, proposal.jackpot_to
    with one_transaction():
        _lock_jackpots(game, jackpot_to)
        standing = GameEnd.objects.filter(proposal=proposal).first()
        if standing is not None:
            return standing
        if GameEndProposal.objects.filter(game=game, pk__gt=proposal.pk).exists():
            raise DomainError(Refusal.WRONG_STATE, _("Another proposal has been made meanwhile; read it first."))
        _refuse_ended(game, jackpot_to)
        _refuse_unfinished(game)
        at, held = clock.now(), jackpot_balance(game)
        if not jackpot_to:
            _refuse_money_left(game, held)
        end = GameEnd.objects.create(
            game=game,
            jackpot_to=jackpot_to,
            moved=held,
            proposal=proposal,
            proposed_by_id=proposal.proposed_by_id,
            approved_by=approved_by,
            ended_at=at,
        )
        if held:
            _move_jackpot(end, at)
        write_journal(
            at=at,
            actor=approved_by.actor,
            act="approve_game_end",
            subject=f"game:{game}",
            reason=proposal.reason,
            after={"moved": held, "proposed_by": f"user:{proposal.proposed_by_id}", **_document(proposal)},
        )
    return end


def read_end_document(proposal: GameEndProposal) -> bytes:
    """Return the scan of the document; :raises DomainError: EVIDENCE_CHANGED when it is not what was filed."""
    content = content_as_filed(proposal.file, proposal.digest)
    if content is None:
        raise DomainError(Refusal.EVIDENCE_CHANGED, _("The stored file is not the one that was filed."))
    return content


def _lock_jackpots(*games: str) -> None:
    """Hold these jackpots alone, always in the same order."""
    for game in JackpotGame.values:
        if game in games:
            lock_jackpot(game)


def _refuse_unknown(game: str, jackpot_to: str) -> None:
    if game not in JackpotGame.values:
        raise DomainError(Refusal.BAD_VALUE, _("There is no such game."), field="game")
    if jackpot_to and (jackpot_to not in JackpotGame.values or jackpot_to == game):
        raise DomainError(Refusal.BAD_VALUE, _("Name another game."), field="jackpot_to")


def _refuse_ended(game: str, jackpot_to: str) -> None:
    if has_ended(game):
        raise DomainError(Refusal.WRONG_STATE, _("This game has ended."), field="game")
    if jackpot_to and has_ended(jackpot_to):
        raise DomainError(Refusal.WRONG_STATE, _("The game whose jackpot shall take the money has ended."))


def _refuse_unfinished(game: str) -> None:
    mine = Pool.objects.filter(game__startswith=f"{game}-")
    under_way = mine.filter(state__in=_UNDER_WAY) | mine.filter(pk__in=pools_being_corrected().values("pk"))
    codes = list(under_way.order_by("code").values_list("code", flat=True)[:10])
    if codes:
        message = _("Pools of this game are not settled yet: %(pools)s.") % {"pools": ", ".join(codes)}
        raise DomainError(Refusal.WRONG_STATE, message, pools=codes)


def _refuse_money_left(game: str, held: int) -> None:
    """Refuse to leave money behind that is in the jackpot, or that may come into it when nobody collects it."""
    if held:
        message = _("There is money in the jackpot: a document must move it to another game's.")
        raise DomainError(Refusal.WRONG_STATE, message, amount=held)
    owed = Payable.objects.filter(pool__game__startswith=f"{game}-", state=PayableState.DUE, pay_to__isnull=True)
    if owed.exists():
        message = _("What nobody collects will go to the jackpot: a document must name another game's.")
        raise DomainError(Refusal.WRONG_STATE, message)


def _move_jackpot(end: GameEnd, at: datetime) -> None:
    from_, to = (ledger_account(AccountKind.JACKPOT, game) for game in (end.game, end.jackpot_to))
    post(
        key=f"game-ended:{end.game}",
        kind=TransferKind.JACKPOT_GAME_ENDED,
        occurred_at=at,
        cause=f"game_end:{end.proposal_id}",
        movements=[Movement(from_, to, end.moved)],
    )


def _document(proposal: GameEndProposal) -> dict[str, str]:
    return {
        "jackpot_to": proposal.jackpot_to,
        "document": proposal.document_number,
        "dated": proposal.document_date.isoformat(),
        "digest": proposal.digest,
    }
