"""What is said of an arm against the baseline; the expected numbers are worked out here, not by the code."""

import math
from datetime import UTC, datetime

import pytest
from analysis.run_results import ARMS, analyse, metric_of, said
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import CalibrationUse, MetricNoise, PlanFacts
from ngxlab.analysis.verdict.noise import Calibrated


def test_ratio_is_paired_by_block() -> None:
    """Blocks differ tenfold, the ratio hardly: only pairing sees it. t(0.975, 4) = 2.776445 from tables."""
    base, ratios = [100, 1000, 300, 500, 200], [7.0, 7.2, 7.4, 7.6, 7.8]
    analysis = analyse(
        {"on": base, "rp": [b * r for b, r in zip(base, ratios, strict=True)]}, primary=["requests_per_s"]
    )
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / 5
    half = 2.776445 * math.sqrt(sum((x - mean) ** 2 for x in logs) / 4) / math.sqrt(5)
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert comparison.estimate == pytest.approx(math.exp(mean))
    assert comparison.ci_low == pytest.approx(math.exp(mean - half), rel=1e-6)
    assert comparison.ci_high == pytest.approx(math.exp(mean + half), rel=1e-6)
    assert comparison.verdict == "better"
    assert (comparison.text, comparison.ci_text) == ("7.4x", "7.0x to 7.8x")
    assert said(analysis, "rp").text == (
        "Better: `reuseport` served 7.4 times as many requests/s as `mutex on` (95 % CI 7.0x to 7.8x, n = 5 pairs)."
    )
    assert not analysis.preview
    assert not analysis.partial


def test_small_changes_are_said_in_percent() -> None:
    analysis = analyse({"on": [100.0] * 4, "rp": [111, 112, 113, 112], "off": [80, 81, 79, 80]})
    assert "served 12 % more requests/s" in said(analysis, "rp").text
    assert "served 20 % fewer requests/s" in said(analysis, "off").text
    assert said(analysis, "off").verdict == "worse"


def test_equal_arms_are_equivalent() -> None:
    analysis = analyse({"on": [100, 101, 99, 100, 100], "rp": [100.2, 100.9, 99.1, 100.1, 99.8]})
    assert said(analysis, "rp").verdict == "equivalent"
    assert said(analysis, "rp").text.startswith(
        "Equivalent: requests/s differ by less than 2 % between `reuseport` and `mutex on` (96 % CI"
    )


def test_an_interval_across_the_margin_claims_nothing() -> None:
    analysis = analyse({"on": [100.0] * 5, "rp": [96, 105, 103, 99, 104]})
    sentence = said(analysis, "rp")
    assert sentence.verdict == "undecided"
    assert sentence.text.startswith(
        "Undecided: requests/s with `reuseport` against `mutex on`: +1.3 % (96 % CI −3.6 % to +6.6 %, n = 5 pairs)"
    )
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert comparison.more_blocks is None, "the estimate lies within the margin"
    wanted = f"about {comparison.blocks_for_none} more pairs decide if there is no effect (80 % power, margin 2 %)."
    assert sentence.text.endswith(wanted)
    for claim in ("served", "fewer", "Better"):
        assert claim not in sentence.text


def test_hopeless_noise_is_called_so() -> None:
    text = said(analyse({"on": [100.0] * 3, "rp": [10, 100, 1000]}), "rp").text
    assert text.endswith("even 1,000 more pairs would not decide at a margin of 2 %: too much noise.")


def test_a_difference_of_the_margin_is_not_said_to_be_none() -> None:
    text = said(analyse({"on": [100.0] * 3, "rp": [101.9, 102.0, 102.05]}), "rp").text
    assert text.endswith("n = 3 pairs); it differs by about the margin of 2 %.")


def test_an_effect_is_confirmed_by_fewer_pairs_than_its_absence() -> None:
    analysis = analyse({"on": [100.0] * 5, "rp": [100, 109, 107, 99, 110]})
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert comparison.more_blocks is not None
    assert comparison.blocks_for_none is not None
    assert comparison.more_blocks < comparison.blocks_for_none / 2
    assert said(analysis, "rp").text.endswith(
        f"about {comparison.more_blocks} more pairs decide if the effect is what it looks like, "
        f"{comparison.blocks_for_none} if there is none (80 % power, margin 2 %)."
    )


