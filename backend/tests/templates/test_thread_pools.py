"""The words of the thread-pools template: what it claims, and what it must not."""

from collections.abc import Mapping
from typing import Any

from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.findings import findings
from ngxlab.templates.registry import template
from templates.measured import analysed, conclusion, evidence, first_block, stream, varying, voided

TEMPLATE = template("thread-pools")


def measured(
    *,
    without: float = 20.4,
    pool: float = 151.5,
    blocked: float | None = 79,
    blocked_with_pool: float = 0,
    from_disk: float | None = 90,
    **values: Any,
) -> Evidence:
    """``without`` and ``pool``: requests/s for the hot file; ``blocked`` and ``from_disk``: percent without a pool."""

    def figures(arm: ArmDefinition) -> Mapping[str, Any]:
        off = arm.key == "off"
        own = {"iowait_percent": 31.9 if off else 61.5, "load1": 5.0 if off else 17.0}
        if blocked is not None:
            own["worker_blocked_percent"] = blocked if off else blocked_with_pool
        if from_disk is not None:
            own["bytes_from_disk_percent"] = from_disk if off else 60.0
        rate = without if off else pool
        p50 = 235 if off else 17
        streams = [stream("random", 50.0), stream("constant", rate, p50, 2 * p50)]
        return {
            "requests_per_s": rate + 50,
            "streams": streams,
            "metric_values": own,
            "cpu_percent_by_mode": {"idle": 60.0},
        }

    return evidence(TEMPLATE.build(TEMPLATE.complete(values)), figures)


def test_the_bystanders_gain_is_claimed_with_its_interval() -> None:
    headline = measured().analysis.headline
    assert (
        "`aio threads (32)` served 7.43 times as many requests/s on stream `constant` as `no thread pool`" in headline
    )
    assert "p99 on stream `constant` is 92.8 % lower with `aio threads (32)` than with `no thread pool`" in headline


def test_blocked_workers_are_compared_in_either_direction() -> None:
    """A change from 5 % to 60 % is one, too."""
    words = "share of time that workers' main threads were blocked on the disk"
    assert f"Exploratory, lower: {words} is lower" in conclusion(measured())
    assert f"Exploratory, higher: {words} is higher" in conclusion(measured(blocked=5, blocked_with_pool=60))
    assert f"Exploratory, equivalent: {words} differs" in conclusion(measured(blocked=5, blocked_with_pool=5))
    assert "workers' main threads" not in conclusion(measured(blocked=None))


def test_what_varies_too_much_is_no_finding() -> None:
    found = varying(measured(), (1, 40, 0.1, 9, 0.01), "iowait_percent", "load1", "worker_blocked_percent")
    assert "Exploratory" not in conclusion(found)


def test_one_block_is_no_finding() -> None:
    text = conclusion(first_block(measured()))
    assert "Exploratory" not in text
    assert "90 % (n = 1 trial, no interval) with `no thread pool`" in text


def test_nothing_is_concluded_on_what_a_check_voids() -> None:
    text = conclusion(voided(measured(), "nginx", "host"))
    assert "No conclusion on nginx and host" in text
    assert "blocked" not in text
    assert "iowait" not in text
    assert "from the disk" in text
    assert conclusion(voided(measured())) == "No conclusion: broken, in 6 of 6 trials: broken."


def test_a_run_without_data_concludes_nothing() -> None:
    assert conclusion(analysed(measured().definition, [])) == "No conclusion: the run has no usable trial."


def test_iowait_and_load_are_neither_good_nor_bad() -> None:
    lines = conclusion(measured()).splitlines()
    assert any("61.5 against 31.9 %" in line and line.startswith("Exploratory, higher: iowait") for line in lines)
    assert sum("neither direction is better" in line for line in lines) == 1
    chart = next(chart for chart in findings(TEMPLATE, measured()).charts if chart.key == "cpu")
    assert chart.kind == "time-series"
    assert chart.direction == "neutral"


def test_whether_it_came_from_the_disk_is_said() -> None:
    text = conclusion(measured())
    assert "90 % (95 % CI 89.9 % to 90.1 %, n = 3 trials) with `no thread pool`, 60 % (95 % CI" in text
    assert "not cold" not in text
    assert "not cold with `no thread pool`: less than 50 %" in conclusion(measured(from_disk=10))
    assert "not cold" not in conclusion(first_block(measured(from_disk=10)))
    assert "It is unknown" in conclusion(measured(from_disk=None))


def test_the_articles_own_caveat_is_always_there() -> None:
    assert "if the files fit into the page cache" in conclusion(measured(without=100, pool=100))


def test_pools_of_several_sizes_are_arms_of_their_own() -> None:
    found = measured(pool_threads="8, 32, 128")
    assert [arm.key for arm in found.arms] == ["off", "threads-8", "threads-32", "threads-128"]
    assert "`aio threads (128)` served 7.43 times as many" in found.analysis.headline
    row = next(row for row in findings(TEMPLATE, found).figures if row.label == "Requests per second for the hot file")
    assert [cell.article for cell in row.cells] == ["8.08 requests/s", None, "250.57 requests/s", None]
    assert row.cells[0].yours == "20.4 requests/s"


def test_needs_follow_the_form() -> None:
    def whats(**values: Any) -> list[str]:
        return [need.what for need in TEMPLATE.needs(TEMPLATE.complete(values)) if need.must]

    assert whats(cold="evict") == ["an nginx built --with-threads"]
    assert "a loop device that can be slowed down" in whats(cold="throttle")
    assert "less memory than the 256 GiB of data" in whats(cold="no", files=65_536, file_kib=4096)
