"""100,000 idle keep-alive connections: what holding them costs nginx and the kernel.

Source: an article of 2014 on nginx 1.4.7 (in Chinese: "NGINX holds 100,000 long connections with ease").
"""

from collections.abc import Iterator

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import Factor, Level, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import IdleHold, Stream
from ngxlab.templates.base import Template
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers, plan_of
from ngxlab.templates.idle_connections.charts import LINES, SLOPES
from ngxlab.templates.idle_connections.conclusion import conclude
from ngxlab.templates.idle_connections.quantities import (
    FACTOR,
    OWN,
    connecting_s,
    most_connections,
    worker_connections,
    workers_for,
)
from ngxlab.templates.needs import AnotherHost, Cores, Descriptors, Memory, Need

_BYTES_BOTH_ENDS = 10_000
_OTHERS = 1 << 30
_SERVER = """\
keepalive_timeout {keepalive_s}s;
client_header_timeout {keepalive_s}s;
keepalive_requests 1000000000;
location / {{ return 200 "OK\\n"; }}"""


class IdleConnectionsTemplate(Template):
    def problems_across(self, values: dict[str, LevelValue]) -> Iterator[tuple[str, Sentence]]:
        least_s, most = connecting_s(values), most_connections(values)
        if float(values["warmup_s"]) < least_s:
            message = "must be at least {least:g}: opening {most:,} connections takes this long"
            yield "warmup_s", say(message, least=least_s, most=most)
        if float(values["think_max_s"]) >= int(values["keepalive_s"]):
            message = "nginx closes a connection that is silent for {silent} s"
            yield "think_max_s", say(message, silent=values["keepalive_s"])
        if workers_for(most, int(values["descriptors"])) > 256:
            yield "descriptors", say("too few: {most:,} connections would need more than 256 workers", most=most)

    def build(self, values: dict[str, LevelValue]) -> Definition:
        counts = sorted(int(count) for count in numbers(values["connections"]))
        most, descriptors = counts[-1], int(values["descriptors"])
        levels = [Level(key=str(n), label=f"{n:,} connections", variables={FACTOR: n}) for n in counts]
        return Definition(
            question=self.question,
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
        all_needs: list[Need] = [
            Descriptors(
                count=int(values["descriptors"]),
                why="It determines the number of workers.",
                remedy="Enter the host's own limit (nofile_hard) in the form, or raise LimitNOFILE of its agent's "
                "service.",
            ),
            Memory(
                size_bytes=most_connections(values) * _BYTES_BOTH_ENDS + _OTHERS,
                why="Both ends of a connection take about 8 KB of the kernel's memory, nginx's entry half a KB.",
                remedy="Hold fewer connections, or let another host hold their other ends.",
            ),
            Cores(
                count=2,
                why="nginx and the generator work at the same time while connections are opened.",
                remedy="Expect connecting to take longer: warm up longer.",
                must=False,
            ),
        ]
        if int(values["generators"]) > 1:
            all_needs.append(
                AnotherHost(
                    slot="generator",
                    why="Only then does the target's memory contain just one end of each connection.",
                    remedy="Let other hosts play the generators.",
                    must=False,
                )
            )
        return all_needs

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


TEMPLATE = IdleConnectionsTemplate.load(SLOPES | OWN, LINES)
