"""Which loads measure the same thing."""

from typing import Any

import pytest
from ngxlab.definition.loads import shape_of, why_not_comparable
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec


def wrk(**changes: Any) -> StreamSpec:
    return StreamSpec(key="main", engine="wrk", threads=2, connections=100).model_copy(update=changes)


def open_loop(per_s: float) -> StreamSpec:
    spec = OpenLoopSpec(steps=[RateStep(per_s=per_s, duration_s=10)])
    return StreamSpec(key="main", engine="open-loop", threads=2, connections=100, open_loop=spec)


@pytest.mark.parametrize(
    ("own", "base", "reason"),
    [
        (wrk(), wrk(path="/other"), None),
        (wrk(connections=200), wrk(), "200 connections in 2 threads instead of wrk (closed loop) with 100 connections"),
        (open_loop(900), wrk(), "other load engines: open-loop (open loop) instead of wrk (closed loop)"),
        (open_loop(900), open_loop(1000), "at 900/s instead of open-loop (open loop) with 100 connections"),
        (wrk(keep_alive=False), wrk(), "a connection for each request"),
    ],
)
def test_runs_under_different_loads_are_not_compared(own: StreamSpec, base: StreamSpec, reason: str | None) -> None:
    said = why_not_comparable(shape_of([own]), shape_of([base]))
    assert (said is None) == (reason is None)
    assert reason is None or reason in (said or "")


def test_probes_and_the_order_of_streams_do_not_count() -> None:
    streams = [wrk(), open_loop(1000), wrk(key="probe", connections=1, probe=True)]
    assert why_not_comparable(shape_of(streams), shape_of(streams[1::-1])) is None
    assert why_not_comparable(shape_of(streams[:1]), shape_of(streams)) is not None
