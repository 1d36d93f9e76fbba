"""Thread pools: whether slow reads for some clients keep a worker from serving the others.

Source: "Thread Pools in NGINX Boost Performance 9x!", nginx.com, 2015.
"""

from collections.abc import Iterator

from ngxlab_contracts.files import FileSet
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.streams import PathChoice
from ngxlab_contracts.trials import ColdFiles

from ngxlab.definition.schema.definition import Definition, TemplateOrigin
from ngxlab.definition.schema.factors import Factor, Level, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream
from ngxlab.templates.base import Template
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.form import numbers, plan_of
from ngxlab.templates.needs import AnotherHost, Feature, LessMemory, Need, NginxOption
from ngxlab.templates.thread_pools.conclusion import conclude
from ngxlab.templates.thread_pools.quantities import CONSTANT, OWN, RANDOM

_HTTP = """\
sendfile on;
sendfile_max_chunk 512k;"""

_SERVER = """\
keepalive_requests 1000000000;
root @@folder@@/files;
location / {
    aio {{ aio }};
}"""


_ALWAYS: tuple[Need, ...] = (
    NginxOption(
        option="--with-threads",
        why="`aio threads` passes reads to threads of nginx.",
        remedy="Install Debian's nginx, or register one that was built with threads.",
    ),
    Feature(
        capability="process-io",
        title="bytes that each process reads from the disk",
        why="They show whether files came from the disk or from memory.",
        remedy="See what the host says; without it, only the disks' own counters tell.",
        must=False,
    ),
    Feature(
        capability="psi",
        title="pressure stall information",
        why="It shows how long tasks waited for the disk.",
        remedy="Boot a kernel with CONFIG_PSI and psi=1.",
        must=False,
    ),
    AnotherHost(
        slot="generator",
        why="Generators beside nginx compete for its CPUs. The effect shows anyway, because the disk is the limit.",
        remedy="Choose another host for the slot generator.",
        must=False,
    ),
)


class ThreadPoolsTemplate(Template):
    def problems_across(self, values: dict[str, LevelValue]) -> Iterator[tuple[str, Sentence]]:
        threads, connections = int(values["constant_threads"]), int(values["constant_connections"])
        if connections % threads:
            message = "must be a multiple of wrk's threads ({threads}); {connections} is not"
            yield "constant_connections", say(message, threads=threads, connections=connections)

    def build(self, values: dict[str, LevelValue]) -> Definition:
        random, constant = int(values["random_connections"]), int(values["constant_connections"])
        return Definition(
            question=self.question,
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
        all_needs = list(_ALWAYS)
        if values["cold"] == "throttle":
            all_needs.append(
                Feature(
                    capability="throttled-disk",
                    title="a loop device that can be slowed down",
                    why="The files are stored on it, so that reading them is slow on any machine.",
                    remedy="Let the agent run as root, or choose to drop files from the page cache instead.",
                )
            )
        if values["cold"] == "no":
            all_needs.append(
                LessMemory(
                    size_bytes=int(values["files"]) * int(values["file_kib"]) * 1024,
                    why="If all files fit into memory, they are read from there, and no read blocks.",
                    remedy="Ask for more or larger files, or have them dropped from the page cache.",
                )
            )
        return all_needs

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


TEMPLATE = ThreadPoolsTemplate.load(OWN)
