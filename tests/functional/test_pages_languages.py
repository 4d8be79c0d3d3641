"""Every text that a person may read is in Russian and in Belarusian; English is the source."""

import pytest

from deploy.translations import catalogue
from deploy.translations.source import source_catalogue
from tests.functional.browsing import text_of, visitor
from tests.making import make_pool


@pytest.mark.parametrize("language", catalogue.LANGUAGES)
def test_the_catalogue_has_every_text_none_uncertain_none_left_over(language: str) -> None:
    assert list(catalogue.faults(language, source_catalogue())) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("count", "russian", "belarusian"),
    [(1, "1 условие", "1 умова"), (3, "3 условия", "3 умовы"), (5, "5 условий", "5 умоў")],
)
def test_numbers_take_their_plural_forms(count: int, russian: str, belarusian: str) -> None:
    make_pool("sportloto-variant" if count == 1 else "sportloto-position", conditions=count)
    assert russian in text_of(visitor(language="ru").get("/"))
    assert belarusian in text_of(visitor(language="be").get("/"))


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/check/", "/rules/", "/errors/", "/account/login/", "/account/signup/"])
@pytest.mark.parametrize(("language", "alien"), [("ru", "Log in"), ("be", "Log in"), ("be", "Войти"), ("en", "Войти")])
def test_a_page_speaks_one_language(path: str, language: str, alien: str) -> None:
    assert alien not in text_of(visitor(language=language).get(path))
