"""What takes two people, or one of several, when the requests come at once (R1, N4)."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event, Thread
from time import sleep

import pytest
from django.db import connection, transaction

from accounts.models import InsiderKind, Role, User
from accounts.services.insiders import list_insider
from payouts.models import Dispute
from payouts.queries.reports.significant import event_subject, significant_events
from payouts.services import disputes
from payouts.services import significant_events as seeing
from payouts.services.disputes import answer, consider, dispute_at_desk
from payouts.services.significant_events import acknowledge_event
from pools.services.subscribers import approve_subscriber, propose_subscriber
from tests.claiming import won
from tests.concurrency.racing import race
from tests.disputing import cancelled
from tests.making import make_organizers, make_till, make_user
from tests.paying import go_to, payable_from
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord, Subscriber, SubscriberState

pytestmark = pytest.mark.django_db(transaction=True)


def while_held(dispute: Dispute, acts: list[Callable[[], object]]) -> list[object]:
    """Let acts wait, one after the other, for a row that somebody holds; then let go; return what became of them."""
    held, go, became = Event(), Event(), [None] * len(acts)

    def hold() -> None:
        with transaction.atomic():
            Dispute.objects.select_for_update().get(pk=dispute.pk)
            held.set()
            go.wait(timeout=30)
        connection.close()

    def run(place: int, act: Callable[[], object]) -> None:
        try:
            became[place] = act()  # type: ignore[call-overload]
        except DomainError as refusal:
            became[place] = refusal  # type: ignore[call-overload]
        finally:
            connection.close()

    holder = Thread(target=hold)
    holder.start()
    held.wait(timeout=30)
    threads = [Thread(target=run, args=(place, act)) for place, act in enumerate(acts)]
    for thread in threads:
        thread.start()
        sleep(0.3)
    go.set()
    for thread in (holder, *threads):
        thread.join(timeout=30)
    return list(became)


def both_by(person: User) -> list[object]:
    """One person considers a dispute and answers it, the second before the first is done."""
    till = make_till(10_000)
    pool, slip = won(till)
    go_to(payable_from(pool))
    assert till.cashier is not None
    dispute = dispute_at_desk(ticket=slip.bet.ticket, check_code=slip.check_code, story="Why?", opened_by=till.cashier)
    return while_held(
        dispute,
        [
            partial(consider, dispute=dispute, words="Let us see.", considered_by=person),
            partial(answer, dispute=dispute, upheld=False, words="No.", answered_by=person),
        ],
    )


def test_who_considers_a_dispute_does_not_answer_it_with_a_second_request() -> None:
    considered, answered = both_by(make_organizers()[0])
    assert isinstance(considered, Dispute)
    assert isinstance(answered, DomainError)
    assert answered.code == Refusal.SAME_PERSON


def test_negative_control_without_asking_after_the_lock_one_person_does_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disputes, "_refuse_who_considered", lambda *_args: None)
    considered, answered = both_by(make_organizers()[0])
    assert isinstance(considered, Dispute)
    assert isinstance(answered, Dispute)


def an_event() -> str:
    """A significant event that nobody has seen to."""
    till = make_till(10_000)
    _pool, slip = won(till)
    cancelled(slip.bet.ticket)  # after the settlement
    now = clock.now()
    events = significant_events(now - timedelta(days=2), now + timedelta(days=1))
    return next(event.key for event in events if event.seen_at is None)


def seen_to(key: str) -> int:
    staff = [make_user(Role.ORGANIZER) for _person in range(4)]
    race([partial(acknowledge_event, key=key, words="Seen", acknowledged_by=each) for each in staff])
    return JournalRecord.objects.filter(act="acknowledge_event", subject=event_subject(key)).count()


def test_n4_one_person_answers_for_a_significant_event() -> None:
    assert seen_to(an_event()) == 1


def test_n4_negative_control_without_the_lock_several_do(monkeypatch: pytest.MonkeyPatch) -> None:
    key, find = an_event(), seeing.event_named

    def slow(named: str) -> object:
        found = find(named)
        sleep(0.3)
        return found

    monkeypatch.setattr(seeing, "event_named", slow)
    monkeypatch.setattr(seeing, "lock_named", lambda *_args: None)
    assert seen_to(key) > 1


def test_of_two_subscribers_of_one_name_that_are_approved_at_once_one_is_told() -> None:
    maker, *others = [make_user(Role.ORGANIZER) for _person in range(4)]
    for number in range(4):
        name = f"State {number}"
        proposals = [
            propose_subscriber(name=name, url=f"https://example.com/{place}", proposed_by=maker) for place in range(2)
        ]
        ended = race(
            [
                partial(approve_subscriber, number=proposal.subscriber.pk, approved_by=other)
                for proposal, other in zip((*proposals, proposals[0]), others, strict=True)
            ]
        )
        assert sum(isinstance(each, DomainError) for each in ended) == 1
        states = Subscriber.objects.filter(name=name).values_list("state", flat=True)
        assert sorted(states) == [SubscriberState.ACTIVE, SubscriberState.STOPPED]


def test_r1_of_two_log_ins_of_one_person_that_are_listed_at_once_one_is() -> None:
    staff = make_user(Role.ORGANIZER)
    people = [make_user(Role.COMMISSION) for _person in range(4)]
    kinds = list(InsiderKind)
    ended = race(
        [
            partial(list_insider, identity_number="ONEPERSON1", kind=kind, listed_by=staff, user=person)
            for kind, person in zip(kinds, people, strict=True)
        ]
    )
    assert [each.code for each in ended if isinstance(each, DomainError)] == [Refusal.SAME_PERSON] * 3
