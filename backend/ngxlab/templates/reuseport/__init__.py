"""reuseport: how the kernel and nginx share new connections among workers.

Source: "Socket Sharding in NGINX Release 1.9.1", nginx.com, 2015.
"""

from ngxlab_contracts.sentences import Sentence

from ngxlab.core.errors import FieldProblem
from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import Factor, Level, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream
from ngxlab.templates.base import Source, Template
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.needs import AnotherHost, Cores, Need
from ngxlab.templates.plan_parameters import plan_of
from ngxlab.templates.reuseport.charts import CHARTS
from ngxlab.templates.reuseport.conclusion import conclude
from ngxlab.templates.reuseport.figures import FIGURES
from ngxlab.templates.reuseport.parameters import PARAMETERS, PRESETS

_QUESTION = "Does `reuseport` spread connections over the workers more evenly, and does that serve more requests?"

_MECHANISM = """\
With `accept_mutex on`, workers take turns at one listening socket: the worker that holds the mutex accepts, and on a \
fast local link that is often the same one again and again. With `accept_mutex off`, all workers wait on the same \
socket and the kernel wakes some of them. With `reuseport`, every worker has a listening socket of its own and the \
kernel hashes each connection to one of them. A keep-alive connection stays with the worker that accepted it, so an \
uneven start lasts; with `Connection: close` every request goes through the accept path again. The same mechanism may \
also have the opposite effect: a connection hashed to a busy worker waits for it while others are idle, so the worst \
case can get worse (Cloudflare, "Why does one NGINX worker take all the load?")."""


def _levels() -> list[Level]:
    return [
        Level(key="mutex-on", label="accept_mutex on", variables={"accept_mutex": "on", "listen": ""}),
        Level(key="mutex-off", label="accept_mutex off", variables={"accept_mutex": "off", "listen": ""}),
        Level(key="reuseport", label="reuseport", variables={"accept_mutex": "off", "listen": "reuseport"}),
    ]


class ReuseportTemplate(Template):
    key = "reuseport"
    title = "Socket sharding (reuseport)"
    summary = "Three ways for workers to share new connections, compared for balance, latency and rate."
    question = _QUESTION
    mechanism = _MECHANISM
    source = Source(
        title="Socket Sharding in NGINX Release 1.9.1",
        url="https://www.nginx.com/blog/socket-sharding-nginx-release-1-9-1/",
        published="2015-05-26",
    )
    parameters = PARAMETERS
    presets = PRESETS
    charts = CHARTS
    figures = FIGURES
    primary = ("worker_cpu_cv", "requests_per_s", "latency_p99_us")

    def problems_across(self, values: dict[str, LevelValue]) -> list[FieldProblem]:
        problems = []
        threads, connections, workers = (int(values[name]) for name in ("threads", "connections", "workers"))
        if connections % threads:
            largest = connections - connections % threads
            message = f"must be a multiple of wrk's threads ({threads}), e.g. {largest or threads}"
            problems.append(FieldProblem(field="parameters.connections", message=message))
        if connections < workers:
            message = f"must be at least {workers}, the number of workers, or they cannot be balanced"
            problems.append(FieldProblem(field="parameters.connections", message=message))
        return problems

    def build(self, values: dict[str, LevelValue]) -> Definition:
        factor = Factor(key="accept", label="How workers share new connections", levels=_levels())
        connections = int(values["connections"])
        return Definition(
            question=_QUESTION,
            template=TemplateOrigin(key=self.key, parameters=values),
            factors=[factor],
            baseline=str(values["baseline"]),
            nginx=NginxTemplate(
                workers=int(values["workers"]),
                # One worker may get all connections; with less than 1/16 free, nginx would close idle ones.
                worker_connections=max(512, connections * 2),
                events="accept_mutex {{ accept_mutex }};",
                listen_options="{{ listen }}",
                tls=values["protocol"] == "https",
                server='keepalive_requests 1000000000;\nlocation / { return 200 "OK\\n"; }',
            ),
            streams=[
                Stream(
                    key="wrk",
                    threads=int(values["threads"]),
                    connections=connections,
                    keep_alive=values["connection_mode"] == "keep-alive",
                )
            ],
            plan=plan_of(values),
        )

    def needs(self, values: dict[str, LevelValue]) -> list[Need]:
        return [
            Cores(
                count=int(values["workers"]),
                why="With a core for each worker, an idle one is lost capacity; with fewer, only the balance shows.",
                remedy="Choose a host with more CPUs, or fewer workers.",
                must=False,
            ),
            AnotherHost(
                slot="generator",
                why="A generator beside nginx takes CPUs and lowers the rate. The balance shows all the same.",
                remedy="Choose another host for the slot generator.",
                must=False,
            ),
        ]

    def conclude(self, evidence: Evidence) -> list[Sentence]:
        return conclude(evidence)


TEMPLATE = ReuseportTemplate()
