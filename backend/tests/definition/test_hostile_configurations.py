"""Each hostile fragment is stopped by the rule that is meant for it, alone and among innocent lines."""

import pytest
from definition.definitions import sound
from definition.hostile.corpus import ALL
from definition.test_nginx_policy import violations_of
from ngxlab.definition.validation import validate


def test_there_are_many() -> None:
    assert len({(fragment, text) for fragment, text, _ in ALL}) >= 150


@pytest.mark.parametrize(("fragment", "text", "said"), ALL)
def test_each_is_stopped_by_its_rule(fragment: str, text: str, said: str) -> None:
    [first, *_] = violations_of({fragment: text})
    assert first.field == f"nginx.{fragment}"
    assert first.message.startswith(said)


def test_each_is_stopped_in_a_whole_definition() -> None:
    passed = []
    for fragment, text, _ in ALL:
        raw = sound()
        raw["nginx"][fragment] = raw["nginx"].get(fragment, "") + ("\n" if fragment != "listen_options" else " ") + text
        if not any(problem.field == f"nginx.{fragment}" for problem in validate(raw).problems):
            passed.append(text)
    assert passed == []
