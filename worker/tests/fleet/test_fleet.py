"""One trial on four hosts in network namespaces of their own: target, two generators, an upstream server."""

import os
import signal
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

import pytest
from ngxlab_contracts.perturbations import HttpCall, Once, PerturbationSpec
from ngxlab_worker.agent.this_host import describe_this_host
from tests.checks.bench import fires, host_record, judged
from tests.fleet.conftest import WRONG_CLOCK, Lab
from tests.support.hosts import wait_until
from tests.support.records import START_LEAD_US, TrialRecord, now_us
from tests.support.specs import fleet_trial
from tests.support.trials import artefacts, nginx_total, requests_of, result_of

GENERATORS = ("gen-a", "gen-b")
MOST_SPREAD_US = 20_000
UNDER_WAY = 20
"""Connections of both streams: nginx may have served as many requests that no generator waited for."""

Records = Mapping[str, TrialRecord]


def run(lab: Lab, **timing: float) -> Records:
    return lab.run(fleet_trial(lab.fleet.address("target"), lab.fleet.address("upstream"), **timing))


def wait_for_end(lab: Lab, records: Records, *hosts: str) -> None:
    lab.backend.wait_for(lambda: all(records[host].end for host in hosts or records), timeout_s=40)


def outcomes(records: Records) -> dict[str, tuple[str, str]]:
    return {host: (record.end.outcome, record.end.reason) for host, record in records.items() if record.end}


def begins_us(records: Records) -> list[int]:
    """When each stream was released, by the backend's clock."""
    parts = [records[host] for host in GENERATORS]
    return [part.intervals[0].t0_us + part.batches[-1].clock_offset_us for part in parts]


def test_one_trial_on_four_hosts(lab: Lab, record_property: Callable[[str, object], None]) -> None:
    records = run(lab)
    wait_for_end(lab, records)
    assert outcomes(records) == dict.fromkeys(records, ("completed", "completed"))

    counted = [requests_of(records[host]) for host in GENERATORS]
    assert min(counted) > 100
    assert nginx_total(records["target"]) == pytest.approx(sum(counted), rel=0.01, abs=UNDER_WAY)
    for host in GENERATORS:
        assert sum(i.count for i in records[host].intervals) == result_of(records[host]).live_requests

    begins = begins_us(records)
    spread_us = max(begins) - min(begins)
    record_property("start_spread_us", spread_us)
    late = [host for host in GENERATORS if "late-start" in records[host].notes()]  # a busy machine has to be noted
    assert spread_us < MOST_SPREAD_US or late, f"the streams began {spread_us} us apart, and nobody was late"
    for host in lab.fleet.hosts:
        wait_until(partial(lab.nothing_left, host))
        wait_until(partial(lab.nothing_spooled, host))


def test_perturbations_call_other_hosts_of_the_trial(lab: Lab) -> None:
    parts = fleet_trial(lab.fleet.address("target"), lab.fleet.address("upstream"))
    calls = {"target": "upstream.app", "gen-a": "target", "upstream": "target"}
    for host, endpoint in calls.items():
        call = PerturbationSpec(key=host, when=Once(at_s=0.2), action=HttpCall(endpoint=endpoint))
        parts[host] = parts[host].model_copy(update={"perturbations": [call]})
    records = lab.run(parts)
    wait_for_end(lab, records)
    assert outcomes(records) == dict.fromkeys(records, ("completed", "completed"))
    for host in calls:
        (action,) = [event for event in records[host].events if event.kind == "action"]
        assert (action.ok, action.status) == (True, 200), action.detail


def test_each_host_reports_what_runs_on_it(lab: Lab) -> None:
    records = run(lab)
    wait_for_end(lab, records)
    roles = {
        host: {event.role for event in record.events if event.kind == "process"} for host, record in records.items()
    }
    assert roles == {
        "target": {"nginx-master", "nginx-worker"},
        "upstream": {"upstream"},
        "gen-a": {"generator"},
        "gen-b": {"generator"},
    }
    for host, record in records.items():
        layouts = [layout for batch in record.batches for layout in batch.layouts]
        collectors = {layout.collector for layout in layouts}
        assert {"cpu", "network", "process"} <= collectors
        assert ("stub_status" in collectors) == (host == "target")
        seen = {s.labels["role"] for layout in layouts if layout.collector == "process" for s in layout.series}
        assert seen == roles[host] | {"agent"}
        assert list(record.phases) == ["preparing", "ready", "warmup", "measure", "cooldown", "cleanup"]
    conf = artefacts(records["target"])["nginx.conf"]
    (app,) = records["upstream"].endpoints
    assert all(f"server {app.address}:{port};" in conf for port in app.ports)
    assert len(app.ports) == 2


