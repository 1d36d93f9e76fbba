"""Why claims say what they say, in runs whose cause was put in: by simulated profiles, and phases of requests."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from analysis.run_results import analyse, summary
from ngxlab.analysis.phases import ArmPhases
from ngxlab.analysis.profiles import ArmProfile, TrialProfile, compare
from ngxlab.analysis.schemas import LatencySummary, RunAnalysis, StreamSummary, TrialSummary, Why
from ngxlab.analysis.schemas.trial import Bottleneck, Resource, ResourceUse
from ngxlab.analysis.why import Measured, whys
from ngxlab_contracts.profiles import Phases, PhaseTimes, Profile
from ngxlab_contracts.sentences import say

HZ, REQUESTS = 99, 20_000.0
REPEATS = 200
BASE_US = {"main": 3.0, "deflate": 0.0, "writev": 40.0, "read": 25.0, "parse": 32.0}
"""Microseconds a request of each function by itself: 100 in all."""
SCATTERED = [{name: level * us for name, us in BASE_US.items()} for level in (0.8, 0.8, 1.2, 1.2)]


def profile(random: np.random.Generator, us: Mapping[str, float]) -> TrialProfile:
    """A trial in which functions, all called by ``main``, cost so much a request, and 2 % more or less."""
    level = REQUESTS * HZ / 1e6 * (1 + 0.02 * random.standard_normal())
    samples = [int(random.poisson(max(0.0, level) * cost)) for cost in us.values()]
    return TrialProfile(
        Profile(
            t_us=1_000_000, hz=HZ, seconds=20, unwinding="fp", kernel=True, lost=0, unresolved=0,
            frames=list(us), modules=["nginx" for _ in us], parents=[-1, *(0 for _ in range(len(us) - 1))],
            calls=list(range(len(us))), samples=samples,
        ),
        REQUESTS, None,
    )  # fmt: skip


def profiled(random: np.random.Generator, trials: int = 2, **more_us: float) -> ArmProfile:
    return ArmProfile([profile(random, {**BASE_US, **more_us}) for _ in range(trials)])


def logged(first_byte_ms: int, trials: int = 2, write_ms: int = 2) -> ArmPhases:
    """All but the wait for the first byte takes 2 ms, or so much."""

    def times(ms: int) -> PhaseTimes:
        return PhaseTimes(sum_ms=1000 * ms, ms=[ms], counts=[1000])

    one = Phases(
        t_us=1_000_000, seconds=20, requests=1000, whole=times(first_byte_ms + write_ms),
        phases={"first_byte": times(first_byte_ms), "write": times(write_ms)},
    )  # fmt: skip
    return ArmPhases([one] * trials)


def latency(us: float) -> LatencySummary:
    return LatencySummary(
        count=50_000, mean_us=us, stdev_us=us / 10, p50_us=us, p90_us=us, p99_us=us, p999_us=us, max_us=us
    )


def run(
    own: tuple[float, float], base: tuple[float, float], limits: Mapping[str, Resource | None], cost: float = 0.0
) -> RunAnalysis:
    """An arm ``off`` against the baseline ``on``, each with its rate and its latency, which scatter by 0.5 %. ``cost``:
    CPU seconds per 1000 requests that the arm has on top of 0.1."""
    noise = np.exp(0.005 * np.random.default_rng(11).standard_normal((2, 6, 3)))
    trials: list[TrialSummary] = [
        summary(
            arm, block + 1, rate * noise[place, block, 0], latency=latency(us * noise[place, block, 1]),
            nginx_cpu_s_per_1000_requests=(0.1 + (cost if arm == "off" else 0.0)) * noise[place, block, 2],
        )
        for place, (arm, (rate, us)) in enumerate((("on", base), ("off", own)))
        for block in range(6)
    ]  # fmt: skip
    primary = ("requests_per_s", "latency_p99_us", "cpu_s_per_1000_requests")
    analysis = analyse({"on": [None] * 6, "off": [None] * 6}, trials, primary=primary)
    seen = say("the only worker ran {ran:.0f} % of the time", ran=100)
    arms = [
        arm.model_copy(
            update={
                "bottleneck": Bottleneck(
                    resource=limits.get(arm.key), trials=6, of_trials=6, evidence=seen, resources=[]
                )
            }
        )
        for arm in analysis.arms
    ]
    return analysis.model_copy(update={"arms": arms})


def busy(analysis: RunAnalysis, percent: float) -> RunAnalysis:
    """With its only worker so busy in the baseline."""
    use = ResourceUse(
        resource="one worker", utilisation_percent=percent, saturation_percent=0, errors=None, limits=False,
        evidence=say("the only worker ran {ran:.0f} % of the time", ran=percent),
    )  # fmt: skip
    arms = [
        arm.model_copy(update={"bottleneck": arm.bottleneck.model_copy(update={"resources": [use]})})
        if arm.key == "on" and arm.bottleneck is not None
        else arm
        for arm in analysis.arms
    ]
    return analysis.model_copy(update={"arms": arms})


def as_capacity(analysis: RunAnalysis) -> RunAnalysis:
    """With rates that were found, not planned."""
    return RunAnalysis.model_validate_json(analysis.model_dump_json().replace('"requests_per_s"', '"capacity_per_s"'))


def of_rate(found: list[Why]) -> Why:
    return next(one for one in found if "requests_per_s" in one.metrics)


WORKER: Mapping[str, Resource | None] = {"on": "one worker", "off": "one worker"}


def test_the_function_that_takes_the_workers_time_is_the_cause() -> None:
    """Five times the CPU time, a fifth of the rate, five times the latency."""
    random = np.random.default_rng(1)
    measured = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=400.0))}
    found = of_rate(whys(run((2_000, 5_000), (10_000, 1_000), WORKER, 0.4), measured, paced=False))
    assert (found.arm, found.found) == ("off", "cause")
    assert "more CPU time" in found.text
    assert "% of it in deflate" in found.text
    assert "With `mutex off` the only worker ran 100 % of the time." in found.text
    pieces = [("function", "deflate"), ("limit", "one worker"), ("metric", "cpu_s_per_1000_requests")]
    assert [(one.kind, one.key) for one in found.evidence] == pieces
    assert found.metrics == ["requests_per_s", "latency_p99_us", "cpu_s_per_1000_requests"]


def test_a_function_that_is_more_than_all_of_it_says_what_became_of_the_rest() -> None:
    """deflate takes 500 µs more, all functions together 460 µs."""
    random = np.random.default_rng(1)
    measured = {
        "on": Measured(profiled(random, trials=10, writev=80.0)),
        "off": Measured(profiled(random, trials=10, deflate=500.0)),
    }
    found = of_rate(whys(run((2_000, 5_000), (10_000, 1_000), WORKER, 0.4), measured, paced=False))
    told = re.search(r", (\d+) % of it in deflate\. All else together went ([\d.]+) µs the other way\.", found.text)
    assert told is not None
    assert 101 <= int(told[1]) <= 125
    assert float(told[2]) == pytest.approx(40, abs=30)


def test_with_the_arms_swapped_it_is_what_the_arm_saves() -> None:
    random = np.random.default_rng(2)
    measured = {"on": Measured(profiled(random, deflate=400.0)), "off": Measured(profiled(random))}
    found = of_rate(whys(run((10_000, 1_000), (2_000, 5_000), WORKER), measured, paced=False))
    assert found.found == "cause"
    assert "less CPU time" in found.text
    assert "With `mutex on` the only worker" in found.text


def test_the_cpu_time_itself_needs_no_limit() -> None:
    random = np.random.default_rng(3)
    measured = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=400.0))}
    found = whys(run((10_000, 1_000), (10_000, 1_000), {}, 0.4), measured, paced=True)
    assert [(one.metrics, one.found) for one in found] == [(["cpu_s_per_1000_requests"], "cause")]


def test_cpu_time_that_is_too_little_is_no_cause_of_it() -> None:
    """A function costs twice as much as all, but the rate falls to a fiftieth; or no worker is at its limit."""
    random = np.random.default_rng(4)
    measured = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=100.0))}
    for analysis in (run((200, 50_000), (10_000, 1_000), WORKER), run((5_000, 2_000), (10_000, 1_000), {})):
        found = of_rate(whys(analysis, measured, paced=False))
        assert found.found == "no_cause"
        assert found.text.startswith("No cause found")


@pytest.mark.parametrize(("deflate_us", "found"), [(400.0, "cause"), (100.0, "no_cause")])
def test_a_paced_load_is_brought_to_its_limit_by_enough_cpu_time(deflate_us: float, found: str) -> None:
    """A worker is busy for 30 % of its time. Five times the CPU time is more than it has, and latencies grow without
    bounds; twice as much leaves a third of its time, and something else brought it to its limit."""
    random = np.random.default_rng(7)
    measured = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=deflate_us))}
    paced = busy(run((8_000, 900_000), (10_000, 1_000), {"off": "one worker"}, deflate_us / 1000), 30)
    of = {metric: one.found for one in whys(paced, measured, paced=True) for metric in one.metrics}
    assert of == {"requests_per_s": found, "latency_p99_us": found, "cpu_s_per_1000_requests": "cause"}


def test_of_a_capacity_only_the_ratio_tells() -> None:
    """No plan sets it: five times the CPU time is a fifth of it, not four fifths."""
    random = np.random.default_rng(8)
    measured = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=400.0))}
    for capacity, found in ((2_000, "cause"), (8_000, "no_cause")):
        analysis = as_capacity(busy(run((capacity, 1_000), (10_000, 1_000), {"off": "one worker"}), 80))
        of = {metric: one.found for one in whys(analysis, measured, paced=True) for metric in one.metrics}
        assert of["capacity_per_s"] == found


def as_metric(analysis: RunAnalysis, metric: str) -> RunAnalysis:
    """With what is claimed of p99 of latency claimed of another metric."""
    return RunAnalysis.model_validate_json(analysis.model_dump_json().replace('"latency_p99_us"', f'"{metric}"'))


@pytest.mark.parametrize("metric", ["worker_rss_growth_bytes", "churn_p99_during_us"])
@pytest.mark.parametrize("paced", [False, True])
def test_cpu_time_is_no_cause_of_memory_or_of_some_seconds(metric: str, paced: bool) -> None:
    """Not even where it brings a paced load to its limit, or has the claim's ratio."""
    random = np.random.default_rng(16)
    measured = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=400.0))}
    limits: Mapping[str, Resource | None] = {"off": "one worker"} if paced else WORKER
    analysis = as_metric(busy(run((2_000, 5_000), (10_000, 1_000), limits, 0.4), 30), metric)
    of = {metric: one.found for one in whys(analysis, measured, paced=paced) for metric in one.metrics}
    assert (of[metric], of["cpu_s_per_1000_requests"]) == ("no_cause", "cause")


