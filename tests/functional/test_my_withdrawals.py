"""A player's pages of money from the account: read back, the second factor, once; and the year's tax (F2, K5, C36)."""

from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP

from accounts.models import Withdrawal, WithdrawalState
from accounts.services.blocking import block_account, propose_block
from accounts.services.exclusion import cool_off
from accounts.services.persons import person_of
from accounts.services.withdrawals import approve_withdrawal
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from tests.functional.browsing import hidden, text_of, visitor
from tests.functional.proving import PASSWORD, proven
from tests.functional.test_logging_in import code_of
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool
from tests.paying import broken, go_to, money_of, payable_from
from tests.settling import settle
from tests.topping_up import ask_back, bank_of, due, named_bank
from totalizator.core import clock

pytestmark = pytest.mark.django_db
HERE = "/my/withdrawals/"
SECRET = "JBSWY3DPEHPK3PXP"


def wished(client: Any, amount: str, instrument: int) -> Any:
    """Fill the first form in, and come to the page that reads it back."""
    answer = client.post(HERE, {"amount": amount, "instrument": str(instrument)})
    assert answer.status_code == 302, answer.context["form"].errors
    return client.get(answer["Location"])


def told_again(page: Any) -> dict[str, str]:
    return {name: hidden(page, name) for name in ("amount", "instrument", "token")}


def test_c36_a_withdrawal_is_read_back_proved_and_made_once() -> None:
    player = make_player(10_000)
    client, bank = visitor(player), named_bank(player)
    assert "You have not asked for money yet." in text_of(client.get(HERE))
    page = wished(client, "20,50", bank.pk)
    assert "bank account •••• AB00" in text_of(page)
    assert "Left on the game account BYN 79.50" in text_of(page)
    assert (f"{HERE}new/" in page.content.decode(), 'name="token"' in page.content.decode()) == (True, False)
    back = page.wsgi_request.get_full_path()
    early = client.post(f"{HERE}new/", {"amount": "20.50", "instrument": bank.pk, "token": "t" * 24})
    assert (early.status_code, money_of(player)) == (400, 10_000)
    proof = client.post(page.context["step_up"], {"password": PASSWORD})
    assert (proof.status_code, proof["Location"]) == (302, back)
    form = told_again(client.get(back))
    for _ in range(2):  # a double click
        done = client.post(f"{HERE}new/", form, follow=True)
        assert "Your withdrawal is noted" in text_of(done)
    (withdrawal,) = Withdrawal.objects.all()
    assert (withdrawal.amount, withdrawal.state, money_of(player), due()) == (2_050, "approved", 7_950, 2_050)
    assert client.get(back)["Location"] == HERE  # Back, or a refresh, asks for nothing again
    assert client.get(f"{HERE}new/")["Location"] == HERE
    changed = client.post(f"{HERE}new/", {**form, "amount": "30"})
    assert (changed.status_code, money_of(player), broken()) == (400, 7_950, [])


def test_e3_with_a_second_factor_the_password_alone_is_no_proof() -> None:
    player = make_player(10_000)
    bank = named_bank(player)
    TOTP.activate(player, SECRET)
    client = proven(player)
    page = wished(client, "1", bank.pk)
    assert page.context["step_up"].startswith("/account/2fa/reauthenticate/?next=")
    proof = client.post(page.context["step_up"], {"code": code_of(SECRET)})
    assert proof.status_code == 302
    form = told_again(client.get(proof["Location"]))
    assert client.post(f"{HERE}new/", form).status_code == 302
    assert money_of(player) == 9_900


@pytest.mark.parametrize(
    ("amount", "field", "words"),
    [
        ("100.01", "amount", "There is not enough money"),
        ("0", "amount", "above zero"),
        ("many", "amount", "at most two decimals"),
        ("", "amount", "required"),
    ],
)
def test_a_wrong_amount_is_told_at_its_field(amount: str, field: str, words: str) -> None:
    player = make_player(10_000)
    client = proven(player)
    page = client.post(HERE, {"amount": amount, "instrument": named_bank(player).pk})
    assert (page.status_code, words in str(page.context["form"].errors[field])) == (400, True)
    assert (Withdrawal.objects.count(), money_of(player)) == (0, 10_000)


