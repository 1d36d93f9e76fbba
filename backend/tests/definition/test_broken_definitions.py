"""A broken definition is answered by messages that name the field, all of them at once, and nothing else."""

from typing import Any

import pytest
from definition.breaking import Broken
from definition.broken import broken_definitions
from definition.definitions import definitions, sound
from definition.sentences import unlisted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ngxlab.core.errors import Invalid
from ngxlab.definition.validation import require, validate

_BROKEN = broken_definitions()


def test_the_sound_one_is_sound() -> None:
    assert validate(sound()).problems == []


def test_there_are_200_ways_to_break_it() -> None:
    assert len({broken.name for broken in _BROKEN}) >= 200


@pytest.mark.parametrize("broken", _BROKEN, ids=[broken.name for broken in _BROKEN])
def test_the_field_is_named(broken: Broken) -> None:
    problems = validate(broken.raw).problems
    messages = [problem.message for problem in problems if problem.field == broken.field]
    assert any(broken.said in message for message in messages), problems
    assert [text for problem in problems for text in unlisted(problem.message)] == []


def test_everything_is_said_at_once() -> None:
    raw = sound()
    raw["plan"]["blocks"] = 0
    raw["streams"][1]["threads"] = "x"
    raw["nginx"]["server"] = "root /etc;\ninclude x;\n{{ aio }} on;"
    raw["design"]["off"] = ["nobody"]
    raw["thresholds"] = ["p99 < 3", "mean_ms < 1", "max_ms"]
    raw["placement"] = {"target": "0", "nobody": "1"}
    raw["baseline"] = "x"
    fields = [problem.field for problem in validate(raw).problems]
    assert {"plan.blocks", "streams.1.threads", "design.off.0", "thresholds.0", "thresholds.2", "baseline"} <= set(
        fields
    )
    assert fields.count("nginx.server") >= 2


def test_one_finding_in_several_arms_is_one_problem() -> None:
    raw = sound()
    raw["nginx"]["server"] += "\n{% if aio == 'threads' %}\nuser root;\n{% endif %}"
    (problem,) = validate(raw).problems
    assert (problem.line, problem.arms) == (9, ["threads.low", "threads.high"])
    assert problem.message.startswith("line 9: user is not allowed in server")


def test_a_refusal_carries_all_problems() -> None:
    raw = sound() | {"baseline": "x"}
    raw["plan"]["blocks"] = 0
    with pytest.raises(Invalid) as refusal:
        require(raw)
    assert [error.field for error in refusal.value.errors] == ["plan.blocks", "baseline"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), definitions())
def test_anything_in_place_of_a_part_is_answered(data: st.DataObject, raw: dict[str, Any]) -> None:
    """Never an exception; and what has no problem is a definition that renders."""
    here: Any = raw
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = data.draw(st.sampled_from(keys))
        below = here[key]
        if not (isinstance(below, dict | list) and below and data.draw(st.booleans())):
            break
        here = below
    here[key] = data.draw(_JSON)
    checked = validate(raw)
    assert checked.problems or checked.definition is not None
    assert all(problem.message and isinstance(problem.field, str) for problem in checked.problems)