def test_memory_that_shrank_has_no_ratio() -> None:
    random = np.random.default_rng(17)
    measured = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=400.0))}
    analysis = as_metric(run((2_000, 5_000), (10_000, 1_000), WORKER, 0.4), "kernel_memory_growth_bytes")
    arms = [
        arm.model_copy(
            update={
                "metrics": [
                    one.model_copy(update={"mean": -1.0})
                    if arm.key == "on" and one.metric == "kernel_memory_growth_bytes"
                    else one
                    for one in arm.metrics
                ]
            }
        )
        for arm in analysis.arms
    ]
    found = whys(analysis.model_copy(update={"arms": arms}), measured, paced=False)
    of = {metric: one.found for one in found for metric in one.metrics}
    assert of["kernel_memory_growth_bytes"] == "no_cause"


def test_a_function_is_no_cause_where_all_together_are_not_said_to_differ() -> None:
    """It surely takes 25 µs more, but all together differ by 40 µs from trial to trial of one arm."""
    random = np.random.default_rng(9)
    claimed = run((10_000, 1_000), (10_000, 1_000), {}, 0.025)
    for _ in range(20):
        own, base = (
            ArmProfile([profile(random, scaled | {"deflate": us}) for scaled in SCATTERED]) for us in (25.0, 0.0)
        )
        assert any(claim.claimed and claim.frame.name == "deflate" for claim in compare(own, base))
        found = whys(claimed, {"on": Measured(base), "off": Measured(own)}, paced=True)
        assert [(one.metrics, one.found) for one in found] == [(["cpu_s_per_1000_requests"], "no_cause")]


