"""What the method says of example runs is tied to its version: whatever changes a verdict makes a new one."""

import json
import math
import os
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from analysis import builders
from analysis.run_results import ARMS, TEMPLATE, analyse, summary
from analysis.scenario import Scenario, host_columns
from ngxlab.analysis.checks import check_trial
from ngxlab.analysis.method import METHOD, UNCOUNTED, VERSIONS
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import CheckResult, PlanFacts, RunAnalysis, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_verdict import Looks

GOLDEN = Path(__file__).with_name("judgements.json")
ROOT = Path(__file__).parents[3]
WRITE = "NGXLAB_WRITE_JUDGEMENTS"


def _scattered(seed: int, blocks: int, scatter: float = 0.03, **means: float) -> dict[str, Sequence[float]]:
    """Each arm's rates around its mean, and an effect of the block that all share."""
    drawn = random.Random(seed)
    shared = [drawn.gauss(0, 0.05) for _ in range(blocks)]
    return {arm: [mean * math.exp(of + drawn.gauss(0, scatter)) for of in shared] for arm, mean in means.items()}


def _noisy_arm() -> RunAnalysis:
    rates = _scattered(4, 8, on=1000, off=1010, rp=1100)
    drawn = random.Random(5)
    return analyse(rates | {"rp": [rate * math.exp(drawn.gauss(0, 0.3)) for rate in rates["rp"]]})


def _looked_at() -> RunAnalysis:
    rates = _scattered(6, 7, on=1000, off=1005, rp=1200)
    measured = [summary(arm, block, rate) for arm in rates for block, rate in enumerate(rates[arm], start=1)]
    plan = PlanFacts(
        blocks=7, measure_s=10, warmup_s=2, trials_planned=21, looks=Looks(last=10), spent=0.0, open_blocks=[7]
    )
    return analyse_run(ARMS, "on", [(trial, []) for trial in measured], plan)


def _measured(**changes: Any) -> RunAnalysis:
    """From records, by their checks. ``changes``: of the scenario, in the last arm."""
    trials: list[tuple[TrialSummary, Sequence[CheckResult]]] = []
    for arm, scenario in (("on", Scenario()), ("rp", Scenario(**changes))):
        record = builders.trial(scenario.build())
        found = summarise_trial(record)
        checks = check_trial(record, found)
        for block in range(1, 5):
            own = {"trial_id": builders.identity(f"{arm}{block}"), "arm": arm, "block": block}
            trials.append((found.model_copy(update=own), checks))
    plan = PlanFacts(blocks=4, measure_s=10, warmup_s=2, trials_planned=8)
    return analyse_run(ARMS[::2], "on", trials, plan)


def _latencies(arm: str, block: int, rate: float) -> TrialSummary:
    assert TEMPLATE.latency is not None
    slow = TEMPLATE.latency.model_copy(update={"p99_us": 2e6 / rate * (1 + 0.02 * (block % 3))})
    return summary(arm, block, rate, latency=slow)


def _two_metrics() -> RunAnalysis:
    rates = _scattered(7, 5, on=1000, rp=1300)
    extra = [_latencies(arm, block, rate) for arm in rates for block, rate in enumerate(rates[arm], start=1)]
    return analyse({"on": [None] * 5, "rp": [None] * 5}, extra=extra, primary=["latency_p99_us", "requests_per_s"])


RUNS: Mapping[str, Callable[[], RunAnalysis]] = {
    "better": lambda: analyse(_scattered(1, 6, on=1000, off=1020, rp=1250)),
    "undecided": lambda: analyse(_scattered(2, 4, on=1000, off=1012, rp=1030)),
    "equivalent": lambda: analyse(_scattered(3, 6, 0.004, on=1000, off=1002, rp=1001)),
    "one pair": lambda: analyse({"on": [1000], "rp": [1200]}),
    "lost trials": lambda: analyse({"on": [1000, 1010, None, 990], "rp": [1100, None, 1120, 1105]}),
    "nothing measured": lambda: analyse({"on": [None], "rp": [None]}),
    "a noisy arm": _noisy_arm,
    "judged at a look": _looked_at,
    "from records": _measured,
    "with errors": lambda: _measured(errors={"errors_status": 3000}),
    "a loaded host": lambda: _measured(host=host_columns(overflows=50, load=9)),
    "p99 first": _two_metrics,
}


def _said(analysis: RunAnalysis) -> dict[str, Any]:
    """Not the words around the figures of a sentence: to reword one changes no verdict."""
    return {
        "verdict": analysis.verdict,
        "errors": [one.key for one in analysis.checks.results if one.severity == "error"],
        "answers": [[one.sign, one.question, one.word, one.text] for one in analysis.answers],
        "statements": [[one.metric, one.arm, one.verdict, *_FIGURE.findall(one.text)] for one in analysis.statements],
    }


_FIGURE = re.compile(r"[+−]?\d[\d,.]*\d|[+−]?\d")


def _judgements() -> dict[str, Any]:
    return {name: _said(run()) for name, run in RUNS.items()}


def _written(said: Mapping[str, Any]) -> str:
    runs = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}" for name, one in said.items())
    return f'{{\n "method": {METHOD},\n "runs": {{\n{runs}\n }}\n}}\n'


def test_what_changes_a_verdict_is_a_new_version_of_the_method() -> None:
    now, golden = _judgements(), json.loads(GOLDEN.read_text(encoding="utf-8"))
    if WRITE in os.environ and golden["method"] < METHOD:
        GOLDEN.write_text(_written(now))
        return
    changed = [name for name, said in now.items() if said != golden["runs"].get(name)]
    assert (changed, golden["method"]) == ([], METHOD), (
        f"These are judged differently: {changed}. Give the method a new version and say what changed, in "
        f"ngxlab/analysis/method.toml and docs/method-details.md; then write the judgements with {WRITE}=1."
    )


@pytest.mark.parametrize("name", ["better", "equivalent", "undecided", "from records"])
def test_the_examples_tell_methods_apart(name: str) -> None:
    """Each rests on other parts of it."""
    assert _judgements()[name] != _judgements()["one pair"]


def test_versions_are_counted_and_the_document_has_them() -> None:
    numbers = [version.number for version in VERSIONS]
    assert numbers == list(range(UNCOUNTED + 1, len(VERSIONS) + 1))
    assert [version.date for version in VERSIONS] == sorted(version.date for version in VERSIONS)
    document = (ROOT / "docs" / "method-details.md").read_text(encoding="utf-8")
    for version in VERSIONS:
        assert f"| {version.number} | {version.date} | {version.what} |" in document
