"""Request buffering: what it costs to buffer a request's body before passing it on.

Source: "Nginx/Tengine buffer request data", 2016, a performance test by the Tengine team. Its arms without buffering
map onto stock nginx's ``client_body_buffer_size``; the fifth arm, buffering in memory, separates its two properties.
"""

from ngxlab_contracts.perturbations import Sync
from ngxlab_contracts.sentences import Sentence

from ngxlab.core.errors import FieldProblem
from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import Factor, Level, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.perturbations import Every, Perturbation
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import Sink, UpstreamServer
from ngxlab.templates.base import Source, Template
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers
from ngxlab.templates.needs import AnotherHost, Feature, LinkSpeed, Need, NginxBuild
from ngxlab.templates.plan_parameters import plan_of
from ngxlab.templates.request_buffering.charts import CHARTS, CONNECTIONS
from ngxlab.templates.request_buffering.conclusion import conclude
from ngxlab.templates.request_buffering.figures import FIGURES
from ngxlab.templates.request_buffering.parameters import ARMS, PARAMETERS, PRESETS

_QUESTION = (
    "Does it cost anything to buffer a request's body before passing it on? "
    "If so, is the cause the temporary file, or the size of the chunks?"
)

_MECHANISM = """\
With `proxy_request_buffering on`, nginx reads the whole body before it contacts the upstream server. What does not \
fit into `client_body_buffer_size` goes to a temporary file and is read back from it, so every upload uses the disk. \
With `proxy_request_buffering off`, each piece is passed on as soon as the buffer has it, so nothing is written, but a \
small buffer means many small system calls. The article compares buffering in its default size with no buffering in \
three sizes, and so changes two things at once. A fifth arm separates them: its buffer holds the whole body, so it \
buffers without writing a file."""

_HTTP = """\
client_max_body_size 100m;
upstream sink {
    {{ servers("sink") }}
    keepalive %d;%s
}"""
_KEPT = "\n    keepalive_requests 1000000000;"
"""For nginx from 1.15.3 on; before, it had no such bound, and no such directive."""

_SERVER = """\
keepalive_requests 1000000000;
location / {
    proxy_pass http://sink;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_request_buffering {{ buffering }};
    client_body_buffer_size {{ body_buffer }};%s
}"""
_POSTPONED = "\n    client_body_postpone_size {{ body_buffer }};"
"""Tengine passes an unbuffered body on whenever it has that much; it makes ``client_body_buffers`` fit by itself."""


class RequestBufferingTemplate(Template):
    key = "request-buffering"
    title = "Request buffering"
    summary = "Uploads through a proxy: temporary file or chunk size? Five arms instead of the article's four."
    question = _QUESTION
    mechanism = _MECHANISM
    source = Source(
        title="Performance risks of buffering request data in Nginx and Tengine (in Chinese)",
        url="https://www.iyunv.com/thread-320293-1-1.html",
        published="2016-12-28",
    )
    parameters = PARAMETERS
    presets = PRESETS
    charts = CHARTS
    figures = FIGURES
    primary = ("requests_per_s", "latency_p99_us", "disk_written_bytes_per_request")

    def problems_across(self, values: dict[str, LevelValue]) -> list[FieldProblem]:
        threads = int(values["threads"])
        uneven = [number for number in numbers(values["connections"]) if number % threads]
        if not uneven:
            return []
        message = f"must be multiples of wrk's threads ({threads}); {uneven[0]} is not"
        return [FieldProblem(field="parameters.connections", message=message)]

    def build(self, values: dict[str, LevelValue]) -> Definition:
        connections = [int(number) for number in numbers(values["connections"])]
        factors = [Factor(key="buffering", label="Buffering and buffer", levels=_buffering_levels())]
        baseline = str(values["baseline"])
        if len(connections) > 1:
            factors.append(Factor(key=CONNECTIONS, label="Connections", levels=_connection_levels(connections)))
            baseline = f"{baseline}.{connections[0]}"
        most = max(connections)
        return Definition(
            question=_QUESTION,
            template=TemplateOrigin(key=self.key, parameters=values),
            factors=factors,
            baseline=baseline,
            nginx=NginxTemplate(
                workers=int(values["workers"]),
                # One worker may get all connections, and each needs one to the upstream server; nginx keeps 1/16 free.
                worker_connections=512 + 4 * most,
                http=_HTTP % (most, "" if _by_tengine(values) else _KEPT),
                server=_SERVER % (_POSTPONED if _by_tengine(values) else ""),
                request_times=True,
            ),
            upstream_servers=[UpstreamServer(key="sink", slot="upstream", behaviour=Sink())],
            streams=[
                Stream(
                    key="upload",
                    method="POST",
                    body_bytes=int(values["body_kib"]) * 1024,
                    threads=int(values["threads"]),
                    connections="{{ connections }}" if len(connections) > 1 else most,
                )
            ],
            perturbations=_syncs(float(values["sync_every_s"])),
            plan=plan_of(values),
        )

    def needs(self, values: dict[str, LevelValue]) -> list[Need]:
        needs: list[Need] = [
            Feature(
                capability="process-io",
                title="bytes and calls of each process",
                why="Bytes to disk and write calls per request distinguish the temporary file from the chunks.",
                remedy="See what the host says; the rest of the report does not depend on it.",
                must=False,
            ),
            AnotherHost(
                slot="generator",
                why="Posting bodies takes CPU that the proxy then lacks, so differences between arms become smaller.",
                remedy="Choose another host for the slot generator.",
                must=False,
            ),
        ]
        if _by_tengine(values):
            needs.append(NginxBuild(name="Tengine", before=_NATIVE_SINCE, why=_BY_TENGINE, remedy=_REGISTER))
        if int(values["body_kib"]) * max(numbers(values["connections"])) > _MUCH_KIB:
            needs.append(
                LinkSpeed(
                    mbps=10_000,
                    why="So many large bodies at once saturate a slower link, and all arms look alike.",
                    remedy="Choose hosts with a faster link, or fewer connections.",
                    must=False,
                )
            )
        return needs

    def conclude(self, evidence: Evidence) -> list[Sentence]:
        return conclude(evidence)


_MUCH_KIB = 10_000
_NATIVE_SINCE = "2.2"
"""From this Tengine on, client_body_postpone_size is read and without effect: ngx_http_request_body.c uses it in 1.5.0
to 2.1.2 only (https://github.com/alibaba/tengine)."""
_BY_TENGINE = "nginx does not know client_body_postpone_size, and Tengine from 2.2 on reads it without effect."
_REGISTER = (
    "Register such a Tengine on the host and choose it for the run (docs/tengine.md), or choose nginx's directive."
)


def _by_tengine(values: dict[str, LevelValue]) -> bool:
    return values["unbuffered_by"] == "tengine"


def _buffering_levels() -> list[Level]:
    return [
        Level(key=key, label=label, variables={"buffering": buffering, "body_buffer": size})
        for key, label, buffering, size in ARMS
    ]


def _connection_levels(connections: list[int]) -> list[Level]:
    return [Level(key=str(n), label=f"{n} connections", variables={CONNECTIONS: n}) for n in connections]


def _syncs(every_s: float) -> list[Perturbation]:
    if every_s <= 0:
        return []
    return [Perturbation(key="sync", when=Every(every_s=every_s), action=Sync())]


TEMPLATE = RequestBufferingTemplate()
