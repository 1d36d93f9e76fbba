"""The form of the thread-pools template."""

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.form import Choice, Parameter, Preset
from ngxlab.templates.plan_parameters import plan_parameters

PARAMETERS = [
    Parameter(
        name="workers",
        section="nginx",
        label="nginx workers",
        help="A blocked worker serves nobody: with fewer workers, fewer slow reads stop everything. On a small "
        "machine, one of several may hold only connections of the hot file, and then it never blocks.",
        kind="integer",
        default=1,
        minimum=1,
        maximum=128,
        article_value="16",
    ),
    Parameter(
        name="pool_threads",
        section="nginx",
        label="Threads of the pool",
        help="How many reads of a worker can be in progress at once. Several numbers make an arm each.",
        kind="integers",
        default="32",
        minimum=1,
        maximum=1024,
        article_value="32, nginx's default",
    ),
    Parameter(
        name="files",
        section="Data",
        label="Files on disk",
        help="Created for each trial. Each random request asks for one of them.",
        kind="integer",
        default=128,
        minimum=1,
        maximum=100_000,
        article_value="65,536 (256 GB)",
    ),
    Parameter(
        name="file_kib",
        section="Data",
        label="Size of each file",
        help="Of the files on disk.",
        kind="integer",
        unit="KiB",
        default=1024,
        minimum=1,
        maximum=1 << 20,
        article_value="4 MB",
    ),
    Parameter(
        name="hot_kib",
        section="Data",
        label="Size of the hot file",
        help="The one file that the constant stream requests again and again. It stays in memory. A large one makes "
        "the CPU the limit on a small machine, and hides the effect of the disk.",
        kind="integer",
        unit="KiB",
        default=64,
        minimum=1,
        maximum=1 << 20,
        article_value="4 MB",
    ),
    Parameter(
        name="cold",
        section="Data",
        label="Files are kept out of memory",
        help="The article had far more data than memory. Here the agent drops the files from the page cache all the "
        "time; if the host allows it, it can also put them on a slow loop device of their own.",
        kind="choice",
        choices=[
            Choice(value="evict", label="by dropping them from the page cache"),
            Choice(value="throttle", label="on a throttled device"),
            Choice(value="no", label="not at all: there are more of them than memory"),
        ],
        default="evict",
        article_value="256 GB of data, 48 GB of memory",
    ),
    Parameter(
        name="read_mib_per_s",
        section="Data",
        label="The throttled device reads",
        help="Only for a throttled device.",
        kind="integer",
        unit="MiB/s",
        default=100,
        minimum=1,
        maximum=10_000,
    ),
    Parameter(
        name="random_connections",
        section="Load",
        label="Connections, random files",
        help="Connections that request random files on disk. wrk, one thread.",
        kind="integer",
        default=50,
        minimum=1,
        maximum=10_000,
        article_value="200",
    ),
    Parameter(
        name="constant_connections",
        section="Load",
        label="Connections, hot file",
        help="Connections that request the hot file, which the article measures. A multiple of the threads.",
        kind="integer",
        default=20,
        minimum=1,
        maximum=10_000,
        article_value="50",
    ),
    Parameter(
        name="constant_threads",
        section="Load",
        label="wrk threads, hot file",
        help="Threads of the generator that requests the hot file.",
        kind="integer",
        default=1,
        minimum=1,
        maximum=128,
        article_value="12",
    ),
    # Threads are blocked for some milliseconds: one reading per second would hardly ever meet one.
    *plan_parameters(blocks=5, warmup_s=2, measure_s=10, cooldown_s=1, interval_ms=100),
]

_SHORT: dict[str, LevelValue] = {"blocks": 5, "warmup_s": 2, "measure_s": 10}
_EVICTED: dict[str, LevelValue] = {"cold": "evict", "files": 256}
"""Twice as many files as by default: with more files, fewer requests meet a file that another request has just read and
that has not been dropped yet. On a busy machine, where dropping lags behind, more than half of the bytes came from
memory with 128."""

PRESETS = [
    Preset(
        key="compact",
        label="Compact",
        help="About two and a half minutes on one small machine, without special rights: files are dropped from the "
        "page cache. One worker, so that all connections share its waits.",
        values={"workers": 1, "pool_threads": "32", **_EVICTED, **_SHORT},
    ),
    Preset(
        key="throttled",
        label="On a slow disk",
        help="As compact, for agents that run as root: half as many files, on a device that reads 100 MiB/s.",
        values={"workers": 1, "pool_threads": "32", "cold": "throttle", **_SHORT},
    ),
    Preset(
        key="pools",
        label="Sizes of the pool",
        help="Four minutes and a half: no pool against pools of 8, 32 and 128 threads.",
        values={"workers": 1, "pool_threads": "8, 32, 128", **_EVICTED, **_SHORT},
    ),
    Preset(
        key="faithful",
        label="As published",
        help="For a machine with 48 GB of memory and 256 GB of files, 10 Gbit/s, generators on two others. The first "
        "trial creates the files, which takes a long time.",
        values={
            "workers": 16,
            "pool_threads": "32",
            "files": 65_536,
            "file_kib": 4096,
            "hot_kib": 4096,
            "cold": "no",
            "random_connections": 200,
            "constant_connections": 48,
            "constant_threads": 12,
            "blocks": 5,
            "warmup_s": 30,
            "measure_s": 60,
            "cooldown_s": 10,
        },
    ),
]
