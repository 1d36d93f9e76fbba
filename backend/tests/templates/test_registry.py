"""A template is one folder: another one is found, runs and reports without a change anywhere else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ngxlab.templates as package
import pytest
from harness import Backend
from ngxlab.core.subprocess_pool.pool import ProcessPool
from ngxlab.experiments import preview_work
from ngxlab.templates.registry import templates

SIXTH = '''
"""A sixth template, with everything that one has."""

from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import Factor, Level
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream
from ngxlab.templates.base import Label, Template
from ngxlab.templates.charts import LevelLine
from ngxlab.templates.evidence import metric
from ngxlab.templates.needs import Cores, NginxModule
from ngxlab.templates.form import plan_of

RATE = metric("requests_per_s")
LINES = [
    LevelLine(key="over", title="Over", why="Why.", quantity=RATE, factor="size", variable="size",
              x_title="Size", regression=True),
]


class Sixth(Template):
    def build(self, values):
        levels = [Level(key=size, label=size, variables={"size": int(size)}) for size in values["sizes"].split(", ")]
        return Definition(
            question=self.question,
            template=TemplateOrigin(key=self.key, parameters=values),
            factors=[Factor(key="size", label="Size", levels=levels)],
            baseline=levels[0].key,
            nginx=NginxTemplate(workers=1, worker_connections=64, server='return 200 "{{ size }}";'),
            streams=[Stream(key="load", connections=2)],
            plan=plan_of(values),
        )

    def needs(self, values):
        return [
            Cores(count=64, why="Why.", remedy="Buy some.", must=False),
            NginxModule(module="http_stub_status_module", why="Why.", remedy="Rebuild."),
        ]

    def labels(self, evidence):
        return [Label(key="simulated", label="Simulated", help="Not real.")]

    def conclude(self, evidence):
        rates = [evidence.mean(arm, RATE) for arm in evidence.arms]
        return [f"Rates: {', '.join(f'{rate:.0f}' for rate in rates)}."]


TEMPLATE = Sixth.load({"rate": lambda evidence, arm: f"{evidence.mean(arm, RATE):,.0f} requests/s"}, LINES)
'''
DECLARED = """
key = "sixth"
title = "Sixth"
summary = "A summary."
question = "Does it work?"
mechanism = "It does."
source = { title = "An article", published = "2026" }
plan = { blocks = 1 }

[[parameters]]
name = "sizes"
section = "Load"
label = "Sizes"
help = ""
kind = "integers"
default = "1, 2"
minimum = 1

[[presets]]
key = "compact"
label = "Compact"
help = ""
values = { blocks = 1, warmup_s = 1, measure_s = 2 }

[[charts]]
key = "rate"
title = "Rate"
why = "Why."
quantity = "requests_per_s"

[[charts]]
key = "time"
title = "Time"
why = "Why."
series = "requests_per_s_nginx"

[[figures]]
label = "Rate"
where = "table 1"
article.size.1 = "17"
yours = "rate"
"""


@pytest.fixture
def sixth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The folder lies among the templates for the length of a test. The processes in which definitions are worked out
    began before; this one does their jobs meanwhile."""

    async def here(_: ProcessPool, job: str, text: str) -> str:
        done: str = getattr(preview_work, job)(text)
        return done

    monkeypatch.setattr(ProcessPool, "run", here)
    (tmp_path / "sixth").mkdir()
    (tmp_path / "sixth" / "__init__.py").write_text(SIXTH)
    (tmp_path / "sixth" / "template.toml").write_text(DECLARED)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    templates.cache_clear()
    yield
    templates.cache_clear()


@pytest.fixture
def report(sixth: None, backend: Backend) -> dict[str, Any]:
    """The report of a finished run of it, as a reader of a shared link gets it."""
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    values = person.client.get("/templates/sixth").json()["presets"][0]["values"]
    body = {"name": "Sixth", "template_key": "sixth", "parameters": values}
    experiment = person.client.post("/experiments", json=body).raise_for_status().json()
    run = person.client.post(f"/experiments/{experiment['id']}/runs", json={"host_id": str(agent.host_id)}).json()
    coordinator.lease(run["id"]).raise_for_status()
    while (step := coordinator.next(run["id"]))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    token = person.client.post(f"/runs/{run['id']}/shares", json={}).json()["url"].rpartition("/")[2]
    found: dict[str, Any] = backend.client().get(f"/shared/{token}").raise_for_status().json()
    return found


def test_its_page_says_what_it_needs_and_what_it_shows(sixth: None, backend: Backend) -> None:
    client = backend.person().client
    assert "sixth" in [item["key"] for item in client.get("/templates").json()["items"]]
    detail = client.get("/templates/sixth").json()
    assert [need["what"] for need in detail["needs"]] == ["64 CPUs or more", "an nginx with http_stub_status_module"]
    assert [chart["key"] for chart in detail["charts"]] == ["over", "rate", "time"]
    body = {"name": "Three", "template_key": "sixth", "parameters": {"sizes": "1, 2, 3"}}
    made = client.post("/experiments", json=body).raise_for_status().json()
    assert len(made["arms"]) == 3


def test_its_findings_are_in_the_report(report: dict[str, Any]) -> None:
    found = report["findings"]
    first = found["conclusion"][0]["text"]  # two connections were planned, and ten were open
    assert first.startswith("No conclusion on throughput and latency: not all planned connections were open, in 2 of 2")
    assert [label["key"] for label in found["labels"]] == ["simulated"]
    over, bars, time = found["charts"]
    assert [round(bar["mean"]) for bar in bars["bars"]] == [1000, 1000]
    assert [point["x"] for point in over["lines"][0]["points"]] == [1, 2]
    trials = {trial["trial"]["id"] for trial in report["trials"]}
    assert {trial["trial_id"] for trial in time["trials"]} == trials
    cells = {cell["arm"]: (cell["article"], cell["yours"]) for cell in found["figures"][0]["cells"]}
    assert cells == {"1": ("17", "1,000 requests/s"), "2": (None, "1,000 requests/s")}
