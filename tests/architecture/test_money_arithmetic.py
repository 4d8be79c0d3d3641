"""Kopecks are ints and ratios are Fractions: no float, no bare `/`, no `round()` where money is computed."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.sources import money_files, spot, tree

# What stands left of the `/` that joins paths; everything else is a division.
A_FOLDER = re.compile(r"(?:^|[._])(?:directory|folder|path|root|parent|FOLDER|DIRECTORY)(?:\(\))?$")


def test_money_never_meets_a_float() -> None:
    found = [place for path in money_files() for place in inexact_places(path, tree(path))]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "x = a / b",
        "x /= 2",
        "x = 0.5",
        "x = float(a)",
        "x = round(a)",
        "from math import sqrt",
        "import math\nmath.log(2)",
    ],
)
def test_the_search_finds_inexact_arithmetic(source: str) -> None:
    assert inexact_places(Path(__file__), ast.parse(source)) != []


@pytest.mark.parametrize(
    "source", ['p = directory / "a.csv"', "p = self.folder / name", "x = a // b", "x = Fraction(a, b)"]
)
def test_the_search_passes_exact_arithmetic(source: str) -> None:
    assert inexact_places(Path(__file__), ast.parse(source)) == []


def inexact_places(path: Path, module: ast.Module) -> list[str]:
    """Name every place of the module where a number could stop being exact."""
    nodes = [node for node in ast.walk(module) if isinstance(node, ast.expr | ast.stmt)]
    return [f"{spot(path, node)}: {ast.unparse(node)}" for node in nodes if _is_inexact(node)]


def _is_inexact(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=ast.Div(), left=left):
            return not A_FOLDER.search(ast.unparse(left))
        case ast.AugAssign(op=ast.Div()):
            return True
        case ast.Constant(value=float()):
            return True
        case ast.Call(func=ast.Name(id="float" | "round")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name)):
            return name not in ("gcd", "lcm", "isqrt", "comb", "prod")
        case ast.ImportFrom(module="math", names=names):
            return any(alias.name not in ("gcd", "lcm", "isqrt", "comb", "prod") for alias in names)
    return False
