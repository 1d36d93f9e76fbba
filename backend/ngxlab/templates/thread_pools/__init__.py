"""Thread pools: whether slow reads for some clients keep a worker from serving the others.

Source: "Thread Pools in NGINX Boost Performance 9x!", nginx.com, 2015.
"""

from ngxlab_contracts.files import FileSet
from ngxlab_contracts.sentences import Sentence
from ngxlab_contracts.streams import PathChoice
from ngxlab_contracts.trials import ColdFiles

from ngxlab.core.errors import FieldProblem
from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import Factor, Level, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream
from ngxlab.templates.base import Source, Template
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers
from ngxlab.templates.needs import Need
from ngxlab.templates.plan_parameters import plan_of
from ngxlab.templates.thread_pools.charts import CHARTS
from ngxlab.templates.thread_pools.conclusion import conclude
from ngxlab.templates.thread_pools.figures import FIGURES
from ngxlab.templates.thread_pools.needs import needs
from ngxlab.templates.thread_pools.parameters import PARAMETERS, PRESETS
from ngxlab.templates.thread_pools.quantities import CONSTANT, RANDOM

_QUESTION = "Does a thread pool keep reads from a slow disk from delaying those whose file is in memory?"

_MECHANISM = """\
A worker serves all its connections in one loop. When it reads a file that is not in memory, the whole loop stands \
still until the disk has answered (state D), and with it every other connection of that worker, even those whose file \
is in memory. With `aio threads`, reads that would block go to a pool of threads; the worker continues to serve others \
and sends when the read is done. So there are two loads at once: random files from the disk, and one hot file from \
memory. The question is how long the clients of the hot file wait."""

_HTTP = """\
sendfile on;
sendfile_max_chunk 512k;"""

_SERVER = """\
keepalive_requests 1000000000;
root @@folder@@/files;
location / {
    aio {{ aio }};
}"""


class ThreadPoolsTemplate(Template):
    key = "thread-pools"
    title = "Thread pools"
    summary = "Slow reads from the disk beside one hot file: who waits, with and without a pool of threads."
    question = _QUESTION
    mechanism = _MECHANISM
    source = Source(
        title="Thread Pools in NGINX Boost Performance 9x!",
        url="https://www.nginx.com/blog/thread-pools-boost-performance-9x/",
        published="2015-06-19",
    )
    parameters = PARAMETERS
    presets = PRESETS
    charts = CHARTS
    figures = FIGURES
    primary = (f"{CONSTANT}.requests_per_s", f"{CONSTANT}.latency_p99_us")

    def problems_across(self, values: dict[str, LevelValue]) -> list[FieldProblem]:
        threads, connections = int(values["constant_threads"]), int(values["constant_connections"])
        if connections % threads == 0:
            return []
        message = f"must be a multiple of wrk's threads ({threads}); {connections} is not"
        return [FieldProblem(field="parameters.constant_connections", message=message)]

    def build(self, values: dict[str, LevelValue]) -> Definition:
        random, constant = int(values["random_connections"]), int(values["constant_connections"])
        return Definition(
            question=_QUESTION,
            template=TemplateOrigin(key=self.key, parameters=values),
            factors=[Factor(key="aio", label="Thread pool", levels=_levels(values["pool_threads"]))],
            baseline="off",
            nginx=NginxTemplate(
                workers=int(values["workers"]),
                worker_connections=512 + 2 * (random + constant),
                main="{{ thread_pool }}",
                events="accept_mutex off;",
                http=_HTTP,
                server=_SERVER,
                files=_files(values),
                cold_files=_cold_files(values),
            ),
            streams=[
                Stream(
                    key=RANDOM,
                    connections=random,
                    paths=PathChoice(pattern=f"/{RANDOM}/{{n}}", count=int(values["files"])),
                ),
                Stream(
                    key=CONSTANT,
                    threads=int(values["constant_threads"]),
                    connections=constant,
                    path="/hot/0",
                ),
            ],
            plan=plan_of(values),
        )

    def needs(self, values: dict[str, LevelValue]) -> list[Need]:
        return needs(values)

    def conclude(self, evidence: Evidence) -> list[Sentence]:
        return conclude(evidence)


def _levels(pool_threads: LevelValue) -> list[Level]:
    pools = [int(threads) for threads in numbers(pool_threads)]
    return [
        Level(key="off", label="no thread pool", variables={"thread_pool": "", "aio": "off"}),
        *(
            Level(
                key=f"threads-{threads}",
                label=f"aio threads ({threads})",
                variables={
                    "thread_pool": f"thread_pool readers threads={threads} max_queue=65536;",
                    "aio": "threads=readers",
                },
            )
            for threads in pools
        ),
    ]


def _files(values: dict[str, LevelValue]) -> list[FileSet]:
    return [
        FileSet(
            folder=RANDOM,
            count=int(values["files"]),
            size_bytes=int(values["file_kib"]) * 1024,
            cold=values["cold"] != "no",
        ),
        FileSet(folder="hot", count=1, size_bytes=int(values["hot_kib"]) * 1024, seed=2),
    ]


def _cold_files(values: dict[str, LevelValue]) -> ColdFiles | None:
    if values["cold"] == "throttle":
        return ColdFiles(method="throttle", read_bytes_per_s=int(values["read_mib_per_s"]) << 20)
    return ColdFiles(method="evict") if values["cold"] == "evict" else None


TEMPLATE = ThreadPoolsTemplate()
