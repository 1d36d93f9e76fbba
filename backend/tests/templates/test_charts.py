"""Charts and their data, from figures whose answers are known."""

import pytest
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition, Factor, Level
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.plan import Plan
from ngxlab.definition.schema.streams import Stream
from ngxlab.templates.chart_data import Line, Mark, Point
from ngxlab.templates.charts import ArmBars, CustomLines, LevelLine, TimeSeries
from ngxlab.templates.evidence import Evidence, metric
from templates.measured import evidence

RATE = metric("requests_per_s")
OVER_NODES = LevelLine(
    key="over",
    title="Over",
    why="Why.",
    quantity=RATE,
    factor="nodes",
    variable="nodes",
    x_title="Nodes",
    regression=True,
    marks=lambda _: [Mark(axis="x", at=350, label="predicted", simulated=True)],
)


def experiment(nodes: tuple[int, ...] = (300, 100, 200)) -> Definition:
    return Definition(
        question="",
        factors=[
            Factor(
                key="nodes",
                label="Nodes",
                levels=[Level(key=f"n{count}", label=str(count), variables={"nodes": count}) for count in nodes],
            ),
            Factor(key="check", label="Check", levels=[Level(key="on", label="on"), Level(key="off", label="off")]),
        ],
        baseline=f"n{nodes[0]}.on",
        nginx=NginxTemplate(workers=1, worker_connections=64, server="return 204;"),
        streams=[Stream(key="load", connections=1)],
        plan=Plan(blocks=3, warmup_s=0, measure_s=1),
    )


def measured(definition: Definition) -> Evidence:
    """Ten requests/s a node, half of it with the check on."""

    def figures(arm: ArmDefinition) -> dict[str, float]:
        nodes = int(arm.levels["nodes"][1:])
        return {"requests_per_s": 10.0 * nodes if arm.levels["check"] == "off" else 5.0 * nodes}

    return evidence(definition, figures, noise=(1.0, 1.0, 1.0))


def test_a_level_line_has_a_line_for_each_level_of_the_others() -> None:
    chart = OVER_NODES.draw(measured(experiment()))
    assert chart is not None
    assert {line.label: [(point.x, round(point.y)) for point in line.points] for line in chart.lines} == {
        "on": [(100, 500), (200, 1000), (300, 1500)],
        "off": [(100, 1000), (200, 2000), (300, 3000)],
    }
    assert chart.marks[0].at == 350


def test_its_regression_finds_the_slope() -> None:
    chart = OVER_NODES.draw(measured(experiment()))
    assert chart is not None
    slopes = {line.label: line.regression for line in chart.lines}
    assert slopes["off"] is not None
    assert slopes["off"].slope == pytest.approx(10)
    assert slopes["off"].ci_low <= 10.000001
    assert slopes["off"].ci_high >= 9.999999
    assert slopes["off"].points == 9


def test_a_single_level_makes_no_line() -> None:
    assert OVER_NODES.draw(measured(experiment((100,)))) is None


def test_bars_leave_out_arms_without_the_figure() -> None:
    found = evidence(experiment(), lambda arm: {"requests_per_s": 5.0} if arm.key == "n100.on" else {})
    chart = ArmBars(key="rate", title="Rate", why="Why.", quantity=RATE).draw(found)
    assert chart is not None
    assert [bar.arm for bar in chart.bars] == ["n100.on"]
    nothing = ArmBars(key="cv", title="CV", why="Why.", quantity=metric("worker_cpu_cv"))
    assert nothing.draw(found) is None


def test_a_time_series_shows_the_trial_of_the_median_block() -> None:
    found = evidence(experiment(), lambda _: {"requests_per_s": 5.0}, noise=(2.0, 1.0, 3.0))
    chart = TimeSeries(key="load_average", title="Load", why="Why.", series="load_average").draw(found)
    assert chart is not None
    assert {trial.block for trial in chart.trials} == {1}
    assert (chart.unit, chart.direction) == ("tasks", "neutral")


def test_lines_of_a_templates_own_are_left_out_when_empty() -> None:
    def lines(_: Evidence) -> list[Line]:
        return [Line(label="empty", points=[]), Line(label="full", points=[Point(x=1, y=2)])]

    spec = CustomLines(key="own", title="Own", why="Why.", x_title="x", y_title="y", unit="", lines=lines)
    chart = spec.draw(measured(experiment()))
    assert chart is not None
    assert [line.label for line in chart.lines] == ["full"]
