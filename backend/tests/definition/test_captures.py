"""Whatever passes keeps every clean path clean: all short patterns, asked of a real engine of regular expressions."""

import re
from collections.abc import Iterator
from itertools import product

from ngxlab_policy.captures import captured_path_problem

_PIECES = ("/", "a", "(.*)", "(.+)", "([^/]*)", "([^/]+)", r"(\d+)", "([a-z]*)", "(/.*)", ".*", r"\.", "(.)", "(.*?)")
_MADE = ("/$1", "/a/$1", "/a$1", "$1", "/.$1", "/$1.", "/$1a", "/$1$2", "/$1/$2", "/$2/$1", "/.$1.")
_SEGMENTS = ("a", "...", "..\n", ".\n", "a..", "..a", "\n", "")
_CLEAN = ["/" + "/".join(segments) for length in (1, 2, 3) for segments in product(_SEGMENTS, repeat=length)]
"""What nginx may make of what a client asks for: it has taken out segments of one or two dots."""


def _patterns() -> Iterator[str]:
    for flags, length, end in product(("^", "(?s)^", ""), (1, 2, 3), ("$", "")):
        for pieces in product(_PIECES, repeat=length):
            yield flags + "".join(pieces) + end


def _escape(pattern: str, made: list[str]) -> tuple[str, str] | None:
    """A path of a client, and what becomes of it with dots of its own."""
    compiled = re.compile(pattern)
    for asked in _CLEAN:
        if match := compiled.search(asked):
            for path in (re.sub(r"\$([1-9])", lambda number: match[int(number[1])], one) for one in made):
                if {".", ".."} & set(path.split("/")):
                    return asked, path
    return None


def test_no_dots_come_together() -> None:
    passing = {
        pattern: made
        for pattern in _patterns()
        if "(" in pattern and (made := [one for one in _MADE if captured_path_problem(pattern, one) is None])
    }
    assert len(passing) > 200
    assert {pattern: found for pattern, made in passing.items() if (found := _escape(pattern, made))} == {}


def test_what_people_write_most_passes_or_is_told_how() -> None:
    assert captured_path_problem("(?s)^/api/(.*)$", "/$1") is None
    assert captured_path_problem("^/a/([^/]+)/b$", "/b/$1") is None
    assert captured_path_problem("^/a/([^/]+)$", "/b/$1") is None
    assert captured_path_problem("^/api/(.*)$", "/$1.html") is None
    assert "(?s)^/old/(.*)$" in (captured_path_problem("^/api/(.*)$", "/$1") or "")
