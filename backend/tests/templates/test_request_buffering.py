"""The words of the request-buffering template: which property costs."""

from collections.abc import Mapping
from typing import Any

import pytest
from harness import inventory
from ngxlab.core.errors import Invalid
from ngxlab.definition.nginx import config as nginx_config
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.templates.evidence import Evidence, metric
from ngxlab.templates.findings import findings
from ngxlab.templates.registry import template
from ngxlab_contracts.hosts import NginxBinary
from templates.measured import conclusion, evidence, first_block, varying, voided

TEMPLATE = template("request-buffering")
AS_MEASURED = {"on-16k": 3711.0, "on-640k": 13053.0, "off-8k": 6576.0, "off-64k": 11923.0, "off-640k": 13165.0}
SPILLED = 102_887.0


def measured(rates: Mapping[str, float] = AS_MEASURED, *, warnings: bool = True, **parameters: Any) -> Evidence:
    def figures(arm: ArmDefinition) -> Mapping[str, Any]:
        spills = arm.levels["buffering"] == "on-16k"
        own = {
            "disk_written_bytes_per_request": SPILLED if spills else 0.0,
            "write_syscalls_per_request": 29.0 if spills else 15.0 if arm.levels["buffering"] == "off-8k" else 3.0,
            "iowait_percent": 28.0 if spills else 0.3,
        }
        if warnings:
            own["temp_file_warnings_per_1000_requests"] = 1000.0 if spills else 0.0
        return {"requests_per_s": rates[arm.levels["buffering"]], "metric_values": own}

    return evidence(TEMPLATE.build(TEMPLATE.complete(parameters)), figures)


def test_the_temporary_file_and_the_chunks_are_told_apart() -> None:
    text = conclusion(measured())
    worse = "Worse: `buffering, 16k (default)` served 72 % fewer requests/s than `buffering, 640k`"
    lower = "Exploratory, lower: `no buffering, 8k` served 50.0 % fewer requests/s than `no buffering, 640k`"
    alike = (
        "Exploratory, equivalent: requests/s differ by less than 2 % between `buffering, 640k` and `no buffering, 640k`"
    )
    assert f"The temporary file, all else equal. {worse}" in text
    assert f"The size of the chunks, without any file. {lower}" in text
    assert f"Buffering itself, with the whole body in memory. {alike}" in text
    assert "What costs requests/s: the temporary file and chunks of 8k." in text
    assert "What costs less than 2 % of requests/s: buffering itself." in text


def test_the_claim_on_the_temporary_file_is_that_of_the_verdict_seen_from_its_other_side() -> None:
    found = measured()
    spilling, buffered = found.arm({"buffering": "on-16k"}), found.arm({"buffering": "on-640k"})
    assert buffered is not None
    (claimed,) = (one.comparison for one in buffered.metrics if one.metric == "requests_per_s")
    seen = found.compare(spilling, buffered, metric("requests_per_s"))
    assert claimed is not None
    assert seen is not None
    assert (claimed.verdict, seen.verdict) == ("better", "worse")
    assert claimed.ci_low is not None
    assert seen.ci_high == pytest.approx(1 / claimed.ci_low)
    assert seen.family == "primary"


def test_nginxs_warnings_corroborate_the_bytes_on_disk() -> None:
    text = conclusion(measured())
    assert "are higher with `buffering, 16k (default)` than with `buffering, 640k`: 100 KiB against 0 B" in text
    assert "in 3 of 3 trials with `buffering, 16k (default)`, in 0 of 3 trials with `buffering, 640k`" in text
    assert "warned" not in conclusion(measured(warnings=False))


def test_where_all_arms_are_equal_nothing_is_said_to_cost() -> None:
    text = conclusion(measured(dict.fromkeys(AS_MEASURED, 5000.0)))
    assert "What costs less than 2 % of requests/s: the temporary file and chunks of 8k and buffering itself." in text


def test_a_run_that_varies_too_much_acquits_nobody() -> None:
    for found in (varying(measured(), (1, 70, 0.03, 20, 0.01, 4, 0.2)), first_block(measured())):
        text = conclusion(found)
        assert (
            "Undecided whether it costs requests/s: the temporary file and chunks of 8k and buffering itself." in text
        )
        assert "What costs" not in text


def test_a_check_that_voids_the_rate_voids_what_costs() -> None:
    text = conclusion(voided(measured(), "throughput"))
    assert "No conclusion on throughput: broken" in text
    assert "costs" not in text
    assert "served" not in text
    assert "bytes written to disk per request are higher" in text