def test_a_function_that_grew_by_more_than_all_together_is_no_cause() -> None:
    """One takes 600 µs more, another one 300 µs less."""
    random = np.random.default_rng(10)
    measured = {
        "on": Measured(profiled(random, read=325.0)),
        "off": Measured(profiled(random, read=25.0, deflate=600.0)),
    }
    found = of_rate(whys(run((5_714, 1_750), (10_000, 1_000), WORKER), measured, paced=False))
    assert found.found == "no_cause"


def test_what_would_make_a_larger_difference_is_no_cause() -> None:
    """Five times the CPU time, or 20 ms more, of a rate that falls by a fifth, and a latency that grows by 5 ms."""
    random = np.random.default_rng(12)
    by_cpu = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=400.0))}
    by_phase = {"on": Measured(phases=logged(5)), "off": Measured(phases=logged(25))}
    for measured, limits in ((by_cpu, WORKER), (by_phase, {})):
        found = whys(run((8_000, 12_000), (10_000, 7_000), limits), measured, paced=False)
        assert {one.found for one in found} == {"no_cause"}


def test_a_phase_that_grew_by_more_than_the_whole_is_no_cause() -> None:
    """One takes 40 ms more, another one 20 ms less."""
    measured = {"on": Measured(phases=logged(5, write_ms=22)), "off": Measured(phases=logged(45))}
    found = whys(run((575, 47_000), (1_000, 27_000), {}), measured, paced=False)
    assert {one.found for one in found} == {"no_cause"}