def test_another_players_instrument_and_withdrawal_are_not_there() -> None:
    player, other = make_player(10_000), make_player(10_000)
    named_bank(player)
    theirs, client = named_bank(other), proven(player)
    assert client.post(HERE, {"amount": "1", "instrument": theirs.pk}).status_code == 400
    form = {"amount": "1", "instrument": theirs.pk, "token": "t" * 24}
    assert client.post(f"{HERE}new/", form).status_code == 404
    assert client.get(f"{HERE}new/?amount=1&instrument={theirs.pk}&token={'t' * 24}").status_code == 404
    withdrawal = ask_back(other, 1_000, theirs)
    assert client.post(f"{HERE}{withdrawal.pk}/cancel/").status_code == 404
    withdrawal.refresh_from_db()
    assert (withdrawal.state, money_of(player), money_of(other)) == ("approved", 10_000, 9_000)


def test_what_waits_is_taken_back_once_and_what_is_approved_not_at_all() -> None:
    player, (staff, _other) = make_player(500_000), make_organizers()
    client, bank = proven(player), named_bank(player)
    page = wished(client, "1000", bank.pk)
    assert "The organizer looks at it first" in text_of(page)
    client.post(f"{HERE}new/", told_again(page))
    withdrawal = Withdrawal.objects.get()
    cancel = f"{HERE}{withdrawal.pk}/cancel/"
    assert (withdrawal.state, cancel in client.get(HERE).content.decode()) == (WithdrawalState.REQUESTED, True)
    client.get(cancel)
    assert money_of(player) == 400_000
    for said in ("The money is back on your game account.", "it cannot become"):
        assert said in text_of(client.post(cancel, follow=True))
    withdrawal.refresh_from_db()
    assert (withdrawal.state, money_of(player)) == (WithdrawalState.CANCELLED, 500_000)
    second = ask_back(player, 300_000, bank)
    approve_withdrawal(withdrawal=second, approved_by=staff)
    assert "it cannot become" in text_of(client.post(f"{HERE}{second.pk}/cancel/", follow=True))
    assert (money_of(player), broken()) == (200_000, [])


def test_p2_e5_who_is_excluded_or_blocked_can_withdraw_and_who_is_unverified_is_told_what_to_do() -> None:
    player, (one, other) = make_player(10_000), make_organizers()
    client, bank = proven(player), named_bank(player)
    cool_off(person=person_of(player), days=1, actor="test")
    propose_block(account=account_of(player), reason="Doubt", proposed_by=one)
    block_account(account=account_of(player), approved_by=other)
    assert client.post(f"{HERE}new/", told_again(wished(client, "5", bank.pk))).status_code == 302
    assert money_of(player) == 9_500
    unknown = make_player(may_bet=False)
    page = visitor(unknown).get(HERE)
    assert "There is nowhere yet that your money may go." in text_of(page)
    assert ('href="/my/identity/"' in page.content.decode(), 'name="amount"' in page.content.decode()) == (True, False)


def test_e3_a_changed_password_holds_the_money_and_says_until_when() -> None:
    player = make_player(10_000)
    bank = named_bank(player)
    player.password_changed_at = clock.now()
    player.save()
    client = proven(player)
    assert "The password was changed lately" in text_of(client.get(HERE))
    held = client.post(HERE, {"amount": "1", "instrument": bank.pk})
    assert (held.status_code, "The password was changed lately" in str(held.context["form"].errors)) == (400, True)
    assert (Withdrawal.objects.count(), money_of(player)) == (0, 10_000)


def test_k5_the_tax_of_a_year_is_shown_and_certified() -> None:
    player = make_player(10_000)
    client, stranger = visitor(player), make_player()
    empty = text_of(client.get("/my/tax/"))
    assert f"No winning was paid to you in {clock.today().year}." in empty
    assert client.get(f"/my/tax/{clock.today().year}/").status_code == 404
    pool = make_pool()
    bet_from_account(pool, player, "1;X;2", 100)
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)
    year, client = clock.today().year, visitor(player)  # the log-in before has ended meanwhile
    page = client.get(f"/my/tax/?year={year}")
    gross, tax, net = (page.context[name] for name in ("gross", "tax", "net"))
    assert (gross, tax > 0, gross - tax, money_of(player)) == (net + tax, True, net, 9_900 + net)
    assert f'href="/my/tax/{year}/"' in page.content.decode()
    paper, table = client.get(f"/my/tax/{year}/"), client.get(f"/my/tax/{year}/table/")
    assert (paper.status_code, paper["Content-Type"], paper.content[:5]) == (200, "application/pdf", b"%PDF-")
    assert (table.status_code, table["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert visitor(stranger).get(f"/my/tax/{year}/").status_code == 404
    assert client.get("/my/tax/?year=9999").context["year"] == year


def test_f2_where_a_withdrawal_stands_is_said_in_words() -> None:
    player = make_player(10_000)
    named_bank(player)
    ask_back(player, 100, bank_of(player))
    assert "approved It is sent shortly." in text_of(visitor(player).get(HERE))
