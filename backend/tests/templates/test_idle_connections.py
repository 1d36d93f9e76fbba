"""The words of the idle-connections template: bytes a connection as a slope, shares, churn, and no claim beyond."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from ngxlab.core.errors import Invalid
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.templates.chart_data import Regression
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.findings import findings
from ngxlab.templates.idle_connections.conclusion import growth
from ngxlab.templates.idle_connections.quantities import worker_connections, workers_for
from ngxlab.templates.registry import template
from templates.measured import analysed, conclusion, evidence, first_block, voided

TEMPLATE = template("idle-connections")
RSS, SLAB, KERNEL, MEMORY = 519, 7400, 8100, 8700
"""Bytes a connection."""


def measured(
    *,
    lost: int = 0,
    churn: float = 0,
    other_memory: Mapping[int, float] | None = None,
    slab: int = SLAB,
    scatter: float = 0,
    **values: Any,
) -> Evidence:
    """``lost`` of the largest arm's connections are not held. ``other_memory``: taken by strangers in some arms."""

    def figures(arm: ArmDefinition) -> Mapping[str, Any]:
        n = int(arm.levels["connections"])
        strangers = (other_memory or {}).get(n, 0.0)
        own_held = n - (lost if n == 100_000 else 0)
        own = {
            "connections_held": float(own_held),
            "connection_churn": 1.0 + (churn if n == 100_000 else 0.0),
            "generator_reconnects": churn if n == 100_000 else 0.0,
            "worker_rss_bytes": 60e6 + RSS * own_held,
            "slab_growth_bytes": 1e6 + slab * n,
            "kernel_memory_growth_bytes": float(KERNEL * n) + strangers,
            "memory_available_drop_bytes": float(MEMORY * n) + strangers,
            "nginx_cpu_percent": 2.0,
            "requests_since_start": 5000.0,
            "connections_accepted": float(n),
        }
        return {"requests_per_s": n / 60, "metric_values": own}

    return evidence(TEMPLATE.build(TEMPLATE.complete(values)), figures, noise=(1.0, 1.0), scatter=scatter)


def test_where_slopes_are_uncertain_shares_have_wide_ranges() -> None:
    text = conclusion(measured(scatter=0.002))
    (shares,) = (line for line in text.splitlines() if line.startswith("Exploratory: nginx takes"))
    low, high = (int(end) for end in re.findall(r"kernel (\d+) % to (\d+) %", shares)[0])
    assert low < 93 < high


def test_nothing_is_concluded_on_what_a_check_voids() -> None:
    text = conclusion(voided(measured(), "nginx"))
    assert "No conclusion on nginx: broken" in text
    assert "nginx needs" not in text
    assert "were held" not in text
    assert "at least three trials" not in text
    assert "available memory falls by" in text


def test_one_block_has_no_interval_of_the_cpu() -> None:
    text = conclusion(first_block(measured()))
    assert "held to the end in the only trial." in text
    assert "2 % (n = 1 trial, no interval)" in text


def test_a_run_without_data_concludes_nothing() -> None:
    assert conclusion(analysed(measured().definition, [])) == "No conclusion: the run has no usable trial."


def test_bytes_a_connection_are_the_slope_and_not_the_quotient() -> None:
    text = conclusion(measured())
    assert "nginx needs 519 bytes per connection (95 % CI 519 to 519, 8 trials)" in text
    assert "available memory falls by 8,700 bytes per connection" in text
    assert "kernel objects (Slab) take 7,400 bytes per connection" in text


def regression(slope: float, low: float, high: float) -> Regression:
    return Regression(slope=slope, ci_low=low, ci_high=high, intercept=0, points=8)


def test_the_verb_says_the_direction_and_a_size_has_no_sign() -> None:
    words = ("available memory", "falls by", "rises by")
    assert growth(*words, regression(-10_538, -12_000, -9_000)) == (
        "Exploratory: available memory rises by 10,538 bytes per connection (95 % CI 9,000 to 12,000, 8 trials)."
    )
    assert growth(*words, regression(8700, 8000, 9000), ", here") == (
        "Exploratory: available memory falls by 8,700 bytes per connection (95 % CI 8,000 to 9,000, 8 trials), here."
    )
    assert growth(*words, regression(-10_538, -24_000, 3_000)) == (
        'Exploratory, undecided: available memory: the 95 % CI reaches from "rises by 24,000" to "falls by 3,000 bytes '
        'per connection" (8 trials).'
    )


def test_memory_that_others_released_is_no_negative_fall() -> None:
    text = conclusion(measured(other_memory={100_000: -3e9}))
    assert "available memory rises by " in text
    assert "falls by" not in text


