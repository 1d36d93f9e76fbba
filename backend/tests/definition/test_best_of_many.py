"""What a plan that chooses among many arms warns of."""

from typing import Any

import pytest
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
