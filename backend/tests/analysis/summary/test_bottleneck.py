"""Which resource limited a trial, on constructed records in which exactly one is at its limit."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from analysis import builders
from analysis.builders import Column, Columns, constant, line
from analysis.scenario import Scenario, host_columns, nginx_columns, worker_columns
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.summary.bottleneck.limits import bottleneck
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.trials import UpstreamServerSpec


def _bent(columns: Columns, name: str, slope: float, **labels: str) -> list[Column]:
    """The same columns, in which this counter grows otherwise."""
    return [
        (key, own, line(slope)) if key == name and labels.items() <= dict(own).items() else (key, own, value)
        for key, own, value in columns
    ]


def _workers(shares: Sequence[float], delay: float = 0.005) -> Scenario:
    columns: Columns = worker_columns()
    for index, share in enumerate(shares):
        columns = _bent(columns, "ngxlab_process_run_seconds_total", share, role="nginx-worker", index=str(index))
    columns = _bent(columns, "ngxlab_process_run_delay_seconds_total", delay, role="nginx-worker")
    return Scenario(processes=columns)


def _generator(share: float) -> Scenario:
    return Scenario(processes=_bent(worker_columns(), "ngxlab_thread_run_seconds_total", share, thread="2"))


def _disk(busy: float, waiting: float) -> Scenario:
    disk: Columns = [
        ("node_disk_io_time_seconds_total", {"device": "vda"}, line(busy)),
        ("node_disk_io_time_weighted_seconds_total", {"device": "vda"}, line(waiting)),
    ]
    return Scenario(host=[*host_columns(), *disk])


def _contended(idle: float, delay: float) -> Scenario:
    host = _bent(host_columns(), "node_cpu_seconds_total", idle, mode="idle")
    return replace(_workers([0.1] * 4, delay), host=host)


def _link(bytes_per_s: float) -> Scenario:
    return Scenario(host=_bent(host_columns(), "node_network_transmit_bytes_total", bytes_per_s, device="eth0"))


def _upstream(*, writing: float, busy: float, own: float = 0.1) -> Scenario:
    of = builders.spec().model_copy(
        update={"upstream_servers": [UpstreamServerSpec(key="app", binary="/usr/sbin/nginx", config="", instances=1)]}
    )
    nginx = [
        (name, own_labels, constant(writing) if name == "nginx_connections_writing" else value)
        for name, own_labels, value in nginx_columns()
    ]
    server: Column = ("ngxlab_process_run_seconds_total", {"role": "upstream", "index": "0"}, line(own))
    return replace(_workers([busy] * 4), spec=of, nginx=nginx, processes=[*_workers([busy] * 4).processes, server])


def _summary(scenario: Scenario) -> TrialSummary:
    return summarise_trial(builders.trial(scenario.build()))


@pytest.mark.parametrize(
    ("scenario", "resource", "evidence"),
    [
        (Scenario(), None, "no resource was at its limit"),
        (_generator(0.97), "generator CPU", "the busiest of 2 generator threads ran 97 % of the time"),
        (_workers([0.95, 0.2, 0.1, 0.1]), "one worker", "the busiest of 4 workers ran 95 % of the time"),
        (_workers([0.95, 0.97, 0.96, 0.99]), "all workers", "each of 4 workers ran 95 % of the time or more"),
        (
            _workers([0.5, 0.5, 0.5, 0.5], delay=0.45),
            "all workers",
            "each of 4 workers ran 50 % of the time and waited for a CPU 45 % or more",
        ),
        (_workers([0.88, 0.2, 0.1, 0.1], delay=0.04), None, "no resource was at its limit"),
        (_disk(0.97, 8), "disk", "disk vda was busy 97 % of the time, with 8.0 operations in progress on average"),
        (_disk(0.97, 0.97), None, "no resource was at its limit"),
        (
            _contended(idle=0.01, delay=0.5),
            "all CPUs of the target",
            "the target's CPUs were busy 98 % of the time (other processes used 43 % of all CPUs, nginx 40 %, load ",
        ),
        (_contended(idle=0.01, delay=0.01), None, "no resource was at its limit"),
        (_link(120e6), "network device", "eth0 sent 96 % of its link speed"),
        (Scenario(host=host_columns(overflows=3)), "accept queue", "30 connections were dropped at the listen queue"),
        (
            _upstream(writing=96, busy=0.05),
            "upstream servers",
            "the busiest upstream server used 10 % of a core, 95 % of what clients had in progress waited for upstream",
        ),
        (_upstream(writing=30, busy=0.05), None, "no resource was at its limit"),
        (_upstream(writing=96, busy=0.7), None, "no resource was at its limit"),
        (_upstream(writing=30, busy=0.3, own=0.96), "upstream servers", "the busiest upstream server used 96 %"),
    ],
)
def test_the_resource_at_its_limit_is_named_with_its_evidence(
    scenario: Scenario, resource: str | None, evidence: str
) -> None:
    found = bottleneck([_summary(scenario)])
    assert found is not None
    assert (found.resource, found.trials, found.of_trials) == (resource, 1, 1)
    assert found.evidence.startswith(evidence)


def test_who_had_the_cpus_is_named() -> None:
    """nginx used 0.8 of 2 CPUs, wrk 0.3, the agent 0.004; a quarter of one went to processes outside the trial."""
    host: Columns = host_columns()
    for mode, share in (("user", 0.6), ("idle", 0.05)):
        host = _bent(host, "node_cpu_seconds_total", share, cpu="0", mode=mode)
    found = bottleneck([_summary(replace(_workers([0.5] * 4, delay=0.45), host=host))])
    assert found is not None
    who = "(nginx used 40 % of all CPUs, load generators 15 %, other processes 12 %)"
    assert found.evidence == f"each of 4 workers ran 50 % of the time and waited for a CPU 45 % or more {who}"


def test_a_generator_without_cpu_hides_what_is_behind_it() -> None:
    both = replace(_generator(0.97), host=host_columns(overflows=3))
    found = bottleneck([_summary(both)])
    assert found is not None
    assert found.resource == "generator CPU"
    assert [use.resource for use in found.resources if use.limits] == ["generator CPU", "accept queue"]


def test_an_arm_has_what_most_of_its_trials_have() -> None:
    busy, idle = _summary(_workers([0.95, 0.2, 0.1, 0.1])), _summary(Scenario())
    found = bottleneck([busy, idle, busy])
    assert found is not None
    assert (found.resource, found.trials, found.of_trials) == ("one worker", 2, 3)
    assert bottleneck([]) is None


def test_nothing_is_said_of_what_was_not_measured() -> None:
    bare = builders.trial(builders.host(builders.spec()))
    assert summarise_trial(bare).resources == []
    found = bottleneck([summarise_trial(bare)])
    assert found is not None
    assert (found.resource, found.evidence) == (None, "no resource was measured")


def test_logged_times_decide_before_the_count_of_connections() -> None:
    record = builders.trial(_upstream(writing=96, busy=0.05).build())
    assert _limits(_logged(record, upstream_us=900)) == ["upstream servers"]
    assert _limits(_logged(record, upstream_us=300)) == []


def _logged(record: TrialRecord, upstream_us: int) -> TrialRecord:
    [host] = record.hosts
    times = [("request_time", 1000), ("upstream_time", upstream_us)]
    logged = [
        interval.model_copy(update={"quantity": quantity})
        for quantity, value in times
        for interval in builders.intervals(host.spec, _always(value), "nginx")
    ]
    return replace(record, hosts=[replace(host, intervals=[*host.intervals, *logged])])


def _always(value: int) -> Callable[[int], Sequence[int]]:
    return lambda t_s: [value] * 100


def _limits(record: TrialRecord) -> list[str]:
    return [use.resource for use in summarise_trial(record).resources if use.limits]
