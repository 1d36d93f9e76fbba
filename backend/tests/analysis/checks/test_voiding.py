"""What each check voids when it ends in an error: claims, and thresholds."""

from collections.abc import Mapping

import pytest
from analysis.check_results import DECLARATIONS, given
from analysis.run_results import TEMPLATE, analyse, summary
from ngxlab.analysis.checks.check import Finding
from ngxlab.analysis.gates import evaluate
from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.schemas import RunAnalysis
from ngxlab.analysis.thresholds import parse
from ngxlab_contracts.sentences import say

EVERYTHING = ("throughput", "latency", "nginx", "balance", "disk", "host")
VOIDED: Mapping[str, tuple[str, ...]] = given("VOIDED") | {
    "generator-saturated": ("throughput", "latency"),
    "open-loop-behind": ("throughput", "latency"),
    "timeouts": ("latency",),
    "errors": ("throughput", "latency"),
    "concurrency": ("throughput", "latency"),
    "ports": ("throughput", "latency"),
    "descriptors": EVERYTHING,
    "nginx-log": ("throughput", "latency"),
    "conntrack": EVERYTHING,
    "page-cache": EVERYTHING,
    "environment": EVERYTHING,
    "accounting": EVERYTHING,
    "config-live": EVERYTHING,
    "http-version": EVERYTHING,
    "start-spread": ("throughput", "latency"),
    "measurement-degraded": EVERYTHING,
    "served-latency": ("latency",),
    "served-rate": ("throughput",),
}
GROUPS = {metric.info.key: metric.info.group for metric in METRICS}
THRESHOLDS = {"requests_per_s > 1": "throughput", "p99_ms < 1000": "latency", "cpu_cv < 100": "balance"}
"""Each is met by a wide margin. The group that its metric belongs to."""
RATES: dict[str, list[float | None]] = {"on": [100, 101, 99.5], "rp": [150, 152, 149]}
TRIALS = [summary(arm, block, rate) for arm, rates in RATES.items() for block, rate in enumerate(rates, start=1)]


def run_with(key: str | None) -> RunAnalysis:
    """A run in every trial of which that check ends in an error; without a key, none does."""
    found = [DECLARATIONS[key].result(Finding("error", say("it happened")), [TEMPLATE])] if key is not None else []
    return analyse(RATES, checks=found)


def verdicts(analysis: RunAnalysis) -> dict[str, str]:
    """The verdict in every metric in which the arms were compared."""
    arm = next(arm for arm in analysis.arms if arm.key == "rp")
    return {one.metric: one.comparison.verdict for one in arm.metrics if one.comparison is not None}


def test_every_check_that_has_errors_has_an_entry() -> None:
    assert VOIDED.keys() == {key for key, check in DECLARATIONS.items() if "error" in check.results}
    assert {GROUPS[metric] for metric in verdicts(run_with(None))} >= {"throughput", "latency", "nginx", "balance"}


@pytest.mark.parametrize("key", VOIDED)
def test_an_error_voids_the_claims_and_thresholds_that_it_names_and_no_others(key: str) -> None:
    healthy, wrong = verdicts(run_with(None)), verdicts(analysis := run_with(key))
    voided = {metric for metric in healthy if GROUPS[metric] in VOIDED[key]}
    assert {metric for metric, verdict in wrong.items() if verdict == "not_valid"} == voided
    assert {metric: wrong[metric] for metric in wrong.keys() - voided} == {
        metric: healthy[metric] for metric in healthy.keys() - voided
    }
    failed = DECLARATIONS[key].failed
    assert f"Not valid: {failed[0].lower()}{failed[1:]}" in analysis.headline
    assert {one.metric for one in analysis.statements}.isdisjoint(voided)

    results = evaluate([parse(text) for text in THRESHOLDS], analysis, TRIALS)
    outcomes = {one.text: one.outcome for one in results if one.arm == "rp"}
    expected = {text: "not_valid" if group in VOIDED[key] else "pass" for text, group in THRESHOLDS.items()}
    assert outcomes == expected
