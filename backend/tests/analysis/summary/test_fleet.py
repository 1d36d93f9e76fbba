"""A trial on several hosts, in figures worked out by hand from what the fleet was told to do."""

from dataclasses import replace

import numpy as np
import pytest
from analysis import builders, fleet
from analysis.fleet import COLD_US, HOT_US
from ngxlab.analysis.schemas import StreamSummary, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.telemetry import NginxTotal, ServerUse

HOT, COLD = len(HOT_US), len(COLD_US)


def stream_of(summary: TrialSummary, key: str) -> StreamSummary:
    return next(stream for stream in summary.streams if stream.stream == key)


def test_streams_of_several_hosts_add_up() -> None:
    summary = summarise_trial(fleet.two_streams())
    assert summary.usable
    assert (summary.requests, summary.requests_per_s) == (10 * (HOT + COLD), HOT + COLD)
    assert summary.rate_source == "histogram"
    hot, cold = stream_of(summary, "hot"), stream_of(summary, "cold")
    assert (hot.host_id, cold.host_id) == (fleet.host_id("gen-a"), fleet.host_id("gen-b"))
    assert (hot.requests_per_s, cold.requests_per_s) == (HOT, COLD)
    assert (hot.connections, hot.threads, hot.active_s) == (50, 2, 10)
    assert summary.connections_planned == 100


def test_figures_of_nginx_are_the_target_s_wherever_it_stands_in_the_list() -> None:
    summary = summarise_trial(fleet.two_streams())
    assert summary.nginx is not None
    assert len(summary.workers) == 4
    assert summary.cpu_percent_by_mode["idle"] == pytest.approx(60)
    assert summary.access_log == ["off"]
    assert summary.nginx_cpu_s_per_1000_requests == pytest.approx(1000 * 0.8 / (HOT + COLD))


def test_the_p99_over_generators_is_that_of_the_pooled_raw_data() -> None:
    """And not the average of their p99s, which would be 25 ms."""
    summary = summarise_trial(fleet.two_streams())
    pooled = np.array(10 * (HOT_US + COLD_US))
    expected = np.quantile(pooled, 0.99, method="normal_unbiased")
    assert summary.latency is not None
    assert summary.latency.count == pooled.size
    assert summary.latency.p99_us == pytest.approx(expected, rel=1e-3)
    parts = [
        stream.latency.p99_us
        for stream in summary.streams
        if stream.latency is not None and stream.latency.p99_us is not None
    ]
    assert len(parts) == 2
    assert abs(np.mean(parts) - expected) > 0.5 * expected


def test_costs_are_those_of_every_host_with_the_role() -> None:
    record = fleet.two_streams()
    summary = summarise_trial(replace(record, hosts=[*record.hosts, fleet.upstream_host()]))
    # Two streams of two threads, a tenth of a core each.
    assert summary.generator_cpu_s_per_1000_requests == pytest.approx(1000 * 0.4 / (HOT + COLD))
    assert summary.upstream_cpu_s_per_1000_requests == pytest.approx(1000 * 0.3 / (HOT + COLD))


def test_a_cost_is_unknown_if_one_host_s_part_of_it_is() -> None:
    silent = replace(fleet.generator("gen-b", {"cold": COLD_US}), frames=[])
    trial = builders.trial(fleet.target(), fleet.generator("gen-a", {"hot": HOT_US}), silent)
    assert summarise_trial(trial).generator_cpu_s_per_1000_requests is None


def test_every_host_has_its_own_block() -> None:
    record = fleet.two_streams()
    hosts = summarise_trial(replace(record, hosts=[*record.hosts, fleet.upstream_host()])).hosts
    assert [(host.name, host.roles) for host in hosts] == [
        ("target", ["target"]),
        ("gen-a", ["generator"]),
        ("gen-b", ["generator"]),
        ("upstream", ["upstream"]),
    ]
    gen_a = hosts[1]
    assert gen_a.clock_offset_us == 30_000
    assert gen_a.cpu_percent_by_mode == pytest.approx({"user": 10, "idle": 90})
    assert gen_a.cores_by_role == pytest.approx({"generator": 0.2, "agent": 0.004})
    assert [(device.device, device.received_bits_per_s) for device in gen_a.network] == [("eth0", 8 * 25e6)]
    assert gen_a.agent_cpu_percent == pytest.approx(0.4)
    assert gen_a.sampling is not None
    assert gen_a.sampling.missing == 0


