"""Requests that a real nginx rejects are no served requests: each engine reports them apart."""

import time
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from ngxlab_contracts.streams import IdleHoldSpec, StreamSpec
from ngxlab_contracts.telemetry import LatencyInterval, Quantity
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.core.clock import Offset, monotonic_us
from ngxlab_worker.engines.histogram import Counts
from ngxlab_worker.engines.wrk.memory import WrkMemory
from ngxlab_worker.sandbox import Isolation
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import make_agent
from tests.support.records import TrialRecord, now_us
from tests.support.specs import CONFIG, NGINX, trial_spec
from tests.support.streams import open_loop
from tests.support.trials import assert_completed, nginx_total, result_of

RATE = 100
LIMITED = CONFIG.replace(
    'location / { return 200 "OK\\n"; }', "location / { limit_req zone=all; limit_req_status 429; empty_gif; }"
).replace("    server {", f"    limit_req_zone $server_addr zone=all:1m rate={RATE}r/s;\n    server {{", 1)
MEASURED_S = 2


def wrk(**changes: object) -> StreamSpec:
    return StreamSpec.model_validate({"key": "main", "engine": "wrk", "threads": 2, "connections": 6, **changes})


def idle() -> StreamSpec:
    hold = IdleHoldSpec(connect_per_s=1000, think_min_s=0, think_max_s=0.01)
    return StreamSpec(
        key="main", engine="idle-hold", threads=1, connections=50, idle_hold=hold, rejected_statuses=[429]
    )


@pytest.fixture
def agent(agent_folder: Path, backend: FakeBackend, user: str | None) -> Agent:
    agent = make_agent(agent_folder, backend, user, Isolation.NAMESPACE)
    agent.shared.set_offset(Offset(now_us() - monotonic_us(), 0))
    return agent


def carried_out(agent: Agent, backend: FakeBackend, stream: StreamSpec, config: str = LIMITED) -> TrialRecord:
    nginx = NginxSpec(binary=NGINX, config=config, workers=2)
    spec = trial_spec(warmup_s=0.2, measure_s=MEASURED_S)
    record = backend.add(spec.model_copy(update={"streams": [stream], "nginx": nginx}))
    agent.execute(record.spec.trial_id)
    assert_completed(record)
    return record


def of(record: TrialRecord, quantity: Quantity) -> list[LatencyInterval]:
    return [interval for interval in record.intervals if interval.quantity == quantity]


def counted(record: TrialRecord, quantity: Quantity) -> int:
    return sum(interval.count for interval in of(record, quantity))


def recorded(record: TrialRecord, quantity: Quantity) -> int:
    """Responses in the histograms."""
    payloads = [interval.histogram for interval in of(record, quantity) if interval.histogram]
    return sum(int(HdrHistogram.decode(payload).get_total_count()) for payload in payloads)


@pytest.mark.parametrize(
    "stream", [open_loop(600, rejected_statuses=[429]), idle()], ids=lambda stream: str(stream.engine)
)
def test_our_engines_record_them_in_a_histogram_of_their_own(
    agent: Agent, backend: FakeBackend, stream: StreamSpec
) -> None:
    record = carried_out(agent, backend, stream)
    result = result_of(record)
    assert result.totals is not None
    assert result.totals.statuses is not None
    served, rejected = result.totals.statuses["200"], result.totals.statuses["429"]
    assert min(served, rejected) > 50
    assert (counted(record, "latency"), recorded(record, "latency")) == (served, served)
    assert (counted(record, "rejected"), recorded(record, "rejected")) == (rejected, rejected)
    assert result.totals.errors_status == rejected
    assert result.live_requests == result.totals.completed == served + rejected
    assert nginx_total(record) <= result.totals.sent
    if stream.engine == "open-loop":
        assert counted(record, "service") == served


@pytest.fixture
def late_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host so busy that wrk goes on for 50 ms between the reading of one counter and the next."""
    read = WrkMemory.snapshot

    def late(memory: WrkMemory) -> Counts:
        time.sleep(0.05)
        return read(memory)

    monkeypatch.setattr(WrkMemory, "snapshot", late)


@pytest.mark.usefixtures("late_readings")
@pytest.mark.parametrize("declared", [[], [429, 503]])
def test_wrk_counts_them_apart_but_not_their_latency(agent: Agent, backend: FakeBackend, declared: list[int]) -> None:
    record = carried_out(agent, backend, wrk(rejected_statuses=declared))
    result = result_of(record)
    printed, live = result.printed, result.live_requests
    assert printed is not None
    assert live is not None, result.live_unavailable_reason
    served = printed.requests - printed.errors_status
    assert 20 < served <= RATE * printed.duration_s * 1.25
    assert counted(record, "latency") + counted(record, "rejected") == recorded(record, "latency") == live
    assert counted(record, "latency") == pytest.approx(served, abs=20)
    if result.live_unavailable_reason is None:  # otherwise what came after the last reading is missing, and says so
        assert counted(record, "rejected") == pytest.approx(printed.errors_status, rel=0.01, abs=20)
    assert not [interval for interval in of(record, "rejected") if interval.histogram]
    if declared:
        assert printed.statuses == {"200": printed.requests - printed.errors_status, "429": printed.errors_status}
    else:
        assert printed.statuses == {}


def test_wrk_counts_statuses_whatever_else_its_script_does(agent: Agent, backend: FakeBackend) -> None:
    paths = {"pattern": "/{n}", "count": 7}
    record = carried_out(agent, backend, wrk(rejected_statuses=[429], paths=paths, method="POST", body="x"))
    printed = result_of(record).printed
    assert printed is not None
    assert sum(printed.statuses.values()) == printed.requests
    assert set(printed.statuses) == {"429", "405"}  # a picture takes no POST


def test_a_stream_says_itself_what_serves(agent: Agent, backend: FakeBackend) -> None:
    missing = CONFIG.replace('return 200 "OK\\n"', "return 404")
    record = carried_out(agent, backend, open_loop(200, served_statuses=[404]), missing)
    totals = result_of(record).totals
    assert totals is not None
    assert totals.statuses == {"404": totals.completed}
    assert (totals.errors_status, counted(record, "rejected")) == (0, 0)
    assert counted(record, "latency") == totals.completed


def test_a_healthy_stream_has_nothing_rejected(agent: Agent, backend: FakeBackend) -> None:
    record = carried_out(agent, backend, wrk(), CONFIG)
    assert of(record, "rejected") == []
    assert counted(record, "latency") == recorded(record, "latency")
