"""Reference data in the admin: the organizer looks, nobody else does, and nobody changes anything."""

import pytest
from django.contrib import admin
from django.urls import reverse

from accounts.admin import LEFT_OUT, ReadOnly, reference
from accounts.models import LedgerAccount, Role
from pools.models import Pool
from tests.functional.browsing import text_of, visitor
from tests.functional.page_policy import refused
from tests.making import make_player, make_pool, make_till, make_user
from tests.refusals import every_row

pytestmark = pytest.mark.django_db
INDEX = "/desk/reference/"


def addresses() -> list[str]:
    """The list of each table, its page of a new row, and the pages of one of its rows."""
    reverse("reference:index")  # all of them are registered
    found = [INDEX, f"{INDEX}accounts/", f"{INDEX}jsi18n/"]
    for model in reference._registry:
        name = f"reference:{model._meta.app_label}_{model._meta.model_name}"
        found += [reverse(f"{name}_changelist"), reverse(f"{name}_add")]
        row = model._default_manager.first()
        if row is not None:
            found += [reverse(f"{name}_{what}", args=[row.pk]) for what in ("change", "delete", "history")]
    return found


def test_every_table_is_shown_to_the_organizer_and_changed_by_nobody() -> None:
    pool, till = make_pool(), make_till(1_000)
    boss = visitor(pool.prepared_by)
    pool.prepared_by.is_staff = pool.prepared_by.is_superuser = True  # whatever rights Django's own flags give
    pool.prepared_by.save()
    before, shown, paths = every_row(), 0, addresses()
    assert len(paths) > 3 * len(reference._registry) > 30
    for path in paths:
        page, sent = boss.get(path), boss.post(path, {"code": "X", "post": "yes", "action": "delete_selected"})
        if path.endswith(("/add/", "/delete/")):
            assert (page.status_code, sent.status_code) == (403, 403), path
            continue
        assert page.status_code == 200, path
        assert sent.status_code in (200, 302, 403, 405), path
        assert refused(page) == [], path
        assert b'name="_save"' not in page.content
        assert len(page.content) < 100_000, path
        shown += 1
    assert shown > 20
    assert {table: rows for table, rows in every_row().items() if rows != before[table]} == {}
    listed = text_of(boss.get(f"{INDEX}accounts/bettingpoint/?q={till.point.code}"))
    assert till.point.name in listed
    assert pool.code in text_of(boss.get(f"{INDEX}pools/pool/?state__exact={Pool.objects.get().state}"))


def test_it_is_closed_to_all_others() -> None:
    make_pool()
    paths = addresses()
    for role in sorted(set(Role) - {Role.ORGANIZER}):
        person = make_player() if role == Role.PLAYER else make_user(role)
        person.is_staff = person.is_superuser = True
        person.save()
        other = visitor(person)
        assert {path: other.get(path).status_code for path in paths} == dict.fromkeys(paths, 403), role
        assert {other.post(path).status_code for path in paths[:8]} == {403}, role
    assert all(visitor().get(path)["Location"].startswith(f"/account/login/?next={INDEX}") for path in paths)
    for name in LEFT_OUT:
        assert visitor(make_user(Role.ORGANIZER)).get(f"{INDEX}{name}/").status_code == 404, name


def test_every_table_is_only_looked_at() -> None:
    assert {type(shown).__mro__[1] for shown in reference._registry.values()} == {ReadOnly}
    assert LedgerAccount in reference._registry
    assert admin.site._registry == {}  # nothing is served by a site that lets rows be changed


def test_the_desk_leads_to_a_page_that_says_what_each_table_is_and_where_it_is_changed() -> None:
    make_till(1_000)
    boss = visitor(make_user(Role.ORGANIZER))
    assert f'href="{INDEX}"' in boss.get("/desk/").content.decode()
    page = boss.get(INDEX)
    assert "Nothing is changed here, money least of all" in text_of(page)
    assert len(page.context["tables"]) == len(reference._registry)
    for table in page.context["tables"]:
        assert table["title"], table
        assert table["about"], table
        assert boss.get(table["address"]).status_code == 200
        assert not table["changed"] or boss.get(table["changed"]).status_code == 200
        assert str(table["title"]) in text_of(boss.get(table["address"]))
    numbers = text_of(boss.get(f"{INDEX}core/legalnumber/"))
    assert "Winnings paid at the central desk by two, from BYN 10,000.00" in numbers
    assert "large_winning_from" not in numbers
    row = LedgerAccount.objects.get(kind="till")
    assert "Ledger accounts" in text_of(boss.get(f"{INDEX}accounts/ledgeraccount/{row.pk}/change/"))
    assert "BYN 10.00" in text_of(boss.get(f"{INDEX}accounts/ledgeraccount/?q={row.owner}"))
