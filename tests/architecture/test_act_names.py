"""Every act that anything writes into the journal has a name that people can read."""

from pathlib import Path

import pytest
from django.utils import translation

from tests.architecture import acts
from tests.architecture.acts import UnknownAct, acts_written
from totalizator.core.act_names import ACT_NAMES, act_name


def test_every_act_has_a_name_and_no_name_is_of_an_act_that_nobody_writes() -> None:
    written = acts_written()
    assert {act: place for act, place in written.items() if act not in ACT_NAMES} == {}
    assert sorted(ACT_NAMES.keys() - written.keys()) == []


def test_no_two_acts_have_one_name() -> None:
    with translation.override("en"):
        names = [str(name) for name in ACT_NAMES.values()]
    assert sorted(names) == sorted(set(names))


def test_what_failed_and_what_is_not_known_any_more() -> None:
    with translation.override("en"):
        assert act_name("open_pool") == "The pool is opened"
        assert act_name("open_pool_failed") == "This failed: The pool is opened"
        assert act_name("of_long_ago") == "of_long_ago"
        assert act_name("of_long_ago_failed") == "of_long_ago_failed"


SOURCE = """
_KEPT = "kept_in_a_constant"

def _journal(subject, act): ...

def do():
    write_journal(act="said_at_once", subject="x")
    write_journal(act="one" if new else "other")
    write_journal(act=_KEPT)
    _journal("x", "given_by_place")
"""


def test_each_way_of_writing_an_act_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "module.py"
    monkeypatch.setattr(acts, "python_files", lambda *_folders: [module])
    monkeypatch.setattr(acts, "spot", lambda *_place: "here")
    module.write_text(SOURCE, encoding="utf-8")
    assert acts_written().keys() == {"said_at_once", "one", "other", "kept_in_a_constant", "given_by_place"}
    module.write_text('write_journal(act=f"made_{of_something}")', encoding="utf-8")
    with pytest.raises(UnknownAct, match="made_"):
        acts_written()
