"""100,000 idle keep-alive connections: what holding them costs nginx and the kernel.

Source: an article of 2014 on nginx 1.4.7 (in Chinese: "NGINX holds 100,000 long connections with ease").
"""

from ngxlab_contracts.sentences import Sentence

from ngxlab.core.errors import FieldProblem
from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import Factor, Level, LevelValue
from ngxlab.definition.schema.loads import IdleHold
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream
from ngxlab.templates.base import Source, Template
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers
from ngxlab.templates.idle_connections.charts import CHARTS
from ngxlab.templates.idle_connections.conclusion import conclude
from ngxlab.templates.idle_connections.figures import FIGURES
from ngxlab.templates.idle_connections.needs import needs
from ngxlab.templates.idle_connections.parameters import PARAMETERS, PRESETS
from ngxlab.templates.idle_connections.quantities import FACTOR, connecting_s, most_connections
from ngxlab.templates.idle_connections.workers import worker_connections, workers_for
from ngxlab.templates.needs import Need
from ngxlab.templates.plan_parameters import plan_of

_QUESTION = "What does each idle keep-alive connection cost, in nginx and in the kernel, and are all of them kept?"

_MECHANISM = """\
A connection that waits for its next request has no buffers in nginx: nginx frees them after each response and keeps \
an entry in `worker_connections` and a small pool. In the kernel, both ends have a socket, a file, and entries in the \
routing table and often in the connection-tracking table. So memory, mostly the kernel's, limits their number once the \
hard limits are raised: file descriptors, ports, tracked connections. Connections are opened at a constant rate; each \
then repeatedly sleeps for a random time and sends a HEAD request. A connection that nginx closes meanwhile is \
reopened, which nobody notices without counting (accepts less active): nginx closes the connection of a client that is \
silent for longer than `client_header_timeout` or `keepalive_timeout`, and idle ones when less than a sixteenth of \
`worker_connections` is free. Every arm has the same nginx, so the arms differ only in the number of connections."""

_SERVER = """\
keepalive_timeout {keepalive_s}s;
client_header_timeout {keepalive_s}s;
keepalive_requests 1000000000;
location / {{ return 200 "OK\\n"; }}"""


class IdleConnectionsTemplate(Template):
    key = "idle-connections"
    title = "100,000 idle connections"
    summary = "Keep-alive connections by the thousand: the memory they take in nginx and in the kernel, and any losses."
    question = _QUESTION
    mechanism = _MECHANISM
    source = Source(
        title="NGINX manages 100,000 long-lived connections with ease (in Chinese)", url=None, published="2014"
    )
    parameters = PARAMETERS
    presets = PRESETS
    charts = CHARTS
    figures = FIGURES
    primary = ("worker_rss_growth_bytes", "kernel_memory_growth_bytes")

    def problems_across(self, values: dict[str, LevelValue]) -> list[FieldProblem]:
        return [
            FieldProblem(field=f"parameters.{name}", message=message)
            for name, message in (*_too_short(values), *_too_many(values))
        ]

    def build(self, values: dict[str, LevelValue]) -> Definition:
        counts = sorted(int(count) for count in numbers(values["connections"]))
        most, descriptors = counts[-1], int(values["descriptors"])
        levels = [Level(key=str(n), label=f"{n:,} connections", variables={FACTOR: n}) for n in counts]
        return Definition(
            question=_QUESTION,
            template=TemplateOrigin(key=self.key, parameters=values),
            factors=[Factor(key=FACTOR, label="Connections held", levels=levels)],
            baseline=levels[0].key,
            nginx=NginxTemplate(
                workers=workers_for(most, descriptors),
                worker_connections=worker_connections(most, descriptors),
                events="accept_mutex off;",
                listen_options="reuseport backlog=4096",
                server=_SERVER.format(keepalive_s=int(values["keepalive_s"])),
            ),
            streams=_streams(values),
            plan=plan_of(values),
        )

    def needs(self, values: dict[str, LevelValue]) -> list[Need]:
        return needs(values)

    def conclude(self, evidence: Evidence) -> list[Sentence]:
        return conclude(evidence)


def _streams(values: dict[str, LevelValue]) -> list[Stream]:
    """One for each generator, with the connections shared as evenly as possible."""
    generators = int(values["generators"])
    shares = ["{{ connections }}"]
    if generators == 2:
        shares = ["{{ connections - connections // 2 }}", "{{ connections // 2 }}"]
    return [
        Stream(
            key=f"idle-{number}" if generators > 1 else "idle",
            slot="generator" if number == 1 else f"generator-{number}",
            engine="idle-hold",
            connections=share,
            method="HEAD",
            idle_hold=IdleHold(
                connect_per_s=float(values["connect_per_s"]),
                think_min_s=1,
                think_max_s=float(values["think_max_s"]),
                seed=number,
            ),
        )
        for number, share in enumerate(shares, 1)
    ]


def _too_short(values: dict[str, LevelValue]) -> list[tuple[str, str]]:
    problems = []
    least_s = connecting_s(values)
    if float(values["warmup_s"]) < least_s:
        message = f"must be at least {least_s:g}: opening {most_connections(values):,} connections takes this long"
        problems.append(("warmup_s", message))
    if float(values["think_max_s"]) >= int(values["keepalive_s"]):
        problems.append(("think_max_s", f"nginx closes a connection that is silent for {values['keepalive_s']} s"))
    return problems


def _too_many(values: dict[str, LevelValue]) -> list[tuple[str, str]]:
    if workers_for(most_connections(values), int(values["descriptors"])) <= 256:
        return []
    return [("descriptors", f"too few: {most_connections(values):,} connections would need more than 256 workers")]


TEMPLATE = IdleConnectionsTemplate()
