"""Rates that are set while the load runs: the instants are those of the same rates known from the start."""

import itertools
import time
from pathlib import Path

import pytest
from ngxlab_contracts.streams import CapacityGoal, CapacitySpec, OpenLoopSpec, RateStep
from ngxlab_worker.engines import RATE_LEAD_US, SteeredRates
from ngxlab_worker.engines.native import find_program
from ngxlab_worker.engines.open_loop import PROGRAM, schedule_options
from ngxlab_worker.sandbox import Sandbox
from tests.support.hosts import wait_until
from tests.support.native import ask, compile_part
from tests.support.served import nginx, target_of
from tests.support.streams import open_loop, running

RATES = [(1000.0, 0.1), (0.0, 0.05), (333.3, 0.2), (0.0, 0.1), (0.0, 0.02), (7777.0, 0.05), (10.0, 0.3)]
"""Each with its seconds."""
MANY = [(100.0 * (1 + number % 7), 0.013) for number in range(250)]
"""More than a schedule keeps at a time."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_part("rates", ["schedule.c", "program.c"], tmp_path_factory.mktemp("rates"))


def steered(program: Path, rates: list[tuple[float, float]], shard: int, shards: int, seed: int) -> list[int]:
    begins = itertools.accumulate(seconds for _, seconds in rates)
    lines = [f"{1e9 * begin!r} {per_s!r}" for begin, (per_s, _) in zip(begins, rates[1:], strict=False)]
    options = (str(shard), str(shards), str(seed), repr(rates[0][0]))
    return [int(line) for line in ask(program, *options, given="\n".join(lines).encode()).split()]


def planned(rates: list[tuple[float, float]], count: int, shard: int, shards: int, seed: int) -> list[int]:
    steps = [RateStep(per_s=per_s, duration_s=seconds) for per_s, seconds in rates]
    plan = OpenLoopSpec(steps=steps, arrivals="poisson" if seed else "constant", seed=seed or 1)
    words = schedule_options(plan)
    return [int(x) for x in ask(find_program(PROGRAM), "--print-schedule", f"{count}:{shard}:{shards}", *words).split()]


@pytest.mark.parametrize(("shard", "shards"), [(0, 1), (0, 3), (2, 3)])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_instants_are_those_of_the_same_plan(program: Path, shard: int, shards: int, seed: int) -> None:
    found = steered(program, RATES, shard, shards, seed)
    assert len(found) > 100 // shards
    assert found == pytest.approx(planned(RATES, len(found), shard, shards, seed), abs=1)


def test_any_number_of_rates(program: Path) -> None:
    found = steered(program, MANY, 0, 1, 0)
    within = [instant for instant in planned(MANY[:100], 10_000, 0, 1, 0) if instant < 1.3e9]
    assert found[: len(within)] == pytest.approx(within, abs=1)
    last_ns, due = 1e9 * 0.013 * 249, sum(per_s * seconds for per_s, seconds in MANY[:-1])
    assert sum(instant < last_ns for instant in found) == pytest.approx(due, abs=1)


def set_and_wait(rates: SteeredRates, per_s: float, seconds: float) -> None:
    """Set a rate for so long, then none, and wait until its requests are answered."""
    begin_us = time.monotonic_ns() // 1000 + 4 * RATE_LEAD_US
    rates.set(per_s, begin_us)
    rates.set(0, begin_us + round(1e6 * seconds))
    wait_until(lambda: rates.has_begun() and rates.progress().outstanding == 0)


@pytest.mark.parametrize("changes", [{}, {"keep_alive": False}])
def test_each_request_belongs_to_one_rate(agent_folder: Path, sandbox: Sandbox, changes: dict[str, bool]) -> None:
    capacity = CapacitySpec(goal=CapacityGoal(errors_percent=1), from_per_s=200, to_per_s=2000)
    spec = open_loop(open_loop=OpenLoopSpec(steps=[], capacity=capacity), connections=12, threads=3, **changes)
    due: list[int] = []
    with nginx(agent_folder, sandbox) as server, running(spec, target_of(server), agent_folder, sandbox) as stream:
        rates = stream.generator.rates
        assert rates is not None
        rates.set(0, time.monotonic_ns() // 1000 + RATE_LEAD_US)
        wait_until(lambda: rates.has_begun() and rates.progress().outstanding == 0)
        for per_s in (1000, 500.5, 2000):
            before = rates.answered()
            set_and_wait(rates, per_s, 0.3)
            found = rates.answered().since(before)
            due.append(found.due)
            assert (found.served, found.failed) == (found.due, 0)
        totals = stream.end()
    assert due == [pytest.approx(per_s * 0.3, abs=1) for per_s in (1000, 500.5, 2000)]
    assert sum(due) == pytest.approx((1000 + 500.5 + 2000) * 0.3, abs=1)
    assert totals.completed == totals.intended == totals.sent