def test_a_slow_upstream_server_is_the_cause_by_its_phase() -> None:
    measured = {"on": Measured(phases=logged(5)), "off": Measured(phases=logged(25))}
    found = of_rate(whys(run((370, 27_000), (1_430, 7_000), {}), measured, paced=False))
    assert found.found == "cause"
    assert found.metrics == ["requests_per_s", "latency_p99_us"]
    assert "20.0 ms longer" in found.text
    assert found.text.endswith("in waiting for the upstream server’s first byte.")
    assert (found.evidence[0].kind, found.evidence[0].key) == ("phase", "first_byte")


def test_phases_of_some_requests_do_not_stand_for_all() -> None:
    analysis = run((370, 27_000), (1_430, 7_000), {})
    for served, found in ((2_100, "cause"), (4_000, "no_cause")):
        measured = {key: Measured(phases=ArmPhases(logged(ms).trials, served)) for key, ms in (("on", 5), ("off", 25))}
        assert of_rate(whys(analysis, measured, paced=False)).found == found


def test_a_phase_that_is_a_little_of_it_is_no_cause() -> None:
    measured = {"on": Measured(phases=logged(5)), "off": Measured(phases=logged(25))}
    found = whys(run((10, 900_000), (1_430, 7_000), {}), measured, paced=True)
    assert {one.found for one in found} == {"no_cause"}


def test_without_profiles_what_changed_goes_with_it_and_is_no_cause() -> None:
    random = np.random.default_rng(5)
    analysis = run((2_000, 5_000), (10_000, 1_000), WORKER, 0.4)
    for measured in ({}, {"on": Measured(profiled(random, 1)), "off": Measured(profiled(random, 1, deflate=400.0))}):
        found = of_rate(whys(analysis, measured, paced=False))
        assert found.found == "not_profiled"
        assert "goes with" in found.text
        assert "Why" not in found.text
        assert {one.kind for one in found.evidence} == {"metric"}


@pytest.mark.parametrize("paced", [False, True])
def test_twins_have_no_cause(paced: bool) -> None:
    """Also where a claim is made of them: profiles and phases of arms that are alike account for nothing."""
    random = np.random.default_rng(6)
    claimed = run((9_000, 1_100), (10_000, 1_000), {"off": "one worker"} if paced else WORKER, 0.01)
    causes = 0
    for _ in range(REPEATS):
        waits = random.normal(20, 0.4, 4)
        measured = {
            key: Measured(profiled(random), ArmPhases([logged(round(ms)).trials[0] for ms in own]))
            for key, own in (("on", waits[:2]), ("off", waits[2:]))
        }
        causes += any(one.found == "cause" for one in whys(claimed, measured, paced=paced))
    assert causes <= 0.05 * REPEATS


