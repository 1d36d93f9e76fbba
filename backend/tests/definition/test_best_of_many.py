"""What is said of a plan before it starts: a search for the capacity, a curve, the best of many."""

import math
from typing import Any

import pytest
from definition.test_capacity import curving, searching
from ngxlab.analysis.schemas import MetricNoise
from ngxlab.definition.outlook import expected
from ngxlab.definition.preview.definition import preview_of
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import validate


def choosing(arms: int, blocks: int, finalists: int = 3) -> dict[str, Any]:
    levels = [{"key": f"l{i}", "label": f"level {i}", "variables": {"level": i}} for i in range(arms)]
    return {
        "question": "Which level is best?",
        "factors": [{"key": "level", "label": "Level", "levels": levels}],
        "baseline": "l0",
        "nginx": {"workers": 1, "worker_connections": 512, "server": "keepalive_requests {{ 1000 + level }};"},
        "streams": [{"key": "main", "connections": 2}],
        "plan": {"blocks": blocks, "warmup_s": 0, "measure_s": 1, "selection": {"finalists": finalists}},
    }


@pytest.mark.parametrize(
    ("raw", "costs"),
    [
        (choosing(17, 12), None),
        (choosing(9, 5), None),
        (choosing(17, 2), "58 trials, and 34"),
        (choosing(6, 4, 4), "32 trials, and 24"),
    ],
)
def test_heats_that_cost_more_than_they_spare_are_named(raw: dict[str, Any], costs: str | None) -> None:
    validated = validate(raw)
    assert validated.problems == []
    found = [str(one.message) for one in validated.warnings if one.field == "plan.selection"]
    assert [costs is not None and costs in text for text in found] == ([] if costs is None else [True])
    assert validated.definition is not None
    plan = validated.definition.plan
    assert (validated.definition.trials(plan.blocks) >= plan.blocks * len(validated.definition.arms)) == bool(found)


def test_a_stop_rule_may_add_the_blocks_that_make_heats_worth_it() -> None:
    raw = choosing(17, 2)
    raw["plan"]["stop"] = {"kind": "decided", "max_blocks": 20, "hopeless_percent": 10}
    assert [one for one in validate(raw).warnings if one.field == "plan.selection"] == []


def said(raw: dict[str, Any]) -> list[str]:
    found = preview_of(validate(raw)).plan
    assert found is not None
    return [str(text) for text in found.outlook]


def defined(raw: dict[str, Any]) -> Definition:
    found = validate(raw).definition
    assert found is not None
    return found


def test_heats_say_who_goes_when() -> None:
    """From 16 arms to 3 in two heats (16, 7, 3) of two blocks; a trial takes a second, and the pause after it."""
    raw = choosing(17, 12)
    trial_s = defined(raw).trial_seconds()
    first, second = said(raw)
    assert first.startswith("Heat 1 measures 16 arms and the baseline in 2 blocks; 9 arms go, 7 stay, after ")
    assert first.endswith(f"{34 * trial_s:.0f} s." if 34 * trial_s < 60 else f"{34 * trial_s / 60:.0f} min.")
    assert second.startswith("Heat 2 measures 7 arms and the baseline in 2 blocks; 4 arms go, 3 stay, after ")
    assert said(choosing(5, 3) | {"plan": {"blocks": 3, "warmup_s": 0, "measure_s": 1}}) == []


def test_searches_and_curves_say_what_they_find() -> None:
    (search,) = said(searching())
    assert "takes the whole measured window" in search
    (curve,) = said(curving())
    assert curve.startswith("Each trial tries 10 rates for ")
    assert "between 500 and 5,000 requests a second" in curve
    assert curve.endswith("differ by up to 100 %.")


def noise(deviation: float, block: float | None = None) -> MetricNoise:
    return MetricNoise(
        metric="capacity_per_s", title="Capacity", unit="requests/s", scale="ratio", deviation=deviation, degrees=40,
        half_width=0.02, blocks=5, block_deviation=block, differ=False,
    )  # fmt: skip


@pytest.mark.parametrize(("known", "percent"), [(noise(0.02), "2.5"), (noise(0.03, 0.04), "6.4")])
def test_known_noise_tells_the_interval_of_a_capacity(known: MetricNoise, percent: str) -> None:
    """Student's t with four degrees of freedom is 2.776; deviations of 3 and 4 % are 5 % together."""
    (text,) = expected(defined(searching()), known, "capacity", 5, 0.02)
    assert str(text) == f"By what was measured here before, 5 blocks tell the capacity of an arm to ±{percent} %."
    assert expected(defined(searching()), known, "capacity", 1, 0.02) == []


def test_known_noise_tells_how_heats_err() -> None:
    """As in the simulations: with 2 % noise an arm that is better by 5 % is never dropped, one by 2 % in a fifth."""
    (text,) = expected(defined(choosing(17, 12)), noise(0.02), "requests/s", 12, math.log(1.02))
    percent = float(str(text).partition(" % in ")[2].partition(" %")[0])
    assert 17 <= percent <= 26
    (surely,) = expected(defined(choosing(17, 12)), noise(0.02), "requests/s", 12, math.log(1.05))
    assert float(str(surely).partition(" % in ")[2].partition(" %")[0]) < 2
