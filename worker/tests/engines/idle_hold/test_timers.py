"""The heap of timers against a plain search for the soonest."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.native import ask, compile_part

ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(0, 20), st.integers(0, 50)),
        st.tuples(st.just("take"), st.integers(0, 50)),
    ),
    max_size=200,
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_part("timers", ["hold_timers.c"], tmp_path_factory.mktemp("native"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ACTIONS)
def test_the_soonest_is_taken_and_only_when_it_is_due(program: Path, actions: list[tuple[str | int, ...]]) -> None:
    answers = iter(ask(program, given="\n".join(" ".join(map(str, action)) for action in actions).encode()).split())
    due: dict[int, int] = {}
    for word, *numbers in actions:
        if word == "set":
            due[int(numbers[0])] = int(numbers[1])
            continue
        answer, now = next(answers), int(numbers[0])
        if answer == "-":
            assert all(ms > now for ms in due.values())
        else:
            assert due[int(answer)] == min(due.values()) <= now
            del due[int(answer)]
    assert not list(answers)
