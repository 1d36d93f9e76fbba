"""Request buffering: what it costs to buffer a request's body before passing it on.

Source: "Nginx/Tengine buffer request data", 2016, a performance test by the Tengine team. Its arms without buffering
map onto stock nginx's ``client_body_buffer_size``; the fifth arm, buffering in memory, separates its two properties.
"""

from collections.abc import Iterator

from ngxlab_contracts.perturbations import Sync
from ngxlab_contracts.sentences import Sentence, say

from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import Factor, Level, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.perturbations import Every, Perturbation
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import Sink, UpstreamServer
from ngxlab.templates.base import Template
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers, plan_of
from ngxlab.templates.needs import AnotherHost, Feature, LinkSpeed, Need, NginxBuild
from ngxlab.templates.request_buffering.conclusion import CONNECTIONS, conclude

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
    def problems_across(self, values: dict[str, LevelValue]) -> Iterator[tuple[str, Sentence]]:
        threads = int(values["threads"])
        uneven = [number for number in numbers(values["connections"]) if number % threads]
        if uneven:
            message = "must be multiples of wrk's threads ({threads}); {uneven} is not"
            yield "connections", say(message, threads=threads, uneven=uneven[0])

    def build(self, values: dict[str, LevelValue]) -> Definition:
        connections = [int(number) for number in numbers(values["connections"])]
        factors = list(self.factors)
        baseline = str(values["baseline"])
        if len(connections) > 1:
            factors.append(Factor(key=CONNECTIONS, label="Connections", levels=_connection_levels(connections)))
            baseline = f"{baseline}.{connections[0]}"
        most = max(connections)
        return Definition(
            question=self.question,
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


def _connection_levels(connections: list[int]) -> list[Level]:
    return [Level(key=str(n), label=f"{n} connections", variables={CONNECTIONS: n}) for n in connections]


def _syncs(every_s: float) -> list[Perturbation]:
    if every_s <= 0:
        return []
    return [Perturbation(key="sync", when=Every(every_s=every_s), action=Sync())]


TEMPLATE = RequestBufferingTemplate.load()