def test_what_the_server_used_beside_a_trial_is_told_by_service() -> None:
    told = ServerUse(t_us=builders.T0_US, seconds=20, cpu_s={"backend": 0.2, "postgres": 0.05})
    changed = ServerUse(t_us=builders.T0_US, seconds=20, cpu_s={}, is_changed=True)
    target, gen = fleet.target(), fleet.generator("gen-a", {"hot": HOT_US})
    none, whole, other = (
        summarise_trial(builders.trial(target, replace(gen, events=[*gen.events, *events]))).hosts[1].server
        for events in ((), (told,), (changed,))
    )
    assert none is None
    assert whole is not None
    assert (whole.cpu_percent_by_service, whole.is_changed) == ({"backend": 1, "postgres": 0.25}, False)
    assert other is not None
    assert (other.cpu_percent_by_service, other.is_changed) == ({}, True)


def test_the_spread_of_the_start_is_by_corrected_clocks() -> None:
    assert summarise_trial(fleet.two_streams()).start_spread_us == 3_000
    alone = builders.trial(fleet.target(streams={"hot": HOT_US}), fleet.upstream_host())
    assert summarise_trial(alone).start_spread_us == 0
    never = replace(fleet.generator("gen-a", {"hot": HOT_US}), events=[])
    assert summarise_trial(builders.trial(fleet.target(), never)).start_spread_us is None


def test_a_stream_s_rate_is_over_its_own_time_and_the_trial_s_over_the_window() -> None:
    """``late`` runs for the last 6 of 10 s, ``brief`` for 2 s, ``early`` during warm-up only."""
    plans = [
        fleet.stream("late", start_offset_s=6),
        fleet.stream("brief", 30, start_offset_s=4, duration_s=2),
        fleet.stream("early", 70, duration_s=1),
    ]
    host = fleet.generator("gen-a", {"late": HOT_US, "brief": COLD_US, "early": HOT_US}, plans=plans)
    summary = summarise_trial(builders.trial(fleet.target(), host))
    late, brief, early = summary.streams
    assert (late.active_s, late.requests_per_s, late.requests) == (6, HOT, 6 * HOT)
    assert (brief.active_s, brief.requests_per_s, brief.requests) == (2, COLD, 2 * COLD)
    assert (early.active_s, early.requests_per_s, early.requests) == (0, None, 0)
    assert summary.rate_source == "histogram"
    assert summary.requests == 6 * HOT + 2 * COLD
    assert summary.requests_per_s == pytest.approx(summary.requests / 10)
    # brief ends as late begins: they never hold their connections together.
    assert summary.connections_planned == 50
    # 0.2 cores for 6 s and for 2 s of ten.
    assert summary.generator_cpu_s_per_1000_requests == pytest.approx(1000 * 0.16 / (summary.requests / 10))


def test_what_wrk_still_had_under_way_counts_for_the_trial_and_not_for_the_stream_s_rate() -> None:
    plans = [fleet.stream("brief", duration_s=4)]
    host = fleet.generator("gen-a", {"brief": HOT_US}, plans=plans)
    end_us = host.intervals[-1].t1_us
    tail = host.intervals[-1].model_copy(
        update={"t0_us": end_us, "t1_us": end_us + 100_000, "count": 50, "histogram": builders.histogram([100] * 50)}
    )
    summary = summarise_trial(builders.trial(fleet.target(), replace(host, intervals=[*host.intervals, tail])))
    (brief,) = summary.streams
    assert (brief.active_s, brief.requests_per_s, brief.requests) == (2, HOT, 2 * HOT + 50)
    assert summary.requests_per_s == pytest.approx((2 * HOT + 50) / 10)


