"""Every number in the tables of docs/algorithms.md, run through the engine."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.engine.bundles import (
    Document,
    assert_identity,
    dividends,
    dump,
    engine,
    level_of,
    make_bet,
    make_conditions,
    make_level,
    make_result,
    make_terms,
    settled,
    winnings,
    write_bundle,
)
from tests.engine.test_merkle_proofs import GROWN
from tests.engine.worked import NOTHING, RUN, TABLES, Row, kopecks, roubles, table
from totalizator.engine.deadlines import MINSK, claim_term, legal_day
from totalizator.engine.matching import lines_by_matches


def tally_of(turnover: int, levels: dict[str, int], **more: object) -> Document:
    """Make a tally whose winners all hold single lines at 1.00."""
    return {
        "turnover": turnover,
        "lines": turnover,
        "levels": {
            code: {"lines": lines, "stakes": 100 * lines, "bets": {"100": lines} if lines else {}}
            for code, lines in levels.items()
        },
        **more,
    }


def one_level(directory: Path, turnover: str, lines: int, tally: Document | None = None, **changes: object) -> Document:
    """Divide a turnover (unless terms say otherwise, all of it) on the one level of the test pool."""
    return dividends(directory, make_terms(**changes), tally_of(kopecks(turnover), {"top": lines}, **(tally or {})))


def shown(amount: int | None) -> str:
    return NOTHING if amount is None else roubles(amount)


COUPONS = table("The price of a system coupon")


@pytest.mark.parametrize("row", COUPONS, ids=lambda row: row["Price"])
def test_the_price_of_a_system_coupon(tmp_path: Path, row: Row) -> None:
    terms = make_terms(price={"line": 50}, conditions=make_conditions(*["1X2"] * 15))
    (tmp_path / "terms.json").write_bytes(dump(terms))
    marks = ["1+X"] * int(row["Doubles"]) + ["1+X+2"] * int(row["Triples"])
    answer = json.loads(engine("price", tmp_path, ";".join(marks + ["1"] * (15 - len(marks)))).out)
    assert answer == {"lines": int(row["Lines"]), "price": kopecks(row["Price"])}


def test_nine_triples_are_refused_under_a_cap_of_10_000(tmp_path: Path) -> None:
    (tmp_path / "terms.json").write_bytes(dump(make_terms(conditions=make_conditions(*["1X2"] * 9))))
    assert engine("price", tmp_path, ";".join(["1+X+2"] * 9)).err.startswith("TOO_MANY_LINES: ")


MARKS, COUNTS = table("How many lines have how many matches"), table("How many lines have how many matches", 1)


def test_how_many_lines_have_how_many_matches(tmp_path: Path) -> None:
    pairs = []
    for row in MARKS:
        marked, right = row["Marked"].split("+"), row["Right"].split("+")
        pair = (sum(mark in right for mark in marked), sum(mark not in right for mark in marked))
        assert pair == (int(row["Hits"]), int(row["Misses"]))
        pairs.append(pair)
    assert list(lines_by_matches(pairs)) == [int(row["Lines"]) for row in COUNTS]
    levels = [make_level(row["Matches"], f"{row['Matches']}/4", "1/5") for row in COUNTS]
    terms = make_terms(conditions=make_conditions(*["1X2"] * 4), levels=levels)
    bet = make_bet(1, ";".join(row["Marked"] for row in MARKS), 1200)
    statement = settled(write_bundle(tmp_path, terms, [bet], make_result(*(row["Right"] for row in MARKS))))
    assert {level["code"]: level["lines"] for level in statement["levels"]} == {
        row["Matches"]: int(row["Lines"]) for row in COUNTS
    }


@pytest.mark.parametrize("row", table("From turnover to the winning fund"), ids=lambda row: row["Net turnover"])
def test_the_winning_fund(tmp_path: Path, row: Row) -> None:
    statement = one_level(tmp_path, row["Net turnover"], 1, fund=row["Share"])
    assert (roubles(statement["fund"]), roubles(statement["takeout"])) == (row["Fund"], row["Takeout"])


@pytest.mark.parametrize("row", table("From the fund to the levels"), ids=lambda row: row["Fund"])
def test_the_levels_funds(tmp_path: Path, row: Row) -> None:
    shares = row["Shares, from the highest"].split(", ")
    levels = [
        make_level(f"L{place}", f"{len(shares) - place}/{len(shares)}", share) for place, share in enumerate(shares)
    ]
    winners = {level["code"]: 1 for level in levels}
    for number, order in enumerate((levels, levels[::-1])):
        terms = make_terms(levels=order)
        statement = dividends(tmp_path / str(number), terms, tally_of(kopecks(row["Fund"]), winners))
        funds = ", ".join(roubles(level["fund"]) for level in statement["levels"])
        assert funds == row["Funds, from the highest"]


@pytest.mark.parametrize("row", table("From a level to a winning"), ids=lambda row: row["Level fund"])
def test_winnings_by_lines(tmp_path: Path, row: Row) -> None:
    level = level_of(one_level(tmp_path, row["Level fund"], int(row["Winning lines"])), "top")
    assert [roubles(level[key]) for key in ("dividend", "paid", "remainder")] == [
        row["Dividend"],
        row["Paid"],
        row["Remainder"],
    ]


@pytest.mark.parametrize("row", table("From a level to a winning", 1), ids=lambda row: row["Level fund"])
def test_winnings_by_stakes(tmp_path: Path, row: Row) -> None:
    stakes = [kopecks(stake) for stake in row["Winning stakes"].split(", ")]
    bets = {str(stake): stakes.count(stake) for stake in stakes}
    levels = {"top": {"lines": len(stakes), "stakes": sum(stakes), "bets": bets}}
    terms = make_terms(price={"min": 1, "max": 10**6}, divide_by="stakes")
    tally = {"turnover": kopecks(row["Level fund"]), "lines": 9, "levels": levels}
    level = level_of(dividends(tmp_path, terms, tally), "top")
    assert (level["coefficient"], level["coefficient_shown"]) == (row["Coefficient"], row["Shown"])
    assert (roubles(level["paid"]), roubles(level["remainder"])) == (row["Paid"], row["Remainder"])


@pytest.mark.parametrize("row", table("A level that nobody reached"), ids=lambda row: row["Announced"])
def test_an_empty_level(tmp_path: Path, row: Row) -> None:
    levels = [make_level("15", "1", "1/2"), make_level("14", "14/15", "3/10"), make_level("13", "13/15", "1/5")]
    terms = make_terms(levels=levels, conditions=make_conditions(*["1X2"] * 15), empty_level=row["Announced"])
    statement = dividends(tmp_path, terms, tally_of(100_000, {"15": 2, "14": 0, "13": 3}))
    remainders = sum(level["remainder"] for level in statement["levels"])
    assert (roubles(level_of(statement, "15")["fund"]), roubles(level_of(statement, "13")["fund"])) == (
        row["Level 15"],
        row["Level 13"],
    )
    assert roubles(statement["jackpot_out"] - remainders) == row["Jackpot"]
    carried = " ".join(f"{roubles(amount)} on level {code}" for code, amount in statement["carried"].items())
    assert (carried or NOTHING) == row["Next pool"]
    assert_identity(statement)


@pytest.mark.parametrize("row", table("A match that did not take place"), ids=lambda row: row["Announced"])
def test_a_void_match(tmp_path: Path, row: Row) -> None:
    level = make_level("top", "9/10..1", "1")
    if row["Matched"] != NOTHING:  # the table's own count must be what decides
        assert (int(row["Matched"]) * 10 >= 9 * int(row["Of"])) == (row["On the level"] == "yes")
    terms = make_terms(
        conditions=make_conditions(*["12"] * 10), levels=[level], void_condition=row["Announced"], fund="7/10"
    )
    bet = make_bet(1, ";".join("1" * 8 + "21"), 100)
    statement = settled(write_bundle(tmp_path, terms, [bet], make_result(*["1"] * 9, "void")))
    assert (statement["refunds"] == 100) == (row["Stake returned"] == "yes")
    assert bool(winnings(tmp_path)) == (row["On the level"] == "yes")


@pytest.mark.parametrize(
    "row", table("A match that did not take place", 1), ids=lambda row: f"{row['Range']} of {row['Base']}"
)
def test_what_each_base_can_reach(tmp_path: Path, row: Row) -> None:
    lowest, highest = row["Range"].split(" to ")
    base = int(row["Base"])
    terms = make_terms(
        conditions=make_conditions(*["12"] * 15),
        levels=[make_level("top", f"{lowest}..{highest}", "1")],
        void_condition="exclude",
    )
    result = make_result(*["1"] * base, *["void"] * (15 - base))
    bets = [make_bet(right, ";".join("1" * right + "2" * (15 - right)), 100) for right in range(base + 1)]
    settled(write_bundle(tmp_path, terms, bets, result))
    reached = [str(int(ticket.split(",")[0].removeprefix("T-"))) for ticket in winnings(tmp_path)]
    assert (", ".join(reached) or "none") == row["Matches that reach it"]


@pytest.mark.parametrize("row", table("Minimum and maximum"), ids=lambda row: f"{row['Fund']} {row['Announced']}")
def test_minimum_and_maximum(tmp_path: Path, row: Row) -> None:
    limit, amount, way = row["Announced"].replace(",", "").split()
    side = "below" if limit == "minimum" else "above"
    statement = one_level(tmp_path, row["Fund"], 3, **{f"{limit[:3]}_dividend": {"amount": kopecks(amount), side: way}})
    level = level_of(statement, "top")
    assert (roubles(level["dividend"]), roubles(level["paid"])) == (row["Dividend"], row["Paid"])
    assert (roubles(statement["added"]), roubles(statement["jackpot_out"])) == (
        row["From the organizer"],
        row["To the jackpot"],
    )


@pytest.mark.parametrize(
    "row", table("Minimum and maximum", 1), ids=lambda row: f"{row['Guarantee']} {row['Winning lines']}"
)
def test_guarantee(tmp_path: Path, row: Row) -> None:
    guarantee = {"top": kopecks(row["Guarantee"])}
    statement = one_level(tmp_path, row["Fund"], int(row["Winning lines"]), guarantee=guarantee)
    assert shown(level_of(statement, "top")["dividend"]) == row["Dividend"]
    assert (roubles(statement["added"]), roubles(statement["jackpot_out"])) == (
        row["From the organizer"],
        row["To the jackpot"],
    )


@pytest.mark.parametrize("row", table("More right never pays less"), ids=lambda row: row["Fund of 12"])
def test_monotone(tmp_path: Path, row: Row) -> None:
    funds = {level: kopecks(row[f"Fund of {level}"]) for level in ("13", "12")}
    whole = sum(funds.values())
    levels = [make_level(level, f"{level}/13", f"{fund}/{whole}") for level, fund in funds.items()]
    terms = make_terms(levels=levels, conditions=make_conditions(*["1X2"] * 13), monotone=True)
    tally = tally_of(whole, {level: int(row[f"Lines of {level}"]) for level in funds})
    statement = dividends(tmp_path, terms, tally)
    assert {f"{level['code']} pays": roubles(level["dividend"]) for level in statement["levels"]} == {
        "13 pays": row["13 pays"],
        "12 pays": row["12 pays"],
    }


@pytest.mark.parametrize("row", table("The jackpot"), ids=lambda row: f"{row['Share drawn']} {row['Winning lines']}")
def test_the_jackpot(tmp_path: Path, row: Row) -> None:
    draw = {} if row["Share drawn"] == "none" else {"jackpot": {"level": "top", "share": row["Share drawn"]}}
    more = {"jackpot_in": kopecks(row["Jackpot before"])}
    statement = one_level(tmp_path, row["Level fund"], int(row["Winning lines"]), more, **draw)
    assert shown(level_of(statement, "top")["dividend"]) == row["Dividend"]
    assert roubles(statement["jackpot_out"]) == row["Jackpot after"]


@pytest.mark.parametrize(
    "row", table("Other roundings"), ids=lambda row: f"{row['Winning lines']} {row['Mode']} {row['Step']}"
)
def test_other_roundings(tmp_path: Path, row: Row) -> None:
    rounding = {"mode": row["Mode"], "step": kopecks(row["Step"]), "of": "winning"}
    statement = one_level(tmp_path, row["Fund"], int(row["Winning lines"]), rounding=rounding)
    level = level_of(statement, "top")
    assert (roubles(level["dividend"]), roubles(level["remainder"]), roubles(statement["added"])) == (
        row["Dividend"],
        row["Remainder"],
        row["Added"],
    )


@pytest.mark.parametrize("row", table("Other roundings", 1), ids=lambda row: row["Step"])
def test_coefficients_brought_to_a_step(tmp_path: Path, row: Row) -> None:
    rounding = {"mode": row["Mode"], "step": row["Step"], "of": "coefficient"}
    terms = make_terms(price={"min": 1, "max": 10**6}, divide_by="stakes", rounding=rounding)
    stakes = [kopecks(stake) for stake in row["Winning stakes"].split(", ")]
    bets = [make_bet(number, "1;1;1", stake) for number, stake in enumerate(stakes)]
    losing = make_bet(len(stakes), "2;2;2", kopecks(row["Fund"]) - sum(stakes))
    statement = settled(write_bundle(tmp_path, terms, [*bets, losing], make_result("1", "1", "1")))
    level = level_of(statement, "top")
    assert level["coefficient"] == row["Coefficient"]
    assert ", ".join(roubles(int(won.split(",")[3])) for won in winnings(tmp_path)) == row["Won"]
    assert (roubles(level["remainder"]), roubles(statement["added"])) == (row["Remainder"], row["Added"])


BETS, SUMS = table("One pool from end to end"), table("One pool from end to end", 1)


def test_one_pool_from_end_to_end(tmp_path: Path) -> None:
    terms = make_terms(
        game="sportloto-position",
        closes_at="2026-12-05T12:05:00Z",
        fund="7/10",
        levels=[make_level("3/3", "1", "60/100"), make_level("2/3", "2/3", "40/100")],
    )
    bets = [
        make_bet(number, row["Selections"], kopecks(row["Stake"]), f"2026-12-05T{row['Registered']}.000000Z")
        for number, row in enumerate(BETS, 1)
    ]
    assert [bet.ticket for bet in bets] == [row["Ticket"] for row in BETS]
    result = make_result("1", "X", "2", first_started_at="2026-12-05T12:00:00Z")
    statement = settled(write_bundle(tmp_path, terms, bets, result))
    assert statement["late"] == ["T-0005"]
    won = [row.split(",") for row in winnings(tmp_path)]
    for row in BETS:
        own = [(level, lines, int(amount)) for ticket, level, lines, amount in won if ticket == row["Ticket"]]
        assert (", ".join(f"{lines} of {level}" for level, lines, _ in own) or "none") == row["Winning lines"]
        assert roubles(sum(amount for _, _, amount in own)) == row["Won"]
    assert {row["Sum"]: row["Amount"] for row in SUMS} == {row["Sum"]: roubles(statement[row["Sum"]]) for row in SUMS}
    assert_identity(statement)


HOLIDAYS = table("Until when a winning is paid")


@pytest.mark.parametrize("row", table("Until when a winning is paid", 1), ids=lambda row: row["Determined, Minsk time"])
def test_until_when_a_winning_is_paid(row: Row) -> None:
    days = [date(2026, 1, 1) + timedelta(days=number) for number in range(1000)]
    holidays = {date.fromisoformat(holiday["Not worked"]) for holiday in HOLIDAYS}
    non_working = holidays | {day for day in days if day.weekday() >= 5}
    determined = datetime.fromisoformat(row["Determined, Minsk time"]).replace(tzinfo=MINSK)
    term = claim_term(row["Game"], determined.astimezone(UTC), non_working)
    assert legal_day(term.payable_from).isoformat() == row["Paid from"]
    assert term.last_day.isoformat() == row["Last day"]


def test_every_table_of_the_page_is_run() -> None:
    assert GROWN, "the table of growing logs, which is run where proofs are tested"
    assert {(heading, number) for heading, found in TABLES.items() for number in range(len(found))} == RUN
