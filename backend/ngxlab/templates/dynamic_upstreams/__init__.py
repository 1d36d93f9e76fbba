"""Dynamic upstreams: what changes of upstream groups do to those who are served meanwhile.

Source: "dyups模块对nginx性能影响的测试" (a test of how the dyups module affects nginx), CSDN, in Chinese.
"""

from collections.abc import Mapping

from ngxlab.core.errors import FieldProblem
from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.loads import OpenLoop
from ngxlab.definition.schema.nginx import DynamicUpstreams, NginxTemplate, UpstreamGroup
from ngxlab.definition.schema.perturbations import Churn, Every, Perturbation
from ngxlab.definition.schema.plan import Plan
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import Slow, UpstreamServer
from ngxlab.templates.base import Label, Source, Template
from ngxlab.templates.dynamic_upstreams.charts import CHARTS
from ngxlab.templates.dynamic_upstreams.conclusion import conclude
from ngxlab.templates.dynamic_upstreams.figures import FIGURES
from ngxlab.templates.dynamic_upstreams.needs import needs
from ngxlab.templates.dynamic_upstreams.parameters import PARAMETERS
from ngxlab.templates.dynamic_upstreams.presets import PRESETS
from ngxlab.templates.dynamic_upstreams.sweep import baseline_of, factors_of, health_check_variables, term
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers
from ngxlab.templates.needs import Need

_QUESTION = (
    "From how many changed nodes on do updates of upstreams keep nginx from serving, "
    "and how long does it take to recover?"
)

_MECHANISM = """\
With dyups, upstream groups change while nginx runs: a call of its interface puts the change into shared memory, and \
every worker looks there by a timer of its own (`dyups_read_msg_timeout`) and applies what is new. It does so under \
one lock that all workers share, and a worker that waits for the lock serves nobody. If an update takes longer than \
the interval divided by the number of workers, they must get into each other's way, the article reasons, and each \
further change makes it worse. Here a cluster of its own changes, nobody asks it for anything, and a constant rate of \
requests goes to another one: what these requests feel is the waiting for the lock, and nothing else.

Where Lua plays dyups on a stock nginx, an update of 10,000 nodes takes some milliseconds, so nothing blocks by \
itself. How long an update holds the lock is therefore *simulated*: so many microseconds for each changed node, and \
as many more for each 1000 nodes in all as a health-check module takes that looks through all of them for each node \
added. The worker does not compute but sleeps while it holds the lock, with its event loop stopped: on a small machine \
the others must lack the lock, not the CPU. A group's first filling costs nothing. Workers' timers start together and \
drift apart as they wait, as in Tengine before 2.3.3; later ones start at random, and do not wait for the lock at all \
where the health-check module is compiled in. Changes through a file and a reload replace all workers instead."""

_SERVER = """\
keepalive_requests 1000000000;
location / {
    proxy_pass {{ upstream("service") }};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
}"""

SERVICE, CHANGING, OTHERS = "service", "changing", "others"


