"""reuseport: how the kernel and nginx share new connections among workers.

Source: "Socket Sharding in NGINX Release 1.9.1", nginx.com, 2015.
"""

from collections.abc import Iterator

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream
from ngxlab.templates.base import Template
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import plan_of
from ngxlab.templates.needs import AnotherHost, Cores, Need
from ngxlab.templates.reuseport.conclusion import conclude
from ngxlab.templates.reuseport.shown import LINES, OWN


class ReuseportTemplate(Template):
    def problems_across(self, values: dict[str, LevelValue]) -> Iterator[tuple[str, Sentence]]:
        threads, connections, workers = (int(values[name]) for name in ("threads", "connections", "workers"))
        if connections % threads:
            largest = connections - connections % threads
            message = "must be a multiple of wrk's threads ({threads}), e.g. {example}"
            yield "connections", say(message, threads=threads, example=largest or threads)
        if connections < workers:
            message = "must be at least {workers}, the number of workers, or they cannot be balanced"
            yield "connections", say(message, workers=workers)

    def build(self, values: dict[str, LevelValue]) -> Definition:
        connections = int(values["connections"])
        return Definition(
            question=self.question,
            template=TemplateOrigin(key=self.key, parameters=values),
            factors=self.factors,
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


TEMPLATE = ReuseportTemplate.load(OWN, LINES)
