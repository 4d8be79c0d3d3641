"""What others call says in one line what it does."""

import ast
from collections.abc import Iterator

from tests.architecture.sources import PRODUCT, python_files, spot, tree

Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def test_every_public_function_of_engine_and_services_has_a_docstring() -> None:
    services = [f"{app}/services" for app in ("accounts", "payouts", "pools")]
    found = []
    for path in python_files("totalizator/engine", "accounts/ledger", "deploy", *services):
        found += [f"{spot(path, node)} {node.name}" for node in public(tree(path)) if not ast.get_docstring(node)]
    assert found == []


def test_every_module_says_what_it_is_about() -> None:
    modules = [path for path in python_files(*PRODUCT, "deploy") if path.stat().st_size and path.name != "apps.py"]
    assert [str(path) for path in modules if not ast.get_docstring(tree(path))] == []


def test_a_bare_function_is_found() -> None:
    module = ast.parse("class A:\n    def told(self):\n        'Do.'\n    def bare(self): ...\ndef _own(): ...")
    assert [node.name for node in public(module) if not ast.get_docstring(node)] == ["A", "bare"]


def public(scope: ast.Module | ast.ClassDef) -> Iterator[Named]:
    """Yield the functions and classes that may be used from outside; Django's own inner classes are not."""
    for node in scope.body:
        if isinstance(node, Named) and not node.name.startswith("_") and node.name not in ("Meta", "Command"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)