def test_the_shares_of_nginx_and_of_the_kernel() -> None:
    assert "nginx takes 6 % of the total, the kernel 93 %" in conclusion(measured())


@pytest.mark.parametrize("other_memory", [{1000: 3e9}, {1000: 3e8}, {100_000: 3e8}])
def test_where_others_took_memory_meanwhile_only_what_is_counted_apart_is_shared_out(
    other_memory: Mapping[int, float],
) -> None:
    """In each block alike, so that the blocks' slopes agree: falling, too flat, or too steep."""
    text = conclusion(measured(other_memory=other_memory))
    assert "nginx takes 7 % and the kernel 93 %" in text
    assert "other programs on the host may have" in text
    assert "of the total" not in text


def test_memory_that_the_kernel_could_take_back_does_not_shrink_its_share() -> None:
    text = conclusion(measured(slab=10_400))
    assert "nginx takes 5 % and the kernel 95 %" in text
    assert "memory that it can reclaim" in text
    assert "of the total" not in text


def test_held_and_lost() -> None:
    assert "All 100,000 connections were held to the end in each of 2 trials." in conclusion(measured())
    text = conclusion(measured(lost=32_442))
    assert "Of 100,000 connections, 67,558 were held to the end in the worst of 2 trials." in text


def test_an_arm_that_lost_many_does_not_bend_the_line() -> None:
    text = conclusion(measured(lost=32_442))
    assert "nginx needs 519 bytes per connection (95 % CI 519 to 519, 6 trials)" in text
    assert "less than 99 % in some trial: 100,000 connections." in text
    assert "leave out" not in conclusion(measured(lost=1000))


def test_churn_is_said_whether_there_was_some_or_none() -> None:
    assert "No connection was lost and reopened" in conclusion(measured())
    text = conclusion(measured(churn=1234))
    assert "Up to 1,234 connections of a trial were lost and reopened (with `100,000 connections`)" in text


def test_two_numbers_of_connections_make_a_line_and_one_does_not() -> None:
    assert "519 bytes" in conclusion(measured(connections="1000, 100000"))
    assert "different numbers of connections" in conclusion(measured(connections="100000"))


def test_the_article_beside_the_runs_own() -> None:
    rows = {row.label: row.cells for row in findings(TEMPLATE, measured()).figures}
    waiting = {cell.arm: (cell.article, cell.yours) for cell in rows["Idle connections held"]}
    assert waiting["100000"] == ("100,000", "100,000 connections")
    assert waiting["1000"] == (None, "1,000 connections")
    slopes = {cell.arm: cell.yours for cell in rows["Bytes per connection in nginx, as a slope"]}
    assert slopes == {"1000": None, "10000": None, "50000": None, "100000": "519 bytes (519 to 519)"}


@pytest.mark.parametrize("descriptors", [1024, 20_000, 65_536, 1_000_000])
@pytest.mark.parametrize("connections", [1, 1000, 100_000])
def test_workers_have_room_for_all_and_no_more_than_they_may_open(connections: int, descriptors: int) -> None:
    workers, each = workers_for(connections, descriptors), worker_connections(connections, descriptors)
    assert each <= descriptors
    assert connections <= workers * each * 15 / 16
    assert connections / workers <= 0.9 * descriptors


def test_two_generators_share_the_connections() -> None:
    definition = TEMPLATE.build(TEMPLATE.complete({"generators": "2", "connections": "1001"}))
    streams = resolve(definition, definition.arms[0]).streams
    assert [stream.connections for stream in streams] == [501, 500]
    assert definition.slots == ["target", "generator", "generator-2"]
    assert len({stream.idle_hold.seed for stream in streams if stream.idle_hold}) == 2


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"warmup_s": 5}, "parameters.warmup_s"),
        ({"connect_per_s": 1000}, "parameters.warmup_s"),
        ({"keepalive_s": 60}, "parameters.think_max_s"),
        ({"descriptors": 1000, "connections": "1000000", "warmup_s": 600}, "parameters.descriptors"),
        ({"connections": "2000000"}, "parameters.connections"),
    ],
)
def test_what_cannot_work_is_said_at_its_field(values: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        TEMPLATE.complete(values)
    assert field in [problem.field for problem in refused.value.errors]


def test_the_compact_preset_takes_less_than_five_minutes() -> None:
    (compact,) = [preset for preset in TEMPLATE.presets if preset.key == "compact"]
    definition = TEMPLATE.build(TEMPLATE.complete(compact.values))
    assert definition.total_seconds() + 5 * len(definition.arms) * definition.plan.blocks < 300
