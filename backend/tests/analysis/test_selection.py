"""The cut after a heat, on made-up trials with known answers."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

import pytest
from analysis.run_results import TEMPLATE
from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.analysis.schemas import Heat, TrialSummary
from ngxlab.analysis.selection import Choice, cut, described
from ngxlab.analysis.verdict.claims import TrialsByBlock

RATE = next(metric for metric in METRICS if metric.info.key == "requests_per_s")
P99 = next(metric for metric in METRICS if metric.info.key == "latency_p99_us")
ARMS = {key: key.upper() for key in "abcde"}


def trial(arm: str, block: int, rate: float | None) -> TrialSummary:
    latency = TEMPLATE.latency
    assert latency is not None
    own = {"trial_id": uuid4(), "arm": arm, "block": block, "requests_per_s": rate}
    own["latency"] = latency.model_copy(update={"p99_us": rate})
    return TEMPLATE.model_copy(update=own)


def measured(rates: Mapping[str, Sequence[float | None]]) -> dict[str, TrialsByBlock]:
    return {arm: {block: trial(arm, block, rate) for block, rate in enumerate(of, 1)} for arm, of in rates.items()}


HEAT = {"base": [100, 200], "a": [101, 202], "b": [120, 240], "c": [99, 198], "d": [110, 220], "e": [90, 180]}


def choice(finalists: int = 2, heats: Sequence[Heat] = ()) -> Choice:
    return Choice(ARMS, "base", finalists, 2, heats)


@pytest.mark.parametrize(("metric", "left"), [(RATE, ["b", "d"]), (P99, ["c", "e"])])
def test_the_better_arms_stay_and_the_baseline_with_them(metric: Metric, left: Sequence[str]) -> None:
    done = cut(choice(), metric, [measured(HEAT)])
    assert choice(heats=[done]).left == left
    assert (done.arms[0].arm, done.arms[0].stays, done.arms[0].change) == ("base", True, None)
    assert choice(heats=[done]).is_over


def test_each_arm_says_what_it_had_and_why_it_went() -> None:
    done = cut(choice(), RATE, [measured(HEAT)])
    of = {one.arm: one for one in done.arms}
    assert [one.arm for one in done.arms] == ["base", "b", "d", "a", "c", "e"]
    assert of["b"].change == pytest.approx(1.2)
    assert of["b"].values == [120, 240]
    assert of["b"].reason is None
    assert of["a"].reason == ("Place 3, at +1 % against the baseline; the first 2 stayed, the last of them at +10 %.")
    assert choice(heats=[done]).dropped["e"][0] == 1


def test_a_later_heat_counts_the_earlier_one_too() -> None:
    first = cut(choice(1), RATE, [measured(HEAT)])
    assert choice(1, [first]).left == ["a", "b", "d"]
    again = {"base": [100, 100], "a": [90, 90], "b": [100, 100], "d": [105, 105]}
    second = cut(choice(1, [first]), RATE, [measured(HEAT), measured(again)])
    assert choice(1, [first, second]).left == ["b"], "1.2 * 1.0 is more than 1.1 * 1.05"
    assert [one.arm for one in second.arms] == ["base", "b", "d", "a"]


def test_an_arm_without_a_usable_trial_goes_first() -> None:
    done = cut(choice(), RATE, [measured(HEAT | {"b": [None, None]})])
    assert choice(heats=[done]).left == ["a", "d"]
    assert {one.arm: one.reason for one in done.arms}["b"] == "It had no usable trial."


@pytest.mark.parametrize("lacking", [0, 1])
def test_a_block_without_a_usable_trial_keeps_its_place(lacking: int) -> None:
    whole = measured(HEAT)
    heat = {arm: {block: one for block, one in of.items() if block != lacking + 1} for arm, of in whole.items()}
    done = cut(choice(), RATE, [heat])
    assert choice(heats=[done]).left == ["b", "d"]
    values = {one.arm: one.values for one in done.arms}["b"]
    assert (values[lacking], values[1 - lacking]) == (None, HEAT["b"][1 - lacking])


def test_where_nobody_was_measured_nobody_is_left() -> None:
    done = cut(choice(), RATE, [measured({"base": [100, 100]})])
    assert choice(heats=[done]).left == []


def test_the_report_says_how_such_a_choice_errs_once_it_is_over() -> None:
    assert described(choice(), RATE, 0.02, None, None).error is None
    noisy = {arm: [rate * (1.02 if ord(arm[0]) % 2 else 1) for rate in of] for arm, of in HEAT.items()}
    noisy["b"] = [118, 243]
    done = cut(choice(), RATE, [measured(noisy)])
    found = described(choice(heats=[done]), RATE, 0.02, "b", None)
    assert found.dropped_percent is not None
    assert 0 < found.dropped_percent < 50
    assert found.sure_from is not None
    assert found.sure_from > 1
    assert "better than they are by 2 % is dropped in" in (found.error or "")
    assert found.text == "2 of 5 arms were chosen by requests/s. The best is B."
