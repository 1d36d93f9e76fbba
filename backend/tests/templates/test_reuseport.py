"""The words of the reuseport template, each on its own evidence."""

from collections.abc import Mapping
from typing import Any

from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.findings import findings
from ngxlab.templates.registry import template
from templates.measured import check, evidence, latency, shared

TEMPLATE = template("reuseport")


def definition(**parameters: Any) -> Definition:
    return TEMPLATE.build(TEMPLATE.complete(parameters))


def measured(*, sharded_p99_ms: float = 2, **parameters: Any) -> Evidence:
    """mutex-on leaves all to one worker; reuseport spreads and, if asked for, has a worse p99."""

    def figures(arm: ArmDefinition) -> Mapping[str, Any]:
        if arm.key == "mutex-on":
            return {"requests_per_s": 1000.0, "latency": latency(1, 2, stdev_ms=26.6)} | shared([97, 1, 1, 1], 1.7)
        if arm.key == "mutex-off":
            return {"requests_per_s": 1000.0, "latency": latency(1, 2, stdev_ms=26.6)} | shared([40, 30, 10, 20], 0.5)
        spread = latency(1, sharded_p99_ms, stdev_ms=3.1)
        return {"requests_per_s": 1000.0, "latency": spread} | shared([25, 25, 26, 24], 0.1)

    return evidence(definition(**parameters), figures, checks=[check("shared-cores")])


def conclusion(found: Evidence) -> str:
    return "\n".join(TEMPLATE.conclude(found))


def test_balance_spread_and_rate_are_said_apart() -> None:
    text = conclusion(measured())
    assert "`accept_mutex on` left most of the work to few of its workers (CV of CPU 1.70" in text
    assert "`accept_mutex off` shared the work unevenly among its workers" in text
    assert "`reuseport` shared the work evenly among its workers" in text
    assert "latency's standard deviation fell 88 % against `accept_mutex on`" in text
    assert "equivalent in requests/s" in text


def test_no_rate_is_claimed_where_the_generator_shares_the_cores() -> None:
    assert "before you claim a rate" in conclusion(measured())


def test_the_worst_case_is_said_only_where_it_got_worse() -> None:
    assert "Cloudflare" not in conclusion(measured())
    text = conclusion(measured(sharded_p99_ms=6))
    assert "`reuseport` made the worst case worse: p99 against `accept_mutex off` 3.0x" in text
    assert "Cloudflare" in text


def test_keep_alive_does_not_show_what_accepting_costs() -> None:
    assert "not what accepting costs" in conclusion(measured())
    assert "not what accepting costs" not in conclusion(measured(connection_mode="close"))


def test_https_is_terminated_by_the_nginx_under_test() -> None:
    assert definition(protocol="https").nginx.tls
    assert not definition().nginx.tls


def test_the_articles_figures_stand_beside_the_runs_own() -> None:
    rows = {row.label: row for row in findings(TEMPLATE, measured()).figures}
    spread = {cell.arm: (cell.article, cell.yours) for cell in rows["Latency, standard deviation"].cells}
    assert spread["reuseport"] == ("3.15 ms", "3.1 ms")
    busy = {cell.arm: cell.yours for cell in rows["CPU of the least and the most busy worker"].cells}
    assert busy == {"mutex-on": "1 to 97 %", "mutex-off": "10 to 40 %", "reuseport": "24 to 26 %"}
    rate = {cell.arm: cell.yours for cell in rows["Requests per second, against accept_mutex on"].cells}
    assert rate["mutex-on"] == "1x"


def test_a_chart_is_drawn_or_named_as_missing() -> None:
    found = findings(TEMPLATE, measured())
    drawn, missing = {chart.title for chart in found.charts}, {chart.title for chart in found.missing}
    assert drawn
    assert not drawn & missing
    assert drawn | missing == {spec.title for spec in TEMPLATE.charts}


def test_workers_are_drawn_from_the_busiest_on() -> None:
    chart = next(chart for chart in findings(TEMPLATE, measured()).charts if chart.key == "cpu-by-rank")
    assert chart.kind == "line"
    line = next(line for line in chart.lines if line.label == "accept_mutex off")
    assert [point.y for point in line.points] == [40, 30, 20, 10]
