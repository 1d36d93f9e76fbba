"""Lua for wrk."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ngxlab_contracts.streams import StreamSpec
from ngxlab_worker.engines import GeneratorError
from ngxlab_worker.engines.wrk.command import quoted, script_of


def stream(**changes: Any) -> StreamSpec:
    return StreamSpec(key="main", engine="wrk", threads=1, connections=1, **changes)


def test_only_what_needs_it_gets_a_script() -> None:
    assert script_of(stream(headers={"A": "b"}, keep_alive=False)) is None
    assert script_of(stream(method="DELETE")) == 'wrk.method = "DELETE"\n'
    assert script_of(stream(script="x = 1")) == "x = 1"
    big = script_of(stream(method="POST", body_bytes=64 << 20))
    assert big == f'wrk.method = "POST"\nwrk.body = string.rep("x", {64 << 20})\n'


@given(st.text())
@settings(max_examples=300)
def test_a_quoted_text_is_one_printable_literal(text: str) -> None:
    literal = quoted(text)
    assert all(" " <= sign <= "~" for sign in literal)
    assert '"' not in literal[1:-1]
    assert unquoted(literal) == text


def unquoted(literal: str) -> str:
    """As Lua reads it: ``\\\\ddd`` is a byte, all else stands for itself."""
    found, rest = bytearray(), literal[1:-1]
    while rest:
        if rest[0] == "\\":
            found.append(int(rest[1:4]))
            rest = rest[4:]
        else:
            found += rest[0].encode()
            rest = rest[1:]
    return found.decode()


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "HEAD"},
        {"body": "a", "body_bytes": 1},
        {"script": "x=1", "body_bytes": 0},
        {"script": "", "body": ""},
    ],
)
def test_what_contradicts_itself_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(GeneratorError) as caught:
        script_of(stream(**changes))
    assert caught.value.code == "stream-invalid"
