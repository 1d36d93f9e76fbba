"""No secret of an nginx configuration leaves the machine; all else stays as it is."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_cli.secrets import includes, without_secrets

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "secrets.json").read_text())
WORDS = st.sampled_from([*"{};#\"'$\\\n ", "${", "map $cookie_a $b {", "x_by_lua_block {", "set $token ", "abc", "~a"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_what_is_masked_and_what_is_not(case: dict[str, Any]) -> None:
    assert without_secrets(case["text"]) == case["masked"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_what_is_masked_stays_so(case: dict[str, Any]) -> None:
    assert without_secrets(case["masked"]) == case["masked"]


@given(st.lists(WORDS).map("".join))
def test_lines_stay_where_they_are(text: str) -> None:
    assert without_secrets(text).count("\n") == text.count("\n")


def test_what_is_included() -> None:
    assert includes('http { include "a/*.conf"; include b; # include c;\n }') == ["a/*.conf", "b"]