def test_nothing_decided_has_no_why() -> None:
    assert whys(run((10_000, 1_000), (10_000, 1_000), {}), {}, paced=False) == []


# What workers were blocked for.


def stream(key: str, rate: float, us: float) -> StreamSummary:
    return StreamSummary(
        stream=key,
        requests=50_000,
        requests_per_s=rate,
        latency=latency(us),
        errors=None,
        accounting=None,
        printed=None,
    )


def blocked_run(own: tuple[float, float, float], base: tuple[float, float, float]) -> RunAnalysis:
    """Two streams. Of each arm: the rate and the latency of ``hot``, and the percent for which workers are blocked."""
    noise = np.exp(0.005 * np.random.default_rng(13).standard_normal((2, 6, 3)))
    trials = [
        summary(
            arm, block + 1, rate,
            streams=[stream("cold", 100, 500_000), stream("hot", rate * scatter[0], us * scatter[1])],
            metric_values={"worker_blocked_percent": min(100.0, blocked * scatter[2])},
        )
        for (arm, (rate, us, blocked)), of_arm in zip((("on", base), ("off", own)), noise, strict=True)
        for block, scatter in enumerate(of_arm)
    ]  # fmt: skip
    primary = ("hot.requests_per_s", "hot.latency_p99_us")
    return analyse({"on": [None] * 6, "off": [None] * 6}, trials, primary=primary)


def test_a_worker_that_is_blocked_on_the_disk_is_the_cause_for_each_stream_and_needs_no_profile() -> None:
    [found] = whys(blocked_run((20, 1_000_000, 90), (200, 100_000, 1)), {}, paced=False)
    assert (found.found, found.stream, found.metrics) == ("cause", "hot", ["requests_per_s", "latency_p99_us"])
    assert "blocked on the disk for 90 % of the time with `mutex off`, and for 1 % with `mutex on`" in found.text
    assert found.text.endswith("if requests of any percentile lose the same part of their time as all.")
    assert (found.evidence[0].kind, found.evidence[0].key) == ("metric", "worker_blocked_percent")


def test_with_the_arms_swapped_the_baseline_is_blocked() -> None:
    [found] = whys(blocked_run((200, 100_000, 1), (20, 1_000_000, 90)), {}, paced=False)
    assert found.found == "cause"
    assert "for 1 % of the time with `mutex off`, and for 90 % with `mutex on`" in found.text


@pytest.mark.parametrize(
    ("own", "base"),
    [
        pytest.param((20, 1_000_000, 30), (200, 100_000, 1), id="blocked for too little of it"),
        pytest.param((20, 1_000_000, 90), (200, 100_000, 80), id="blocked for as much of the time anyway"),
        pytest.param((150, 133_000, 90), (200, 100_000, 1), id="blocked while requests wait for something else anyway"),
        pytest.param((20, 1_000_000, 1), (200, 100_000, 90), id="the fast arm is blocked"),
    ],
)  # fmt: skip
def test_blocked_workers_are_no_cause_where_it_does_not_add_up(
    own: tuple[float, float, float], base: tuple[float, float, float]
) -> None:
    found = whys(blocked_run(own, base), {}, paced=False)
    assert [one.found for one in found] == ["no_cause"]


def test_a_stream_alone_has_no_cause_by_profiles_of_all() -> None:
    random = np.random.default_rng(14)
    measured = {"on": Measured(profiled(random)), "off": Measured(profiled(random, deflate=400.0))}
    [found] = whys(blocked_run((20, 1_000_000, 0), (200, 100_000, 0)), measured, paced=False)
    assert (found.found, found.stream) == ("no_cause", "hot")
    assert found.text.startswith("No cause found for stream `hot`")


def test_of_a_paced_load_only_latency_is_explained_by_blocked_workers() -> None:
    found = whys(blocked_run((20, 1_000_000, 90), (200, 100_000, 1)), {}, paced=True)
    assert {tuple(one.metrics): one.found for one in found} == {
        ("latency_p99_us",): "cause",
        ("requests_per_s",): "no_cause",
    }


# Memory of connections that are held.


