"""Whole trials by the real agent in the test's own process, judged by all checks of the backend's analysis."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ngxlab.analysis import records as analysis
from ngxlab.analysis.checks import check_run, check_trial, declarations
from ngxlab.analysis.records import HostRecord, StoredFrame
from ngxlab.analysis.records.fingerprint import as_of
from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.schemas.trial import Resource
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.telemetry import FingerprintEvent, ProcessEvent
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.this_host import describe_agents_host
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord
from tests.support.trials import assert_completed, assert_nothing_left

_DECLARED = {check.key: check for check in declarations()}


@dataclass(frozen=True)
class Judged:
    """A trial's summary, and the results of its checks by key."""

    summary: TrialSummary
    results: Mapping[str, CheckResult]


@dataclass(frozen=True)
class Bench:
    """One host."""

    agent: Agent
    backend: FakeBackend

    def run(self, spec: TrialSpec, meanwhile: Callable[[TrialRecord], object] | None = None) -> Judged:
        """``meanwhile`` runs in a thread of its own from the trial's beginning; what it raises fails the test."""
        record = self.backend.add(spec)
        with ThreadPoolExecutor(1) as pool:
            fault = pool.submit(meanwhile, record) if meanwhile is not None else None
            self.agent.execute(spec.trial_id)
        if fault is not None:
            fault.result()
        assert_completed(record)
        assert_nothing_left(self.agent)
        return judged([host_record(record, describe_agents_host(self.agent.settings))])

    def http_port(self) -> int:
        """Where the running trial's nginx receives the load."""
        (config,) = self.agent.settings.trials_root.glob("*/nginx.conf")
        place = config.read_text().rpartition("listen 127.0.0.1:")[2].partition(";")[0]
        return int(place.partition(" ")[0])

    def wait_for(self, record: TrialRecord, phase: str) -> None:
        self.backend.wait_for(lambda: phase in record.phases or record.end is not None)


def host_record(record: TrialRecord, inventory: Inventory, name: str | None = None) -> HostRecord:
    """What a host has reported, as the backend reads it from its database."""
    events = record.events
    fingerprint = next(event for event in events if isinstance(event, FingerprintEvent))
    return HostRecord(
        host_id=record.spec.host_id,
        spec=record.spec,
        clock_offset_us=record.batches[-1].clock_offset_us,
        inventory=as_of(inventory, fingerprint),
        layouts={layout.id: layout for batch in record.batches for layout in batch.layouts},
        frames=[
            StoredFrame(frame.layout, frame.t_us, frame.took_us, frame.values)
            for batch in record.batches
            for frame in batch.frames
        ],
        intervals=record.intervals,
        events=events,
        name=name,
    )


def judged(hosts: Sequence[HostRecord]) -> Judged:
    spec = hosts[0].spec
    trial = analysis.TrialRecord(
        spec.trial_id, spec.arm, spec.block, spec.position, spec.attempt, "completed", list(hosts)
    )
    summary = summarise_trial(trial)
    return Judged(summary, {result.key: result for result in check_trial(trial, summary)})


def judged_together(*trials: Judged) -> dict[str, CheckResult]:
    """The checks that compare trials of a run."""
    return {result.key: result for result in check_run([trial.summary for trial in trials])}


def fires(results: Mapping[str, CheckResult], key: str, *severities: str) -> str:
    """Asserts that a check ended in one of ``severities``, as it declares; returns what it said.

    The table of docs/checks.md names every check and severity that a test here passes to this function.
    """
    result = results[key]
    assert result.severity in severities, result
    assert result.severity in _DECLARED[key].results
    assert result.remedy in _DECLARED[key].remedies or result.severity == "info"
    return result.message


def limited_by(summary: TrialSummary, resource: Resource) -> str:
    """Asserts that a resource was at its limit; returns the evidence. Others may have been, too."""
    uses = {use.resource: use for use in summary.resources}
    assert uses[resource].limits, uses
    return uses[resource].evidence


def pids_of(record: TrialRecord, role: str) -> list[int]:
    """The processes that have this role now, by place."""
    events = [event for event in record.events if isinstance(event, ProcessEvent) and event.role == role]
    return list({event.index: event.pid for event in events}.values())
