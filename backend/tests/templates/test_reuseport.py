"""The words of the reuseport template, each on its own evidence."""

from collections.abc import Mapping
from typing import Any

from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.findings import findings
from ngxlab.templates.registry import template
from templates.measured import (
    analysed,
    check,
    conclusion,
    evidence,
    first_block,
    latency,
    shared,
    varying,
    voided,
)

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


def test_claims_stand_in_the_headline_and_what_explores_below_it() -> None:
    found = measured()
    headline, text = found.analysis.headline, conclusion(found)
    assert "Equivalent: requests/s differ by less than 2 % between `reuseport` and `accept_mutex on`" in headline
    assert "Better: the workers of `reuseport` shared CPU more evenly than those of `accept_mutex on`" in headline
    assert "Exploratory, lower: standard deviation of latency is 88" in text
    assert "requests/s differ" not in text
    assert "more evenly" not in text


def test_undecided_latencies_claim_nothing() -> None:
    text = conclusion(varying(measured(sharded_p99_ms=6), (1, 3, 0.3, 2, 0.1)))
    assert "standard deviation" not in text
    assert "worst case" not in text


def test_one_block_claims_nothing() -> None:
    text = conclusion(first_block(measured(sharded_p99_ms=6)))
    assert "Exploratory" not in text
    assert "worst case" not in text


def test_a_check_that_voids_latency_leaves_the_balance() -> None:
    found = voided(measured(sharded_p99_ms=6), "throughput", "latency")
    text = conclusion(found)
    assert text.startswith("No conclusion on throughput and latency: broken, in 9 of 9 trials: broken.")
    assert "worst case" not in text
    assert "standard deviation" not in text
    assert "more evenly" in found.analysis.headline


def test_the_limit_of_shared_cores_is_said_where_they_were_shared() -> None:
    assert "before you claim a rate" in conclusion(measured())
    saturated = analysed(measured().definition, measured().trials, [check("generator-saturated")])
    assert "before you claim a rate" not in conclusion(saturated)


def test_the_worst_case_is_said_only_where_it_got_worse() -> None:
    assert "Cloudflare" not in conclusion(measured())
    text = conclusion(measured(sharded_p99_ms=6))
    assert "p99 is 3.000 times as high with `reuseport` as with `accept_mutex off`" in text
    assert "`reuseport` made the worst case worse" in text
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
