"""The charts of the thread-pools template: the effect on the hot file, then its causes."""

from ngxlab.templates.charts import ArmBars, ChartSpec, TimeSeries
from ngxlab.templates.thread_pools.quantities import BLOCKED, CONSTANT, FROM_DISK, NETWORK_OUT, P50, P99, RATE

CHARTS: tuple[ChartSpec, ...] = (
    ArmBars(
        key="constant-rate",
        title="Requests per second for the hot file",
        why="The hot file is in memory, so whatever delays it is the wait for other clients' files.",
        quantity=RATE,
    ),
    ArmBars(
        key="constant-p50",
        title="Median latency of the hot file",
        why="Without a pool, each request waits until its worker has finished the reads before it.",
        quantity=P50,
    ),
    ArmBars(
        key="constant-p99",
        title="p99 latency of the hot file",
        why="The longest of these waits.",
        quantity=P99,
    ),
    ArmBars(
        key="blocked",
        title="Workers blocked on the disk",
        why="The cause: a worker whose main thread is in state D serves nobody. With a pool, other threads wait.",
        quantity=BLOCKED,
    ),
    ArmBars(
        key="network-out",
        title="Network out",
        why="The article's headline of nine times; there a 10 Gbit/s link was the limit.",
        quantity=NETWORK_OUT,
    ),
    ArmBars(
        key="from-disk",
        title="Served from disk, not from memory",
        why="If the files come from memory, the experiment means nothing. The rest of the bytes is the hot file.",
        quantity=FROM_DISK,
    ),
    TimeSeries(
        key="constant-rate-over-time",
        title="Requests per second for the hot file, over a trial",
        why="Whether it is served evenly, or only in the gaps between slow reads.",
        series="requests_per_s",
        lines=(CONSTANT,),
    ),
    TimeSeries(
        key="constant-latency-over-time",
        title="Latency of the hot file, over a trial",
        why="Percentiles of each second, for the hot file alone.",
        series="latency_ms",
        lines=tuple(f"{CONSTANT} {percentile}" for percentile in ("p50", "p99")),
    ),
    TimeSeries(
        key="threads",
        title="Threads of the workers, by state",
        why="Without a pool the workers' main threads are in D; with one, threads of the pool are instead.",
        series="worker_threads",
    ),
    TimeSeries(
        key="cpu",
        title="CPU by mode",
        why="iowait is idle time while the disk works. It may rise in the better arm, with more reads in progress.",
        series="cpu_share",
    ),
    TimeSeries(
        key="disk",
        title="Disk throughput",
        why="A pool keeps many reads in progress at once, which gives a disk its best throughput.",
        series="disk_bytes_per_s",
    ),
    TimeSeries(
        key="pressure",
        title="Pressure stall",
        why="Share of the time in which any tasks waited for the disk.",
        series="pressure_share",
    ),
    TimeSeries(
        key="load_average",
        title="Load average",
        why="It counts threads that wait for the disk, so a pool raises it. That is neither good nor bad.",
        series="load_average",
    ),
    TimeSeries(
        key="network",
        title="Network",
        why="Everything that was served, from the disk and from memory.",
        series="network_bits_per_s",
    ),
)
