"""What is counted of experiments in which nothing differs."""

from collections.abc import Sequence
from typing import Any

import pytest
from ngxlab.definition.yaml import documents

from scripts.identical_arms import PRIMARY, Size, definition, measured, table, verdicts


@pytest.mark.parametrize("arms", [2, 5])
def test_the_arms_differ_by_name_alone(arms: int) -> None:
    _, read = documents.require(definition(Size(arms, blocks=5, measure_s=1)), None)
    assert len(read.factors[0].levels) == arms
    assert "{{" not in read.nginx.server


def result(judged: list[str] | None, *, reported: Sequence[str] = (), errors: Sequence[str] = ()) -> dict[str, Any]:
    return {"arms": 2, "blocks": 5, "judged": judged, "reported": reported, "errors": errors}


def test_a_claim_that_a_check_voids_counts_as_false_and_a_lost_trial_not_as_silent() -> None:
    results = [result([]), result(["better"], errors=["timeouts"]), result(None), result([], reported=["worse"])]
    row = table(results).splitlines()[-1].split()
    assert row[:4] == ["all", "3", "2", "="]
    assert row[-2:] == ["1", "1"]


def arm(baseline: bool, values: list[float], verdict: str) -> dict[str, Any]:
    comparison = None if baseline else {"family": "primary", "verdict": verdict}
    cells = [{"block": block, "value": value} for block, value in enumerate(values, 1)]
    return {"metrics": [{"metric": key, "values": cells, "comparison": comparison} for key in PRIMARY]}


def test_values_are_taken_by_arm_and_block_or_not_at_all() -> None:
    whole = {"arms": [arm(True, [1, 2], ""), arm(False, [3, 4], "undecided")]}
    assert measured(whole) == {key: [[1, 2], [3, 4]] for key in PRIMARY}
    assert verdicts(whole) == {"undecided"}
    assert measured({"arms": [arm(True, [1, 2], ""), arm(False, [3], "undecided")]}) == {}
