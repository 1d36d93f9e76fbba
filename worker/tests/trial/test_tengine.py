"""Trials on Tengine with dyups: a stand-in with its habits, and the real one where NGXLAB_TEST_TENGINE names it."""

import os
from collections.abc import Callable
from pathlib import Path

import ngxlab_policy
import pytest
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.core.clock import Offset, monotonic_us
from ngxlab_worker.sandbox import Isolation
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import make_agent, own_caps
from tests.support.records import TrialRecord, now_us
from tests.support.tengine import MOST_IN_MEMORY, write_stand_in
from tests.support.trials import assert_completed, assert_nothing_left, result_of
from tests.trial.test_upstreams import actions, churned

REAL = os.environ.get("NGXLAB_TEST_TENGINE")
NODES = 10_000
CHECKS = "interval=5000 rise=1 fall=3 timeout=1000 type=tcp"

Run = Callable[..., TrialRecord]


@pytest.fixture(params=["stand-in", "real"])
def tengine(request: pytest.FixtureRequest, agent_folder: Path) -> str:
    if request.param == "stand-in":
        lua = Path(ngxlab_policy.__path__[0], "upstreams.lua").read_text()
        return write_stand_in(agent_folder / "tengine", lua)
    if REAL is None:
        pytest.skip("NGXLAB_TEST_TENGINE names no Tengine")
    return REAL


@pytest.fixture
def agent(agent_folder: Path, backend: FakeBackend, user: str | None, tengine: str) -> Agent:
    agent = make_agent(agent_folder, backend, user, Isolation.NAMESPACE)
    own_caps(agent_folder, f'nginx = ["{tengine}"]\n')
    agent.shared.set_offset(Offset(now_us() - monotonic_us(), 0))
    return agent


@pytest.fixture
def run(agent: Agent, backend: FakeBackend, tengine: str) -> Run:
    def run(
        nodes: int,
        change: Callable[[NginxSpec], NginxSpec] = lambda spec: spec,
        through: str = "tengine",
        **upstreams: str,
    ) -> TrialRecord:
        spec = churned(through, nodes, **upstreams)
        assert spec.nginx is not None
        nginx = change(spec.nginx.model_copy(update={"binary": tengine}))
        record = backend.add(spec.model_copy(update={"nginx": nginx}))
        agent.execute(record.spec.trial_id)
        assert_nothing_left(agent)
        return record

    return run


@pytest.mark.parametrize(("nodes", "checks"), [(NODES, ""), (1_000, CHECKS)])
def test_groups_are_filled_and_changed(run: Run, nodes: int, checks: str) -> None:
    record = run(nodes, health_check=checks)
    assert_completed(record)
    # A real one on a busy machine may need longer than the time between two calls; the next is then left out.
    made = [event for event in actions(record) if not event.detail.startswith("skipped")]
    assert made
    assert {event.status for event in made} == {200}, [event.detail for event in made]
    printed = result_of(record).printed
    assert printed is not None
    assert printed.requests > 100
    assert printed.errors_status == 0


@pytest.mark.parametrize("tengine", ["real"], indirect=True)
@pytest.mark.parametrize("through", ["lua", "reload"])
def test_the_other_ways_run_on_it_too(run: Run, through: str) -> None:
    record = run(NODES, through=through)
    assert_completed(record)
    made = [event for event in actions(record) if not event.detail.startswith("skipped")]
    assert made
    assert all(event.ok for event in made), [event.detail for event in made]
    printed = result_of(record).printed
    assert printed is not None
    assert printed.requests > 100


def test_a_long_body_in_memory_is_what_fails(run: Run) -> None:
    """As long as dyups does it, the lines are needed. What it says depends on where the body's bytes happen to lie."""

    def in_memory(spec: NginxSpec) -> NginxSpec:
        lines = ("client_body_buffer_size 8k;", "client_body_in_file_only clean;")
        assert all(line in spec.config for line in lines)
        text = spec.config.replace(lines[0], "client_body_buffer_size 2m;").replace(lines[1], "")
        return spec.model_copy(update={"config": text})

    assert NODES * len("server 127.0.0.1:30000;") > MOST_IN_MEMORY
    end = run(NODES, in_memory).end
    assert end is not None
    assert end.outcome == "failed"
    assert "POST /upstream/changing gave 500" in end.reason
