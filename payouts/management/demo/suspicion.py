"""A player pays in one large sum by parts: nothing is blocked, a case is raised, two people look at it (Q2)."""

from accounts.models import AmlCase, CaseKind, GameAccount
from accounts.services.cases import close_case, review_case
from accounts.services.topups import top_up_in_cash
from payouts.management.demo.cast import Cast
from pools.services.suspicions import look_for_suspicions

PART, PARTS = 90_000, 5  # kopecks, each just below the sum from which a document is asked for


def split_up(name: str, account: GameAccount, cast: Cast) -> AmlCase:
    """Pay in by parts, look for what is suspicious, and decide about it; return the case of the account."""
    for part in range(PARTS):
        key = f"demo:{name}:part:{part}"
        top_up_in_cash(account=account, amount=PART, cashier=cast.cashiers[0], idempotency_key=key)
    look_for_suspicions()
    subject = f"game_account:{account.pk}"
    case = AmlCase.objects.filter(kind=CaseKind.DEPOSITS_SPLIT, subject=subject).order_by("-pk")[0]
    review_case(case=case, opinion="Пять взносов подряд чуть ниже порога.", reviewed_by=cast.drafter)
    return close_case(case=case, decision="Игрок показал выписку о зарплате.", decided_by=cast.announcer)