class DynamicUpstreamsTemplate(Template):
    key = "dynamic-upstreams"
    title = "Dynamic upstreams"
    summary = (
        "Upstream groups change while requests come at a constant rate: who waits, from when on, and for how long."
    )
    question = _QUESTION
    mechanism = _MECHANISM
    source = Source(title="A test of the dyups module's effect on nginx (in Chinese)", published="2020")
    parameters = PARAMETERS
    presets = PRESETS
    charts = CHARTS
    figures = FIGURES

    def problems_across(self, values: dict[str, LevelValue]) -> list[FieldProblem]:
        problems = []
        fewest = max(numbers(values["changed_nodes"])) + int(values["instances"]) + 1
        if min(numbers(values["total_nodes"])) < fewest:
            message = f"must be at least {fewest}: what changes, what serves, and one more"
            problems.append(FieldProblem(field="parameters.total_nodes", message=message))
        if values["health_checks"] != "none" and values["through"] != "tengine":
            message = "active health checks are a module of Tengine; choose none"
            problems.append(FieldProblem(field="parameters.health_checks", message=message))
        busy = float(values["rate_per_s"]) * float(values["delay_ms"]) / 1000
        if float(values["connections"]) < busy:
            message = f"{busy:g} requests are under way at once at this rate and delay; give at least as many"
            problems.append(FieldProblem(field="parameters.connections", message=message))
        return problems

    def build(self, values: dict[str, LevelValue]) -> Definition:
        factors = factors_of(values)
        connections, fewest_workers = int(values["connections"]), int(min(numbers(values["workers"])))
        return Definition(
            question=_QUESTION,
            template=TemplateOrigin(key=self.key, parameters=values),
            factors=factors,
            baseline=baseline_of(factors),
            nginx=NginxTemplate(
                workers=_number(term(values, "workers")),
                # Each connection may have one to the service, some more are kept for later, and no share is exact.
                worker_connections=2048 + 3 * connections // fewest_workers,
                # Connections are spread evenly, or one worker's waiting would count for more than another's.
                listen_options="reuseport",
                server=_SERVER,
                upstreams=_upstreams(values),
            ),
            upstream_servers=[
                UpstreamServer(
                    key=SERVICE,
                    slot="upstream",
                    instances=int(values["instances"]),
                    workers=int(values["service_workers"]),
                    behaviour=Slow(delay_ms=float(values["delay_ms"])),
                )
            ],
            streams=[
                Stream(
                    key="requests",
                    engine="open-loop",
                    connections=connections,
                    open_loop=OpenLoop(rate_per_s=int(values["rate_per_s"])),
                )
            ],
            perturbations=[_churn(values)],
            plan=_plan(values),
        )

    def needs(self, values: dict[str, LevelValue]) -> list[Need]:
        return needs(values)

    def labels(self, evidence: Evidence) -> list[Label]:
        if not _is_simulated(evidence.parameters):
            return []
        text = (
            "How long an update holds the lock is simulated; that workers wait for it, and what clients feel, is not."
        )
        return [Label(key="simulated", label="Simulated lock", help=text)]

    def conclude(self, evidence: Evidence) -> list[str]:
        return conclude(evidence)


def _upstreams(values: Mapping[str, LevelValue]) -> DynamicUpstreams:
    changed, total = term(values, "changed_nodes"), term(values, "total_nodes")
    instances = int(values["instances"])
    lua = values["through"] == "lua"
    checks = {name: f"{{{{ {name} }}}}" for name in health_check_variables("none")}
    if values["health_checks"] != "compare":
        checks = {name: str(value) for name, value in health_check_variables(str(values["health_checks"])).items()}
    return DynamicUpstreams.model_validate(
        {
            "through": values["through"],
            "groups": [
                UpstreamGroup(key=SERVICE, nodes=instances, server=SERVICE, health_check=checks["check_others"]),
                UpstreamGroup(
                    key=CHANGING, nodes=_number(changed), server=SERVICE, health_check=checks["check_changing"]
                ),
                UpstreamGroup(
                    key=OTHERS,
                    nodes=_number(f"{total} - {changed} - {instances}"),
                    server=SERVICE,
                    health_check=checks["check_others"],
                ),
            ],
            "read_interval_ms": int(values["read_interval_ms"]),
            "lock_us_per_node": _number(f"{values['lock_us']} + {values['lock_check_us']} * {total} / 1000")
            if lua
            else 0,
            "trylock": bool(values["trylock"]) and values["through"] != "reload",
        }
    )


def _number(expression: str) -> int | float | str:
    """Plain numbers stand as such in a definition, anything else as an expression."""
    try:
        number = float(expression)
    except ValueError:
        return f"{{{{ {expression} }}}}"
    return int(number) if number == int(number) else number


def _is_simulated(parameters: Mapping[str, LevelValue]) -> bool:
    return parameters.get("through") == "lua" and any(parameters.get(n) for n in ("lock_us", "lock_check_us"))


TEMPLATE = DynamicUpstreamsTemplate()


def _churn(values: dict[str, LevelValue]) -> Perturbation:
    """Changes of one group: from the end of the baseline's seconds on, for as long as the churn lasts."""
    baseline_s = float(values["baseline_s"])
    return Perturbation(
        key="churn",
        when=Every(
            every_s=_number(term(values, "churn_interval_s")),
            from_s=baseline_s,
            until_s=_number(f"{baseline_s:g} + {term(values, 'churn_s')}"),
        ),
        action=Churn(group=CHANGING),
    )


def _plan(values: dict[str, LevelValue]) -> Plan:
    """The measured window has room for the longest churn."""
    return Plan(
        blocks=int(values["blocks"]),
        warmup_s=float(values["warmup_s"]),
        measure_s=float(values["baseline_s"]) + max(numbers(values["churn_s"])) + float(values["recovery_s"]),
        cooldown_s=float(values["cooldown_s"]),
        interval_ms=int(values["interval_ms"]),
    )
