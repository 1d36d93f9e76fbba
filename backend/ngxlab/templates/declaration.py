"""A template's declarations: its ``template.toml``, with what all templates share filled in."""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

Table = dict[str, Any]
"""Of a TOML file, as read. The models that it is for check it."""


def declaration(package: str) -> Table:
    """Of the template in this package."""
    said = _read(package, "template.toml")
    said["parameters"] = [*said["parameters"], *_plan_fields(said)]
    said["presets"] = list(_presets(said["presets"]))
    if (swept := said.pop("swept", None)) is not None:
        said["charts"] = [chart for spec in said["charts"] for chart in _where_swept(spec, swept)]
    return said


def _read(package: str, name: str) -> Table:
    return tomllib.loads((files(package) / name).read_text())


def _plan_fields(said: Table) -> Iterator[Table]:
    """``[plan]``: defaults that differ from the shared ones; false: the template has no such field."""
    shared, own = _read("ngxlab.templates", "plan.toml"), said.pop("plan")
    for parameter in shared["parameters"]:
        default = own.get(parameter["name"], parameter["default"])
        if default is not False:
            yield {**parameter, "default": default}
    if "factors" in said:
        choices = [{"value": level["key"], "label": level["label"]} for level in said["factors"][0]["levels"]]
        article_value = said.pop("article_baseline", None)
        yield {**shared["baseline"], "choices": choices, "default": choices[0]["value"], "article_value": article_value}


def _presets(presets: list[Table]) -> Iterator[Table]:
    """``like``: another preset, whose values it has where it says nothing else."""
    values: dict[str, Mapping[str, object]] = {}
    for preset in presets:
        values[preset["key"]] = {**values.get(preset.pop("like", ""), {}), **preset["values"]}
        yield {**preset, "values": values[preset["key"]]}


def _where_swept(chart: Table, swept: Table) -> Iterator[Table]:
    """Bars of a quantity, and the lines over ``swept`` that stand in their place where that factor has levels."""
    if "quantity" not in chart:
        yield chart
        return
    marks = {"marks": chart.pop("marks")} if "marks" in chart else {}
    yield {**chart, "unless_swept": swept["factor"]}
    over = {name: value for name, value in swept.items() if name != "suffix"}
    yield {**chart, **over, **marks, "key": f"{chart['key']}-{swept['suffix']}"}
