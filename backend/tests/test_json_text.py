"""What reading JSON takes, whatever somebody has written."""

import tracemalloc

import pytest
from ngxlab.core import payload
from ngxlab.core.errors import Invalid


def test_a_key_that_occurs_twice_is_found_among_very_many() -> None:
    """At the end of them: comparing each with each would take minutes."""
    keys = [*range(200_000), 199_999]
    body = "{" + ",".join(f'"{key}":1' for key in keys) + "}"
    with pytest.raises(Invalid, match="199999: occurs twice"):
        payload.parse(body.encode())


def test_a_long_list_takes_little_more_memory_than_its_values() -> None:
    body = b"[" + b",".join([b"[]"] * 200_000) + b"]"
    tracemalloc.start()
    try:
        value = payload.parse(body)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(value) == 200_000
    assert most < 1.5 * kept


def test_each_value_that_is_refused_is_named_in_its_place() -> None:
    with pytest.raises(Invalid) as refused:
        payload.parse(b'{"a":["x","\\u0000",1e999],"b\\u0000":1,"c":{"d":"\\ud800"}}')
    assert [problem.field for problem in refused.value.errors or []] == ["", "a.1", "a.2", "c.d"]
