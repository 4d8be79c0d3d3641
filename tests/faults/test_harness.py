"""The harness itself: a seed tells all, every fault comes, and an unclear answer is seen as one."""

import socket
from http.client import HTTPMessage

import pytest

from tests.faults.kinds import KINDS
from tests.faults.lines import Line
from tests.faults.plan import STAGES, plan_of
from tests.faults.selling import PROBLEM, Answers


def test_a_seed_tells_the_plan_and_as_many_seeds_as_there_are_faults_bring_each() -> None:
    seeds = range(40, 40 + 5 * len(KINDS))
    plans = [plan_of(seed, list(KINDS)) for seed in seeds]
    assert plans == [plan_of(seed, list(KINDS)) for seed in seeds]
    assert {plan[0].kind for plan in plans[: len(KINDS)]} == set(KINDS)
    assert {injected.stage for plan in plans for injected in plan} == set(STAGES)
    assert {len(plan) for plan in plans} == {1, 2, 3}


@pytest.mark.parametrize(
    ("status", "kind", "retry_after", "body", "is_clear"),
    [
        (201, "application/json", None, b"{}", True),
        (409, PROBLEM, None, b"{}", True),
        (503, PROBLEM, "2", b"{}", True),
        (503, PROBLEM, None, b"{}", False),
        (503, "text/html", "2", b"<h1>", False),
        (409, "text/html", None, b"<h1>", False),
        (500, PROBLEM, None, b"{}", False),
        (400, PROBLEM, None, b"Traceback (most recent call last)", False),
    ],
)
def test_what_is_a_clear_answer_of_the_api(
    status: int, kind: str, retry_after: str | None, body: bytes, is_clear: bool
) -> None:
    headers, answers = HTTPMessage(), Answers()
    headers["Content-Type"] = kind
    if retry_after:
        headers["Retry-After"] = retry_after
    answers.note(status, headers, body, of_api=True)
    assert (answers.unclear == []) == is_clear
    assert answers.counted == {str(status): 1}


def test_a_line_carries_stands_still_and_is_cut() -> None:
    with socket.create_server(("127.0.0.1", 0)) as far:
        line = Line(lambda: far.getsockname()[1])
        with socket.create_connection(("127.0.0.1", line.port), timeout=5) as near:
            there, _address = far.accept()
            with there:
                there.settimeout(0.3)
                near.sendall(b"carried")
                assert there.recv(100) == b"carried"
                line.stands_still = True
                near.sendall(b"late")
                with pytest.raises(TimeoutError):
                    there.recv(100)
                line.stands_still = False
                assert there.recv(100) == b"late"
                line.cut()
                assert there.recv(100) == b""
                assert near.recv(100) == b""
        line.is_down = True
        with socket.create_connection(("127.0.0.1", line.port), timeout=5) as near:
            assert near.recv(100) == b""
        line.close()
