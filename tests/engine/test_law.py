"""Terms that the law forbids are refused with the paragraph; the same terms are free as a custom pool."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.bundles import Document, dump, engine, make_conditions, make_level, make_terms

POSITION = {"levels": [make_level("all", "1", "1/2"), make_level("two", "2/3", "1/2")]}
VARIANT = {"conditions": make_conditions("1X2"), "levels": [make_level("all", "1", "1")]}
STAKES: Document = {"price": {"min": 100, "max": 100_000}, "divide_by": "stakes", "fund": "3/5"}

LAWFUL: dict[str, Document] = {
    "sportloto-variant": {**VARIANT, "fund": "7/10"},
    "sportloto-position": {**POSITION, "fund": "7/10"},
    "totolot-variant": {**VARIANT, **STAKES},
    "totolot-position": {**POSITION, **STAKES},
}

EVERY_GAME: list[tuple[Document, str]] = [
    ({"rounding": {"mode": "nearest"}}, "D-6"),
    ({"rounding": {"step": 100}}, "D-6"),
    ({"monotone": True}, "¶"),
]
SPORTLOTO: list[tuple[Document, str]] = [
    ({"fund": "69/100"}, "¶4"),
    ({"fund": "0.6999999"}, "¶4"),
    ({"fund": "0"}, "¶4"),
    ({"price": {"min": 100, "max": 1000}}, "¶5"),
    *(({"empty_level": empty}, "¶11.4") for empty in ("other_levels", "next_lower", "carry_same", "carry_top")),
    *(
        ({"min_dividend": {"amount": 1, "below": below}}, "¶6")
        for below in ("jackpot", "next_lower", "next_higher", "carry_top")
    ),
    ({"max_dividend": {"amount": 1, "above": "next_lower"}}, "¶6"),
    ({"divide_by": "stakes"}, "¶11."),
]
TOTOLOT: list[tuple[Document, str]] = [
    ({"fund": "59/100"}, "¶23"),
    ({"fund": "61/100"}, "¶23"),
    ({"fund": "7/10"}, "¶23"),
    ({"price": {"line": 100}}, "¶24"),
    ({"divide_by": "lines"}, "¶36"),
    ({"empty_level": "carry_same"}, "¶36."),
    ({"empty_level": "carry_top"}, "¶36."),
    ({"min_dividend": {"amount": 1, "below": "top_up"}}, "¶36"),
    ({"max_dividend": {"amount": 1, "above": "jackpot"}}, "¶36"),
]
TOTOLOT_VARIANT: list[tuple[Document, str]] = [
    *(({"empty_level": empty}, "¶36.1") for empty in ("other_levels", "next_lower", "next_higher")),
]
ONE_OF_SEVERAL: list[tuple[Document, str]] = [
    ({"levels": [make_level("all", "1", "1", empty="carry_top")]}, "¶"),
    ({"jackpot_share": "1/10", "levels": [make_level("all", "1", "9/10")]}, "¶"),
]
NOT_VARIANT: list[tuple[Document, str]] = [
    ({"conditions": make_conditions("1X2", "1X2")}, "¶"),
    ({"levels": [make_level("all", "0..1", "1")]}, "¶"),
    ({"levels": [make_level("all", "1", "1/2"), make_level("none", "0", "1/2")]}, "¶"),
]

BREACHES: list[tuple[str, Document, str]] = [
    *((game, *breach) for game in LAWFUL for breach in [*EVERY_GAME, *ONE_OF_SEVERAL]),
    *((game, *breach) for game in LAWFUL if game.startswith("sportloto") for breach in SPORTLOTO),
    *((game, *breach) for game in LAWFUL if game.startswith("totolot") for breach in TOTOLOT),
    *(("totolot-variant", *breach) for breach in TOTOLOT_VARIANT),
    *((game, *breach) for game in LAWFUL if game.endswith("variant") for breach in NOT_VARIANT),
]

ALLOWED: list[tuple[str, Document]] = [
    *((game, {}) for game in LAWFUL),
    *((game, {"fund": fund}) for game in ("sportloto-variant", "sportloto-position") for fund in ("0.7", "5/7", "1")),
    *((game, {"guarantee": {"all": 10**9}}) for game in LAWFUL),
    *((game, {"jackpot": {"level": "all", "share": "1"}}) for game in LAWFUL),
    *((game, {"void_condition": policy}) for game in LAWFUL for policy in ("refund", "all_match", "exclude")),
    ("sportloto-position", {"min_dividend": {"amount": 5, "below": "top_up"}}),
    ("sportloto-variant", {"max_dividend": {"amount": 5, "above": "jackpot"}}),
    *(("totolot-position", {"empty_level": e}) for e in ("jackpot", "other_levels", "next_lower", "next_higher")),
    ("totolot-variant", {"fund": "0.60"}),
]


def read(directory: Path, terms: Document) -> Any:
    (directory / "terms.json").write_bytes(dump(terms))
    return engine("price", directory, ";".join(["1"] * len(terms["conditions"])))


@pytest.mark.parametrize(("game", "changes", "paragraph"), BREACHES)
def test_a_breach_is_refused_with_its_paragraph(tmp_path: Path, game: str, changes: Document, paragraph: str) -> None:
    terms = make_terms(game=game, **{**LAWFUL[game], **changes})
    run = read(tmp_path, terms)
    assert run.code == 2
    assert run.err.startswith("LAW: terms.json, ")
    assert paragraph in run.err
    assert read(tmp_path, {**terms, "game": "custom"}).code == 0


@pytest.mark.parametrize(("game", "changes"), ALLOWED)
def test_what_the_law_leaves_open_is_taken(tmp_path: Path, game: str, changes: Document) -> None:
    run = read(tmp_path, make_terms(game=game, **{**LAWFUL[game], **changes}))
    assert (run.code, run.err) == (0, "")
