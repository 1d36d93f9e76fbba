"""A trial's figures against answers computed by hand from the scenario's numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest
from analysis import builders, scenario
from analysis.scenario import SECOND_US, Scenario
from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.summary.target import coefficient_of_variation, max_over_mean
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.streams import StreamSpec


def summarise(record: HostRecord) -> TrialSummary:
    return summarise_trial(builders.trial(record))


def test_figures_of_a_whole_trial() -> None:
    summary = summarise(Scenario().build())
    assert summary.usable
    assert summary.window_s == 10
    assert (summary.requests, summary.requests_per_s, summary.rate_source) == (6000, 600, "histogram")
    assert summary.latency is not None
    assert summary.latency.count == 6000
    assert (summary.latency.p50_us, summary.latency.p90_us) == (350, 1000)
    assert summary.latency.mean_us == pytest.approx(2500 / 6)
    assert summary.latency.stdev_us == pytest.approx(np.std(SECOND_US))
    assert summary.latency.p999_us is None
    assert summary.nginx is not None
    assert (summary.nginx.seconds, summary.nginx.accepts, summary.nginx.requests) == (10, 0, 6000)
    assert summary.nginx_cpu_s_per_1000_requests == pytest.approx(0.8 / 600 * 1000)
    assert summary.generator_cpu_s_per_1000_requests == pytest.approx(0.3 / 600 * 1000)
    assert summary.cpu_percent_by_mode == pytest.approx({"user": 27.5, "system": 27.5, "idle": 45.0})
    assert summary.agent_cpu_percent == pytest.approx(0.4)
    assert summary.access_log == ["off"]
    assert summary.environment["nginx"].startswith("1.22.1")
    (network,) = summary.network
    assert (network.device, network.received_bits_per_s, network.transmitted_bits_per_s) == ("eth0", 8e6, 16e6)


def test_balance_of_the_workers() -> None:
    summary = summarise(Scenario().build())
    assert [worker.index for worker in summary.workers] == [1, 2, 3, 4]
    assert [worker.connections for worker in summary.workers] == [60, 20, 10, 10]
    assert [worker.cpu_s for worker in summary.workers] == pytest.approx([4, 2, 1, 1])
    assert [worker.cpu_share_percent for worker in summary.workers] == pytest.approx([50, 25, 12.5, 12.5])
    assert summary.balance is not None
    # Mean 0.2, squared deviations 0.04 + 0 + 0.01 + 0.01 over four workers.
    assert summary.balance.cpu_cv == pytest.approx(math.sqrt(0.06 / 4) / 0.2)
    assert summary.balance.cpu_max_over_mean == pytest.approx(2)
    assert summary.balance.connections_max_over_mean == pytest.approx(60 / 25)


def test_one_of_four_doing_all_has_the_cv_that_was_measured() -> None:
    assert coefficient_of_variation([5, 0, 0, 0]) == pytest.approx(math.sqrt(3))
    assert max_over_mean([5, 0, 0, 0]) == 4
    assert coefficient_of_variation([2, 2, 2, 2]) == 0
    assert coefficient_of_variation([0, 0]) is None
    assert coefficient_of_variation([1, None]) is None


def test_warmup_stays_out() -> None:
    scene = Scenario()
    record = scene.build()
    slow_warmup = builders.intervals(scene.spec, lambda t_s: [30_000_000] * 900 if t_s < 0 else SECOND_US)
    summary = summarise(replace(record, intervals=slow_warmup))
    assert summary.requests == 6000
    assert summary.latency is not None
    assert summary.latency.max_us == 1000


def test_streams_are_merged_and_their_rates_added() -> None:
    streams = [StreamSpec(key=key, engine="wrk", threads=1, connections=10) for key in ("main", "slow")]
    of = builders.spec(streams=streams)
    latency = builders.intervals(of, lambda t_s: [100] * 199)
    latency += builders.intervals(of, lambda t_s: [50_000], stream="slow")
    summary = summarise(builders.host(of, latency=latency))
    assert summary.requests_per_s == 200
    assert [stream.requests_per_s for stream in summary.streams] == [199, 1]
    assert summary.latency is not None
    assert summary.latency.p99_us == 100
    assert summary.latency.max_us == pytest.approx(50_000, rel=1e-3)


def test_without_wrk_s_memory_the_rate_comes_from_nginx_less_the_polls() -> None:
    summary = summarise(Scenario(latency=False).build())
    assert summary.rate_source == "stub_status"
    assert summary.requests_per_s == pytest.approx(600)
    assert summary.latency is None
    assert summary.latency_histogram is None
    assert summary.usable


def test_nothing_known_is_none_and_not_zero() -> None:
    summary = summarise(builders.host(builders.spec()))
    assert summary.requests_per_s is None
    assert summary.rate_source == "none"
    assert summary.balance is None
    assert summary.sampling is None
    assert summary.cpu_percent_by_mode == {}
    assert not summary.usable
    assert summary.unusable_reason == "no requests were counted in the window"


def test_accounting_gives_the_greatest_disagreement() -> None:
    summary = summarise(Scenario(counts=(9_900, 10_000, 9_950)).build())
    accounting = summary.streams[0].accounting
    assert accounting is not None
    assert accounting.max_disagreement_percent == pytest.approx(1.0)
    alone = summarise(Scenario(counts=(None, 10_000, None)).build()).streams[0].accounting
    assert alone is not None
    assert alone.max_disagreement_percent is None


def test_connections_are_unknown_without_a_reading_before_the_load() -> None:
    record = Scenario().build()
    late = replace(record, frames=[frame for frame in record.frames if frame.t_us >= builders.T0_US])
    summary = summarise(late)
    assert [worker.connections for worker in summary.workers] == [None] * 4
    assert summary.balance is not None
    assert summary.balance.connections_cv is None
    assert summary.balance.cpu_cv is not None


def test_a_gap_counts_the_readings_that_are_missing() -> None:
    of = builders.spec()
    gap = builders.collector(of, [("x", {}, builders.constant(1))], skip=lambda t_s: 3 < t_s < 7)
    whole = builders.collector(of, [("y", {}, builders.constant(1))], layout=1, name="other")
    sampling = summarise(builders.host(of, [gap, whole])).sampling
    assert sampling is not None
    assert (sampling.expected, sampling.missing) == (20, 3)
    assert sampling.missing_percent == pytest.approx(15)
    assert sampling.longest_gap_s == 4


@pytest.mark.parametrize(
    ("state", "cooldown", "reason"),
    [
        ("failed", True, "the trial's state is failed"),
        ("completed", False, "the measured window has no start or no end"),
    ],
)
def test_unusable_trials_say_why(state: str, cooldown: bool, reason: str) -> None:
    of = builders.spec()
    record = builders.host(of, events=builders.phases(of, cooldown=cooldown))
    assert summarise_trial(builders.trial(record, state=state)).unusable_reason == reason


def test_a_trial_without_any_host_is_summarised() -> None:
    summary = summarise_trial(TrialRecord(builders.identity("lost"), "a", 1, 1, 1, "completed", []))
    assert summary.unusable_reason == "no host reported anything"


def test_summaries_survive_json() -> None:
    summary = summarise(Scenario().build())
    assert TrialSummary.model_validate_json(summary.model_dump_json()) == summary


def test_thirty_seconds_at_ten_hertz_from_fifteen_collectors() -> None:
    of = builders.spec(measure_s=30, interval_ms=100)
    many: builders.Columns = [(f"series_{n}", {}, builders.line(n)) for n in range(30)]
    collectors = [builders.collector(of, many, layout=n, name=f"c{n}") for n in range(12)]
    for number, columns in enumerate((scenario.nginx_columns(), scenario.worker_columns(), scenario.host_columns())):
        collectors.append(builders.collector(of, columns, layout=12 + number, name=f"own{number}"))
    record = builders.host(of, collectors, builders.intervals(of, lambda t_s: SECOND_US))
    summary = summarise(record)
    assert summary.requests == 18_000
    assert summary.sampling is not None
    assert (summary.sampling.expected, summary.sampling.missing) == (15 * 300, 0)
    assert [worker.cpu_s for worker in summary.workers] == pytest.approx([12, 6, 3, 3])