def test_overlapping_streams_hold_their_connections_together() -> None:
    plans = [fleet.stream("late", start_offset_s=6), fleet.stream("brief", 30, start_offset_s=5, duration_s=2)]
    host = fleet.generator("gen-a", {"late": HOT_US, "brief": COLD_US}, plans=plans)
    assert summarise_trial(builders.trial(fleet.target(), host)).connections_planned == 80


def test_accounting_is_of_all_streams_against_the_target_s_nginx() -> None:
    record = fleet.two_streams()
    accounting = summarise_trial(record).accounting
    assert accounting is not None
    assert (accounting.live_requests, accounting.printed_requests) == (fleet.TOTAL, fleet.TOTAL)
    assert (accounting.stub_requests, accounting.max_disagreement_percent) == (fleet.TOTAL, 0)
    gen_b = record.hosts[1]
    deaf = replace(gen_b, events=[event for event in gen_b.events if event.kind != "stream_result"])
    partly = summarise_trial(replace(record, hosts=[record.hosts[0], deaf, record.hosts[2]])).accounting
    assert partly is not None
    assert (partly.live_requests, partly.stub_requests, partly.max_disagreement_percent) == (None, fleet.TOTAL, None)


def test_one_local_stream_s_count_by_nginx_serves_the_trial_unless_there_is_a_total() -> None:
    host = fleet.target(streams={"hot": HOT_US})
    result = builders.stream_result("hot", live=10_800, printed=10_800, stub=10_810)
    events = [event for event in host.events if event.kind not in {"stream_result", "nginx_total"}]
    alone = summarise_trial(builders.trial(replace(host, events=[*events, result]))).accounting
    assert alone is not None
    assert alone.stub_requests == 10_810
    total = NginxTotal(t_us=builders.T0_US, requests=None)
    unreadable = summarise_trial(builders.trial(replace(host, events=[*events, result, total]))).accounting
    assert unreadable is not None
    assert unreadable.stub_requests is None


def test_a_generator_cut_off_makes_the_trial_unusable_by_name() -> None:
    record = fleet.two_streams()
    gen_b = record.hosts[1]
    cut = [event for event in gen_b.events if not (event.kind == "phase" and event.phase == "cooldown")]
    summary = summarise_trial(replace(record, hosts=[record.hosts[0], replace(gen_b, events=cut), record.hosts[2]]))
    assert summary.unusable_reason == "gen-b: the measured window has no start or no end"


def test_environment_and_notes_name_their_host() -> None:
    noted = fleet.generator("gen-b", {"cold": COLD_US}, extra=[builders.note("late-start", "40 ms late")])
    summary = summarise_trial(builders.trial(fleet.target(), noted))
    assert summary.environment["gen-b: kernel"] == "6.1.0"
    assert "target: nginx" in summary.environment
    assert "gen-b: nginx" not in summary.environment
    assert [(note.host, note.code) for note in summary.notes] == [("gen-b", "late-start")]


def test_hosts_of_the_same_name_are_told_apart() -> None:
    same = fleet.inventory("bench")
    hosts = [replace(fleet.target(own=same), name=None), replace(fleet.upstream_host(), name=None, inventory=same)]
    names = {host.name for host in summarise_trial(builders.trial(*hosts)).hosts}
    assert len(names) == 2
    assert all(name.startswith("bench (") for name in names)


def test_a_trial_whose_target_never_reported_is_summarised() -> None:
    record = builders.trial(fleet.generator("gen-a", {"hot": HOT_US}))
    summary = summarise_trial(record)
    assert summary.unusable_reason == "the target reported nothing"
    assert record.target is None
    assert summary.requests_per_s == HOT


def test_a_summary_stored_before_there_were_several_hosts_still_reads() -> None:
    later = {"hosts", "accounting", "start_spread_us", "connections_planned", "upstream_cpu_s_per_1000_requests"}
    stored = summarise_trial(fleet.two_streams()).model_dump(mode="json", exclude=later)
    for stream in stored["streams"]:
        for name in ("host_id", "connections", "threads", "active_s"):
            del stream[name]
    read = TrialSummary.model_validate(stored)
    assert read.hosts == []
    assert read.streams[0].active_s is None
