"""Dynamic upstreams: how changes of upstream groups affect requests that are served meanwhile.

Source: "dyups模块对nginx性能影响的测试" (a test of how the dyups module affects nginx), CSDN, in Chinese.
"""

from collections.abc import Mapping

from ngxlab_contracts.sentences import Sentence

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
    "How many nodes must change before updates of upstreams keep nginx from serving, "
    "and how long does it take to recover?"
)

_MECHANISM = """\
With dyups, upstream groups change while nginx runs: a call of its API puts the change into shared memory, where every \
worker looks by its own timer (`dyups_read_msg_timeout`) and then applies what is new. It does so under one lock that \
all workers share, and a worker that waits for the lock serves no request. If an update takes longer than the interval \
divided by the number of workers, the article reasons, the workers must block each other, and each further change \
makes it worse. Here one group changes that receives no requests, while requests at a constant rate go to another \
one: what delays them is the wait for the lock, and nothing else.

Where Lua replaces dyups on a stock nginx, an update of 10,000 nodes takes some milliseconds, so nothing blocks by \
itself. The time for which an update holds the lock is therefore *simulated*: a number of microseconds for each \
changed node, and for each 1000 nodes in all a further number, which is what a health-check module costs that searches \
all nodes for each node added. While it holds the lock, the worker does not compute but sleeps, with its event loop \
stopped: on a small machine the others must lack the lock, not the CPU. Filling a group for the first time costs \
nothing. The workers' timers start together and drift apart as they wait, as in Tengine before 2.3.3. In later \
versions they start at random, and workers do not wait for the lock at all if the health-check module is compiled in. \
With a file and a reload instead of dyups, each change replaces all workers."""

_SERVER = """\
keepalive_requests 1000000000;
location / {
    proxy_pass {{ upstream("service") }};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
}"""

SERVICE, CHANGING, OTHERS = "service", "changing", "others"

_SIMULATED = Label(
    key="simulated",
    label="Simulated lock",
    help="The time for which an update holds the lock is simulated. The workers' wait and its effect are real.",
)


class DynamicUpstreamsTemplate(Template):
    key = "dynamic-upstreams"
    title = "Dynamic upstreams"
    summary = (
        "Upstream groups change while requests arrive at a constant rate: how many requests wait, and for how long?"
    )
    question = _QUESTION
    mechanism = _MECHANISM
    source = Source(title="A test of the dyups module's effect on nginx (in Chinese)", published="2020")
    parameters = PARAMETERS
    presets = PRESETS
    charts = CHARTS
    figures = FIGURES
    primary = ("churn_p99_during_us", "churn_excess_latency_ms_s")

    def problems_across(self, values: dict[str, LevelValue]) -> list[FieldProblem]:
        problems = []
        fewest = max(numbers(values["changed_nodes"])) + int(values["instances"]) + 1
        if min(numbers(values["total_nodes"])) < fewest:
            message = f"must be at least {fewest}: the changing nodes, the serving ones, and one more"
            problems.append(FieldProblem(field="parameters.total_nodes", message=message))
        if values["health_checks"] != "none" and values["through"] != "tengine":
            message = "must be none unless upstreams change through Tengine, which has the module for them"
            problems.append(FieldProblem(field="parameters.health_checks", message=message))
        busy = float(values["rate_per_s"]) * float(values["delay_ms"]) / 1000
        if float(values["connections"]) < busy:
            message = f"must be at least {busy:g}, the number of requests in progress at this rate and delay"
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
                workers=_whole(term(values, "workers")),
                # Each connection may need one to the service, some are kept for reuse, and the split is never exact.
                worker_connections=2048 + 3 * connections // fewest_workers,
                # Connections are spread evenly; otherwise some workers' waits would count for more than others'.
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
        return [_SIMULATED] if _is_simulated(evidence.parameters) else []

    def conclude(self, evidence: Evidence) -> list[Sentence]:
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
                    key=CHANGING, nodes=_whole(changed), server=SERVICE, health_check=checks["check_changing"]
                ),
                UpstreamGroup(
                    key=OTHERS,
                    nodes=_whole(f"{total} - {changed} - {instances}"),
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
    """A plain number for a number, else an expression."""
    try:
        number = float(expression)
    except ValueError:
        return f"{{{{ {expression} }}}}"
    return int(number) if number == int(number) else number


def _whole(expression: str) -> int | str:
    """The same where only a whole number has a meaning."""
    return int(expression) if expression.isdigit() else f"{{{{ {expression} }}}}"


def _is_simulated(parameters: Mapping[str, LevelValue]) -> bool:
    return parameters.get("through") == "lua" and any(parameters.get(n) for n in ("lock_us", "lock_check_us"))


TEMPLATE = DynamicUpstreamsTemplate()


def _churn(values: dict[str, LevelValue]) -> Perturbation:
    """Changes of one group: they start after the seconds of the baseline and last as long as the churn."""
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
    """A measured window with room for the longest churn."""
    return Plan(
        blocks=int(values["blocks"]),
        warmup_s=float(values["warmup_s"]),
        measure_s=float(values["baseline_s"]) + max(numbers(values["churn_s"])) + float(values["recovery_s"]),
        cooldown_s=float(values["cooldown_s"]),
        interval_ms=int(values["interval_ms"]),
    )