def test_a_cut_that_heals_loses_no_data(lab: Lab) -> None:
    records = run(lab, measure_s=3.0)
    lab.backend.wait_for(lambda: all("measure" in record.phases for record in records.values()))
    lab.fleet.cut("gen-b")
    try:
        # Its own clock ends the load: it needs no order for that, and cleans up although nobody hears from it.
        wait_until(lambda: lab.nothing_left("gen-b"))
        assert records["gen-b"].end is None
        assert records["target"].end is None
    finally:
        lab.fleet.restore("gen-b")
    wait_for_end(lab, records)
    assert outcomes(records) == dict.fromkeys(records, ("completed", "completed"))
    cut = records["gen-b"]
    assert [batch.seq for batch in cut.batches] == list(range(1, len(cut.batches) + 1))
    assert all(earlier.t1_us == later.t0_us for earlier, later in pairwise(cut.intervals))
    assert "streams-unfinished" not in records["target"].notes()
    counted = [requests_of(records[host]) for host in GENERATORS]
    assert nginx_total(records["target"]) == pytest.approx(sum(counted), rel=0.01, abs=UNDER_WAY)
    wait_until(lambda: lab.nothing_spooled("gen-b"))


def test_a_trial_given_up_during_a_cut_leaves_nothing_anywhere(lab: Lab) -> None:
    records = run(lab, measure_s=30)
    lab.backend.wait_for(lambda: all("measure" in record.phases for record in records.values()))
    lab.fleet.cut("gen-b")
    try:
        with lab.backend.changed:  # what the backend does with a trial one of whose hosts is lost
            for record in records.values():
                record.command = "discard"
            lab.backend.changed.notify_all()
        for host in ("target", "upstream", "gen-a"):
            wait_until(partial(lab.nothing_left, host), timeout_s=3)
        assert not lab.nothing_left("gen-b")  # no order could reach it
    finally:
        lab.fleet.restore("gen-b")
    wait_until(lambda: lab.nothing_left("gen-b"))
    wait_until(lambda: lab.nothing_spooled("gen-b"))


def test_a_host_that_refuses_its_part_is_missed_by_name(lab: Lab) -> None:
    specs = fleet_trial(lab.fleet.address("target"), lab.fleet.address("upstream"), start_timeout_s=1)
    del specs["target"]
    records = lab.run(specs)
    wait_for_end(lab, records)
    ends = {host: record.end.code for host, record in records.items() if record.end}
    assert ends == {"gen-a": "peers-missing", "gen-b": "peers-missing", "upstream": "start-timeout"}
    assert records["gen-a"].end is not None
    assert "target" in records["gen-a"].end.reason


def start_without(lab: Lab, host: str, records: Records) -> None:
    """Name the start of the load while a host stands still; it goes on when the others have started."""
    lab.backend.wait_for(lambda: all(record.ready for record in records.values()))
    stopped = lab.fleet.processes(host)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        with lab.backend.changed:
            for record in records.values():
                record.start_at_us = now_us() + START_LEAD_US
            lab.backend.changed.notify_all()
        lab.backend.wait_for(lambda: "warmup" in records["gen-a"].phases)
        time.sleep(0.1)  # the fault: it starts so much later, at least
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def test_a_host_that_starts_late_and_whose_clock_is_wrong(lab: Lab, user: str | None) -> None:
    specs = fleet_trial(lab.fleet.address("target"), lab.fleet.address("upstream"))
    records = lab.run(specs, auto_start=False)
    start_without(lab, WRONG_CLOCK, records)
    wait_for_end(lab, records)
    inventory = describe_this_host(user)
    results = judged([host_record(record, inventory, host) for host, record in records.items()]).results
    assert f"{WRONG_CLOCK} last" in fires(results, "start-spread", "error")
    said = fires(results, "clock-skew", "warning")
    assert f"{WRONG_CLOCK}: the host's clock is" in said
    assert "gen-a" not in said
    assert results["loopback"].severity == "pass"
