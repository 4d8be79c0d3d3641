"""What is due later is a row (docs/broker.md): a task that waits in a broker is handed out again and again."""

import ast
from collections.abc import Iterator

from tests.architecture.sources import PRODUCT, python_files, spot, tree

LATER = {"countdown", "eta"}


def delays(module: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls that send a task with a delay, or ask for a later try of the running one."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            named = {keyword.arg for keyword in node.keywords}
            sends = called in {"apply_async", "send_task", "signature", "s"}
            if (sends and named & {"countdown", "eta"}) or (called == "retry" and named & LATER):
                yield node


def test_c50_nothing_is_sent_to_be_done_later() -> None:
    assert [spot(path, call) for path in python_files(*PRODUCT) for call in delays(tree(path))] == []


def test_a_delay_is_found() -> None:
    module = ast.parse(
        "a.apply_async(countdown=5)\nb.send_task('x', eta=y)\nself.retry(countdown=1)\nc.apply_async(expires=2)"
    )
    assert len(list(delays(module))) == 3
