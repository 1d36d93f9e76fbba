"""Templates of composed sentences, as they are read from code."""

from pathlib import Path

import pytest

from scripts.composed_texts import templates

CODE = '''
"""A module that says something."""

def late(count, trials):
    """How many were late."""
    where = f" on stream `{trials[0]}`" if count else ""
    log("reading", count)
    return f"{count} of {len(trials)} trial{'s were' if count != 1 else ' was'} late{where}"

LIMIT = Check(rule=f"Error if more than {5} are late.", title=f"More than {5} late")
MORE = "the others were " + ("early" if LIMIT else "on time")
ODD = f"{late(1, ['a'])} in {{x}}"
JOIN = f"{late(1, ['a'])}: {late(2, f'stream {1}')}"
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(CODE)
    return path


def test_a_sentence_is_one_template_for_each_way_through_its_conditions(module: Path) -> None:
    found = list(templates([module.parent]))
    assert {"{0} of {1} trials were late{2}", "{0} of {1} trial was late{2}"} <= set(found)
    assert {"the others were early", "the others were on time"} <= set(found)
    assert "on stream `{0}`" in found, "one of its values, without the blank before it"
    assert "stream {0}" in found, "a text within the values of another"


def test_what_no_page_shows_is_no_template(module: Path) -> None:
    found = list(templates([module]))
    assert "More than {0} late" in found
    assert not any("Error if" in text for text in found), "what the documents say of a check"
    assert not any("How many" in text or "module" in text for text in found), "docstrings"
    assert not any("{x}" in text for text in found), "a brace of its own, where a translation has a place"
    assert "reading" not in found, "a word of the program"
    assert "{0}: {1}" not in found, "nothing but signs"
