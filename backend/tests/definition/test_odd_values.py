"""No value of a definition is taken for another: numbers are numbers, and headers are about the request."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from definition.definitions import sound
from ngxlab.definition.fragments import ConfigTemplateError, render_fragment
from ngxlab.definition.rules.streams import header_problems
from ngxlab.definition.validation import validate

Path = tuple[str | int, ...]


def _rich() -> dict[str, Any]:
    """Every kind of section with numbers."""
    raw = sound()
    raw["nginx"] |= {"ports": 2}
    raw["nginx"]["files"][0]["cold"] = True
    raw["nginx"] |= {"cold_files": {"method": "evict", "evict_every_ms": 20}}
    raw["upstream_servers"][0] |= {"instances": 2, "workers": 1}
    raw["streams"][0] |= {"timeout_s": 3, "duration_s": 2.5, "paths": {"pattern": "/{n}", "count": 3, "seed": 1}}
    raw["streams"] += [
        {"key": "o", "engine": "open-loop", "connections": 1, "open_loop": {"rate_per_s": 5, "seed": 3}},
        {"key": "i", "engine": "idle-hold", "connections": 1,
         "idle_hold": {"connect_per_s": 5, "think_min_s": 1, "think_max_s": 2}},
    ]  # fmt: skip
    raw["perturbations"] += [
        {"key": "s", "when": {"kind": "once", "at_s": 1}, "action": {"kind": "signal", "signal": "STOP", "worker": 0}}
    ]
    raw["plan"] |= {"cooldown_s": 0.5, "interval_ms": 500}
    raw["plan"]["stop"] = {"kind": "precision", "metric": "requests_per_s", "half_width_percent": 5, "max_blocks": 9}
    return raw


def _numbers(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if key != "variables":
                yield from _numbers(item, (*path, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


_PATHS = list(_numbers(_rich()))


def _changed(path: Path, value: object) -> dict[str, Any]:
    raw: Any = _rich()
    here = raw
    for part in path[:-1]:
        here = here[part]
    here[path[-1]] = value
    return copy.deepcopy(raw)


def _fields(raw: dict[str, Any]) -> set[str]:
    return {problem.field for problem in validate(raw).problems}


@pytest.mark.parametrize("path", _PATHS, ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize("value", [True, "5", 2**53 + 2, 10**400, float("nan")], ids=lambda value: f"{value!r:.12}")
def test_only_a_number_that_can_be_stored_is_a_number(path: Path, value: object) -> None:
    field = ".".join(map(str, path))
    assert field not in _fields(_rich())
    assert field in _fields(_changed(path, value))


def test_the_numbers_of_all_sections_are_tried() -> None:
    assert len(_PATHS) >= 30


@pytest.mark.parametrize("text", ["a\u202eb", "a\u2066b", "a\x00b", "a\x85b", "\ud800", "a\u2028b"])
@pytest.mark.parametrize("field", ["question", "nginx.server", "factors.0.label", "streams.0.body"])
def test_text_shows_all_that_it_says(field: str, text: str) -> None:
    path = tuple(int(part) if part.isdigit() else part for part in field.split("."))
    assert field in _fields(_changed(path, text))


@pytest.mark.parametrize(
    "name",
    ["Transfer-Encoding", "transfer-encoding", "Content-Length", "Connection", "Keep-Alive", "Proxy-Connection", "TE",
     "Trailer", "Upgrade", "Expect", "a b", "a:b", "", "a\r\nb", "ä"],
)  # fmt: skip
def test_headers_about_the_connection_are_refused(name: str) -> None:
    assert [refused for refused, _ in header_problems({name: "x"})] == [name]


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb", "a\x00b", "a\tb", "\u202e"])
def test_values_of_headers_are_one_line_of_text(value: str) -> None:
    assert [refused for refused, _ in header_problems({"X-A": value})] == ["X-A"]


def test_a_header_is_given_once() -> None:
    assert [name for name, _ in header_problems({"Host": "a", "host": "b", "Accept": "*/*"})] == ["host"]
    assert list(header_problems({"Host": "a", "X-Host": "b", "Authorization": "Basic eDp5"})) == []


@pytest.mark.parametrize(
    "source",
    ["{{ self }}", "{{ super }}", "{{ loop }}", "{{ caller }}", "{{ varargs }}", "{{ kwargs }}", "{{ namespace }}",
     "{{ servers }}", "{{ upstream }}", "{{ none }}", "{{ [servers] }}", "{{ (upstream, 1) }}", "{{ 1 ~ servers }}",
     "{{ servers | upper }}", "{{ [upstream] | trim }}"],
)  # fmt: skip
def test_no_object_of_python_shows_in_a_configuration(source: str) -> None:
    functions: dict[str, object] = {"servers": lambda key: key, "upstream": lambda key: key}
    with pytest.raises(ConfigTemplateError) as refused:
        render_fragment("nginx.server", source, functions)
    assert "0x" not in refused.value.message
