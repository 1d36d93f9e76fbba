"""Dynamic upstreams: how changes of upstream groups affect requests that are served meanwhile.

Source: "dyups模块对nginx性能影响的测试" (a test of how the dyups module affects nginx), CSDN, in Chinese.
"""

from collections.abc import Iterator, Mapping

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.nginx import DynamicUpstreams, NginxTemplate, UpstreamGroup
from ngxlab.definition.schema.perturbations import Churn, Every, Perturbation
from ngxlab.definition.schema.streams import OpenLoop, Stream
from ngxlab.definition.schema.upstream_servers import Slow, UpstreamServer
from ngxlab.templates.base import Label, Template
from ngxlab.templates.dynamic_upstreams.conclusion import conclude
from ngxlab.templates.dynamic_upstreams.model import against_threshold, thresholds
from ngxlab.templates.dynamic_upstreams.quantities import ERRORS
from ngxlab.templates.dynamic_upstreams.sweep import baseline_of, factors_of, health_check_variables, term
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers, plan_of
from ngxlab.templates.needs import AnotherHost, Need, NginxModule

_SERVER = """\
keepalive_requests 1000000000;
location / {
    proxy_pass {{ upstream("service") }};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
}"""

SERVICE, CHANGING, OTHERS = "service", "changing", "others"

_LUA = "Install libnginx-mod-http-lua there; the agent finds it."
_SIMULATED = Label(
    key="simulated",
    label="Simulated lock",
    help="The time for which an update holds the lock is simulated. The workers' wait and its effect are real.",
)


class DynamicUpstreamsTemplate(Template):
    def problems_across(self, values: dict[str, LevelValue]) -> Iterator[tuple[str, Sentence]]:
        fewest = max(numbers(values["changed_nodes"])) + int(values["instances"]) + 1
        if min(numbers(values["total_nodes"])) < fewest:
            message = "must be at least {fewest}: the changing nodes, the serving ones, and one more"
            yield "total_nodes", say(message, fewest=fewest)
        if values["health_checks"] != "none" and values["through"] != "tengine":
            yield (
                "health_checks",
                say("must be none unless upstreams change through Tengine, which has the module for them"),
            )
        busy = float(values["rate_per_s"]) * float(values["delay_ms"]) / 1000
        if float(values["connections"]) < busy:
            message = "must be at least {busy:g}, the number of requests in progress at this rate and delay"
            yield "connections", say(message, busy=busy)

    def build(self, values: dict[str, LevelValue]) -> Definition:
        factors = factors_of(values)
        before_s, after_s = float(values["baseline_s"]), float(values["recovery_s"])
        connections, fewest_workers = int(values["connections"]), int(min(numbers(values["workers"])))
        return Definition(
            question=self.question,
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
            # The measured window has room for the longest churn.
            plan=plan_of(values | {"measure_s": before_s + max(numbers(values["churn_s"])) + after_s}),
        )

    def needs(self, values: dict[str, LevelValue]) -> list[Need]:
        """Tengine's modules have several names, so the checks before every run look for them instead."""
        all_needs: list[Need] = [
            NginxModule(slot="upstream", module="http_lua_module", why="The service sleeps by Lua.", remedy=_LUA),
            AnotherHost(
                slot="generator",
                why="The article's clients were on another server; here they take CPU that workers lack after each "
                "wait.",
                remedy="Choose another host for the slot generator.",
                must=False,
            ),
        ]
        if values["through"] == "lua":
            all_needs.insert(0, NginxModule(module="http_lua_module", why="Lua replaces dyups.", remedy=_LUA))
        return all_needs

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


TEMPLATE = DynamicUpstreamsTemplate.load(
    {"thresholds": thresholds, "against_threshold": against_threshold, ERRORS.info.key: ERRORS}
)
