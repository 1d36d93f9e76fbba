"""The statuses that a stream expects."""

from typing import Any

import pytest
from definition.definitions import sound
from ngxlab.definition.resolve import resolve
from ngxlab.definition.validation import require, validate
from ngxlab_contracts.protocol import FIRST, needed, wire_form

OPEN = {"engine": "open-loop", "open_loop": {"steps": [{"per_s": 10, "duration_s": 1}]}}


def with_stream(**changes: Any) -> dict[str, Any]:
    raw = sound()
    raw["streams"][1] |= changes
    return raw


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"rejected_statuses": ["3xx"]}, "rejected_statuses.0", "either served or rejected"),
        ({"rejected_statuses": [503, 204]}, "rejected_statuses.1", "204 is among served_statuses"),
        (OPEN | {"served_statuses": [404], "rejected_statuses": ["4xx"]}, "rejected_statuses.0", "either served or"),
        ({"rejected_statuses": [42]}, "rejected_statuses.0", "must be a status such as 429"),
        ({"rejected_statuses": ["1xx"]}, "rejected_statuses.0", "must be a status such as 429"),
        ({"rejected_statuses": [429], "script": "x = 1"}, "rejected_statuses", "a script leaves no place"),
        ({"served_statuses": [404]}, "served_statuses", "use engine open-loop or idle-hold"),
        (OPEN | {"served_statuses": []}, "served_statuses", "at least 1 entries"),
        ({"rejected_statuses": 429}, "rejected_statuses", "must be a list"),
    ],
)
def test_what_cannot_be_counted_is_refused_at_its_field(changes: dict[str, Any], field: str, said: str) -> None:
    problems = validate(with_stream(**changes)).problems
    assert [problem.field for problem in problems] == [f"streams.1.{field}"]
    assert said in problems[0].message


@pytest.mark.parametrize(
    "changes",
    [
        {"rejected_statuses": [429, 503]},
        {"served_statuses": ["3xx", "2xx"]},
        OPEN | {"served_statuses": ["2xx", 304, 404], "rejected_statuses": [429, "5xx"]},
    ],
)
def test_others_are_sound(changes: dict[str, Any]) -> None:
    assert validate(with_stream(**changes)).problems == []


def test_an_agent_is_told_the_statuses() -> None:
    definition = require(with_stream(rejected_statuses=[429]))
    plain, limited = resolve(definition, definition.arms[0]).streams
    assert needed(plain) == needed(limited) == FIRST
    assert (wire_form(plain)["served_statuses"], wire_form(plain)["rejected_statuses"]) == (["2xx", "3xx"], [])
    assert wire_form(limited)["rejected_statuses"] == [429]
