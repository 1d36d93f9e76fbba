"""The words of the thread-pools template: what it claims, and what it must not."""

from collections.abc import Mapping
from typing import Any

from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.findings import findings
from ngxlab.templates.registry import template
from templates.measured import evidence, stream

TEMPLATE = template("thread-pools")


def measured(
    *,
    without: float = 20.4,
    pool: float = 151.5,
    blocked: float | None = 79,
    from_disk: float | None = 90,
    **values: Any,
) -> Evidence:
    """``without`` and ``pool``: requests/s for the hot file; ``blocked`` and ``from_disk``: percent without a pool."""

    def figures(arm: ArmDefinition) -> Mapping[str, Any]:
        off = arm.key == "off"
        own = {"iowait_percent": 31.9 if off else 61.5, "load1": 5.0 if off else 17.0}
        if blocked is not None:
            own["worker_blocked_percent"] = blocked if off else 0.0
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


def conclusion(found: Evidence) -> str:
    return "\n".join(TEMPLATE.conclude(found))


def test_the_bystanders_gain_is_claimed_with_its_interval() -> None:
    text = conclusion(measured())
    assert "`aio threads (32)` served 7.4x more requests/s on stream `constant` than `no thread pool` (95 % CI" in text
    assert "p99 on stream `constant` fell 93 % against `no thread pool`" in text


def test_the_blocked_workers_are_the_cause_only_where_they_were_blocked() -> None:
    assert "79 % of the time with `no thread pool` and for 0 % with `aio threads (32)`" in conclusion(measured())
    assert "the pool took over the waiting" in conclusion(measured())
    assert "this run shows no difference" in conclusion(measured(blocked=0))
    assert "blocked" not in conclusion(measured(blocked=None))


def test_iowait_and_load_are_neither_good_nor_bad() -> None:
    lines = [line for line in TEMPLATE.conclude(measured()) if "neither direction is better" in line]
    assert len(lines) == 2
    assert "31.9 % with `no thread pool`, 61.5 % with `aio threads (32)`" in lines[0]
    chart = next(chart for chart in findings(TEMPLATE, measured()).charts if chart.key == "cpu")
    assert chart.kind == "time-series"
    assert chart.direction == "neutral"


def test_whether_it_came_from_the_disk_is_said() -> None:
    text = conclusion(measured())
    assert "90 % with `no thread pool`, 60 % with `aio threads (32)`; the hot file makes it less than 100 %." in text
    assert "read ahead" not in text
    assert "read ahead and dropped" in conclusion(measured(from_disk=120))
    assert "not cold" in conclusion(measured(from_disk=10))
    assert "It is unknown" in conclusion(measured(from_disk=None))


def test_the_articles_own_caveat_is_always_there() -> None:
    assert "if the files fit into the page cache" in conclusion(measured(without=100, pool=100))


def test_pools_of_several_sizes_are_arms_of_their_own() -> None:
    found = measured(pool_threads="8, 32, 128")
    assert [arm.key for arm in found.arms] == ["off", "threads-8", "threads-32", "threads-128"]
    assert "`aio threads (128)` served 7.4x more" in conclusion(found)
    row = next(row for row in findings(TEMPLATE, found).figures if row.label == "Requests per second for the hot file")
    assert [cell.article for cell in row.cells] == ["8.08 requests/s", None, "250.57 requests/s", None]
    assert row.cells[0].yours == "20.4 requests/s"


def test_needs_follow_the_form() -> None:
    def whats(**values: Any) -> list[str]:
        return [need.what for need in TEMPLATE.needs(TEMPLATE.complete(values)) if need.must]

    assert whats(cold="evict") == ["an nginx built --with-threads"]
    assert "a loop device that can be slowed down" in whats(cold="throttle")
    assert "less memory than the 256 GiB of data" in whats(cold="no", files=65_536, file_kib=4096)
