"""Where the scatter comes from, and whether longer trials or more blocks would decide, with simulated truth."""

import numpy as np
import pytest
from analysis import builders
from analysis.run_results import analyse, summary
from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.schemas import CheckSummary, MetricNoise, TrialSummary
from ngxlab.analysis.summary.course import variance_of_mean
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.analysis.verdict.noise import TrialLength, more_or_longer, noise_of

RATE = next(metric for metric in METRICS if metric.info.key == "requests_per_s")
NO_CHECKS = CheckSummary(passed=0, made=0, warnings=0, errors=0, unavailable=0, text="", results=[])
INTERVALS = 30
LENGTH = TrialLength(30, 6)


def measured(within: float, trial: float, block: float, random: np.random.Generator) -> list[dict[int, TrialSummary]]:
    """Two equal arms over five blocks. ``within``: deviation of a trial's mean that its own intervals explain."""
    blocks = block * random.standard_normal(5)
    arms = []
    for arm in ("on", "rp"):
        own = {}
        for number in range(5):
            mean = 1000 * np.exp(blocks[number] + trial * random.standard_normal())
            rates = mean * (1 + within * np.sqrt(INTERVALS) * random.standard_normal(INTERVALS))
            variance = {"requests_per_s": variance_of_mean(rates) / rates.mean() ** 2}
            own[number + 1] = summary(arm, number + 1, float(rates.mean()), within_variance=variance)
        arms.append(own)
    return arms


def noise(within: float, trial: float, block: float, seed: int) -> MetricNoise:
    (found,) = noise_of([RATE], measured(within, trial, block, np.random.default_rng(seed)), NO_CHECKS)
    return found


@pytest.mark.parametrize(("within", "trial"), [(0.02, 0.005), (0.01, 0.01), (0.005, 0.02)])
def test_the_parts_are_those_of_the_truth(within: float, trial: float) -> None:
    found = [noise(within, trial, 0.05, seed) for seed in range(200)]
    scatter = np.mean([one.deviation**2 for one in found])
    inside = np.mean([(one.within_share or 0) * one.deviation**2 for one in found])
    shared = np.mean([(one.block_deviation or 0) ** 2 for one in found])
    assert scatter == pytest.approx(within**2 + trial**2, rel=0.15)
    assert inside == pytest.approx(within**2, rel=0.25)
    assert shared == pytest.approx(0.05**2, rel=0.15)


def test_blocks_are_advised_where_trials_differ_and_length_where_they_fluctuate() -> None:
    def advice(within: float, trial: float) -> list[str]:
        said = [more_or_longer(noise(within, trial, 0.05, seed), "requests/s", LENGTH) for seed in range(100)]
        return [text for text in said if text is not None]

    blocks = advice(0.002, 0.02)
    assert len(blocks) == 100
    assert sum(text.startswith("Longer trials would not help: ") for text in blocks) >= 95
    assert all("add blocks" in text for text in blocks)
    short = [more_or_longer(noise(0.02, 0.0, 0.05, seed), "requests/s", TrialLength(5, 30)) for seed in range(100)]
    assert sum(text is not None and text.startswith("Longer trials would help: ") for text in short) >= 95


def said(share: float, length: TrialLength = LENGTH, degrees: float = 8) -> str | None:
    known = noise(0.01, 0.01, 0.0, 1).model_copy(update={"within_share": share, "degrees": degrees})
    return more_or_longer(known, "p99", length)


def test_the_sentences() -> None:
    assert said(0.08) == (
        "Longer trials would not help: about 8 % of the scatter of p99 comes from within trials; add blocks."
    )
    assert said(0.001) == (
        "Longer trials would not help: less than 1 % of the scatter of p99 comes from within trials; add blocks."
    )
    assert said(0.6) == (
        "Rather add blocks: about 60 % of the scatter of p99 comes from within trials; twice as long trials would need "
        "about 70 % of the blocks and take more time in all."
    )
    assert said(1.0, TrialLength(5, 30)) == (
        "Longer trials would help: about 100 % of the scatter of p99 comes from within trials; twice as long ones "
        "would need about half as many blocks."
    )
    assert said(0.08, degrees=2) is None


def test_a_trial_tells_how_much_its_values_vary_within_it() -> None:
    of = builders.spec(measure_s=10)
    counts = [900, 1100, 1000, 950, 1050, 1000, 980, 1020, 1040, 960]

    def record(size: int) -> TrialSummary:
        values = builders.intervals(of, lambda t_s: [100, 200] * (counts[t_s] // size if t_s >= 0 else 50))
        return summarise_trial(builders.trial(builders.host(of, latency=values)))

    found = record(2).within_variance
    assert found["requests_per_s"] == pytest.approx(variance_of_mean(np.array(counts)) / 1000**2)
    assert found["latency_p99_us"] == pytest.approx(0)
    assert set(record(100).within_variance) == {"requests_per_s"}, "20 responses in a part have no p99"
    short = builders.spec(measure_s=5)
    few = builders.host(short, latency=builders.intervals(short, lambda t_s: [100] * 500))
    assert summarise_trial(builders.trial(few)).within_variance == {}


def test_a_report_advises_only_where_a_primary_metric_is_undecided() -> None:
    def advice(gain: float) -> list[str]:
        rates = [1000.0, 1030.0, 980.0, 1010.0, 990.0]
        trials = [
            summary(arm, block, rate * factor, within_variance={"requests_per_s": 1e-6})
            for arm, factor, shift in (("on", 1.0, 0), ("rp", gain, 1))
            for block, rate in enumerate(rates[shift:] + rates[:shift], start=1)
        ]
        run = analyse({"on": [None] * 5, "rp": [None] * 5}, extra=trials, primary=["requests_per_s"])
        return [str(one) for one in run.more_or_longer]

    (text,) = advice(1.0)
    assert text.startswith("Longer trials would not help: less than 1 % of the scatter of requests/s")
    assert advice(2.0) == []