def test_a_trial_that_is_missing_hardly_changes_how_many_more_blocks_are_asked_for() -> None:
    on, off = [96.0, 104, 99, 103, 97, 105, 95, 101, 98, 102], [101.0, 97, 104, 99, 106, 96, 100, 105, 97, 103]

    def asked(rates: list[float | None]) -> tuple[int, int]:
        analysis = analyse({"on": [*on], "rp": rates}, ended_as_planned=True)
        comparison = metric_of(analysis, "rp").comparison
        assert comparison is not None
        assert comparison.blocks_for_none is not None
        return comparison.pairs, comparison.blocks_for_none

    (pairs, whole), (fewer, one_lost) = asked([*off]), asked([*off[:-1], None])
    assert (pairs, fewer) == (10, 9)
    assert one_lost == pytest.approx(whole, rel=0.3)


def test_a_great_effect_that_is_not_certain_is_said_to_be_one() -> None:
    analysis = analyse({"on": [100.0] * 3, "rp": [0.3, 1.2, 9]})
    assert said(analysis, "rp").verdict == "undecided"
    assert "−99 %, far below, not yet confirmed (" in said(analysis, "rp").text
    assert analysis.answers[0].text == "far below, not yet confirmed: −99 %"


def test_two_pairs_of_noise_are_not_called_far() -> None:
    analysis = analyse({"on": [100.0, 101.0], "rp": [250, 350]})
    assert "far above" not in said(analysis, "rp").text
    assert "far above" not in analysis.answers[0].text


def test_a_run_without_trials_has_a_margin_whatever_is_calibrated() -> None:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    noise = MetricNoise(
        metric="worker_rss_growth_bytes", title="Memory", unit="bytes", scale="difference",
        deviation=1.0, degrees=4, half_width=2.0, blocks=5, differ=False,
    )  # fmt: skip
    use = CalibrationUse(run_id=None, taken_at=at, hosts=["one"], noise=[noise])
    plan = PlanFacts(blocks=5, measure_s=1, warmup_s=0, trials_planned=10)
    analysis = analyse_run(ARMS[:2], ARMS[0].key, [], plan, calibrated=Calibrated(use))
    assert analysis.margin_note == "The margin is 2 %."


def test_an_interval_that_says_nothing_is_not_printed() -> None:
    comparison = metric_of(analyse({"on": [100.0] * 3, "rp": [20, 100, 900]}), "rp").comparison
    assert comparison is not None
    assert comparison.ci_low is not None
    assert comparison.ci_low < 0.1
    assert comparison.ci_text == "too noisy to say"


def test_the_margin_is_the_experimenters() -> None:
    rates: dict[str, list[float | None]] = {"on": [100.0] * 4, "rp": [104, 103.9, 104.1, 104]}
    assert said(analyse(rates), "rp").verdict == "better"
    assert said(analyse(rates, margin=0.05), "rp").verdict == "equivalent"


def test_one_block_has_no_interval_and_makes_no_claim() -> None:
    analysis = analyse({"on": [100], "rp": [900]})
    comparison = metric_of(analysis, "rp").comparison
    assert comparison is not None
    assert (comparison.verdict, comparison.ci_low, comparison.ci_text) == ("undecided", None, None)
    assert (
        "requests/s with `reuseport` against `mutex on`: 9.0x (n = 1 pair; a single pair has no interval)."
        in analysis.headline
    )
    assert analysis.preview


def test_three_blocks_are_a_preview() -> None:
    analysis = analyse({"on": [100.0] * 3, "rp": [150, 151, 149]})
    assert analysis.preview
    assert "Preview only: 3 complete blocks." in analysis.headline


def test_a_zero_gives_no_ratio_but_a_reason() -> None:
    analysis = analyse({"on": [100.0] * 3, "rp": [150, 0, 149]})
    metric = metric_of(analysis, "rp")
    assert metric.comparison is None
    assert metric.no_comparison_reason == "this arm is not positive in at least one block: no ratio"
    assert metric.mean_kind == "arithmetic"
    assert "No comparison: requests/s with `reuseport` against `mutex on`: " in analysis.headline
