"""Where there is no Chromium the tests that drive it are skipped and say so; where nothing may be skipped they fail."""

import shutil

import pytest

from tests.browser.driving import LACKING, chromium


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("1", pytest.fail.Exception)])
def test_without_chromium(ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(outcome) as raised, chromium():
        pass
    assert str(raised.value) == LACKING