def test_where_only_chunks_cost_the_file_is_acquitted() -> None:
    text = conclusion(measured(dict.fromkeys(AS_MEASURED, 5000.0) | {"off-8k": 2500.0}))
    assert "What costs requests/s: chunks of 8k." in text
    assert "What costs less than 2 % of requests/s: the temporary file and buffering itself." in text


def test_iowait_is_told_and_not_judged() -> None:
    (line,) = (line for line in conclusion(measured()).splitlines() if "iowait" in line)
    assert line.startswith("Exploratory, higher: iowait is higher with `buffering, 16k (default)`")
    assert "worse" not in line


def test_connections_may_be_swept_and_each_number_has_its_own_reading() -> None:
    found = measured(connections="30, 150")
    assert len(found.arms) == 10
    assert found.definition.baseline == "on-16k.30"
    text = conclusion(found)
    assert "30 connections: The temporary file, all else equal." in text
    assert "150 connections: The temporary file, all else equal." in text
    charts = {chart.key: chart for chart in findings(TEMPLATE, found).charts}
    assert "requests_per_s" not in charts
    over = charts["requests_per_s-by-connections"]
    assert over.kind == "line"
    assert len(over.lines) == 5
    assert [point.x for point in over.lines[0].points] == [30, 150]


def test_with_one_number_of_connections_arms_are_bars() -> None:
    charts = {chart.key for chart in findings(TEMPLATE, measured()).charts}
    assert "requests_per_s" in charts
    assert "requests_per_s-by-connections" not in charts


def test_an_arm_that_was_switched_off_is_not_spoken_of() -> None:
    definition = TEMPLATE.build(TEMPLATE.complete({})).model_dump(mode="json")
    definition["factors"][0]["levels"] = definition["factors"][0]["levels"][:1]
    text = conclusion(evidence(Definition.model_validate(definition), lambda _: {"requests_per_s": 100.0}))
    assert "no buffering" not in text
    assert "cost" not in text


def test_arms_differ_in_two_directives_only() -> None:
    definition = TEMPLATE.build(TEMPLATE.complete({}))
    configs = [nginx_config.render(definition, arm).splitlines() for arm in definition.arms]
    differing = {
        line.strip().split()[0] for lines in zip(*configs, strict=True) for line in lines if len(set(lines)) > 1
    }
    assert differing == {"proxy_request_buffering", "client_body_buffer_size"}


@pytest.mark.parametrize("connections", ["", "10, x", "10, 10", "0", "10,,20", "15, 20"])
def test_a_list_that_makes_no_sense_is_named(connections: str) -> None:
    with pytest.raises(Invalid) as caught:
        TEMPLATE.complete({"connections": connections, "threads": 2})
    assert {problem.field for problem in caught.value.errors} == {"parameters.connections"}


def test_an_older_tengine_has_a_directive_of_its_own() -> None:
    own, stock = (TEMPLATE.complete({"unbuffered_by": by}) for by in ("tengine", "nginx"))
    assert "client_body_postpone_size {{ body_buffer }};" in TEMPLATE.build(own).nginx.server
    assert "client_body_postpone_size" not in TEMPLATE.build(stock).nginx.server
    assert "a Tengine before 2.2" in {need.what for need in TEMPLATE.needs(own)}
    assert "a Tengine before 2.2" not in {need.what for need in TEMPLATE.needs(stock)}


def test_an_older_tengine_has_no_directive_for_requests_of_upstream_connections() -> None:
    """nginx has keepalive_requests in an upstream from 1.15.3 on; Tengine 2.1 is nginx 1.6."""
    own, stock = (TEMPLATE.complete({"unbuffered_by": by}) for by in ("tengine", "nginx"))
    assert "keepalive_requests" not in TEMPLATE.build(own).nginx.http
    assert "keepalive_requests" in TEMPLATE.build(stock).nginx.http


@pytest.mark.parametrize(
    ("version", "fits"),
    [("Tengine/2.1.2 (nginx/1.6.2)", True), ("Tengine/2.2.0 (nginx/1.8.1)", False), ("nginx/1.6.2", False)],
)
def test_only_versions_that_heed_the_directive_fit(version: str, fits: bool) -> None:
    need = next(
        need for need in TEMPLATE.needs(TEMPLATE.complete({"unbuffered_by": "tengine"})) if "Tengine" in need.what
    )
    binary = NginxBinary(path="/opt/nginx", version=version, configure_arguments=[], modules=[], sha256="0")
    assert need.check({"target": inventory(nginx=[binary])}, "den").ok is fits


def test_without_sync_nothing_disturbs() -> None:
    assert TEMPLATE.build(TEMPLATE.complete({"sync_every_s": 0})).perturbations == []
