"""The design keeps its promises: contrast, one place for colours, every part on its page, and what is sent is small."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.templatetags.static import static
from django.test import override_settings

from accounts.models import Role
from tests.architecture.sources import ROOT
from tests.functional.browsing import text_of, visitor
from tests.making import make_pool, make_user

CSS = ROOT / "templates" / "static" / "css"
PARTS = ROOT / "templates" / "parts"
TEXT_ON = {
    "ink": ("paper", "card", "sunk", "good-soft", "info-soft", "warn-soft", "bad-soft", "gold-soft"),
    "quiet": ("paper", "card", "sunk"),
    "accent": ("paper", "card", "sunk", "good-soft"),
    "accent-deep": ("paper", "card", "sunk"),
    "on-accent": ("accent", "accent-deep"),
    "card": ("bad", "chart-1", "chart-2", "chart-3", "chart-4"),
    "good": ("good-soft", "card", "paper"),
    "info": ("info-soft", "card", "paper"),
    "warn": ("warn-soft", "card", "paper"),
    "bad": ("bad-soft", "card", "paper"),
    "gold": ("gold-soft", "card", "paper"),
    "on-brand": ("brand", "brand-deep"),
    "on-brand-quiet": ("brand", "brand-deep"),
    "brand-mark": ("brand", "brand-deep"),
    "brand-deep": ("brand-mark",),
}
SHAPE_ON = {
    "edge": ("paper", "card"),
    "focus": ("paper", "card", "sunk"),
    **{f"chart-{number}": ("card", "paper") for number in (1, 2, 3, 4)},
}
TOKEN = re.compile(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")


def tokens() -> dict[str, tuple[str, str]]:
    found = TOKEN.findall((CSS / "tokens.css").read_text(encoding="utf-8"))
    return {name: (light, dark) for name, light, dark in found}


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_reckoning_of_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT_ON, 4.5), (SHAPE_ON, 3.0)], ids=["text", "shapes"])
def test_every_pair_of_colours_can_be_told_apart(pairs: dict[str, tuple[str, ...]], least: float, dark: bool) -> None:
    known = tokens()
    poor = {
        f"{front} on {ground}": round(ratio, 2)
        for front, grounds in pairs.items()
        for ground in grounds
        if (ratio := contrast(known[front][dark], known[ground][dark])) < least
    }
    assert poor == {}


def test_every_colour_is_tried() -> None:
    tried = {
        *TEXT_ON,
        *SHAPE_ON,
        *(name for pairs in (TEXT_ON, SHAPE_ON) for names in pairs.values() for name in names),
    }
    assert set(tokens()) - tried == {"rule"}  # only decorates


def test_colours_stand_in_one_place_and_each_that_is_used_is_there() -> None:
    named, used = set(), set()
    for path in CSS.glob("*.css"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"^\s*(--[a-z0-9-]+):", text, re.MULTILINE)) | set(
            re.findall(r"[;{] (--[a-z0-9-]+):", text)
        )
        used |= set(re.findall(r"var\((--[a-z0-9-]+)\)", text))
        if path.stem not in ("tokens", "print"):
            assert re.findall(r"#[0-9a-f]{3,8}\b|rgb\((?!0 0 0 /)", text) == [], path.name
    assert used - named == set()


def test_every_part_that_is_documented_is_on_the_page_of_the_design() -> None:
    page = (ROOT / "templates" / "design.html").read_text(encoding="utf-8")
    shown = set(re.findall(r'"parts/([a-z_]+)\.html"', page)) | {"field"}  # which the form shows
    told = (ROOT / "docs" / "design.md").read_text(encoding="utf-8").partition("## Parts")[2].partition("## ")[0]
    assert set(re.findall(r"`([a-z_]+)\.html`", told)) == shown
    assert shown <= {path.stem for path in PARTS.glob("*.html")}


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["ru", "be", "en"])
def test_the_page_of_the_design_is_shown_in_each_language(language: str) -> None:
    answer = visitor(make_user(Role.ORGANIZER), language).get("/design/")
    assert answer.status_code == 200
    told = {"en": "BYN 12,345.67", "ru": "12 345,67 BYN", "be": "12 345,67 BYN"}[language]
    assert told in text_of(answer)
    page = answer.content.decode()
    assert page.count("<svg") == 1 + 3 + 3  # the mark, notices, charts
    assert 'role="alert"' in page
    assert 'aria-current="step"' in page
    assert 'data-label="' in page


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static files as production has them."""
    folder = tmp_path_factory.mktemp("static")
    with production(folder):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


def production(folder: Path) -> override_settings:
    storage = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    return override_settings(STATIC_ROOT=folder, STORAGES={"staticfiles": storage}, DEBUG=False)


def test_each_file_has_its_digest_in_its_name_and_what_it_loads_too(collected: Path) -> None:
    pages = (ROOT / "templates").rglob("*.html")
    files = {name for page in pages for name in re.findall(r"{% static '([^']+)' %}", page.read_text(encoding="utf-8"))}
    assert len(files) > 10
    with production(collected):
        for name in files:
            assert finders.find(name), name
            address = static(name)
            assert re.fullmatch(r"/static/.+\.[0-9a-f]{12}\.[a-z0-9]+", address), address
            assert (collected / address.removeprefix("/static/")).exists()
        sheet = (collected / static("css/tokens.css").removeprefix("/static/")).read_text(encoding="utf-8")
    assert re.findall(r"roboto-[a-z]+\.[0-9a-f]{12}\.woff2", sheet)


@pytest.mark.django_db
def test_a_page_with_all_that_it_loads_is_small(collected: Path) -> None:
    pool = make_pool()
    with production(collected):
        for path in ("/", f"/pools/{pool.code}/", "/account/login/"):
            page = visitor().get(path).content.decode()
            loaded = set(re.findall(r'(?:src|href)="/static/([^"]+)"', page)) | {
                str(font.relative_to(collected)) for font in collected.glob("fonts/*.????????????.woff2")
            }
            sizes = [len(gzip.compress((collected / name).read_bytes())) for name in loaded]
            assert sum(sizes) + len(page.encode()) < 100_000, path


@pytest.mark.django_db
def test_light_or_dark_is_kept_without_a_script() -> None:
    client = visitor()
    assert "data-appearance" not in client.get("/").content.decode()
    answer = client.post("/appearance/", {"appearance": "dark", "next": "/check/"})
    assert (answer.status_code, answer["Location"]) == (302, "/check/")
    assert '<html lang="en" data-appearance="dark">' in client.get("/").content.decode()
    client.post("/appearance/", {"appearance": "device"})
    assert "data-appearance" not in client.get("/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_the_choice_leads_to_no_other_site_and_an_unknown_one_is_not_kept(elsewhere: str) -> None:
    client = visitor()
    answer = client.post("/appearance/", {"appearance": '"><script>', "next": elsewhere})
    assert answer["Location"] == "/"
    assert "appearance" not in answer.cookies


@pytest.mark.django_db
def test_each_role_finds_its_own_ways_and_where_it_is() -> None:
    ways = {Role.ORGANIZER: "/desk/", Role.CASHIER: "/till/", Role.COMMISSION: "/commission/", Role.PLAYER: "/my/"}
    for role, own in ways.items():
        page = visitor(make_user(role)).get("/").content.decode()
        assert {address for address in ways.values() if f'<li><a href="{address}"' in page} == {own}
        assert '<a href="/" aria-current="page">' in page