def held_run(
    own: float,
    others: Mapping[str, float],
    each: float = 500.0,
    primary: Sequence[str] = ("worker_rss_growth_bytes",),
    scatter: float = 1000.0,
) -> RunAnalysis:
    """``own``: megabytes of arm ``rp``, which holds 100,000 connections, the others so many with ``each`` bytes. The
    kernel takes sixteen times as many."""
    noise = np.random.default_rng(15).normal(0, scatter, (3, 6))
    held = {**others, "rp": 100_000.0}
    grown = {arm: number * each for arm, number in others.items()} | {"rp": own * 1e6}
    trials = [
        summary(
            arm, block + 1, 100.0,
            metric_values={
                "connections_held": held[arm],
                "worker_rss_growth_bytes": grown[arm] + noise[place, block],
                "kernel_memory_growth_bytes": 16 * (grown[arm] + noise[place, block]),
            },
        )
        for place, arm in enumerate(held)
        for block in range(6)
    ]  # fmt: skip
    return analyse(dict.fromkeys(held, [None] * 6), trials, primary=primary)


def of_rp(found: list[Why]) -> Why:
    return next(one for one in found if one.arm == "rp")


def test_what_each_connection_takes_by_other_arms_is_the_cause_of_memory() -> None:
    found = of_rp(whys(held_run(50.0, {"on": 1_000, "off": 50_000}), {}, paced=False))
    assert found.found == "cause"
    assert "holds +99,000 connections" in found.text
    assert "each takes 500 B by the other arms: 100 % of the difference" in found.text


def test_each_metric_of_memory_has_its_own_bytes_a_connection() -> None:
    primary = ("worker_rss_growth_bytes", "kernel_memory_growth_bytes")
    found = whys(held_run(50.0, {"on": 1_000, "off": 50_000}, primary=primary), {}, paced=False)
    said = {tuple(one.metrics): one.text for one in found if one.arm == "rp"}
    assert {metrics: re.findall(r"each takes (\S+ \S+) by", text) for metrics, text in said.items()} == {
        ("worker_rss_growth_bytes",): ["500 B"],
        ("kernel_memory_growth_bytes",): ["7.81 KiB"],
    }


def test_memory_that_connections_do_not_account_for_has_no_cause_and_says_how_much_they_do() -> None:
    """Twice what so many take; and with one other number only, or two that are nearly alike, nobody knows what one
    takes."""
    expected = {
        "accounts for 50 % of the difference.": held_run(100.0, {"on": 1_000, "off": 50_000}),
        "to know what each one takes.": held_run(50.0, {"on": 1_000}),
        "what each one takes. ": held_run(50.0, {"on": 1_000, "off": 1_050}),
    }
    for said, analysis in expected.items():
        found = of_rp(whys(analysis, {}, paced=False))
        assert (found.found, found.metrics) == ("no_cause", ["worker_rss_growth_bytes"])
        assert said.strip() in found.text


def test_a_few_connections_that_were_lost_are_no_cause_of_memory() -> None:
    """40 MB less with 99,998 connections than with 100,000: by these two arms each takes 20 MB."""
    found = of_rp(whys(held_run(2_000_000.0, {"on": 99_998, "off": 99_996}, each=2e7), {}, paced=False))
    assert found.found == "no_cause"
    assert "it holds as many connections as `mutex on`" in found.text


def test_what_a_connection_takes_is_no_cause_where_it_is_uncertain() -> None:
    """Other arms differ by 1 MB, and by half of that from block to block: about 600 bytes, and surely 80."""
    others = {"on": 1_000.0, "off": 3_000.0}
    found = of_rp(whys(held_run(50.0, others, scatter=5e5), {}, paced=False))
    assert found.found == "no_cause"
    assert "it is too uncertain what each connection takes" in found.text
    assert of_rp(whys(held_run(50.0, others, scatter=1e4), {}, paced=False)).found == "cause"


def test_blocked_workers_are_no_cause_where_requests_may_wait_for_something_else() -> None:
    analysis = blocked_run((20, 1_000_000, 90), (200, 100_000, 1))
    found = whys(analysis, {}, paced=False, waits_elsewhere=True)
    assert [one.found for one in found] == ["no_cause"]
