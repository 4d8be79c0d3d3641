"""Every refusal reaches a person in words: the engine's sentences, the codes, the public list of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from totalizator.core.engine_words import SENTENCES, expected_words, explain
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import TITLES, problem, told
from totalizator.engine import errors
from totalizator.engine.errors import EngineError

ENGINE = Path(errors.__file__).parent
# Files of a bundle are the public's and the auditor's business, on the command line; a form never brings them.
NOT_FROM_A_FORM = (
    "bets",
    "bundle",
    "changes",
    "cli",
    "columns",
    "commitment",
    "correction_verification",
    "corrections",
    "journal",
    "kinds",
    "log",
    "log_verification",
    "manifest",
    "proof",
    "receipt",
    "settlement",
    "state",
    "tally",
    "ticket",
    "verification",
)


def test_every_code_has_a_title_and_stands_in_the_docs() -> None:
    assert set(TITLES) == set(Refusal)
    documented = Path("docs/errors.md").read_text(encoding="utf-8")
    assert [code for code in Refusal if f"`{code}`" not in documented] == []


def test_an_engines_refusal_names_the_field_and_the_expectation_in_russian() -> None:
    fault = EngineError("BAD_STAKE", "stake", "200, the price of 2 lines, not 100 (¶5)")
    with translation.override("ru"):
        assert explain(fault) == "Ставка — нужно: 2,00\u00a0BYN, цена купона (линий: 2), а не 1,00\u00a0BYN (¶5)."


def test_told_prefers_the_engines_words_and_carries_details() -> None:
    refusal = DomainError(Refusal.TOO_MANY_LINES, "raw", field="selections", needed=1250)
    refusal.__cause__ = EngineError("TOO_MANY_LINES", "selections", "at most 10000 lines")
    with translation.override("en"):
        assert told(refusal) == "Selections: expected at most 10000 lines."
        assert problem(refusal) == {
            "type": "/errors/#too_many_lines",
            "title": "Too many lines in one coupon",
            "status": 400,
            "code": "too_many_lines",
            "detail": "Selections: expected at most 10000 lines.",
            "field": "selections",
            "needed": "12.50",
        }


@pytest.mark.parametrize("sentence", SENTENCES)
def test_each_sentence_is_found_again_with_its_values(sentence: str) -> None:
    values = [f"v{number}" for number in range(sentence.count("%s"))]
    said = sentence % tuple(values)
    with translation.override("ru"):
        words = expected_words(said)
    assert all(value in words for value in values)


def test_the_table_knows_every_sentence_of_the_engine_that_a_form_can_bring() -> None:
    known = [re.compile(".+".join(map(re.escape, sentence.split("%s"))), re.DOTALL) for sentence in SENTENCES[:-2]]
    money = ("a stake from", ", the price of")
    unknown = [
        said
        for said in said_by_the_engine()
        if not any(pattern.fullmatch(said) for pattern in known) and not any(part in said for part in money)
    ]
    assert unknown == ["1, not V", "V (V)"]  # the format's number; what the law asks for, examined below


def test_the_table_knows_what_the_law_asks_for() -> None:
    asked = [
        as_text(node.value.elts[2])
        for node in ast.walk(ast.parse((ENGINE / "law.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 4
    ]
    words = [text for text in asked if " " in text and "V" not in text.split()]
    assert len(words) > 5
    assert [text for text in words if f"{text} (%s)" not in SENTENCES and not text.startswith("one of ")] == []


def said_by_the_engine() -> Iterator[str]:
    """Each literal expectation in the engine's source, with V where a value stands."""
    for path in sorted(ENGINE.glob("*.py")):
        if path.stem in NOT_FROM_A_FORM:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "EngineError" and len(node.args) == 3:
                said = as_text(node.args[2])
                if said:
                    yield said


def as_text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "V" for part in node.values)
    return ""
