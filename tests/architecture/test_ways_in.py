"""Nothing that people do needs a Python shell: each service that takes a person's act has an address or a command."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import ROOT, python_files, tree

APPS = ("accounts", "pools", "payouts")
INSIDE: dict[str, str] = {
    "accounts.services.identified_operations.note_identified": "part of a payment or sale at a till",
    "pools.services.commission_keys.take_out_of_force": "part of revoking the own key, and of two people's decision",
}
"""Acts of people that are only ever part of another act, and of which."""

Names = set[tuple[str, str]]


def acts() -> Iterator[tuple[str, str]]:
    """Yield (module, function) of every service that is told which person does it: `by`, `approved_by`, …"""
    for path in python_files(*(f"{app}/services" for app in APPS)):
        for node in tree(path).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and takes_a_doer(node):
                yield module_of(path), node.name


def takes_a_doer(node: ast.FunctionDef) -> bool:
    """Tell whether an argument is the person who does it."""
    arguments = [*node.args.args, *node.args.kwonlyargs]
    return any(
        (argument.arg == "by" or argument.arg.endswith("_by"))
        and argument.annotation is not None
        and "User" in ast.unparse(argument.annotation)
        for argument in arguments
    )


def doors() -> Names:
    """Return what views, the API, jobs and commands name of services; the demo is no way in."""
    folders = [f"{app}/{floor}" for app in APPS for floor in ("api", "views", "management/commands")]
    files = [path for path in python_files(*folders) if path.stem != "demo"]
    files += [ROOT / app / "tasks.py" for app in APPS]
    return {name for path in files for name in named_in(tree(path))}


def named_in(module: ast.Module) -> Names:
    """Return (module, name) of everything that is imported and used, also as `module.name`."""
    used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    whole: dict[str, str] = {}
    found: Names = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                own = alias.asname or alias.name
                whole[own] = f"{node.module}.{alias.name}"
                if own in used:
                    found.add((node.module, alias.name))
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in whole:
            found.add((whole[node.value.id], node.attr))
    return found


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_every_act_of_a_person_has_a_way_in() -> None:
    reachable = doors()
    missing = {f"{module}.{name}" for module, name in acts() if (module, name) not in reachable}
    assert missing - set(INSIDE) == set()


def test_what_is_let_through_is_needed() -> None:
    assert set(INSIDE) & {f"{module}.{name}" for module, name in doors()} == set()


def test_an_import_that_nothing_uses_opens_nothing() -> None:
    module = ast.parse("from a.services.b import c, d\nfrom a.services import e\nd()\ne.f()")
    assert named_in(module) == {("a.services.b", "d"), ("a.services", "e"), ("a.services.e", "f")}


def test_acts_are_found() -> None:
    found = {name for _module, name in acts()}
    assert {"approve_withdrawal", "register_point", "propose_decision", "approve_cancellation"} <= found
    assert "refuse_all_but_staff" not in found
    assert len(found) > 80
