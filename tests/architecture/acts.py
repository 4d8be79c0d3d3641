"""Finding every act that the code writes into the journal, by reading the code."""

import ast
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path

from accounts.models import AccountAct, CaseState, ExclusionKind, OrderState
from tests.architecture.sources import PRODUCT, python_files, spot, tree

# Acts that are put together, and of what: the text with its gap, and what fills it.
MADE_OF: dict[str, type[Enum]] = {
    "propose_{act}": AccountAct,
    "{act}_account": AccountAct,
    "order_{to}": OrderState,
    "case_{to}": CaseState,
    "{str(kind)}": ExclusionKind,
}


class UnknownAct(Exception):
    """An act that is written in a way that this reading does not follow."""


def acts_written() -> dict[str, str]:
    """Return every act with a place where it is written; a job's failure is told of by the act it failed at."""
    return {act: place for path in python_files(*PRODUCT) for act, place in _acts_of(path)}


def _acts_of(path: Path) -> Iterator[tuple[str, str]]:
    module = tree(path)
    constants = {
        target.id: node.value.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    taking_acts = {
        node.name: [argument.arg for argument in node.args.args].index("act")
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef) and "act" in [argument.arg for argument in node.args.args]
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            for value in _values(node, taking_acts):
                for act in _told(value, constants, path):
                    yield act, spot(path, node)


def _values(call: ast.Call, taking_acts: Mapping[str, int]) -> Iterator[ast.expr]:
    """Yield what a call gives as `act`: by name, or by place to a function of the same file."""
    yield from (keyword.value for keyword in call.keywords if keyword.arg == "act")
    place = taking_acts.get(call.func.id) if isinstance(call.func, ast.Name) else None
    if place is not None and len(call.args) > place:
        yield call.args[place]


def _told(value: ast.expr, constants: Mapping[str, object], path: Path) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(act)):
            yield act
        case ast.IfExp(body=one, orelse=other):
            yield from _told(one, constants, path)
            yield from _told(other, constants, path)
        case ast.Name(id=name) if isinstance(constants.get(name), str):
            yield str(constants[name])
        case ast.Name() | ast.Lambda() | ast.Attribute():  # handed on, or what an API's request does once
            return
        case ast.JoinedStr() | ast.Call():
            written = ast.unparse(value)
            form = written[2:-1] if isinstance(value, ast.JoinedStr) else f"{{{written}}}"
            if form not in MADE_OF:
                raise UnknownAct(f"{spot(path, value)}: {form}")
            gap = form[form.index("{") : form.index("}") + 1]
            yield from (form.replace(gap, str(filling.value)) for filling in MADE_OF[form])
        case _:
            raise UnknownAct(f"{spot(path, value)}: {ast.unparse(value)}")
