"""What Markdown and the long table have of a report's sizing."""

from types import SimpleNamespace
from typing import Any

from ngxlab.analysis.schemas import ArmSizing, SizedGoals, SizedRate, Sizing
from ngxlab.exports import markdown, rows
from ngxlab_contracts.sentences import say

GOALS_MS = [1.0, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25]


def report() -> Any:
    def rate(goal_ms: float) -> SizedRate:
        if goal_ms < 2:
            return SizedRate(per_s=None, how="not-measured", why=say("no rates were tried that show it"))
        how = "searched" if goal_ms == 5 else "derived"
        return SizedRate(per_s=1_000 * goal_ms, low=900 * goal_ms, high=1_100 * goal_ms, how=how)

    goals = SizedGoals(
        percentile="p99", besides=say("errors ≤ {bound:g} %", bound=0.1), goals_ms=GOALS_MS, searched_ms=5,
        arms=[ArmSizing(arm="a", rates=[rate(goal_ms) for goal_ms in GOALS_MS])],
    )  # fmt: skip
    arms = [SimpleNamespace(key="a", label="keepalive | 64")]
    return SimpleNamespace(sizing=Sizing(stream="main", percentiles=[goals], not_valid=None), arms=arms)


def test_markdown_has_some_goals_the_searched_one_among_them() -> None:
    *_, table = markdown._sizing(report())
    head, _, row = table.splitlines()
    assert head.startswith("| Arm | p99 ≤ 1 ms |")
    assert head.endswith("| p99 ≤ 25 ms |")
    assert (head.count("p99"), "p99 ≤ 5 ms" in head) == (6, True)
    assert row.startswith(r"| keepalive \| 64 | not measured |")
    assert "| 5,000 (4,500 to 5,500) |" in row
    assert row.endswith(r"| 25,000 (22,500 to 27,500) \* |")


def test_the_long_table_has_all_goals() -> None:
    found = list(rows._sizing(report()))
    assert [row.label for row in found] == [f"{goal_ms:g}" for goal_ms in GOALS_MS]
    assert (found[0].value, found[0].text) == (None, "not-measured: no rates were tried that show it")
    assert (found[4].key, found[4].value, found[4].low, found[4].text) == ("p99_ms", 5_000, 4_500, "searched")
